//! A position under the service's care: a game, and how many turns were played in it.

use super::refusal::{Refusal, RefusalKind};
use super::request::{Deed, TurnRequest};
use engines::erased::{AnyGame, MoveRefused};
use engines::{Entry, Seat};
use serde_json::value::RawValue;
use words::fault::quote;

/// A position and the number of turns since its setup.
#[derive(Debug)]
pub(super) struct Position {
    /// The position.
    pub(super) game: Box<dyn AnyGame>,
    /// Turns played since the setup, forfeits included; that of a seat that is not to move is none
    /// unless it ends the game.
    pub(super) ply: u32,
}

impl Position {
    /// Sets up the first position.
    ///
    /// # Errors
    /// When the rules do not allow the setup.
    pub(super) fn start(entry: &Entry, setup: &RawValue) -> Result<Self, Refusal> {
        let started = entry.start(setup);
        let game = started.map_err(|refused| Refusal::new(RefusalKind::Setup, refused.0))?;
        Ok(Self { game, ply: 0 })
    }

    /// Plays a turn.
    ///
    /// # Errors
    /// When the rules do not allow it; the position is then unchanged.
    pub(super) fn play(&mut self, turn: TurnRequest<'_>) -> Result<(), Refusal> {
        let to_move = self.game.to_move();
        let Some(first) = to_move.first() else {
            let reason = self.game.outcome().map(|outcome| outcome.reason);
            let reason = reason.as_deref().unwrap_or_default();
            return Err(Refusal::new(
                RefusalKind::Over,
                format!("the game ended at ply {}: {reason}", self.ply),
            ));
        };
        let seat = self.seat(turn.seat, first)?;
        match turn.deed {
            Deed::Forfeit(why) => {
                self.game.forfeit(seat, why);
                // It took no turn, and one who has lost already can do it again and again.
                if !to_move.contains(seat) && !self.game.to_move().is_empty() {
                    return Ok(());
                }
            }
            Deed::Move(_) if !to_move.contains(seat) => {
                let message = format!("{seat} is not to move; {first} is");
                return Err(Refusal::new(RefusalKind::WrongSeat, message).by(seat));
            }
            Deed::Move(mv) => {
                let played = self.game.play(seat, mv.get());
                played.map_err(|why| unplayed(mv, why).by(seat))?;
            }
        }
        self.ply += 1;
        Ok(())
    }

    /// Copies the position.
    pub(super) fn copy(&self) -> Self {
        Self {
            game: self.game.boxed_clone(),
            ply: self.ply,
        }
    }

    /// Returns the seat that was named, or the one whose turn it is.
    fn seat(&self, named: Option<u8>, first: Seat) -> Result<Seat, Refusal> {
        let Some(number) = named else {
            return Ok(first);
        };
        let seats = self.game.seats();
        if usize::from(number) >= seats {
            let message = format!(
                "there is no seat {number}: the seats are 0 to {}",
                seats - 1
            );
            return Err(Refusal::new(RefusalKind::WrongSeat, message));
        }
        Ok(Seat::new(number.into()))
    }
}

fn unplayed(mv: &RawValue, why: MoveRefused) -> Refusal {
    match why {
        MoveRefused::Unreadable(complaint) => {
            let quoted = quote(mv.get().as_bytes());
            Refusal::new(
                RefusalKind::UnreadableMove,
                format!("{quoted} is not a move: {complaint}"),
            )
        }
        MoveRefused::Broken(broken) => Refusal {
            rule: Some(broken.rule),
            ..Refusal::new(RefusalKind::IllegalMove, broken.message)
        },
    }
}
