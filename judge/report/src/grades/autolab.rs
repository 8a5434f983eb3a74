//! Autolab: the autoresult of one submission, which an autograder prints as its last line. The
//! problem must be one of the assessment's, by its name there.

use super::row::GradeRow;
use serde_json::json;

/// Makes the line: the score of one problem, and what the scoreboard shows: the score, the
/// total and the number of games won. None where the value is no number.
pub fn autolab(grade: &GradeRow, problem: &str) -> Option<String> {
    let score: f64 = grade.value.as_deref()?.parse().ok()?;
    let mut result = json!({"scores": {problem: score}});
    if let Some(row) = grade.standing() {
        let total = row.total.points.as_f64();
        result["scoreboard"] = json!([score, total, row.total.wins]);
    }
    Some(result.to_string())
}
