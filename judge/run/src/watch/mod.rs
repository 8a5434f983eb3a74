//! What a run that goes on decides, and what it has to remember: which round is due, which versions
//! are taken, and whose games come first. Nothing here reads a clock.

mod acceptance;
mod calendar;
mod memory;
mod order;

pub use acceptance::{Acceptance, BEFORE_MAX, Came, Decision, Known, Taking};
pub use calendar::{Calendar, Due, Stage};
pub use memory::{KnownClosing, Memory};
pub use order::newcomers_first;
