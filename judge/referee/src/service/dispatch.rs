//! From a request to its answer, on a position that the service manages.

use super::Sessions;
use super::answer::{self, Head, Refusal, RefusalKind, Unanswered};
use super::request::{
    self, AboutRequest, Close, Deed, Opening, Origin, Request, Settings, ShowRequest, Spelled,
    TurnRequest, Typed, Want, Wants,
};
use engines::erased::MoveRefused;
use engines::object::Object;
use engines::{Forfeit, Refused, Seat};
use model::fault::quote;
use rulebook::JudgeError;
use rulebook::rules::{Position, Rules};
use serde_json::value::RawValue;
use std::sync::Arc;

/// The referee of one game, with its open sessions.
#[derive(Debug)]
pub struct Service {
    rules: Arc<dyn Rules>,
    sessions: Sessions,
}

impl Service {
    /// Creates a service without sessions.
    pub fn new(rules: Arc<dyn Rules>) -> Self {
        Self {
            rules,
            sessions: Sessions::default(),
        }
    }

    /// Appends the answer to a line (without its newline), as a line.
    pub fn answer(&mut self, line: &[u8], out: &mut Vec<u8>) -> Result<(), JudgeError> {
        match self.answer_request(line, out) {
            Ok(()) => {}
            Err(Unanswered::Failed(error)) => return Err(error),
            Err(Unanswered::Refused(mut refusal)) => {
                if refusal.kind == RefusalKind::Malformed {
                    refusal.line = Some(quote(line));
                }
                answer::write_refusal(out, &refusal);
            }
        }
        out.push(b'\n');
        Ok(())
    }

    /// Appends the answer to a request; appends nothing when it is refused.
    fn answer_request(&mut self, line: &[u8], out: &mut Vec<u8>) -> Result<(), Unanswered> {
        match request::read(line).map_err(malformed)? {
            Request::About(Object(AboutRequest {})) => {
                answer::write_about(out, &*self.rules)
                    .map_err(|error| Unanswered::of(error, RefusalKind::Config))?;
            }
            Request::Position(Object(opening)) => {
                let (position, drawn) = self.reach(&opening)?;
                let head = Head {
                    session: None,
                    setup: drawn.as_deref(),
                    mv: None,
                };
                answer::write_position(out, head, &position, opening.want)?;
            }
            Request::New(Object(opening)) => {
                let (position, drawn) = self.reach(&opening)?;
                self.open(position, drawn.as_deref(), opening.want, out)?;
            }
            Request::Play(Object(play)) => {
                let turn = play.turn().map_err(malformed)?;
                let position = self.sessions.get(play.session)?;
                let mv = position.play(turn)?;
                let head = Head {
                    mv: mv.as_deref(),
                    ..Head::session(play.session)
                };
                answer::write_position(out, head, position, play.want)?;
            }
            Request::Show(Object(ShowRequest { session, want })) => {
                let position = self.sessions.get(session)?;
                answer::write_position(out, Head::session(session), position, want)?;
            }
            Request::Copy(Object(ShowRequest { session, want })) => {
                let copy = self.sessions.get(session)?.copy()?;
                self.open(copy, None, want, out)?;
            }
            Request::Close(Object(Close { session })) => {
                self.sessions.close(session)?;
                answer::write_closed(out, session);
            }
            Request::Config(Object(Settings { settings })) => {
                let config = self
                    .rules
                    .configure(settings.get())
                    .map_err(|error| Unanswered::of(error, RefusalKind::Config))?;
                answer::write_config(out, &config);
            }
            Request::Spell(Object(Spelled { session, seat, mv })) => {
                let position = self.sessions.get(session)?;
                let seat = position.existing(seat)?;
                answer::write_spelled(out, &position.game.spell(seat, mv.get())?);
            }
            Request::Read(Object(Typed {
                session,
                seat,
                text,
            })) => {
                let position = self.sessions.get(session)?;
                let seat = position.existing(seat)?;
                let read = position.game.read(seat, &text)?;
                let unread = |why: Refused| Refusal::new(RefusalKind::UnreadableMove, why.0);
                answer::write_read(out, &read.map_err(|why| unread(why).by(seat))?);
            }
        }
        Ok(())
    }

