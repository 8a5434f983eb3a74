//! Tests that are the same for every registered game. A new game is tested once it is registered
//! and has its test data.

mod conformance;
mod examples;
mod golden;
pub(crate) mod perft;
mod scenes;
mod wire;
