//! The rules of a competition for late submissions.

use crate::points::Points;
use serde::{Deserialize, Serialize};

/// The cost of a late submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LateStep {
    /// For submissions at most so many hours after the deadline.
    pub within_h: u32,
    /// Points off the grade; without grades off the prize. Neither falls below 0 by it.
    pub penalty: Points,
}

/// The consequence for a submission that comes after the last of [`Competition::late`](crate::competition::Competition::late).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TooLate {
    /// It counts as any other.
    #[default]
    Graded,
    /// It plays, and has neither rank, prize nor grade.
    Ungraded,
    /// It does not play.
    NotPlayed,
}

impl TooLate {
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde passes a reference"
    )]
    pub(crate) fn is_graded(&self) -> bool {
        *self == Self::Graded
    }
}