    /// Keeps a position as a session and appends the answer about it.
    fn open(
        &mut self,
        position: CountedPosition,
        drawn: Option<&RawValue>,
        wants: Wants,
        out: &mut Vec<u8>,
    ) -> Result<(), Unanswered> {
        let (session, position) = self.sessions.open(position)?;
        let head = Head {
            session: Some(session),
            setup: drawn,
            mv: None,
        };
        answer::write_position(out, head, position, wants)?;
        Ok(())
    }

    /// Sets up a position and plays its turns; also returns the setup if it was drawn or is wanted.
    fn reach(
        &self,
        opening: &Opening<'_>,
    ) -> Result<(CountedPosition, Option<Box<RawValue>>), Unanswered> {
        let turns: Vec<TurnRequest<'_>> = opening
            .turns()
            .map_err(malformed)?
            .into_iter()
            .enumerate()
            .map(|(index, turn)| turn.map_err(|why| malformed(why).at(index)))
            .collect::<Result<_, Refusal>>()?;
        let (mut position, drawn) = match opening.origin().map_err(malformed)? {
            Origin::Setup(setup) => {
                let position = CountedPosition::start(&*self.rules, setup)?;
                let spelled = opening
                    .want
                    .have(Want::Setup)
                    .then(|| self.rules.spell_setup(setup))
                    .transpose();
                (
                    position,
                    spelled.map_err(|error| Unanswered::of(error, RefusalKind::Setup))?,
                )
            }
            Origin::Seed(seed, config) => {
                let setup = self
                    .rules
                    .draw(config, seed)
                    .map_err(|error| Unanswered::of(error, RefusalKind::Config))?;
                (CountedPosition::start(&*self.rules, &setup)?, Some(setup))
            }
        };
        for (index, turn) in turns.into_iter().enumerate() {
            position.play(turn).map_err(|why| why.at(index))?;
        }
        Ok((position, drawn))
    }
}

fn malformed(message: String) -> Refusal {
    Refusal::new(RefusalKind::Malformed, message)
}

/// A position and the number of turns since its setup.
#[derive(Debug)]
pub(super) struct CountedPosition {
    /// The position itself.
    pub(super) game: Box<dyn Position>,
    /// Turns played since the setup, forfeits included. A forfeit of a seat that is not to move
    /// counts only if it ends the game.
    pub(super) ply: u32,
}

impl CountedPosition {
    /// Creates the first position from a setup.
    pub(super) fn start(rules: &dyn Rules, setup: &RawValue) -> Result<Self, Unanswered> {
        let game = rules
            .start(setup)
            .map_err(|error| Unanswered::of(error, RefusalKind::Setup))?;
        Ok(Self { game, ply: 0 })
    }

    /// Plays a turn. Returns the move in the game's own spelling, if one was carried out.
    pub(super) fn play(&mut self, turn: TurnRequest<'_>) -> Result<Option<String>, Unanswered> {
        let to_move = self.game.to_move()?;
        let Some(first) = to_move.first() else {
            let reason = self.game.outcome()?.map(|outcome| outcome.reason);
            let reason = reason.as_deref().unwrap_or_default();
            let message = format!("the game ended at ply {}: {reason}", self.ply);
            return Err(Refusal::new(RefusalKind::Over, message).into());
        };
        let seat = self.seat(turn.seat, first)?;
        let spelled = match turn.deed {
            Deed::Forfeit(why) => {
                self.game.forfeit(seat, why)?;
                // Such a forfeit takes no turn, and a seat that has already lost can repeat it
                // forever.
                if !to_move.contains(seat) && !self.game.to_move()?.is_empty() {
                    return Ok(None);
                }
                None
            }
            Deed::Move(_) | Deed::Broken(_) if !to_move.contains(seat) => {
                let message = format!("{seat} is not to move; {first} is");
                return Err(Refusal::new(RefusalKind::WrongSeat, message)
                    .by(seat)
                    .into());
            }
            Deed::Move(mv) => Some(
                self.game
                    .play(seat, mv.get())?
                    .map_err(|why| unplayed(mv, why).by(seat))?,
            ),
            Deed::Broken(mv) => match self.game.copy()?.play(seat, mv.get())? {
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

    /// Copies the position.
    pub(super) fn copy(&self) -> Result<Self, JudgeError> {
        Ok(Self {
            game: self.game.copy()?,
            ply: self.ply,
        })
    }

    /// Returns the named seat, or the first seat to move.
    fn seat(&self, named: Option<u8>, first: Seat) -> Result<Seat, Unanswered> {
        named.map_or(Ok(first), |number| self.existing(number))
    }

    /// Returns the seat with a number.
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
