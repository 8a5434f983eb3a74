//! The receipt of a submission: evidence is a [`ReceiptRecord`], [`Deadlines`] makes a [`Timing`] of it,
//! and the consequence is a [`Lateness`]. All other code asks a [`Timing`], and decides nothing.

mod deadlines;

pub use deadlines::{Deadlines, with_late_hours};

use crate::numbers::{about, so_many_points};
use crate::points::Points;
use alloc::string::String;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Evidence of when a version was received, besides the judge's own clock.
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

impl ReceiptRecord {
    /// Returns the time of receipt that counts, and its source.
    pub fn received(record: Option<Self>, first_seen: Timestamp) -> (Timestamp, ReceivedBy) {
        match record {
            Some(Self::At(moment)) => (moment, ReceivedBy::Platform),
            Some(Self::InTime) => (first_seen, ReceivedBy::FileName),
            Some(Self::Chosen(moment)) => (moment, ReceivedBy::Staff),
            None => (first_seen, ReceivedBy::Judge),
        }
    }

    /// Chooses between known and new evidence. A time later than the judge's own is of another upload; an
    /// earlier time is a correction by staff.
    pub fn better(known: Option<Self>, said: Option<Self>, first_seen: Timestamp) -> Option<Self> {
        match (said, known) {
            (Some(Self::At(now)), Some(Self::At(before))) if now > first_seen => {
                Some(Self::At(now.min(before)))
            }
            (Some(Self::At(now)), known) if now > first_seen => known,
            (said, known) => said.or(known),
        }
    }
}

/// The cost of a late submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LateStep {
    /// The maximum time after the deadline, in hours, inclusive.
    pub within_h: u32,
    /// The points off the grade, or off the prize if there are no grades; neither falls below 0.
    pub penalty: Points,
}

/// The consequence for a submission after the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TooLate {
    /// It counts like any other.
    #[default]
    Graded,
    /// It plays, but has no rank, prize or grade.
    Ungraded,
    /// It does not play.
    NotPlayed,
}

/// The receipt of a version compared with its entrant's deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// The time of receipt that counts.
    pub received: Timestamp,
    /// The source of that time.
    pub by: ReceivedBy,
    /// The entrant's deadline; none if there is none.
    pub closes: Option<Timestamp>,
    /// Whether the deadline is an extension of the roster.
    pub extended: bool,
    /// The consequence.
    pub lateness: Lateness,
}

/// The source of a time of receipt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReceivedBy {
    /// The learning platform, by its record in the roster.
    Platform,
    /// The learning platform, by its name for the file, which has no mark of being late.
    FileName,
    /// Staff, who chose this version in `judge regrade`.
    Staff,
    /// The judge, by the time at which it first received the version.
    Judge,
}

impl ReceivedBy {
    /// Returns the name that files use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Platform => "platform",
            Self::FileName => "file-name",
            Self::Staff => "staff",
            Self::Judge => "judge",
        }
    }
}

/// The consequence of a time of receipt. Worse ones come later in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lateness {
    /// Nothing.
    InTime,
    /// Points are taken off.
    Late {
        /// The points off the grade, or off the prize if there are no grades.
        penalty: Points,
    },
    /// It plays without a grade, or not at all.
    TooLate,
}

impl Lateness {
    /// Returns the consequence. The last step's penalty applies beyond all steps if these are graded.
    pub fn of(received: Timestamp, closes: Timestamp, late: &[LateStep], after: TooLate) -> Self {
        let late_s = received.as_second() - closes.as_second();
        if received <= closes {
            return Self::InTime;
        }
        let is_within = |step: &&LateStep| late_s <= i64::from(step.within_h) * 3600;
        match (late.iter().find(is_within), after) {
            (Some(step), _) => Self::Late {
                penalty: step.penalty,
            },
            (None, TooLate::Graded) => Self::Late {
                penalty: late.last().map_or(Points::default(), |step| step.penalty),
            },
            (None, TooLate::Ungraded | TooLate::NotPlayed) => Self::TooLate,
        }
    }

    /// Returns the name that files use.
    pub fn name(self) -> &'static str {
        match self {
            Self::InTime => "in time",
            Self::Late { .. } => "late",
            Self::TooLate => "too late",
        }
    }

    /// Returns the points that it takes off; none if it takes off nothing.
    pub fn penalty(self) -> Option<Points> {
        match self {
            Self::Late { penalty } if penalty != Points::default() => Some(penalty),
            Self::InTime | Self::Late { .. } | Self::TooLate => None,
        }
    }
}

impl Timing {
    /// Returns whether the version came after its deadline.
    pub fn is_late(&self) -> bool {
        self.lateness > Lateness::InTime
    }

    /// Returns whether the version came after all that the competition allows.
    pub fn is_too_late(&self) -> bool {
        self.lateness == Lateness::TooLate
    }

