//! Referees a recorded game again: moves, faults and times pass through the rules and the clocks
//! once more. It shares no code with `judge/referee/src/table`.
//!
//! A record alone does not suffice to check some of its parts:
//!
//! - the fixture: `fixture`, `state`, and `entrant` and `artifact` of the seats. The setup must be
//!   valid, but need not be the one that was drawn;
//! - the bots' words: `bot_name`, and `line`, `detail` and `exit` of a fault, as far as the rules,
//!   the clock and the kind of fault do not determine them. Two causes that the rules treat alike
//!   and that leave the same evidence are therefore indistinguishable;
//! - measurements that are part of no sum: `uncharged_us`, `startup_wall_us`, `off_turn_us`, within
//!   the limits that the faults and the charge set;
//! - whether the bot was `suspended` and the machine `overloaded`, where that is possible;
//! - where the initialisation is charged, the division of a seat's charge between it and the turns:
//!   only their sum includes it.

mod evidence;
mod walk;

use self::walk::RecordReplay;
use engines::Seat;
use model::FORMAT;
use model::fixture::Conditions;
use model::record::MatchRecord;
use rulebook::Result;
use rulebook::rules::{Rules, RulesError};
use serde::Serialize;
use std::fmt;

/// Lists the deviations of a record from what the rules and the table would have written, given its
/// moves, faults and times. Where a record leaves the game (an illegal move, a wrong seat), only
/// its charges are checked further. The words of entrants beyond `words` must be blank.
pub fn referee(
    rules: &dyn Rules,
    conditions: &Conditions,
    record: &MatchRecord,
    words: WordsKnown<'_>,
) -> Result<Vec<Difference>> {
    let mut differences = Differences::default();
    differences.compare(Place::Record, "v", &FORMAT, &record.v);
    differences.compare(Place::Record, "game", &conditions.game, &record.game);
    if record.game != conditions.game {
        return Ok(differences.0);
    }
    let started = rules
        .spell_setup(&record.setup)
        .and_then(|spelled| Ok((spelled, rules.start(&record.setup)?)));
    let (spelled, game) = match started {
        Ok(started) => started,
        Err(RulesError::Failed(error)) => return Err(error),
        Err(RulesError::Refused(refused)) => {
            let found = format!("{}: {refused}", record.setup);
            differences.add(Place::Record, "setup", "one that the rules allow", found);
            return Ok(differences.0);
        }
    };
    if spelled.get() != record.setup.get() {
        let found = record.setup.get();
        differences.add(Place::Record, "setup", spelled.get(), found);
    }
    let seats = game.seats()?;
    if seats != record.seats.len() {
        let words = |number: usize| format!("{number} seats");
        let (expected, found) = (words(seats), words(record.seats.len()));
        differences.add(Place::Record, "seats", expected, found);
        return Ok(differences.0);
    }
    RecordReplay::new(conditions, record, words, game, &mut differences).run()?;
    Ok(differences.0)
}

/// The entrants whose words a record includes. Words are programs' output and the way they ended.
/// Published records blank the words of other entrants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordsKnown<'a> {
    /// All entrants, as in the journal of a run.
    All,
    /// Only this entrant: the `detail`, `raised`, `line` and `exit` of its faults.
    Of(&'a str),
    /// No entrant.
    Nobodys,
}

impl WordsKnown<'_> {
    fn are_blank_of(self, entrant: &str) -> bool {
        match self {
            Self::All => false,
            Self::Of(known) => known != entrant,
            Self::Nobodys => true,
        }
    }
}

/// A place in a record that differs from the result of the rules and the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The place in the record.
    pub place: Place,
    /// The field there, as the journal names it.
    pub field: &'static str,
    /// The expected value.
    pub expected: String,
    /// The value in the record.
    pub found: String,
}

impl fmt::Display for Difference {
    /// Writes `turn 12 of seat 1, move: expected …, found …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::Record => {}
            Place::Seat(seat) => write!(f, "{seat}, ")?,
            Place::Turn { number, seat } => write!(f, "turn {number} of {seat}, ")?,
            Place::Fault { number, seat } => write!(f, "fault {number} of {seat}, ")?,
            Place::Outcome(seat) => write!(f, "outcome of {seat}, ")?,
        }
        let Self {
            field,
            expected,
            found,
            ..
        } = self;
        write!(f, "{field}: expected {expected}, found {found}")
    }
}

/// A part of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The record itself.
    Record,
    /// The entry of a seat.
    Seat(Seat),
    /// A turn.
    Turn {
        /// Its ply, from 0.
        number: usize,
        /// The seat of the turn, by the record.
        seat: Seat,
    },
    /// A fault.
    Fault {
        /// Its index in the list, from 0.
        number: usize,
        /// The seat that made the fault, by the record.
        seat: Seat,
    },
    /// The result of a seat.
    Outcome(Seat),
}

#[derive(Debug, Default)]
struct Differences(Vec<Difference>);

impl Differences {
    fn add(
        &mut self,
        place: Place,
        field: &'static str,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) {
        self.0.push(Difference {
            place,
            field,
            expected: expected.into(),
            found: found.into(),
        });
    }

    fn compare<T: PartialEq + Serialize + ?Sized>(
        &mut self,
        place: Place,
        field: &'static str,
        expected: &T,
        found: &T,
    ) {
        if expected != found {
            self.add(place, field, json(expected), json(found));
        }
    }

    fn at_least<N: Copy + PartialOrd + fmt::Display>(
        &mut self,
        place: Place,
        field: &'static str,
        least: N,
        found: N,
    ) {
        if found < least {
            self.add(place, field, format!("at least {least}"), found.to_string());
        }
    }

    fn at_most(&mut self, place: Place, field: &'static str, most: u64, found: u64) {
        if found > most {
            self.add(place, field, format!("at most {most}"), found.to_string());
        }
    }
}

fn json<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).expect("plain data")
}
