//! Autolab: the autoresult of one submission.

use super::row::GradeRow;
use crate::graders;

/// Makes the line: the score of one problem, and what the scoreboard shows. None where the value
/// is no number.
pub fn autolab(grade: &GradeRow, problem: &str) -> Option<String> {
    let score: f64 = grade.value.as_deref()?.parse().ok()?;
    Some(graders::autolab(problem, score, grade.scoreboard()))
}
