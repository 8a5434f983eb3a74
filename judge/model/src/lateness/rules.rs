//! The rules of a competition for late submissions.

use crate::points::Points;
use serde::{Deserialize, Serialize};

/// The cost of a late submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LateStep {
    /// The maximum time after the deadline, in hours, inclusive.
    pub within_h: u32,
    /// The points off the grade, or off the prize if there are no grades. Neither falls below 0 by
    /// it.
    pub penalty: Points,
}

/// The consequence for a submission that comes after the last step of
/// [`Competition::late`](crate::competition::Competition::late).
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
