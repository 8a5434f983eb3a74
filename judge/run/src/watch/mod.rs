//! What a run that goes on decides, and what it has to remember: which round is due, which versions
//! are taken, and whose games come first. Nothing here reads a clock.

mod calendar;
mod desk;
mod memory;
mod order;

pub use calendar::{Calendar, Due, Stage};
pub use desk::{BEFORE_MAX, Came, Decision, Desk, Known, Taking};
pub use memory::{KnownClosing, Memory};
pub use order::newcomers_first;
