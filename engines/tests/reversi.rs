//! Reversi from outside: against a naive second implementation, perft tables, recorded
//! games and hostile input.

#[path = "reversi/compare.rs"]
mod compare;
#[path = "reversi/golden.rs"]
mod golden;
#[path = "naive/reversi.rs"]
mod naive;
#[path = "reversi/perft.rs"]
mod perft;
#[path = "reversi/wire.rs"]
mod wire;
