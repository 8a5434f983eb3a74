//! Plays one fixture and writes down what happened: running bots, the table that they play
//! at, and the process that does it for the coordinator.

pub mod player;
pub mod table;
pub mod worker;
