//! Tests of Reversi from outside. They use a naive second implementation, perft tables, recorded
//! games and hostile input.

mod compare;
mod naive;
mod perft;
