//! The rules of a game as an owned value whose calls may fail.
//!
//! A run owns an `Arc<dyn Rules>`, and so does each part that plays, replays or serves a game. The
//! built-in games are [`engines`] behind [`of`], [`find`] and [`built_in`]. [`add`] makes others
//! known to this process.
//!
//! Rules can also be a program of their own, which can crash or fall silent. Each call may
//! therefore return a [`crate::error::JudgeError`], which is no bot's fault: the game is played again.

mod built_in;
mod contract;
mod opened;
mod refusal;

pub use built_in::{built_in, find, of, terms_of};
pub use contract::{Position, Rules};
pub use opened::{add, forget_opened};
pub use refusal::RulesError;
