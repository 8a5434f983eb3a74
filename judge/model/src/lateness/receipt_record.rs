//! Evidence of a receipt besides the judge's own clock.

use super::timing::ReceivedBy;
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
    /// Returns the time of receipt that counts, and its source. The judge first received the
    /// submission at `first_seen`.
    pub fn received(record: Option<Self>, first_seen: Timestamp) -> (Timestamp, ReceivedBy) {
        match record {
            Some(Self::At(moment)) => (moment, ReceivedBy::Platform),
            Some(Self::InTime) => (first_seen, ReceivedBy::FileName),
            Some(Self::Chosen(moment)) => (moment, ReceivedBy::Staff),
            None => (first_seen, ReceivedBy::Judge),
        }
    }

    /// Chooses between the known evidence and new evidence. A platform cannot receive a submission
    /// for the first time after the judge, so a later time belongs to another upload. An earlier
    /// time replaces the known one, so that staff can correct it.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_files_again_are_received_when_they_first_were() {
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
