//! Tests of the crate's public interface.

mod error_rates;
mod simulated;
