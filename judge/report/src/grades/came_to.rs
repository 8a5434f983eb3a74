//! What became of a submission, or that there is none.

use scoring::Standing;

/// What became of a person's submission.
#[derive(Clone, Debug)]
pub enum CameTo {
    /// A row of the table.
    Ranked(Box<Standing>),
    /// It was disqualified and left out of the table with all games, for this reason.
    Removed(String),
    /// It does not play, for this reason.
    NotPlaying(String),
    /// It does not play for reasons of ours, which are no reason for a grade.
    Ours(String),
    /// It plays and has no rank: the others are measured against it.
    Unranked,
    /// Nothing was submitted.
    Missing,
}

/// What is said of who submitted nothing.
const MISSING: &str = "no submission";

impl CameTo {
    /// Returns the row of the table, where there is one.
    pub fn standing(&self) -> Option<&Standing> {
        match self {
            Self::Ranked(standing) => Some(standing),
            Self::Removed(_)
            | Self::NotPlaying(_)
            | Self::Ours(_)
            | Self::Unranked
            | Self::Missing => None,
        }
    }

    /// Returns why it is disqualified, if it is.
    pub fn disqualified(&self) -> Option<&str> {
        match self {
            Self::Ranked(standing) => standing.disqualified.as_deref(),
            Self::Removed(reason) => Some(reason),
            Self::NotPlaying(_) | Self::Ours(_) | Self::Unranked | Self::Missing => None,
        }
    }

    /// Returns why it does not play, if it does not.
    pub fn not_playing(&self) -> Option<&str> {
        match self {
            Self::NotPlaying(reason) | Self::Ours(reason) => Some(reason),
            Self::Missing => Some(MISSING),
            Self::Ranked(_) | Self::Removed(_) | Self::Unranked => None,
        }
    }
}
