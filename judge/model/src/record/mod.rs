//! The complete record of one finished game, a line of the journal; and its result, without the moves,
//! which most tables do not need.

mod cut;
mod packed;
#[cfg(test)]
mod tests;

pub use packed::{ResultPacker, push_varint, take_varint};

use crate::FORMAT;
use crate::clock::ClockMode;
use crate::fault::{Cause, Fault, Phase};
use crate::fixture::{Participant, Terms};
use crate::game_id::GameId;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::hash::Hasher as _;
#[expect(deprecated, reason = "there is no other without the standard library")]
use core::hash::SipHasher;
use core::ops::Not;
use engines::{Outcome, Seat};
use serde::de::Error as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

/// One finished game.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchRecord {
    /// [`FORMAT`].
    pub v: u32,
    /// The fixture's id.
    pub fixture: GameId,
    /// The game's slug.
    pub game: String,
    /// The number of the initial state, from 0.
    pub state: u32,
    /// The initial state.
    pub setup: Box<RawValue>,
    /// The digest of the bots' draw; see `BotSeeds::draw`.
    pub draw: String,
    /// The record of each seat, in seat order.
    pub seats: Vec<SeatRecord>,
    /// Every turn.
    pub turns: Vec<TurnRecord>,
    /// Every fault, in order. In most games the first one ends the game.
    pub faults: Vec<Fault>,
    /// The one cause of the end.
    pub end: End,
    /// The result.
    pub outcome: Outcome,
    /// Whether an overload or [`Fault::went_short`] may have cost a bot its answer, now and at every earlier
    /// try of the game.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub overloaded: bool,
    /// The digest of the machine's description in the journal; none in published games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
}

impl MatchRecord {
    /// Reads a record, and checks it against the terms of its run.
    pub fn read(line: &[u8], terms: &Terms) -> Result<Self, serde_json::Error> {
        let record: Self = serde_json::from_slice(line)?;
        let reason = if !record.is_consistent() {
            "it names seats that do not exist"
        } else if record.fixture != record.id(terms) {
            "its id does not match its players and the settings of this run"
        } else {
            return Ok(record);
        };
        Err(serde_json::Error::custom(reason))
    }

    /// Returns the correct fixture id under the terms of the run.
    pub fn id(&self, terms: &Terms) -> GameId {
        id(terms, self.state, &self.seats, &self.setup, &self.draw)
    }

    /// Returns whether the version is right and every seat in the record is one of the game.
    pub fn is_consistent(&self) -> bool {
        let there = |seat: Seat| seat.index() < self.seats.len();
        self.v == FORMAT
            && self.outcome.seats.len() == self.seats.len()
            && self.turns.iter().all(|turn| there(turn.seat))
            && self.faults.iter().all(|fault| there(fault.seat))
            && self.end.charged().is_none_or(there)
    }

    /// Returns the fault in a turn.
    pub fn fault_in(&self, turn: usize) -> Option<&Fault> {
        let seat = self.turns.get(turn)?.seat;
        let is_its = |fault: &&Fault| {
            (fault.phase, fault.seat, fault.ply as usize) == (Phase::Turn, seat, turn)
        };
        self.faults.iter().find(is_its)
    }

    /// Returns whether the game has carried out in part the move that is the fault.
    pub fn is_carried_out(&self, fault: &Fault) -> bool {
        let turn = self.turns.get(fault.ply as usize);
        let has_move = turn.is_some_and(|turn| turn.seat == fault.seat && turn.mv.is_some());
        fault.phase == Phase::Turn && has_move
    }

    /// Returns whether one of its faults ended the game.
    pub fn ended_by(&self, fault: &Fault) -> bool {
        self.end.charged().is_some() && self.faults.last() == Some(fault)
    }
}

fn id(terms: &Terms, state: u32, seats: &[SeatRecord], setup: &RawValue, draw: &str) -> GameId {
    let names: Vec<(&str, &str)> = seats
        .iter()
        .map(|seat| (&*seat.entrant, &*seat.artifact))
        .collect();
    terms.id(state, &names, setup, draw)
}

/// The one cause of a game's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// The rules ended it.
    Rules,
    /// A fault of this seat ended it.
    Fault {
        /// The kind.
        cause: Cause,
        /// The seat that is charged.
        seat: Seat,
    },
}

