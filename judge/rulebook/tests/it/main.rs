//! Tests of the crate's public interface.

mod boundaries;
mod error_rates;
mod simulated;
