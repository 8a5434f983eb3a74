//! The crate from outside.

mod error_rates;
mod simulated;
