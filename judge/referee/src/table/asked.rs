//! A seat that was asked for its move, before anything is played.

use crate::table::player::{Cost, Spent};
use model::clock::Clock;
use model::fault::Offence;

/// The question to a seat for its move, and its reply.
pub(super) struct Asked {
    /// The number of bytes of standard error that were written before.
    pub(super) wrote: usize,
    /// The clock before the turn.
    pub(super) clock: Clock,
    pub(super) reply: Reply,
}

/// A seat's reply to the question for its move.
pub(super) enum Reply {
    /// Its bot is gone, and was not asked.
    Gone,
    /// Its process did not become ready.
    Unready(Offence, Cost),
    /// It was asked, and answered or made a fault.
    Spent {
        spent: Spent,
        /// Start-up time that the turn is charged with, in microseconds.
        owed_us: u64,
    },
}
