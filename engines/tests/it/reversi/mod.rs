//! Tests of Reversi from outside. They use a naive second implementation, perft tables, recorded
//! games and hostile input.

mod compare;
mod golden;
mod naive;
mod perft;
mod wire;
