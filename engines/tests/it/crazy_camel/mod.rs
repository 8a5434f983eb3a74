//! Crazy Camel: against a second implementation, by example, by its tables and records, and
//! under hostile input.

mod compare;
mod golden;
mod naive;
mod perft;
mod rules;
mod wire;