impl End {
    /// Returns the name that files use: `rules` or the cause of the fault.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Fault { cause, .. } => cause.name(),
        }
    }

    /// Returns the seat that is charged.
    pub fn charged(self) -> Option<Seat> {
        match self {
            Self::Rules => None,
            Self::Fault { seat, .. } => Some(seat),
        }
    }
}

/// The participant in a seat and the time that it used. Times are in microseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatRecord {
    /// The entrant's name.
    pub entrant: String,
    /// The hash of its artifact.
    pub artifact: String,
    /// The number that the bot received to seed its randomness.
    pub seed: u32,
    /// The bot's name for itself.
    #[serde(rename = "says", skip_serializing_if = "Option::is_none")]
    pub bot_name: Option<String>,
    /// CPU time charged: all turns, and the initialisation if the rules charge it.
    pub cpu_us: u64,
    /// The part of [`Self::cpu_us`] since the last answer, or in startup beyond the free part.
    pub off_turn_us: u64,
    /// The wall time of the same turns, from question to answer.
    pub wall_us: u64,
    /// CPU time that is shown and not charged: startup, and the time after the last answer.
    pub uncharged_us: u64,
    /// The wall time of startup, over all processes.
    pub startup_wall_us: u64,
    /// Silence over all turns, see [`Conditions::idle_max`](crate::fixture::Conditions::idle_max). A quick
    /// bot has none: the first moment of a wait does not count.
    #[serde(default, skip_serializing_if = "crate::numbers::is_zero")]
    pub idle_us: u64,
    /// Whether the bot was stopped between its turns, once it had used the CPU there.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub suspended: bool,
    /// Whether the bot never became ready and was not started; its fault then costs nothing.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub not_started: bool,
}

impl SeatRecord {
    /// Returns the time that this kind of clock counts, in microseconds.
    pub const fn counted_us(&self, mode: ClockMode) -> u64 {
        mode.counted(self.cpu_us, self.wall_us)
    }

    /// Makes an empty record of a seat.
    pub fn of(participant: &Participant, seed: u32) -> Self {
        Self {
            entrant: participant.entrant.to_string(),
            artifact: participant.artifact.to_string(),
            seed,
            ..Self::default()
        }
    }
}

/// One turn. In the journal it is `[seat, move or null, CPU µs, wall µs]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "ShortTurn")]
pub struct TurnRecord {
    /// The seat.
    pub seat: Seat,
    /// The move in the game's own spelling, if it was carried out at least in part.
    pub mv: Option<Box<RawValue>>,
    /// CPU time, in microseconds.
    pub cpu_us: u64,
    /// Wall time, in microseconds.
    pub wall_us: u64,
}

#[derive(Deserialize)]
struct ShortTurn(Seat, Option<Box<RawValue>>, u64, u64);

impl From<ShortTurn> for TurnRecord {
    fn from(ShortTurn(seat, mv, cpu_us, wall_us): ShortTurn) -> Self {
        Self {
            seat,
            mv,
            cpu_us,
            wall_us,
        }
    }
}

impl Serialize for TurnRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.seat, &self.mv, self.cpu_us, self.wall_us).serialize(serializer)
    }
}

impl TurnRecord {
    /// Returns the time that this kind of clock counts, in microseconds.
    pub const fn counted_us(&self, mode: ClockMode) -> u64 {
        mode.counted(self.cpu_us, self.wall_us)
    }
}

/// In microseconds. No game takes as long.
const TIME_US_MAX: u64 = 1_000_000_000_000;
/// The maximum points of a game and its tie breaks. No game gives more.
pub const POINTS_MAX: u64 = 1_000_000_000;

