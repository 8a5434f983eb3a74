//! Where a record differs from what should stand there.

use engines::Seat;
use serde::Serialize;
use std::fmt;

/// A place in a record that is not as the rules and the table would have written it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where it is.
    pub place: Place,
    /// The field there, as the journal names it.
    pub field: &'static str,
    /// What should stand there.
    pub expected: String,
    /// What does.
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
    /// What is written about a seat.
    Seat(Seat),
    /// A turn.
    Turn {
        /// Its ply, from 0.
        number: usize,
        /// Whose turn it is by the record.
        seat: Seat,
    },
    /// A fault.
    Fault {
        /// Its place in the list, from 0.
        number: usize,
        /// Whose fault it is by the record.
        seat: Seat,
    },
    /// The result of a seat.
    Outcome(Seat),
}

/// The differences that have been found so far.
#[derive(Debug, Default)]
pub(super) struct Differences(Vec<Difference>);

impl Differences {
    pub(super) fn list(self) -> Vec<Difference> {
        self.0
    }

    pub(super) fn add(
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

    /// Adds a difference where two values are not the same.
    pub(super) fn compare<T: PartialEq + Serialize + ?Sized>(
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

    /// Adds a difference where a number is below what it must be at least.
    pub(super) fn at_least(&mut self, place: Place, field: &'static str, least: u64, found: u64) {
        if found < least {
            self.add(place, field, format!("at least {least}"), found.to_string());
        }
    }
}

/// Writes a value as it stands in the journal.
pub(super) fn json<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).expect("plain data")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_says_where_it_is_and_what_should_stand_there() {
        let seat = Seat::new(1);
        let said = |place| {
            let mut differences = Differences::default();
            differences.compare(place, "cpu_us", &3, &3);
            differences.compare(place, "cpu_us", &3, &4);
            let list = differences.list();
            assert_eq!(list.len(), 1);
            list[0].to_string()
        };
        assert_eq!(said(Place::Record), "cpu_us: expected 3, found 4");
        assert_eq!(
            said(Place::Seat(seat)),
            "seat 1, cpu_us: expected 3, found 4"
        );
        assert_eq!(
            said(Place::Turn { number: 12, seat }),
            "turn 12 of seat 1, cpu_us: expected 3, found 4"
        );
        assert_eq!(
            said(Place::Fault { number: 0, seat }),
            "fault 0 of seat 1, cpu_us: expected 3, found 4"
        );
        assert_eq!(
            said(Place::Outcome(seat)),
            "outcome of seat 1, cpu_us: expected 3, found 4"
        );
    }
}
