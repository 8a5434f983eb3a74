//! Until when submissions count, and what follows for those that come later.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use words::competition::{Competition, LateStep, TooLate};
use words::entrant::Roster;
use words::text::spelled_out;
use words::timing::{Lateness, ReceivedBy, Timing};

/// The deadline of a competition with the extensions, and when the platform received what.
#[derive(Clone, Debug)]
pub struct Closing {
    deadline: Option<Timestamp>,
    late: Vec<LateStep>,
    too_late: TooLate,
    /// By entrant, spelled out: where names look alike, the entrant has got this one.
    extensions: BTreeMap<String, Timestamp>,
    /// By entrant, spelled out: what the roster says of the platform's record.
    received: BTreeMap<String, Timestamp>,
}

/// What else than the judge's own clock tells when a version was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReceiptRecord {
    /// The platform received it at this time.
    At(Timestamp),
    /// The platform's name for its file has no mark of being late.
    InTime,
    /// Staff have chosen it to play, as if it had been received at this time.
    Chosen(Timestamp),
}

impl Closing {
    /// Takes the deadline of a competition and what the roster says of entrants. Where several
    /// people share a submission, the latest extension and the latest receipt among them count.
    pub fn new(competition: &Competition, roster: Option<&Roster>) -> Self {
        let mut extensions = BTreeMap::new();
        let mut received = BTreeMap::new();
        for person in roster.iter().flat_map(|roster| &roster.people) {
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
            deadline: competition.deadline,
            late: competition.late.clone(),
            too_late: competition.too_late,
            extensions,
            received,
        }
    }

    /// Returns whether who comes too late does not play.
    pub(super) fn leaves_out(&self, lateness: Lateness) -> bool {
        lateness == Lateness::TooLate && self.too_late == TooLate::NotPlayed
    }

    /// Returns what is known of a submission's receipt: what the roster says, else `mark`.
    pub(super) fn record(
        &self,
        entrant: &str,
        mark: Option<ReceiptRecord>,
    ) -> Option<ReceiptRecord> {
        let at = self.received.get(&spelled_out(entrant)).copied();
        match mark {
            Some(ReceiptRecord::Chosen(_)) => mark,
            _ => at.map(ReceiptRecord::At).or(mark),
        }
    }

    /// Returns until when an entrant could submit: an extension shortens nothing, also where the
    /// deadline was moved after it was given.
    fn closes(&self, entrant: &str) -> Option<Timestamp> {
        let extension = self.extensions.get(&spelled_out(entrant)).copied();
        extension.max(self.deadline)
    }

    /// Says what follows for a version: the platform's record counts, else when the judge first
    /// received it.
    pub(super) fn timing(
        &self,
        entrant: &str,
        record: Option<ReceiptRecord>,
        first_seen: Timestamp,
    ) -> Timing {
        let closes = self.closes(entrant);
        let (received, by) = match record {
            Some(ReceiptRecord::At(moment)) => (moment, ReceivedBy::Platform),
            Some(ReceiptRecord::InTime) => (first_seen, ReceivedBy::FileName),
            Some(ReceiptRecord::Chosen(moment)) => (moment, ReceivedBy::Staff),
            None => (first_seen, ReceivedBy::Judge),
        };
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
            extended: closes > self.deadline,
            lateness,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().expect("a time")
    }

    fn closing(extensions: &[(&str, &str)]) -> Closing {
        let extensions = extensions
            .iter()
            .map(|(name, time)| (spelled_out(name), at(time)));
        Closing {
            deadline: Some(at("2020-01-08T00:00:00Z")),
            late: Vec::new(),
            too_late: TooLate::Ungraded,
            extensions: extensions.collect(),
            received: BTreeMap::new(),
        }
    }

    #[test]
    fn the_later_of_deadline_and_extension_counts() {
        let closing = closing(&[
            ("ann", "2020-01-05T00:00:00Z"),
            ("bob", "2020-01-09T00:00:00Z"),
        ]);
        let closes = |name| {
            let timing = closing.timing(name, None, at("2020-01-08T00:00:00Z"));
            assert_eq!(timing.lateness, Lateness::InTime);
            (timing.closes, timing.extended)
        };
        assert_eq!(closes("ann"), (Some(at("2020-01-08T00:00:00Z")), false));
        assert_eq!(closes("bob"), (Some(at("2020-01-09T00:00:00Z")), true));
        assert_eq!(closes("eve"), (Some(at("2020-01-08T00:00:00Z")), false));
    }

    #[test]
    fn an_entrant_whose_name_was_spelled_out_keeps_its_extension() {
        let closing = closing(&[("jos\u{e9}", "2020-01-09T00:00:00Z")]);
        assert!(
            closing
                .timing("jos\\u{e9}", None, at("2020-01-09T00:00:00Z"))
                .extended
        );
    }
}
