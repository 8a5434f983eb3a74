//! The settings of a tournament.

use super::ended_bots::EndedBots;
use crate::play::worker::Order;
use model::artifact::Artifact;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use store::MachineLine;

/// The settings of a tournament.
pub struct TournamentPlan<'a> {
    /// The program that serves as worker, with the verb `worker`.
    pub judge: &'a Path,
    /// The first message to every worker; `pin` is set for each.
    pub order: Order,
    /// The description of this machine for the journal; none if games are only tried out.
    pub machine: Option<MachineLine>,
    /// Whether each worker is bound to its own CPU.
    pub pin: bool,
    /// Returns an error with the reason if the program of an artifact differs from its build.
    /// Called when the program did not start.
    pub intact: &'a (dyn Fn(&Artifact) -> Result<(), String> + Sync),
    /// How often bots of each entrant were ended before; this tournament continues to count.
    pub ended: Arc<EndedBots>,
    /// Number of workers.
    pub jobs: usize,
    /// Set from outside to finish the games in play and start no more.
    pub stop: Arc<AtomicBool>,
    /// Set from outside, after [`Self::stop`], to end the games in play too, and discard them.
    pub abandon: Arc<AtomicBool>,
}
