//! How a tournament is played.

use journal::MachineLine;
use play::worker::Order;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use words::artifact::Artifact;

/// How a tournament is played.
pub struct TournamentPlan<'a> {
    /// The program that serves as worker, with the verb `worker`.
    pub judge: &'a Path,
    /// What every worker is told first; `pin` is set for each.
    pub order: Order,
    /// What the journal tells of this machine; none where games are only tried out.
    pub machine: Option<MachineLine>,
    /// Whether each worker is bound to a CPU of its own.
    pub pin: bool,
    /// Says why the program of an artifact is not what was built any more, if that is so; asked
    /// where it did not start.
    pub intact: &'a (dyn Fn(&Artifact) -> Result<(), String> + Sync),
    /// How many workers.
    pub jobs: usize,
    /// Set from outside to let the games in play end and start no more.
    pub stop: Arc<AtomicBool>,
    /// Set from outside, after [`Self::stop`], to end the games in play too; nothing of them is
    /// kept.
    pub abandon: Arc<AtomicBool>,
}
