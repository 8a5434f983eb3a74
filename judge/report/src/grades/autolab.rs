//! Autolab: the autoresult of one submission.

use super::row::GradeRow;
use crate::graders;
use crate::submission_result::SubmissionResult;

/// Returns the line with the score of one problem and the values for the scoreboard. A
/// person who submitted nothing has the score 0 where there is no value. Returns `None` if the value
/// of another one is not a number.
pub fn autolab(grade: &GradeRow, problem: &str) -> Option<String> {
    let score = match (&grade.value, &grade.came_to) {
        (None, SubmissionResult::Missing) => 0.0,
        (value, _) => value.as_deref()?.parse().ok()?,
    };
    Some(graders::autolab(problem, score, grade.scoreboard()))
}
