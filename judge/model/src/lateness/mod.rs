//! The receipt of a submission: evidence is a [`ReceiptRecord`], [`Deadlines`] makes a [`Timing`] of it,
//! and the consequence is a [`Lateness`]. All other code asks a [`Timing`], and decides nothing.

mod deadlines;
mod timing;

use crate::points::Points;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use deadlines::{Deadlines, with_late_hours};
pub use timing::{Lateness, ReceivedBy, Timing};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_files_resubmitted_keep_first_receipt_time() {
        let at = |text: &str| Some(ReceiptRecord::At(text.parse().expect("a time")));
        let first_seen = "2020-01-05T00:00:00Z".parse().expect("a time");
        let (third, fourth, sixth) = (
            at("2020-01-03T00:00:00Z"),
            at("2020-01-04T00:00:00Z"),
            at("2020-01-06T00:00:00Z"),
        );
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
}
