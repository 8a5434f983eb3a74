//! Differences between a record and its expected form.

use engines::Seat;
use serde::Serialize;
use std::fmt;

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

/// The differences found so far.
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

    /// Adds a difference if two values are not equal.
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

    /// Adds a difference if a number is below its minimum.
    pub(super) fn at_least(&mut self, place: Place, field: &'static str, least: u64, found: u64) {
        if found < least {
            self.add(place, field, format!("at least {least}"), found.to_string());
        }
    }
}

/// Returns a value as the journal writes it.
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
