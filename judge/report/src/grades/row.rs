//! What each person got: the rows that every format is made from.

use super::value::GradeValue;
use crate::csv::is_too_late;
use journal::manifest::EntrantLine;
use journal::names::PublicNames;
use scoring::{Standing, StandingsTable};
use std::collections::BTreeMap;
use words::builtin;
use words::competition::Scoring;
use words::entrant::Person;

/// One person, or one submission that nobody is known to be behind, and what it got.
#[derive(Clone, Debug)]
pub struct GradeRow {
    /// Who is behind the submission; with no more than its name where nobody is known.
    pub who: Person,
    /// The row of the table; none where the submission is not in it.
    pub standing: Option<Standing>,
    /// Why it was left out of the table, if it was.
    pub removed: Option<String>,
    /// Why it does not play, if it does not.
    pub broken: Option<String>,
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

    /// Takes what the table says of it from the public's own, which has other numbers of games.
    #[must_use]
    pub fn in_public(&self, names: &PublicNames, table: &StandingsTable) -> Self {
        let name = names.of(&self.who.submission);
        let rows = table.rows.iter().map(|row| &row.standing);
        let mut own = rows.filter(|standing| standing.entrant == name);
        let mut removed = table.removed.iter().filter(|(removed, _)| removed == name);
        Self {
            standing: own.next().cloned(),
            removed: removed.next().map(|(_, reason)| reason.clone()),
            ..self.clone()
        }
    }
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
    let broken = entrants
        .iter()
        .filter(|line| line.broken.is_some() || is_too_late(line));
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
    let standings = table.rows.iter().map(|row| &row.standing);
    let standings: BTreeMap<&str, &Standing> = standings
        .map(|standing| (standing.entrant.as_str(), standing))
        .collect();
    let row = |who: Person| {
        let standing = standings.get(who.submission.as_str()).copied();
        let mut removed = table.removed.iter();
        let removed = removed.find(|(name, _)| *name == who.submission);
        GradeRow {
            standing: standing.cloned(),
            value: choice.of(scoring, standing, removed.is_some()),
            removed: removed.map(|(_, reason)| reason.clone()),
            broken: entrants
                .iter()
                .find(|line| line.name == who.submission)
                .and_then(|line| line.broken.clone()),
            who,
        }
    };
    people.into_iter().map(row).collect()
}
