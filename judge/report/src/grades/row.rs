//! What each person got: the rows that every format is made from.

use super::came_to::CameTo;
use super::value::GradeValue;
use crate::csv::is_too_late;
use journal::manifest::EntrantLine;
use journal::names::PublicNames;
use scoring::{Standing, StandingsTable};
use words::builtin;
use words::competition::Scoring;
use words::entrant::{Blame, Person};

/// One person, or one submission that nobody is known to be behind, and what it got.
#[derive(Clone, Debug)]
pub struct GradeRow {
    /// Who is behind the submission; with no more than its name where nobody is known.
    pub who: Person,
    /// What became of the submission.
    pub came_to: CameTo,
    /// The grade of the competition's grade table; none where there is none.
    pub grade: Option<String>,
    /// The value that the platform is to get; none where there is none.
    pub value: Option<String>,
}

impl GradeRow {
    /// Returns the best name for messages.
    pub fn shown(&self) -> &str {
        let all = [&self.who.name, &self.who.id, &self.who.submission];
        let mut all = all.into_iter().filter(|text| !text.is_empty());
        all.next().map_or("", String::as_str)
    }

    /// See [`CameTo::standing`].
    pub fn standing(&self) -> Option<&Standing> {
        self.came_to.standing()
    }

    /// See [`CameTo::disqualified`].
    pub fn disqualified(&self) -> Option<&str> {
        self.came_to.disqualified()
    }

    /// See [`CameTo::not_playing`].
    pub fn not_playing(&self) -> Option<&str> {
        self.came_to.not_playing()
    }

    /// Takes what the table says of it from the public's own, which has other numbers of games.
    #[must_use]
    pub fn in_public(&self, names: &PublicNames, table: &StandingsTable) -> Self {
        let name = names.of(&self.who.submission);
        let came_to = in_table(table, name).unwrap_or_else(|| self.came_to.clone());
        Self {
            came_to,
            ..self.clone()
        }
    }
}

/// Returns what a table says of an entrant; none where it does not have it.
fn in_table(table: &StandingsTable, name: &str) -> Option<CameTo> {
    let removed = || {
        let mut removed = table.removed.iter();
        let (_, reason) = removed.find(|(removed, _)| removed == name)?;
        Some(CameTo::Removed(reason.clone()))
    };
    let ranked = table.row(name);
    ranked.map_or_else(removed, |row| {
        Some(CameTo::Ranked(Box::new(row.standing.clone())))
    })
}

/// Brings people and table together: a row for each person, and for each entrant of the table
/// or of those that do not play that nobody is known to be behind. The judge's own bots get no
/// grades.
pub fn grade_rows(
    scoring: &Scoring,
    entrants: &[EntrantLine],
    table: &StandingsTable,
    mut people: Vec<Person>,
    choice: GradeValue,
) -> Vec<GradeRow> {
    let ranked = table.rows.iter().map(|row| &row.standing.entrant);
    let removed = table.removed.iter().map(|(name, _)| name);
    // Who has withdrawn is often there under another name.
    let is_there = |line: &&EntrantLine| line.blame != Some(Blame::Withdrawn);
    let broken = entrants
        .iter()
        .filter(|line| line.broken.is_some() || is_too_late(line));
    let broken = broken.filter(is_there);
    let names = ranked.chain(removed).chain(broken.map(|line| &line.name));
    for name in names.filter(|name| !builtin::is_builtin(name)) {
        if people.iter().all(|who| who.submission != *name) {
            people.push(Person {
                submission: name.clone(),
                id: String::new(),
                name: String::new(),
                email: String::new(),
                section: String::new(),
                extension: None,
                received: None,
            });
        }
    }
    let row = |who: Person| {
        let line = entrants.iter().find(|line| line.name == who.submission);
        let came_to = in_table(table, &who.submission);
        let came_to = came_to.unwrap_or_else(|| without_row(line));
        let grade = grade(scoring, &came_to).map(str::to_owned);
        GradeRow {
            value: choice.of(&came_to, grade.as_deref()),
            grade,
            came_to,
            who,
        }
    };
    people.into_iter().map(row).collect()
}

/// Returns what became of a submission that the table does not have; none where nothing was
/// submitted.
fn without_row(line: Option<&EntrantLine>) -> CameTo {
    let Some(line) = line else {
        return CameTo::Missing;
    };
    match &line.broken {
        None => CameTo::Unranked,
        Some(reason) if line.blame.is_some_and(Blame::is_authors) => {
            CameTo::NotPlaying(reason.clone())
        }
        Some(reason) => CameTo::Ours(reason.clone()),
    }
}

/// Returns the grade of the competition's grade table; none where it gives none.
fn grade<'a>(scoring: &'a Scoring, came_to: &'a CameTo) -> Option<&'a str> {
    let grades = scoring.grades.as_ref()?;
    match came_to {
        CameTo::Ranked(standing) => standing.grade.as_deref(),
        CameTo::Removed(_) => Some(&grades.disqualified),
        CameTo::NotPlaying(_) => Some(grades.not_playing()),
        CameTo::Missing => grades.missing.as_deref(),
        CameTo::Ours(_) | CameTo::Unranked => None,
    }
}
