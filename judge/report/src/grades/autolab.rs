//! Autolab: the autoresult of one submission.

use super::row::GradeRow;
use crate::graders;

/// Returns the line with the score of one problem and the values for the scoreboard. Returns `None`
/// if the value is not a number.
pub fn autolab(grade: &GradeRow, problem: &str) -> Option<String> {
    let score: f64 = grade.value.as_deref()?.parse().ok()?;
    Some(graders::autolab(problem, score, grade.scoreboard()))
}
