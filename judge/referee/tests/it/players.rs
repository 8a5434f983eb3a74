//! Players for the real table that play legal moves, and commit one misdeed on demand.

use crate::games::{GAMES, Scene};
use engines::Seat;
use model::clock::ClockMode;
use model::fault::{Cause, Exit, Offence, Phase};
use model::fixture::Fixture;
use referee::table::player::{Allowance, Cost, ExitReport, Player, Shutdown, Spent};
use referee::table::{PlayerSource, Seated};
use rulebook::JudgeError;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::cell::Cell;
use std::rc::Rc;

/// A kind of misdeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Misdeed {
    /// Plays a move that the rules forbid.
    Illegal,
    /// Writes something other than a move of the game.
    NoMove,
    /// Writes something other than a message.
    NoMessage,
    /// Reports an exception.
    Raises,
    /// Answers after the clock has run out.
    Late,
    /// Reaches its limit exactly, and the judge stops waiting.
    AtLimit,
    Silent,
    Crashes,
    OutOfMemory,
    Exits,
    CannotStart,
    Closes,
    Floods,
    Unasked,
    Threads,
}

impl Misdeed {
    pub(crate) const ALL: [Self; 15] = [
        Self::Illegal,
        Self::NoMove,
        Self::NoMessage,
        Self::Raises,
        Self::Late,
        Self::AtLimit,
        Self::Silent,
        Self::Crashes,
        Self::OutOfMemory,
        Self::Exits,
        Self::CannotStart,
        Self::Closes,
        Self::Floods,
        Self::Unasked,
        Self::Threads,
    ];
}

/// A misdeed with its time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crime {
    pub(crate) seat: usize,
    pub(crate) phase: Phase,
    /// The index of the question, from 0, among the seat's questions of this phase.
    pub(crate) number: u32,
    pub(crate) misdeed: Misdeed,
}

/// A bench of the players that the function makes.
pub(crate) struct Seating<F>(pub(crate) F);

impl<F: FnMut(Seat) -> Seated> PlayerSource for Seating<F> {
    fn start_player(&mut self, _: &Fixture, seat: Seat) -> Result<Seated, JudgeError> {
        Ok((self.0)(seat))
    }

    fn release_player(
        &mut self,
        _: &Fixture,
        _: Seat,
        seated: Seated,
        shutdown: Shutdown,
    ) -> Result<ExitReport, JudgeError> {
        seated.player.finish(shutdown)
    }
}

pub(crate) struct CrimePlayer {
    pub(crate) seat: usize,
    pub(crate) scene: Scene,
    /// Number of questions so far, by seat and phase.
    pub(crate) asked: Rc<[[Cell<u32>; 3]; 8]>,
    pub(crate) line: Vec<u8>,
}

#[derive(Deserialize)]
struct TurnMessage<'a> {
    #[serde(borrow)]
    turn: TurnBody<'a>,
}

#[derive(Deserialize)]
struct TurnBody<'a> {
    ply: usize,
    #[serde(borrow)]
    legal: Vec<&'a RawValue>,
}

/// Chooses a legal move that varies with the ply and the seat.
fn choose(message: &str, seat: usize) -> String {
    let TurnMessage { turn } = serde_json::from_str(message).expect("a turn");
    let index = (turn.ply * 7 + seat * 3 + turn.legal.len() / 2) % turn.legal.len();
    format!("{{\"move\":{}}}", turn.legal[index])
}

