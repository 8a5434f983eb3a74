//! The source of a table's players.

use crate::table::player::{Cost, ExitReport, Player, Shutdown};
use engines::Seat;
use model::fault::Fault;
use model::fixture::Fixture;
use model::protocol::Ready;
use model::record::TurnRecord;
use rulebook::JudgeError;

/// Provides players for a table and takes them back.
pub trait Bench {
    /// Returns the player for a seat of the fixture.
    ///
    /// # Errors
    /// When the player cannot be started and that is not its fault.
    fn seat(&mut self, fixture: &Fixture, seat: Seat) -> Result<Seated, JudgeError>;

    /// Takes a player back, and may keep one that can play again (`lifetime = match`).
    ///
    /// # Errors
    /// When the player cannot be ended and that is not its fault.
    fn leave(
        &mut self,
        fixture: &Fixture,
        seat: Seat,
        player: Seated,
        shutdown: Shutdown,
    ) -> Result<ExitReport, JudgeError>;

    /// Receives each event of the game when it is recorded. Most benches ignore it.
    ///
    /// # Errors
    /// An error abandons the game.
    fn observe(&mut self, _note: Note<'_>) -> Result<(), JudgeError> {
        Ok(())
    }
}

/// An event that the record of a game includes.
#[derive(Clone, Copy, Debug)]
pub enum Note<'a> {
    /// A seat's initialisation for the game, with its cost. It comes before the fault in it, if
    /// any.
    Start(Seat, Cost),
    /// A fault. A fault in a turn comes before that turn.
    Fault(&'a Fault),
    /// A turn.
    Turn(&'a TurnRecord),
}

/// A player at the table.
pub struct Seated {
    /// The player itself.
    pub player: Box<dyn Player>,
    /// The bot's `ready` message, if it has been greeted already.
    pub ready: Option<Ready>,
    /// See [`Artifact::startup_free_ms`](model::artifact::Artifact::startup_free_ms).
    pub startup_free_ms: Option<u64>,
}