impl MatchRecord {
    /// Returns the first number beyond its bounds, with the name of its field.
    pub fn out_of_bounds_number(&self) -> Option<(&'static str, String)> {
        let of_both = |cpu_us, wall_us| [("cpu_us", cpu_us), ("wall_us", wall_us)];
        let seats = self.seats.iter().flat_map(|seat| {
            [
                ("cpu_us", seat.cpu_us),
                ("off_turn_us", seat.off_turn_us),
                ("wall_us", seat.wall_us),
                ("uncharged_us", seat.uncharged_us),
                ("startup_wall_us", seat.startup_wall_us),
                ("idle_us", seat.idle_us),
            ]
        });
        let turns = (self.turns.iter()).flat_map(|turn| of_both(turn.cpu_us, turn.wall_us));
        let faults = (self.faults.iter()).flat_map(|fault| of_both(fault.cpu_us, fault.wall_us));
        let outcome = self.outcome.seats.iter().flat_map(|seat| {
            [
                ("points", seat.points.unsigned_abs()),
                ("tie_break", seat.tie_break.unsigned_abs()),
                ("placement", seat.placement.into()),
            ]
        });
        seats
            .chain(turns)
            .chain(faults)
            .map(|time| (time, TIME_US_MAX))
            .chain(outcome.map(|count| (count, POINTS_MAX)))
            .find(|((_, number), most)| number > most)
            .map(|((field, number), _)| (field, number.to_string()))
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Turns {
    seats: usize,
    plies: usize,
    moves: String,
}

const MOVES_BYTES: usize = 512;

impl Turns {
    fn new() -> Self {
        Self {
            seats: 0,
            plies: 0,
            moves: String::with_capacity(MOVES_BYTES),
        }
    }

    fn of(all: &[TurnRecord]) -> Self {
        let mut turns = Self::new();
        for turn in all {
            turns.add(turn.seat, turn.mv.as_deref().map(RawValue::get));
        }
        turns
    }

    fn add(&mut self, seat: Seat, mv: Option<&str>) {
        self.seats = self.seats.max(seat.index() + 1);
        self.plies += usize::from(mv.is_some());
        self.moves.push_str(mv.unwrap_or_default());
        self.moves.push('\n');
    }

    #[expect(deprecated, reason = "there is no other without the standard library")]
    fn transcript(self, setup: &RawValue) -> u64 {
        let mut hasher = SipHasher::new();
        hasher.write(setup.get().as_bytes());
        hasher.write(b"\n");
        hasher.write(self.moves.as_bytes());
        hasher.finish()
    }
}

/// The result of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchResult {
    /// The fixture's id.
    pub fixture: GameId,
    /// The number of the initial state, from 0.
    pub state: u32,
    /// The record of each seat, in seat order.
    pub seats: Vec<SeatRecord>,
    /// The number of moves carried out.
    pub plies: usize,
    /// Distinguishes initial states and moves. It has no meaning outside this process.
    pub transcript: u64,
    /// Every fault, in order.
    pub faults: Vec<Fault>,
    /// The one cause of the end.
    pub end: End,
    /// The result.
    pub outcome: Outcome,
    /// See [`MatchRecord::overloaded`].
    pub overloaded: bool,
    /// See [`MatchRecord::machine`].
    pub machine: Option<String>,
}

impl MatchRecord {
    /// Returns the part of the record that tables need.
    pub fn result(&self) -> MatchResult {
        let turns = Turns::of(&self.turns);
        MatchResult {
            fixture: self.fixture,
            state: self.state,
            seats: self.seats.clone(),
            plies: turns.plies,
            transcript: turns.transcript(&self.setup),
            faults: self.faults.clone(),
            end: self.end,
            outcome: self.outcome.clone(),
            overloaded: self.overloaded,
            machine: self.machine.clone(),
        }
    }
}

impl MatchResult {
    /// Reads a record like [`MatchRecord::read`], and refuses the same lines.
    pub fn read(line: &[u8], terms: &Terms) -> Result<Self, serde_json::Error> {
        let text = str::from_utf8(line).ok();
        match text.and_then(|text| cut::parse_fault_free(text, terms)) {
            Some(result) => Ok(result),
            None => Ok(MatchRecord::read(line, terms)?.result()),
        }
    }

    /// Returns whether one of its faults ended the game.
    pub fn ended_by(&self, fault: &Fault) -> bool {
        self.end.charged().is_some() && self.faults.last() == Some(fault)
    }

    /// Returns whether an entrant played in the game.
    pub fn has(&self, entrant: &str) -> bool {
        self.seats.iter().any(|seat| seat.entrant == entrant)
    }
}
