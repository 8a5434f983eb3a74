//! The result of each person: the rows behind every format.

use super::homework::{self, MarkedPart, Marks};
use super::value::{GradeValue, numeric};
use crate::graders::Scoreboard;
use crate::submission_result::SubmissionResult;
use model::builtin;
use model::competition::Scoring;
use model::entrant::{Blame, Person};
use model::lateness::Timing;
use model::points::Points;
use rulebook::scoring::{Standing, StandingsTable};
use store::manifest::EntrantLine;
use store::names::PublicNames;

/// One person, or one submission without a known person, and its result.
#[derive(Clone, Debug)]
pub struct GradeRow {
    /// The person behind the submission; has only the submission's name if nobody is known.
    pub who: Person,
    /// The result of the submission.
    pub came_to: SubmissionResult,
    /// When it was received, and the consequences.
    pub timing: Option<Timing>,
    /// The grade of the competition's grade table, if any.
    pub grade: Option<String>,
    /// The parts of the homework with the submission's marks; empty without a table of marks.
    pub homework: Vec<MarkedPart>,
    /// The value for the platform, if any.
    pub value: Option<String>,
    /// Whether it has no value because the judge did not get to all of its homework.
    pub is_unmarked: bool,
}

impl GradeRow {
    /// Returns the best name for messages.
    pub fn shown(&self) -> String {
        self.who.shown()
    }

    /// See [`SubmissionResult::standing`].
    pub fn standing(&self) -> Option<&Standing> {
        self.came_to.standing()
    }

    /// See [`SubmissionResult::disqualified`].
    pub fn disqualified(&self) -> Option<&str> {
        self.came_to.disqualified()
    }

    /// See [`SubmissionResult::not_playing`].
    pub fn not_playing(&self) -> Option<&str> {
        self.came_to.not_playing()
    }

    /// See [`SubmissionResult::too_late`].
    pub fn too_late(&self) -> Option<&str> {
        self.came_to.too_late()
    }

    /// Returns the facts that a grader shows beside the score.
    pub(super) fn scoreboard(&self) -> Option<Scoreboard> {
        self.standing().map(|row| Scoreboard {
            rank: row.rank,
            total: row.total.points.as_f64(),
            wins: row.total.wins,
        })
    }

    /// Replaces the result by that of the public's table, which has other numbers of games.
    #[must_use]
    pub fn in_public(&self, names: &PublicNames, table: &StandingsTable) -> Self {
        let name = names.of(&self.who.submission);
        let came_to =
            SubmissionResult::in_table(table, name).unwrap_or_else(|| self.came_to.clone());
        Self {
            came_to,
            ..self.clone()
        }
    }
}

/// Combines people and table. There is a row for each person, and for each entrant without a known
/// person that is in the table or does not play. Built-in bots get no grades.
pub fn grade_rows(
    scoring: &Scoring,
    entrants: &[EntrantLine],
    table: &StandingsTable,
    mut people: Vec<Person>,
    choice: GradeValue,
    marks: Option<&Marks>,
) -> Vec<GradeRow> {
    let ranked = table.rows.iter().map(|row| &row.standing.entrant);
    let removed = table.removed.iter().map(|removed| &removed.entrant);
    // A withdrawn entrant often still takes part under another name.
    let is_there = |line: &&EntrantLine| line.blame != Some(Blame::Withdrawn);
    let broken = entrants
        .iter()
        .filter(|line| line.broken.is_some() || line.is_too_late())
        .filter(is_there);
    for name in ranked
        .chain(removed)
        .chain(broken.map(|line| &line.name))
        .filter(|name| !builtin::is_builtin(name))
    {
        if people.iter().all(|who| who.submission != *name) {
            people.push(Person {
                submission: name.clone(),
                ..Person::default()
            });
        }
    }
    let row = |who: Person| {
        let line = entrants.iter().find(|line| line.name == who.submission);
        let came_to = SubmissionResult::of(table, line);
        let grade = came_to.grade(scoring).map(str::to_owned);
        // These may well not be among the files of the class.
        let may_be_absent = matches!(came_to, SubmissionResult::Unranked)
            || line.is_some_and(|line| line.blame == Some(Blame::Withdrawn));
        let marks = marks.filter(|marks| !may_be_absent || marks.has(&who.submission));
        let homework = marks
            .map(|marks| marks.of(&who.submission, &came_to))
            .unwrap_or_default();
        let points = homework::points(&homework);
        let value = |points| choice.with_homework(&came_to, grade.as_deref(), points);
        // Points may not be added to every value.
        let is_unmarked = !homework.is_empty()
            && points.is_none()
            && value(Some(Points::default())).is_some_and(|value| numeric(&value).is_some());
        GradeRow {
            timing: line.and_then(|line| line.timing),
            value: value(points).filter(|_| !is_unmarked),
            is_unmarked,
            grade,
            homework,
            came_to,
            who,
        }
    };
    people.into_iter().map(row).collect()
}
