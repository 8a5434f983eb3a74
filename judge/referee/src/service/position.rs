//! A position that the service manages.

use super::request::{TurnAction, TurnRequest};
use super::{Refusal, RefusalKind, Unanswered};
use engines::erased::MoveRefused;
use engines::{Forfeit, Seat};
use model::fault::quote;
use rulebook::JudgeError;
use rulebook::rules::{Position, Rules};
use serde_json::value::RawValue;

#[derive(Debug)]
pub(super) struct CountedPosition {
    pub(super) game: Box<dyn Position>,
    /// Turns since the setup. A forfeit out of turn counts only if it ends the game.
    pub(super) ply: u32,
}

impl CountedPosition {
    pub(super) fn start(rules: &dyn Rules, setup: &RawValue) -> Result<Self, Unanswered> {
        let game = rules
            .start(setup)
            .map_err(|error| Unanswered::of(error, RefusalKind::Setup))?;
        Ok(Self { game, ply: 0 })
    }

    /// Returns the move in the game's own spelling, if one was carried out.
    pub(super) fn play(&mut self, turn: TurnRequest<'_>) -> Result<Option<String>, Unanswered> {
        let to_move = self.game.to_move()?;
        let Some(first) = to_move.first() else {
            let reason = self.game.outcome()?.map(|outcome| outcome.reason);
            let reason = reason.as_deref().unwrap_or_default();
            let message = format!("the game ended at ply {}: {reason}", self.ply);
            return Err(Refusal::new(RefusalKind::Over, message).into());
        };
        let seat = turn.seat.map_or(Ok(first), |seat| self.existing(seat))?;
        let spelled = match turn.action {
            TurnAction::Forfeit(why) => {
                self.game.forfeit(seat, why)?;
                // It takes no turn, and a seat that has already lost can repeat it forever.
                if !to_move.contains(seat) && !self.game.to_move()?.is_empty() {
                    return Ok(None);
                }
                None
            }
            TurnAction::Move(_) | TurnAction::Broken(_) if !to_move.contains(seat) => {
                let message = format!("{seat} is not to move; {first} is");
                return Err(Refusal::new(RefusalKind::WrongSeat, message)
                    .by(seat)
                    .into());
            }
            TurnAction::Move(mv) => Some(
                self.game
                    .play(seat, mv.get())?
                    .map_err(|why| unplayed(mv, why).by(seat))?,
            ),
            TurnAction::Broken(mv) => match self.game.copy()?.play(seat, mv.get())? {
                Err(why @ MoveRefused::Unreadable(_)) => {
                    return Err(unplayed(mv, why).by(seat).into());
                }
                Ok(_) => {
                    let message = format!("{} is legal", quote(mv.get().as_bytes()));
                    return Err(Refusal::new(RefusalKind::LegalMove, message)
                        .by(seat)
                        .into());
                }
                Err(MoveRefused::Broken(_)) => {
                    let carried_out = self.game.play_broken(seat, mv.get())?;
                    if carried_out.is_none() {
                        self.game.forfeit(seat, Forfeit::Illegal)?;
                    }
                    carried_out
                }
            },
        };
        self.ply += 1;
        Ok(spelled)
    }

    pub(super) fn copy(&self) -> Result<Self, JudgeError> {
        Ok(Self {
            game: self.game.copy()?,
            ply: self.ply,
        })
    }

    pub(super) fn existing(&self, number: u8) -> Result<Seat, Unanswered> {
        let seats = self.game.seats()?;
        if usize::from(number) >= seats {
            let message = format!(
                "there is no seat {number}: the seats are 0 to {}",
                seats - 1
            );
            return Err(Refusal::new(RefusalKind::WrongSeat, message).into());
        }
        Ok(Seat::new(number.into()))
    }
}

pub(super) fn unplayed(mv: &RawValue, why: MoveRefused) -> Refusal {
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
