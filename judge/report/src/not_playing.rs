//! Those who submitted something that does not play, and the grade that the competition has for
//! them.

use journal::manifest::EntrantLine;
use words::competition::{Grades, Scoring};
use words::entrant::Blame;

/// An entrant that does not play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotPlaying<'a> {
    /// The entrant's name.
    pub entrant: &'a str,
    /// Why it does not play.
    pub reason: &'a str,
    /// The grade; none where the competition gives no grades, or where it does not play for
    /// reasons of ours.
    pub grade: Option<&'a str>,
}

/// Lists those who do not play.
pub fn not_playing<'a>(
    scoring: &'a Scoring,
    entrants: &'a [EntrantLine],
) -> impl Iterator<Item = NotPlaying<'a>> {
    let broken = |line: &'a EntrantLine| Some((line, line.broken.as_deref()?));
    entrants
        .iter()
        .filter_map(broken)
        .map(|(line, reason)| NotPlaying {
            entrant: &line.name,
            reason,
            grade: scoring
                .grades
                .as_ref()
                .filter(|_| line.blame.is_some_and(Blame::is_authors))
                .map(Grades::not_playing),
        })
}
