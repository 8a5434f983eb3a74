//! Tests that are the same for every registered game. A new game is tested once it is registered
//! and has its test data.

mod conformance;
mod examples;
mod golden;
mod perft;
mod wire;
