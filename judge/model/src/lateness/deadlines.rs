//! The deadline of each entrant, and the timing of a version.

use super::{LateStep, Lateness, ReceiptRecord, ReceivedBy, Timing, TooLate};
use crate::competition::Competition;
use crate::entrant::Roster;
use crate::text::spelled_out;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use jiff::{SignedDuration, Timestamp};

/// The deadline of a competition with the extensions, and the platform's times of receipt.
#[derive(Clone, Debug)]
pub struct Deadlines {
    of_all: Option<Timestamp>,
    late: Vec<LateStep>,
    too_late: TooLate,
    /// The deadline and all extensions, also of people who have submitted nothing.
    ends: BTreeSet<Timestamp>,
    /// By the entrant's name spelled out, which another name that looks alike is not.
    extensions: BTreeMap<String, Timestamp>,
    received: BTreeMap<String, Timestamp>,
}

impl Deadlines {
    /// Where several people share a submission, the latest extension and receipt count.
    pub fn new(competition: &Competition, roster: Option<&Roster>) -> Self {
        let mut ends = BTreeSet::from_iter(competition.deadline);
        let mut extensions = BTreeMap::new();
        let mut received = BTreeMap::new();
        for person in roster.iter().flat_map(|roster| &roster.people) {
            ends.extend(person.extension);
            for (map, moment) in [
                (&mut extensions, person.extension),
                (&mut received, person.received),
            ] {
                if let Some(moment) = moment {
                    let latest = map.entry(spelled_out(&person.submission)).or_insert(moment);
                    *latest = moment.max(*latest);
                }
            }
        }
        Self {
            of_all: competition.deadline,
            late: competition.late.clone(),
            too_late: competition.too_late,
            ends,
            extensions,
            received,
        }
    }

    /// Returns the deadline of all.
    pub fn of_all(&self) -> Option<Timestamp> {
        self.of_all
    }

    /// Returns the last time at which anybody may submit.
    pub fn last(&self) -> Option<Timestamp> {
        self.ends.last().copied()
    }

    /// Returns the last time of receipt at which a submission can count, including the late hours.
    pub fn last_that_counts(&self) -> Option<Timestamp> {
        Some(with_late_hours(self.last()?, &self.late))
    }

    /// Lists the times at which lateness changes.
    pub fn changes(&self) -> Vec<Timestamp> {
        let hours = || self.late.iter().map(|step| step.within_h).chain([0]);
        self.ends
            .iter()
            .flat_map(|&end| hours().filter_map(move |hours| after(end, hours)))
            .collect()
    }

    /// Returns whether a submission with this lateness does not play.
    pub fn leaves_out(&self, lateness: Lateness) -> bool {
        lateness == Lateness::TooLate && self.too_late == TooLate::NotPlayed
    }

    /// Returns the evidence of a receipt: a choice of staff, else the roster's, else `mark`.
    pub fn record(&self, entrant: &str, mark: Option<ReceiptRecord>) -> Option<ReceiptRecord> {
        let at = self.received.get(&spelled_out(entrant)).copied();
        match mark {
            Some(ReceiptRecord::Chosen(_)) => mark,
            _ => at.map(ReceiptRecord::At).or(mark),
        }
    }

    /// An extension shortens nothing, even if the deadline was moved after it was given.
    fn closes(&self, entrant: &str) -> Option<Timestamp> {
        self.extensions
            .get(&spelled_out(entrant))
            .copied()
            .max(self.of_all)
    }

    /// Returns the timing of a version: the platform's record counts, or else `first_seen`.
    pub fn timing(
        &self,
        entrant: &str,
        record: Option<ReceiptRecord>,
        first_seen: Timestamp,
    ) -> Timing {
        let closes = self.closes(entrant);
        let (received, by) = ReceiptRecord::received(record, first_seen);
        let lateness = match (closes, by) {
            (None, _) | (_, ReceivedBy::FileName) => Lateness::InTime,
            (Some(closes), ReceivedBy::Platform | ReceivedBy::Judge | ReceivedBy::Staff) => {
                Lateness::of(received, closes, &self.late, self.too_late)
            }
        };
        Timing {
            received,
            by,
            closes,
            extended: closes > self.of_all,
            lateness,
        }
    }
}

/// Returns the end of the late hours after a deadline.
pub fn with_late_hours(closes: Timestamp, late: &[LateStep]) -> Timestamp {
    let late_h = late.last().map_or(0, |step| step.within_h);
    after(closes, late_h).unwrap_or(closes)
}

fn after(end: Timestamp, hours: u32) -> Option<Timestamp> {
    let hours = SignedDuration::from_hours(hours.into());
    end.checked_add(hours).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::Points;

    /// An hour of a day in January 2020.
    fn at(day: u32, hour: u32) -> Timestamp {
        let text = format!("2020-01-{day:02}T{hour:02}:00:00Z");
        text.parse().expect("a time")
    }

    fn deadlines(extensions: &[(&str, Timestamp)]) -> Deadlines {
        let of_all = Some(at(8, 0));
        let times = extensions.iter().map(|(_, time)| *time);
        let extensions = extensions.iter();
        let extensions = extensions.map(|(name, time)| (spelled_out(name), *time));
        Deadlines {
            of_all,
            late: Vec::new(),
            too_late: TooLate::Ungraded,
            ends: of_all.into_iter().chain(times).collect(),
            extensions: extensions.collect(),
            received: BTreeMap::new(),
        }
    }

    #[test]
    fn the_late_hours_count_after_each_end() {
        let late = |within_h| LateStep {
            within_h,
            penalty: Points::default(),
        };
        let deadlines = Deadlines {
            late: [late(1), late(24)].into(),
            ..deadlines(&[("ann", at(5, 0)), ("bob", at(9, 0))])
        };
        assert_eq!(deadlines.last(), Some(at(9, 0)));
        assert_eq!(deadlines.last_that_counts(), Some(at(10, 0)));
        let mut changes = deadlines.changes();
        changes.sort();
        let expected = [
            (5, 0),
            (5, 1),
            (6, 0),
            (8, 0),
            (8, 1),
            (9, 0),
            (9, 0),
            (9, 1),
            (10, 0),
        ];
        assert_eq!(changes, expected.map(|(day, hour)| at(day, hour)));
    }

    #[test]
    fn the_later_of_deadline_and_extension_counts() {
        let extensions = [
            ("ann", at(5, 0)),
            ("bob", at(9, 0)),
            ("jos\u{e9}", at(9, 0)),
        ];
        let deadlines = deadlines(&extensions);
        for (name, closes, extended) in [
            ("ann", at(8, 0), false),
            ("bob", at(9, 0), true),
            ("eve", at(8, 0), false),
            ("jos\\u{e9}", at(9, 0), true),
        ] {
            let timing = deadlines.timing(name, None, at(8, 0));
            assert_eq!(timing.lateness, Lateness::InTime);
            let found = (timing.closes, timing.extended);
            assert_eq!(found, (Some(closes), extended), "{name}");
        }
    }
}
