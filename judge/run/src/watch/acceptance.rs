//! Acceptance of submitted versions that are complete and do not follow each other too soon. Pure.

use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum age of the last listing from which new content is dated.
pub(super) const BEFORE_MAX: SignedDuration = SignedDuration::from_mins(2);

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// The newest version is unchanged, or nothing can be taken.
    Unchanged,
    /// It is taken, and was received at this time.
    Take(Timestamp),
    /// It is not taken yet.
    Wait,
}

#[derive(Clone, Copy, Default)]
pub(super) struct Arrival {
    pub(super) at: Option<Timestamp>,
    /// Whether it arrived as a whole, as a commit does.
    pub(super) whole: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AcceptMode {
    /// Take complete versions. An entrant's next version is built this long after the one before.
    Paced(SignedDuration),
    /// Take complete versions and build all: this is the last scan.
    Final,
    /// Take nothing any more.
    Closed,
}

#[derive(Default)]
pub(super) struct Acceptance {
    before: Option<Timestamp>,
    now: Timestamp,
    /// Versions that the run does not have yet, by name. It keeps look-alike names under others.
    pending: BTreeMap<String, Pending>,
    /// When the first of the waiting versions is built.
    turn: Option<Timestamp>,
    missing: BTreeSet<String>,
    missing_now: BTreeSet<String>,
}

struct Pending {
    content: String,
    received: Timestamp,
    /// Whether two scans have found it. Then it is taken at each scan until the run has it.
    is_complete: bool,
}

impl Acceptance {
    pub(super) fn begin(&mut self, now: Timestamp) {
        self.before = Some(self.now).filter(|before| *before != Timestamp::default());
        self.now = now;
        self.turn = None;
        self.missing = std::mem::take(&mut self.missing_now);
    }

    /// `known` is the content of its newest version in the run.
    pub(super) fn decide(
        &mut self,
        name: &str,
        content: Option<&str>,
        arrival: Arrival,
        known: Option<&str>,
        taking: AcceptMode,
    ) -> Decision {
        let Some(content) = content.filter(|content| known != Some(*content)) else {
            self.pending.remove(name);
            return Decision::Unchanged;
        };
        if taking == AcceptMode::Closed {
            return Decision::Wait;
        }
        let now = self.now;
        let seen = self
            .before
            .filter(|before| *before <= now && now.duration_since(*before) <= BEFORE_MAX);
        let before = self.pending.remove(name);
        let pending = match before.filter(|pending| pending.content == content) {
            Some(before) => Pending {
                is_complete: true,
                ..before
            },
            None => Pending {
                content: content.to_owned(),
                received: arrival.at.or(seen).unwrap_or(now),
                is_complete: arrival.whole,
            },
        };
        let decision = if pending.is_complete {
            Decision::Take(pending.received)
        } else {
            Decision::Wait
        };
        self.pending.insert(name.to_owned(), pending);
        decision
    }

    /// Unless that is now. `tried` is the receipt of the version that was built before.
    pub(super) fn waits_until(
        &mut self,
        tried: Timestamp,
        taking: AcceptMode,
    ) -> Option<Timestamp> {
        let AcceptMode::Paced(again_after) = taking else {
            return None;
        };
        // A clock that was set back delays nobody.
        let from = (tried.checked_add(again_after).ok())
            .filter(|from| tried <= self.now && self.now < *from)?;
        self.turn = Some(self.turn.map_or(from, |turn| turn.min(from)));
        Some(from)
    }

    /// A folder that is being replaced is not withdrawn.
    pub(super) fn is_gone(&mut self, name: &str) -> bool {
        self.missing_now.insert(name.to_owned());
        self.missing.contains(name)
    }

    pub(super) fn is_waiting(&self, now: Timestamp) -> bool {
        let is_due = self.turn.is_some_and(|turn| now >= turn);
        is_due || self.is_copying() || self.missing_now != self.missing
    }

    pub(super) fn is_copying(&self) -> bool {
        self.pending.values().any(|pending| !pending.is_complete)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).expect("a time")
    }

