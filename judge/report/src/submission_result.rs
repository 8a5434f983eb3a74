//! The result of a submission or the lack of one, and why there is no result or no prize.

use crate::words::joined;
use model::competition::Scoring;
use model::entrant::Blame;
use model::numbers::counted;
use model::tally::Tally;
use rulebook::scoring::{MissedRequirement, Removed, Standing, StandingsTable, UnrankedRow};
use std::collections::HashSet;
use store::manifest::EntrantLine;

/// The result of a person's submission, or of an entrant of the table.
#[derive(Clone, Debug)]
pub enum SubmissionResult<'a> {
    /// A row of the table.
    Ranked(&'a Standing),
    /// Disqualified, and removed from the table with all its games.
    Removed(&'a Removed),
    /// Too late for a rank, a prize and a grade, as this says. It may still play.
    TooLate(String),
    /// It does not play, for this reason.
    NotPlaying(&'a str),
    /// It does not play, for a reason that is not its author's fault and therefore brings no grade.
    JudgeFailure(&'a str),
    /// It plays without a rank: its games count next to the table, or the others are measured against it.
    Unranked(Option<&'a UnrankedRow>),
    /// Nothing was submitted.
    Missing,
}

const MISSING: &str = "no submission";

impl<'a> SubmissionResult<'a> {
    pub(super) fn of(table: &'a StandingsTable, line: Option<&'a EntrantLine>) -> Self {
        line.map_or(Self::Missing, |line| {
            Self::in_table(table, &line.name).unwrap_or_else(|| Self::without_row(line))
        })
    }

    /// Returns the result with a row in the table or next to it, or of a removed entrant; `None` for others.
    pub(super) fn in_table(table: &'a StandingsTable, name: &str) -> Option<Self> {
        table_rows(table).find_map(|(own, result)| (own == name).then_some(result))
    }

    /// Returns the result of a submission outside of the table. Lateness comes first, whether or not it plays.
    pub(super) fn without_row(line: &'a EntrantLine) -> Self {
        if line.is_too_late() {
            return Self::TooLate(
                line.timing
                    .map(|timing| timing.words(false))
                    .unwrap_or_default(),
            );
        }
        match &line.broken {
            None => Self::Unranked(None),
            Some(reason) if line.blame.is_some_and(Blame::is_authors) => Self::NotPlaying(reason),
            Some(reason) => Self::JudgeFailure(reason),
        }
    }

    /// Returns the grade in the competition's grade table, if any. Too late counts as no submission.
    pub fn grade(&self, scoring: &'a Scoring) -> Option<&'a str> {
        let grades = scoring.grades.as_ref()?;
        match self {
            Self::Ranked(row) => row.grade.as_deref(),
            Self::Removed(removed) => removed.grade.as_deref(),
            Self::NotPlaying(_) => Some(grades.not_playing()),
            Self::TooLate(_) | Self::Missing => grades.missing.as_deref(),
            Self::JudgeFailure(_) | Self::Unranked(_) => None,
        }
    }

    /// Returns the row of the table, if it has a rank.
    pub fn standing(&self) -> Option<&'a Standing> {
        match self {
            Self::Ranked(standing) => Some(standing),
            _ => None,
        }
    }

    pub(super) fn tallies(&self) -> Option<(&'a [Tally], &'a Tally)> {
        match self {
            Self::Ranked(row) => Some((&row.by_role, &row.total)),
            Self::Unranked(Some(row)) => Some((&row.by_role, &row.total)),
            _ => None,
        }
    }

    /// Returns why it is disqualified, if it is.
    pub fn disqualified(&self) -> Option<&'a str> {
        match self {
            Self::Ranked(row) => row.disqualified.as_deref(),
            Self::Removed(removed) => Some(&removed.reason),
            _ => None,
        }
    }

    /// Returns why it does not play, if it does not.
    pub fn not_playing(&self) -> Option<&'a str> {
        match self {
            Self::NotPlaying(reason) | Self::JudgeFailure(reason) => Some(reason),
            Self::Missing => Some(MISSING),
            _ => None,
        }
    }

    /// Returns what is wrong in short, and the reason, if it does not play or was too late.
    pub fn problem(&self) -> Option<(&'static str, &str)> {
        self.too_late()
            .map(|reason| ("too late", reason))
            .or_else(|| Some(("does not play", self.not_playing()?)))
    }

    /// Returns how it was too late, if it was.
    pub fn too_late(&self) -> Option<&str> {
        match self {
            Self::TooLate(reason) => Some(reason),
            _ => None,
        }
    }
}

pub(super) fn table_rows(
    table: &StandingsTable,
) -> impl Iterator<Item = (&str, SubmissionResult<'_>)> {
    use SubmissionResult::{Ranked, Removed, Unranked};
    let rows = table.rows.iter().map(|row| (&*row.entrant, Ranked(row)));
    let unranked = table
        .unranked
        .iter()
        .map(|row| (&*row.entrant, Unranked(Some(row))));
    let removed = table
        .removed
        .iter()
        .map(|one| (&*one.entrant, Removed(one)));
    rows.chain(unranked).chain(removed)
}

pub(super) fn in_order<'a>(
    table: &'a StandingsTable,
    lines: &'a [EntrantLine],
) -> impl Iterator<Item = (&'a str, SubmissionResult<'a>)> {
    let without = lines
        .iter()
        .map(|line| (&*line.name, SubmissionResult::without_row(line)));
    let mut seen = HashSet::new();
    table_rows(table)
        .chain(without)
        .filter(move |(name, _)| seen.insert(*name))
}

/// Lists the entrants that do not play or were too late, with their results.
pub fn no_result(entrants: &[EntrantLine]) -> impl Iterator<Item = (&str, SubmissionResult<'_>)> {
    entrants
        .iter()
        .map(|line| (&*line.name, SubmissionResult::without_row(line)))
        .filter(|(_, result)| !matches!(result, SubmissionResult::Unranked(_)))
}

/// Explains why the rank of a row brings no prize; `None` if it brings one, or is too low for one.
pub fn no_prize(standing: &Standing) -> Option<String> {
    let missed = &standing.missed_requirements;
    (!missed.is_empty()).then(|| joined(missed.iter().map(missed_requirement), "; "))
}

fn missed_requirement(missed: &MissedRequirement) -> String {
    let (needed, which, has) = match missed {
        MissedRequirement::FaultlessGames { has, needed } => (
            counted(*needed, "game"),
            " without a fault that nobody else's fault ended before its first move",
            has,
        ),
        MissedRequirement::Wins { has, needed } => (counted(*needed, "win"), "", has),
        MissedRequirement::AheadOf(name) => return format!("it needs to be ahead of {name}"),
    };
    match has {
        0 => format!("it needs {needed}{which}, and has none"),
        has => format!("it needs {needed}{which}, and has {has}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::lateness::{Lateness, ReceivedBy, Timing};

    #[test]
    fn too_late_entrant_gets_grade_of_missing_submission() {
        let mut scoring = Scoring::plain();
        let grades =
            r#"{"steps":[],"otherwise":"4","disqualified":"3","not_playing":"2","missing":"1"}"#;
        scoring.grades = serde_json::from_str(grades).expect("grades");
        let timing = Timing {
            received: "2026-12-26T17:00:00Z".parse().expect("a time"),
            by: ReceivedBy::Platform,
            closes: Some("2026-12-24T17:00:00Z".parse().expect("a time")),
            extended: false,
            lateness: Lateness::TooLate,
        };
        let late = EntrantLine {
            timing: Some(timing),
            ..EntrantLine::default()
        };
        let broken = |line: &EntrantLine, blame| EntrantLine {
            broken: Some("does not build".to_owned()),
            blame: Some(blame),
            ..line.clone()
        };
        let nothing = EntrantLine::default();
        for (line, grade, is_late) in [
            (&late, Some("1"), true),
            (&broken(&late, Blame::Submission), Some("1"), true),
            (&broken(&late, Blame::Lacking), Some("1"), true),
            (&broken(&late, Blame::Withdrawn), Some("2"), false),
            (&broken(&nothing, Blame::Machine), None, false),
            (&nothing, None, false),
        ] {
            let result = SubmissionResult::without_row(line);
            assert_eq!(result.grade(&scoring), grade);
            assert_eq!(result.too_late().is_some(), is_late);
        }
    }
}
