//! Submissions without a result, because they do not play or were too late, and their grades.

use crate::submission_result::SubmissionResult;
use model::competition::Scoring;
use store::manifest::EntrantLine;

/// An entrant that does not play or was too late.
#[derive(Clone, Debug)]
pub struct NoResult<'a> {
    /// The entrant's name.
    pub entrant: &'a str,
    /// Whether it was too late; it may still play.
    pub is_too_late: bool,
    /// Why it does not play, or how it was too late.
    pub reason: String,
    /// The grade; `None` if the competition has none for this case.
    pub grade: Option<String>,
}

impl NoResult<'_> {
    /// Returns the kind of problem in short.
    pub fn kind(&self) -> &'static str {
        if self.is_too_late {
            "too late"
        } else {
            "does not play"
        }
    }
}

/// Lists the entrants that do not play or were too late.
pub fn no_result<'a>(
    scoring: &'a Scoring,
    entrants: &'a [EntrantLine],
) -> impl Iterator<Item = NoResult<'a>> {
    entrants.iter().filter_map(|line| {
        let came_to = SubmissionResult::without_row(line);
        let too_late = came_to.too_late();
        Some(NoResult {
            entrant: &line.name,
            is_too_late: too_late.is_some(),
            reason: too_late.or(came_to.not_playing())?.to_owned(),
            grade: came_to.grade(scoring).map(str::to_owned),
        })
    })
}
