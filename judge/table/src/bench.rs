//! Who brings players to a table and takes them away.

use crate::player::{Cost, ExitReport, Player, Shutdown};
use engines::Seat;
use error::JudgeError;
use words::fault::Fault;
use words::fixture::Fixture;
use words::protocol::Ready;
use words::record::TurnRecord;

/// Where players come from and go to.
pub trait Bench {
    /// Returns the player for a seat of the fixture.
    ///
    /// # Errors
    /// When it cannot be started for reasons of ours.
    fn seat(&mut self, fixture: &Fixture, seat: Seat) -> Result<Seated, JudgeError>;

    /// Takes a player back; one that may play again (`lifetime = match`) may be kept.
    ///
    /// # Errors
    /// When it cannot be ended for reasons of ours.
    fn leave(
        &mut self,
        fixture: &Fixture,
        seat: Seat,
        player: Seated,
        shutdown: Shutdown,
    ) -> Result<ExitReport, JudgeError>;

    /// Hears what is written down, as it happens. Most benches have no use for it.
    ///
    /// # Errors
    /// To give the game up.
    fn observe(&mut self, _note: Note<'_>) -> Result<(), JudgeError> {
        Ok(())
    }
}

/// Something that is written down about a game.
#[derive(Clone, Copy, Debug)]
pub enum Note<'a> {
    /// A seat's initialisation for the game, with what it took; before the fault in it, if any.
    Start(Seat, Cost),
    /// A fault; one that was made in a turn comes before that turn.
    Fault(&'a Fault),
    /// A turn.
    Turn(&'a TurnRecord),
}

/// A player at the table.
pub struct Seated {
    /// The player.
    pub player: Box<dyn Player>,
    /// What it said when it became ready, if it has been greeted already.
    pub ready: Option<Ready>,
    /// See [`Artifact::startup_free_ms`](words::artifact::Artifact::startup_free_ms).
    pub startup_free_ms: Option<u64>,
}