impl CrimePlayer {
    /// Returns the line or the offence that a misdeed causes in place of the honest line.
    fn commit(
        &self,
        misdeed: Misdeed,
        phase: Phase,
        honest: String,
        allowance: Allowance,
        cost: &mut Cost,
    ) -> Result<String, Offence> {
        let wall_us = u64::try_from(allowance.wall.as_micros()).expect("not long");
        let fault = |cause, detail: &str| Err(Offence::new(cause, detail));
        let ended = |cause, exit| {
            let mut offence = Offence::new(cause, "it ended");
            offence.exit = Some(exit);
            Err(offence)
        };
        match misdeed {
            Misdeed::Illegal => Ok(format!("{{\"move\":{}}}", GAMES[self.scene.game].2)),
            Misdeed::NoMove => Ok(r#"{"move":{"no":"move"}}"#.to_owned()),
            Misdeed::NoMessage => Ok("Zug: é".to_owned()),
            Misdeed::Raises => Ok(r#"{"move":{"exception":"ValueError: no\n"}}"#.to_owned()),
            Misdeed::Late => {
                match self.scene.mode {
                    ClockMode::Cpu => {
                        cost.cpu_us = allowance.cpu_us.map_or(cost.cpu_us, |us| us + 1);
                    }
                    ClockMode::Wall => cost.wall_us = wall_us + 1,
                }
                Ok(honest)
            }
            Misdeed::AtLimit => {
                cost.cpu_us = allowance.cpu_us.expect("it is limited");
                fault(Cause::Time, "the CPU time ran out before an answer")
            }
            Misdeed::Silent => {
                cost.wall_us = wall_us;
                Err(Offence::silence(allowance.wall))
            }
            Misdeed::Crashes => ended(Cause::Crash, Exit::Signal(11)),
            Misdeed::OutOfMemory => ended(Cause::Memory, Exit::Code(251)),
            Misdeed::Exits => ended(Cause::Exit, Exit::Code(1)),
            Misdeed::CannotStart => fault(Cause::Exit, "the system does not execute it"),
            Misdeed::Closes => fault(Cause::Closed, "closed its output and did not exit"),
            Misdeed::Floods => {
                Err(Offence::new(Cause::Flood, "a line longer than that").quoting(&[b'x'; 4096]))
            }
            Misdeed::Unasked if phase == Phase::Turn => {
                Err(Offence::new(Cause::Unasked, "output before the question").quoting(b"hm"))
            }
            Misdeed::Unasked => {
                Err(Offence::new(Cause::Unasked, "more output").quoting(honest.as_bytes()))
            }
            Misdeed::Threads => fault(Cause::Threads, "has 300 threads"),
        }
    }
}

impl Player for CrimePlayer {
    fn ask(
        &mut self,
        phase: Phase,
        message: &[u8],
        allowance: Allowance,
    ) -> Result<Spent, JudgeError> {
        let message = str::from_utf8(message).expect("the judge writes UTF-8");
        let asked = &self.asked[self.seat][phase as usize];
        let number = asked.replace(asked.get() + 1);
        let mut cost = Cost {
            cpu_us: 100 + u64::from(number % 5) * 10 + self.seat as u64,
            off_turn_us: u64::from(number % 3),
            wall_us: 170 + u64::from(number % 7),
            ..Cost::default()
        };
        let honest = match phase {
            Phase::Hello => r#"{"ready":{"name":"me","legal_moves":true}}"#.to_owned(),
            Phase::Start => r#"{"ready":{}}"#.to_owned(),
            Phase::Turn => choose(message, self.seat),
        };
        let crime =
            self.scene.crimes.iter().find(|crime| {
                (crime.seat, crime.phase, crime.number) == (self.seat, phase, number)
            });
        let answer = match crime {
            None => Ok(honest),
            Some(crime) => self.commit(crime.misdeed, phase, honest, allowance, &mut cost),
        };
        self.line.clear();
        let result = answer.map(|line| self.line.extend_from_slice(line.as_bytes()));
        Ok(Spent { cost, result })
    }

    fn line(&self) -> &[u8] {
        &self.line
    }

    fn finish(self: Box<Self>, _shutdown: Shutdown) -> Result<ExitReport, JudgeError> {
        Ok(ExitReport {
            cpu_us: 5,
            ..ExitReport::default()
        })
    }
}
