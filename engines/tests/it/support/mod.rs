//! Support for the tests of all games.

pub(crate) mod compare;
pub(crate) mod perft;
pub(crate) mod records;
pub(crate) mod wire;
