//! Tests that measure CPU time or delays, and run while no other test does: `support/machine.rs`.

mod charging;
mod off_turn;
mod overload;
mod shortage;
