use super::answer::{self, Answer, Head};
use super::position::CountedPosition;
use super::request::{
    self, AboutRequest, Close, Opening, Origin, Request, ResponsePart, ResponseParts, Settings,
    ShowRequest, Spelled, TurnRequest, Typed,
};
use super::{Refusal, RefusalKind, Sessions, Unanswered};
use engines::Refused;
use model::fault::quote;
use rulebook::JudgeError;
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
    pub fn answer(&mut self, line: &[u8], out: &mut Vec<u8>) -> Result<(), JudgeError> {
        match self.answer_request(line, out) {
            Ok(()) => {}
            Err(Unanswered::Failed(error)) => return Err(error),
            Err(Unanswered::Refused(mut refusal)) => {
                if refusal.kind == RefusalKind::Malformed {
                    refusal.line = Some(quote(line));
                }
                answer::write_json(out, &Answer::Error(&refusal));
            }
        }
        out.push(b'\n');
        Ok(())
    }

    /// Appends nothing when the request is refused.
    fn answer_request(&mut self, line: &[u8], out: &mut Vec<u8>) -> Result<(), Unanswered> {
        match request::read(line).map_err(malformed)? {
            Request::About(AboutRequest {}) => {
                answer::write_about(out, &*self.rules)
                    .map_err(|error| Unanswered::of(error, RefusalKind::Config))?;
            }
            Request::Position(opening) => {
                let (position, drawn) = self.reach(&opening)?;
                let head = Head {
                    setup: drawn.as_deref(),
                    ..Head::default()
                };
                answer::write_position(out, head, &position, opening.want)?;
            }
            Request::New(opening) => {
                let (position, drawn) = self.reach(&opening)?;
                self.open(position, drawn.as_deref(), opening.want, out)?;
            }
            Request::Play(play) => {
                let turn = TurnRequest::either(play.seat, play.mv, play.forfeit);
                let turn = turn.map_err(malformed)?;
                let position = self.sessions.get(play.session)?;
                let mv = position.play(turn)?;
                let head = Head {
                    mv: mv.as_deref(),
                    ..Head::session(play.session)
                };
                answer::write_position(out, head, position, play.want)?;
            }
            Request::Show(ShowRequest { session, want }) => {
                let position = self.sessions.get(session)?;
                answer::write_position(out, Head::session(session), position, want)?;
            }
            Request::Copy(ShowRequest { session, want }) => {
                let copy = self.sessions.get(session)?.copy()?;
                self.open(copy, None, want, out)?;
            }
            Request::Close(Close { session }) => {
                self.sessions.close(session)?;
                answer::write_json(out, &Answer::Closed { session });
            }
            Request::Config(Settings { settings }) => {
                let config = self
                    .rules
                    .configure(settings.get())
                    .map_err(|error| Unanswered::of(error, RefusalKind::Config))?;
                answer::write_json(out, &Answer::Config(&config));
            }
            Request::Spell(Spelled { session, seat, mv }) => {
                let position = self.sessions.get(session)?;
                let seat = position.existing(seat)?;
                let text = &position.game.spell(seat, mv.get())?;
                answer::write_json(out, &Answer::Spelled { text });
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
                let mv = read.map_err(|why| unread(why).by(seat))?;
                let mv = &RawValue::from_string(mv).expect("JSON");
                answer::write_json(out, &Answer::Read { mv });
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
        let head = Head {
            setup: drawn,
            ..Head::session(session)
        };
        answer::write_position(out, head, position, wants)?;
        Ok(())
    }

    /// Sets up a position and plays its turns; the setup is returned if it was drawn or is wanted.
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
                    .contains(ResponsePart::Setup)
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
