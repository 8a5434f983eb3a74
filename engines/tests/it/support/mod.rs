//! Support for the tests of all games.

pub(crate) mod perft;
pub(crate) mod records;
pub(crate) mod wire;
