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
#[path = "support"]
mod support {
    pub(crate) mod perft;
    pub(crate) mod picture;
    pub(crate) mod records;
    pub(crate) mod wire;
}
#[path = "reversi/wire.rs"]
mod wire;
