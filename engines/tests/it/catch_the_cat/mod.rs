//! Catch the Cat from outside: against a naive second implementation, perft tables, recorded
//! games and hostile input.

mod compare;
mod golden;
mod naive;
mod perft;
