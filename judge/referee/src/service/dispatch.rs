use super::wire::{
    self, AboutRequest, Answer, Close, Opening, Origin, Request, ResponsePart, ResponseParts,
    Settings, ShowRequest, Spelled, TurnAction, TurnRequest, Typed,
};
use super::{CountedPosition, Refusal, RefusalKind, Sessions, Unanswered};
use engines::erased::MoveRefused;
use engines::{Forfeit, Refused, Seat};
use model::fault::quote;
use rulebook::Result;
use rulebook::rules::Rules;
use serde_json::value::RawValue;
use std::sync::Arc;

/// The referee of one game, with its open sessions.
#[derive(Debug)]
pub struct Service {
    rules: Arc<dyn Rules>,
    /// Of positions that name none.
    config: Box<RawValue>,
    sessions: Sessions,
}

impl Service {
    /// Creates a service without sessions. It draws positions for this configuration, or for the
    /// game's default one, unless a request has another.
    pub fn new(rules: Arc<dyn Rules>, config: Option<Box<RawValue>>) -> Self {
        let defaults = || RawValue::from_string("{}".to_owned()).expect("JSON");
        Self {
            rules,
            config: config.unwrap_or_else(defaults),
            sessions: Sessions::default(),
        }
    }

    /// Appends the answer to a line (without its newline), as a line.
    pub fn answer(&mut self, line: &[u8], out: &mut Vec<u8>) -> Result {
        if let Err(unanswered) = self.answer_request(line, out) {
            let mut refusal = match unanswered {
                Unanswered::Failed(error) => return Err(error),
                Unanswered::Refused(refusal) => refusal,
            };
            if refusal.kind == RefusalKind::Malformed {
                refusal.line = Some(quote(line));
            }
            wire::write_json(out, &Answer::Error(&refusal));
        }
        out.push(b'\n');
        Ok(())
    }

    /// Appends nothing when the request is refused.
    fn answer_request(&mut self, line: &[u8], out: &mut Vec<u8>) -> Result<(), Unanswered> {
        match wire::read(line).map_err(malformed)? {
            Request::About(AboutRequest {}) => {
                wire::write_about(out, &*self.rules)
                    .map_err(|error| Unanswered::of(error, RefusalKind::Config))?;
            }
            Request::Position(opening) => {
                let (position, drawn) = self.reach(&opening)?;
                let setup = drawn.as_deref();
                wire::write_position(out, None, setup, None, &position, opening.want)?;
            }
            Request::New(opening) => {
                let (position, drawn) = self.reach(&opening)?;
                self.open(position, drawn.as_deref(), opening.want, out)?;
            }
            Request::Play(play) => {
                let turn =
                    TurnRequest::either(play.seat, play.mv, play.forfeit).map_err(malformed)?;
                let position = self.sessions.get(play.session)?;
                let mv = position.play(turn)?;
                let session = Some(play.session);
                wire::write_position(out, session, None, mv.as_deref(), position, play.want)?;
            }
            Request::Show(ShowRequest { session, want }) => {
                let position = self.sessions.get(session)?;
                wire::write_position(out, Some(session), None, None, position, want)?;
            }
            Request::Copy(ShowRequest { session, want }) => {
                let CountedPosition { game, ply } = self.sessions.get(session)?;
                let (game, ply) = (game.copy()?, *ply);
                self.open(CountedPosition { game, ply }, None, want, out)?;
            }
            Request::Close(Close { session }) => {
                self.sessions.close(session)?;
                wire::write_json(out, &Answer::Closed { session });
            }
            Request::Config(Settings { settings }) => {
                let config = self
                    .rules
                    .configure(settings.get())
                    .map_err(|error| Unanswered::of(error, RefusalKind::Config))?;
                wire::write_json(out, &Answer::Config(&config));
            }
            Request::Spell(Spelled { session, seat, mv }) => {
                let position = self.sessions.get(session)?;
                let seat = position.existing(seat)?;
                let text = &position.game.spell(seat, mv.get())?;
                wire::write_json(out, &Answer::Spelled { text });
            }
            Request::Read(Typed {
                session,
                seat,
                text,
            }) => {
                let position = self.sessions.get(session)?;
                let seat = position.existing(seat)?;
                let read = position.game.read(seat, &text)?;
                let unread = |why: Refused| Refusal::new(RefusalKind::UnreadableMove, why.0);
                let text = read.map_err(|why| unread(why).by(seat))?;
                let mv = &RawValue::from_string(text).expect("JSON");
                wire::write_json(out, &Answer::Read { mv });
            }
        }
        Ok(())
    }

    fn open(
        &mut self,
        position: CountedPosition,
        drawn: Option<&RawValue>,
        wants: ResponseParts,
        out: &mut Vec<u8>,
    ) -> Result<(), Unanswered> {
        let (session, position) = self.sessions.open(position)?;
        wire::write_position(out, Some(session), drawn, None, position, wants)?;
        Ok(())
    }

    /// Sets up a position and plays its turns; the setup is returned if it was drawn or is wanted.
    fn reach(
        &self,
        opening: &Opening<'_>,
    ) -> Result<(CountedPosition, Option<Box<RawValue>>), Unanswered> {
        let turns: Vec<TurnRequest<'_>> = (opening.turns().map_err(malformed)?)
            .into_iter()
            .enumerate()
            .map(|(index, turn)| turn.map_err(|why| Unanswered::from(malformed(why)).at(index)))
            .collect::<Result<_, _>>()?;
        let (mut position, drawn) = match opening.origin().map_err(malformed)? {
            Origin::Setup(setup) => {
                let position = CountedPosition::start(&*self.rules, setup)?;
                let is_wanted = opening.want.contains(ResponsePart::Setup);
                let spelled = is_wanted.then(|| self.rules.spell_setup(setup)).transpose();
                let refused = |error| Unanswered::of(error, RefusalKind::Setup);
                (position, spelled.map_err(refused)?)
            }
            Origin::Seed(seed, config) => {
                let setup = self
                    .rules
                    .draw(config.unwrap_or(&self.config), seed)
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
            let message = format!(
                "the game ended at ply {}: {}",
                self.ply,
                reason.unwrap_or_default()
            );
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
            TurnAction::Move(mv) => {
                let played = self.game.play(seat, mv.get())?;
                Some(played.map_err(|why| unplayed(mv, why).by(seat))?)
            }
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

    pub(super) fn existing(&self, number: u8) -> Result<Seat, Unanswered> {
        let seats = self.game.seats()?;
        if usize::from(number) >= seats {
            let last = seats - 1;
            let message = format!("there is no seat {number}: the seats are 0 to {last}");
            return Err(Refusal::new(RefusalKind::WrongSeat, message).into());
        }
        Ok(Seat::new(number.into()))
    }
}

fn unplayed(mv: &RawValue, why: MoveRefused) -> Refusal {
    match why {
        MoveRefused::Unreadable(complaint) => {
            let quoted = quote(mv.get().as_bytes());
            let message = format!("{quoted} is not a move: {complaint}");
            Refusal::new(RefusalKind::UnreadableMove, message)
        }
        MoveRefused::Broken(broken) => Refusal {
            rule: Some(broken.rule),
            ..Refusal::new(RefusalKind::IllegalMove, broken.message)
        },
    }
}
