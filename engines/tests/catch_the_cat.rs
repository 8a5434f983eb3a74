//! Catch the Cat from outside: against a naive second implementation, perft tables, recorded
//! games and hostile input.

#[path = "catch_the_cat/compare.rs"]
mod compare;
#[path = "catch_the_cat/golden.rs"]
mod golden;
#[path = "naive/catch_the_cat.rs"]
mod naive;
#[path = "catch_the_cat/perft.rs"]
mod perft;
#[path = "support"]
mod support {
    pub(crate) mod perft;
    pub(crate) mod picture;
    pub(crate) mod records;
    pub(crate) mod wire;
}
#[path = "catch_the_cat/wire.rs"]
mod wire;
