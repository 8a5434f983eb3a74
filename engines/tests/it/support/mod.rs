//! What the tests of all games share.

pub(crate) mod perft;
pub(crate) mod records;
pub(crate) mod wire;
