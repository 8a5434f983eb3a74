//! `judge run --watch`: a run that goes on.

pub(in crate::cli) mod publish;
