//! How a run stood at a moment, in a line of the journal:
//!
//! `{"v":3,"moment":{"at":…,"round":…,"played":…,"of":…,"frozen":…,"entrants":[{…},…]}}`
//!
//! The games that it counts are those before it in the file that its entrants' programs have
//! played in its round, so that its ranks can be made again.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::ops::Not;
use words::points::Points;
use words::record;

/// How a run stood at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moment {
    /// When.
    pub at: Timestamp,
    /// The round that was being played.
    pub round: String,
    /// How many games of those who play had been played.
    pub played: u64,
    /// How many there are.
    pub of: u64,
    /// What is published stood still at that time.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub frozen: bool,
    /// Who played with what, and how each stood.
    pub entrants: Vec<MomentEntrant>,
}

impl Moment {
    /// Returns whether all games of the round had been played.
    pub fn is_whole(&self) -> bool {
        self.played == self.of
    }
}

/// One entrant at a moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MomentEntrant {
    /// The entrant's name.
    pub entrant: String,
    /// The number of the version that played, counted from 1; none for a bot of ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<usize>,
    /// When that version was received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<Timestamp>,
    /// The hash of what it played with; in what is published another one.
    pub artifact: String,
    /// Its rank; none for who stands beside the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
    /// Its points, of which being late takes nothing off.
    pub points: Points,
}

/// What stands in the journal.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content<M> {
    v: u32,
    moment: M,
}

impl Moment {
    /// Returns one of its entrants.
    pub fn entrant(&self, name: &str) -> Option<&MomentEntrant> {
        self.entrants.iter().find(|one| one.entrant == name)
    }

    /// Returns whether both say the same of everything but the time.
    pub fn is_as(&self, other: &Self) -> bool {
        let at = self.at;
        *self
            == Self {
                at,
                ..other.clone()
            }
    }

    pub(super) fn content(&self) -> Vec<u8> {
        let content = Content {
            v: record::VERSION,
            moment: self,
        };
        serde_json::to_vec(&content).expect("plain data")
    }

    /// Reads the content of a line.
    ///
    /// # Errors
    /// When it is no moment.
    pub(super) fn read(content: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice::<Content<Self>>(content).map(|content| content.moment)
    }
}

/// A moment with the place of its line in the file.
#[derive(Clone, Debug)]
pub(super) struct KeptMoment {
    pub(super) moment: Moment,
    /// Where its line begins, in bytes.
    pub(super) start: u64,
}
