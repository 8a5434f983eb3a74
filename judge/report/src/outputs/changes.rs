//! `changes.csv`: the changes by a regrade, for each entrant.

use super::GatheredOutput;
use crate::sheet::{Reader, SheetColumns};
use crate::submission_result::SubmissionResult;
use model::competition::Scoring;
use rulebook::scoring::StandingsTable;
use std::collections::BTreeMap;
use store::manifest::{EntrantLine, Manifest, Regrade, ResultLine};

pub(super) const CHANGES: GatheredOutput = GatheredOutput {
    name: |source| {
        let regrade = source.manifest.regrade.as_ref();
        regrade.map(|_| "changes.csv".to_owned())
    },
    reader: Reader::Staff,
    own: None,
    csv: |source, scored| {
        let changes = changes_of(source.manifest, scored.table);
        SheetColumns::<ResultChange>::new()
            .with("entrant", |row| &row.after.entrant)
            .with("rank_before", |row| row.before.rank)
            .with("rank", |row| row.after.rank)
            .with("prize_before", |row| row.before.prize)
            .with("prize", |row| row.after.prize)
            .with("grade_before", |row| row.before.grade.as_deref())
            .with("grade", |row| row.after.grade.as_deref())
            .with("total_before", |row| row.before.total)
            .with("total", |row| row.after.total)
            .csv(Reader::Staff, &changes)
    },
};

/// Lists the result of every entrant, in the order of the manifest.
pub fn results(
    scoring: &Scoring,
    entrants: &[EntrantLine],
    table: &StandingsTable,
) -> Vec<ResultLine> {
    let result = |line: &EntrantLine| {
        let result = SubmissionResult::of(table, Some(line));
        let row = result.standing();
        ResultLine {
            entrant: line.name.clone(),
            rank: row.map(|row| row.rank),
            total: row.map(|row| row.total.points),
            prize: row.and_then(|row| row.prize),
            grade: result.grade(scoring).map(str::to_owned),
        }
    };
    entrants.iter().map(result).collect()
}

/// One entrant, before and after a regrade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultChange {
    /// Its result in the run that the regrade corrects.
    pub before: ResultLine,
    /// Its result now.
    pub after: ResultLine,
}

impl ResultChange {
    fn differs(&self) -> bool {
        let (old, new) = (&self.before, &self.after);
        old.rank != new.rank || old.prize != new.prize || old.grade != new.grade
    }

    /// Describes the changes in one line, with differences.
    pub fn words(&self) -> String {
        let (old, new) = (&self.before, &self.after);
        let reported: Vec<String> = [
            reported("rank", old.rank, new.rank),
            reported("prize", old.prize, new.prize),
            reported("grade", old.grade.as_ref(), new.grade.as_ref()),
            reported("total", old.total, new.total),
        ]
        .into_iter()
        .flatten()
        .collect();
        if reported.is_empty() {
            return format!("{}: nothing changes", new.entrant);
        }
        format!("{}: {}", new.entrant, reported.join(", "))
    }
}

/// Formats `prize 10 → 20 (+10)`, and ranks without the difference; `None` if both are the same.
fn reported<T: ToString + PartialEq>(what: &str, old: Option<T>, new: Option<T>) -> Option<String> {
    if old == new {
        return None;
    }
    let words = [old, new].map(|value| value.map_or("none".to_owned(), |it| it.to_string()));
    let [old, new] = words.each_ref().map(|word| word.trim().parse::<f64>());
    let by = match (old, new) {
        (Ok(old), Ok(new)) if what != "rank" => {
            let text = format!("{:+.6}", new - old);
            let text = text.trim_end_matches('0').trim_end_matches('.');
            format!(" ({text})")
        }
        _ => String::new(),
    };
    Some(format!("{what} {}{by}", words.join(" → ")))
}

pub(crate) fn changes_of(manifest: &Manifest, table: &StandingsTable) -> Vec<ResultChange> {
    manifest
        .regrade
        .as_ref()
        .map(|regrade| {
            let scoring = &manifest.competition.scoring;
            changes(regrade, results(scoring, &manifest.entrants, table))
        })
        .unwrap_or_default()
}

/// Lists the entrants whose rank, prize or grade a regrade changes. Entrants whose games were
/// played again are always included, and come first.
fn changes(regrade: &Regrade, after: Vec<ResultLine>) -> Vec<ResultChange> {
    let before: BTreeMap<&str, &ResultLine> = regrade
        .before
        .iter()
        .map(|line| (line.entrant.as_str(), line))
        .collect();
    let pair = |after: ResultLine| {
        let before = before.get(after.entrant.as_str()).map_or_else(
            || ResultLine {
                entrant: after.entrant.clone(),
                ..ResultLine::default()
            },
            |&line| line.clone(),
        );
        ResultChange { before, after }
    };
    let is_own = |change: &ResultChange| change.after.entrant == regrade.entrant;
    let mut all: Vec<ResultChange> = after.into_iter().map(pair).collect();
    all.retain(|change| is_own(change) || change.differs());
    all.sort_by_key(|change| {
        let rank = change.after.rank;
        (!is_own(change), rank.is_none(), rank)
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(entrant: &str, rank: usize, prize: u32, grade: &str) -> ResultLine {
        ResultLine {
            entrant: entrant.to_owned(),
            rank: Some(rank),
            total: Some(model::points::Points::whole(10)),
            prize: Some(prize),
            grade: Some(grade.to_owned()),
        }
    }

    #[test]
    fn changed_results_are_listed_with_their_differences() {
        let regrade = Regrade {
            run: "run".to_owned(),
            entrant: "zoe".to_owned(),
            before: vec![
                line("ann", 1, 20, "5"),
                line("bob", 2, 15, "4"),
                line("zoe", 3, 10, "4"),
            ],
        };
        let after = vec![
            line("ann", 2, 15, "5"),
            line("bob", 2, 15, "4"),
            line("zoe", 1, 20, "4.5"),
        ];
        let reported = changes(&regrade, after);
        let reported: Vec<String> = reported.iter().map(ResultChange::words).collect();
        assert_eq!(
            reported,
            [
                "zoe: rank 3 → 1, prize 10 → 20 (+10), grade 4 → 4.5 (+0.5)",
                "ann: rank 1 → 2, prize 20 → 15 (-5)",
            ]
        );
    }
}