    const MODE: AcceptMode = AcceptMode::Paced(SignedDuration::from_mins(5));

    /// The acceptance of one person's versions.
    #[derive(Default)]
    struct One {
        acceptance: Acceptance,
        known: Option<String>,
    }

    impl One {
        fn scan(&mut self, second: i64, content: &str, taking: AcceptMode) -> Option<i64> {
            self.acceptance.begin(at(second));
            let decision = self.acceptance.decide(
                "ann",
                Some(content),
                Arrival::default(),
                self.known.as_deref(),
                taking,
            );
            let Decision::Take(received) = decision else {
                return None;
            };
            self.known = Some(content.to_owned());
            Some(received.as_second() - at(0).as_second())
        }
    }

    #[test]
    fn whole_content_is_accepted_as_of_last_other_scan() {
        let (last, closed) = (AcceptMode::Final, AcceptMode::Closed);
        let mut one = One::default();
        for (second, content, mode, taken) in [
            // A copy that is not complete waits.
            (0, "half", MODE, None),
            (5, "more", MODE, None),
            (10, "whole", MODE, None),
            // This content was not there at 5, and nobody is late because of us.
            (15, "whole", MODE, Some(5)),
            (20, "whole", MODE, None),
            // Files that came between two scans have come now.
            (1000, "second", MODE, None),
            (1005, "second", MODE, Some(1000)),
            // The next version is accepted at once, until the end.
            (1010, "third", MODE, None),
            (1015, "third", MODE, Some(1005)),
            (1020, "fourth", last, None),
            (1025, "fourth", last, Some(1015)),
            (1030, "fifth", closed, None),
            (1035, "fifth", closed, None),
        ] {
            assert_eq!(one.scan(second, content, mode), taken, "{second}");
        }
    }

    #[test]
    fn build_waits_its_turn_but_never_at_end() {
        let mut acceptance = Acceptance::default();
        for (second, taking, until) in [
            (15, MODE, Some(300)),
            (299, MODE, Some(300)),
            (300, MODE, None),
            (15, AcceptMode::Final, None),
            (15, AcceptMode::Closed, None),
            // The clock was set back.
            (-1, MODE, None),
        ] {
            acceptance.begin(at(second));
            let waits = acceptance.waits_until(at(0), taking);
            assert_eq!(waits, until.map(at), "{second}");
            assert!(!acceptance.is_waiting(at(299)), "{second}");
            assert_eq!(acceptance.is_waiting(at(300)), until.is_some(), "{second}");
        }
    }

    #[test]
    fn briefly_absent_submission_is_not_gone() {
        let mut acceptance = Acceptance::default();
        acceptance.begin(at(0));
        assert!(!acceptance.is_gone("ann") && acceptance.is_waiting(at(0)));
        acceptance.begin(at(5));
        acceptance.begin(at(10));
        assert!(!acceptance.is_gone("ann"));
        acceptance.begin(at(15));
        assert!(acceptance.is_gone("ann") && !acceptance.is_waiting(at(15)));
    }

    #[test]
    fn accepted_version_keeps_time_until_run_has_it() {
        let mut acceptance = Acceptance::default();
        let mut scan = |second| {
            acceptance.begin(at(second));
            acceptance.decide("jos\u{e9}", Some("bot"), Arrival::default(), None, MODE)
        };
        assert_eq!(scan(0), Decision::Wait);
        assert_eq!(scan(5), Decision::Take(at(0)));
        assert_eq!(scan(600), Decision::Take(at(0)));
    }

    #[test]
    fn commit_is_complete_with_its_own_time() {
        let mut acceptance = Acceptance::default();
        acceptance.begin(at(0));
        let commit = Arrival {
            at: Some(at(-7)),
            whole: true,
        };
        let decision = acceptance.decide("ann", Some("commit"), commit, None, MODE);
        assert_eq!(decision, Decision::Take(at(-7)));
        let found = acceptance.decide("bob", None, Arrival::default(), None, MODE);
        assert_eq!(found, Decision::Unchanged);
    }
}
