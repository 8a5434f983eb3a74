//! Tests of Reversi from outside. They use a naive second implementation, recorded
//! games and hostile input.

mod compare;
mod naive;
