//! What is tested of every registered game in the same way; a new game is tested as soon as it
//! is registered and has its test data.

mod golden;
mod perft;
mod wire;