    /// Returns the name of the consequence in files; none if there is no deadline.
    pub fn verdict(&self) -> Option<&'static str> {
        self.closes.map(|_| self.lateness.name())
    }

    /// Returns the time of receipt for a version that replaces this one, in time if this one is.
    pub fn stands_in(&self) -> Timestamp {
        match (self.lateness, self.closes) {
            (Lateness::InTime, Some(closes)) => self.received.min(closes),
            _ => self.received,
        }
    }

    /// Says that the platform's mark of being late contradicts the time that counts.
    pub fn against_mark(&self, marked_late: bool) -> Option<&'static str> {
        self.closes?;
        match (marked_late, self.is_late()) {
            (true, false) => Some(
                "the platform's file name marks it as late, but it counts as in time: only the time of receipt decides",
            ),
            (false, true) => Some(
                "the platform's file name does not mark it as late, but it counts as late by the roster's time of receipt",
            ),
            (true, true) | (false, false) => None,
        }
    }

    /// Returns whether the judge's own clock is the one evidence that it is late.
    pub fn is_late_by_first_sight(&self) -> bool {
        self.is_late() && self.by == ReceivedBy::Judge
    }

    /// Says why it does not play, next to one that does.
    pub fn words_instead_of(&self, playing: Lateness) -> String {
        let than = match playing {
            Lateness::InTime => "in time",
            Lateness::Late { .. } | Lateness::TooLate => "less late",
        };
        let received = self.words(false);
        format!("{received}, so it does not replace a version that came {than}")
    }

    /// Describes the timing in one line; nothing is taken off a version that does not play.
    pub fn words(&self, plays: bool) -> String {
        let received = self.received;
        let by = match self.by {
            ReceivedBy::Platform => " by the platform's record",
            ReceivedBy::Judge => " by the judge's clock",
            ReceivedBy::Staff => " according to staff, who chose it in judge regrade",
            ReceivedBy::FileName => "",
        };
        let begin = format!("received {received}{by}");
        let Some(closes) = self.closes else {
            return begin;
        };
        let deadline = if self.extended {
            "extended deadline"
        } else {
            "deadline"
        };
        let after = || {
            #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
            let late_s = (received.as_second() - closes.as_second()) as f64;
            format!("{begin}, {} after the {deadline} {closes}", about(late_s))
        };
        match (self.lateness, self.by) {
            (_, ReceivedBy::FileName) => format!(
                "in time: the platform's file name does not mark it as late (the judge received it {received})"
            ),
            (Lateness::InTime, _) => format!("{begin}, in time for the {deadline} {closes}"),
            (Lateness::Late { .. } | Lateness::TooLate, _) if !plays => after(),
            (late @ Lateness::Late { .. }, _) => {
                let off = late
                    .penalty()
                    .map_or("nothing is taken off".into(), |penalty| {
                        format!("{} taken off", so_many_points(penalty))
                    });
                format!("{}: {off}", after())
            }
            (Lateness::TooLate, _) => {
                format!("{}: plays without rank, prize and grade", after())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_files_resubmitted_keep_first_receipt_time() {
        let time = |day: i64| Timestamp::from_second(day * 86_400).expect("a time");
        let at = |day| Some(ReceiptRecord::At(time(day)));
        let first_seen = time(5);
        let [third, fourth, sixth] = [3, 4, 6].map(at);
        let in_time = Some(ReceiptRecord::InTime);
        for (known, said, expected) in [
            (third, sixth, third),
            (None, sixth, None),
            (in_time, sixth, in_time),
            (third, fourth, fourth),
            (None, third, third),
            (sixth, third, third),
            (third, None, third),
        ] {
            let better = ReceiptRecord::better(known, said, first_seen);
            assert_eq!(better, expected, "{known:?} {said:?}");
        }
    }

    #[test]
    fn each_late_hour_belongs_to_one_step() {
        let step = |within_h, penalty| LateStep {
            within_h,
            penalty: Points::whole(penalty),
        };
        let closes: Timestamp = "2026-12-24T17:00:00Z".parse().expect("a time");
        let late = [step(24, 1), step(48, 2)];
        let after_s = |seconds: i64, after| {
            let received = Timestamp::from_second(closes.as_second() + seconds);
            Lateness::of(received.expect("near"), closes, &late, after)
        };
        let costs = |penalty| Lateness::Late {
            penalty: Points::whole(penalty),
        };
        for (seconds, expected) in [
            (-1, Lateness::InTime),
            (0, Lateness::InTime),
            (1, costs(1)),
            (24 * 3600, costs(1)),
            (24 * 3600 + 1, costs(2)),
            (48 * 3600 + 1, Lateness::TooLate),
        ] {
            assert_eq!(after_s(seconds, TooLate::Ungraded), expected, "{seconds}");
        }
        assert_eq!(after_s(48 * 3600 + 1, TooLate::Graded), costs(2));
        let without_steps = Lateness::of(Timestamp::MAX, closes, &[], TooLate::Graded);
        assert_eq!(without_steps, costs(0));
    }

    #[test]
    fn timing_names_source_and_consequence() {
        let timing = |lateness| Timing {
            received: "2026-12-24T19:05:00Z".parse().expect("a time"),
            by: ReceivedBy::Platform,
            closes: Some("2026-12-24T17:00:00Z".parse().expect("a time")),
            extended: true,
            lateness,
        };
        let penalty = Points::from(500_000);
        assert_eq!(
            timing(Lateness::Late { penalty }).words(true),
            "received 2026-12-24T19:05:00Z by the platform's record, 2.1 h after the extended deadline \
             2026-12-24T17:00:00Z: 0.50 points taken off"
        );
        // A version that does not play has nothing to lose, or to keep.
        let received = "received 2026-12-24T19:05:00Z by the judge's clock, 2.1 h after the extended deadline \
                        2026-12-24T17:00:00Z";
        let free = Timing {
            by: ReceivedBy::Judge,
            ..timing(Lateness::Late {
                penalty: Points::default(),
            })
        };
        let found = free.words(true);
        assert_eq!(found, format!("{received}: nothing is taken off"));
        assert_eq!(free.words(false), received);
        for (other, came) in [
            (Lateness::InTime, "in time"),
            (Lateness::Late { penalty }, "less late"),
        ] {
            let words = format!("{received}, so it does not replace a version that came {came}");
            assert_eq!(free.words_instead_of(other), words);
        }
    }
}
