//! Moments: the state of a run at some time, in a line of the journal:
//!
//! `{"v":5,"moment":{"at":…,"round":…,"played":…,"of":…,"frozen":…,"entrants":[{…},…]}}`
//!
//! A moment counts the games before it in the file that its entrants' programs have played in its
//! round. Its ranks can therefore be recomputed.

use jiff::Timestamp;
use model::FORMAT;
use model::points::Points;
use serde::{Deserialize, Serialize};
use std::ops::Not;

/// The state of a run at some time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moment {
    /// The time.
    pub at: Timestamp,
    /// The round that was being played.
    pub round: String,
    /// Number of finished games of its entrants.
    pub played: u64,
    /// Number of all games of its entrants.
    pub of: u64,
    /// Whether the published results were frozen at that time.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub frozen: bool,
    /// The entrants, each with its program and its standing.
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
    /// The number of the version that played, counted from 1; none for a built-in bot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<usize>,
    /// When that version was received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub received: Option<Timestamp>,
    /// The hash of the artifact that it played with. Published files have another hash.
    pub artifact: String,
    /// Its rank; none for an unranked entrant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<usize>,
    /// Its points, without deductions for lateness.
    pub points: Points,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content<M> {
    v: u32,
    moment: M,
}

impl Moment {
    /// Returns one entrant of the moment.
    pub fn entrant(&self, name: &str) -> Option<&MomentEntrant> {
        self.entrants.iter().find(|one| one.entrant == name)
    }

    /// Returns whether both are equal in everything but the time.
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
            v: FORMAT,
            moment: self,
        };
        serde_json::to_vec(&content).expect("plain data")
    }

    pub(super) fn read(content: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice::<Content<Self>>(content).map(|content| content.moment)
    }
}

#[derive(Clone, Debug)]
pub(super) struct KeptMoment {
    pub(super) moment: Moment,
    pub(super) start: u64,
}
