//! Tables with a row for each entrant: standings, submissions, names, people and changes by a regrade.

use super::{GatheredOutput, OutputSource};
use crate::sheet::{Cell, Plain, Reader, SheetColumns, yes_or_no};
use crate::submission_result::{SubmissionResult, in_order, no_prize};
use crate::words::joined;
use model::competition::Scoring;
use model::entrant::{Entrant, Person, Roster};
use model::tally::{Tally, Tie};
use rulebook::Result;
use rulebook::scoring::{Change, Rating, Standing, StandingsTable};
use std::path::Path;
use store::manifest::{EntrantLine, Manifest, Regrade, ResultLine};
use store::names::PublicNames;
use system::files::{make_private_folder, write_whole};
use system::run_folder::STAFF;

pub(super) const STANDINGS: GatheredOutput = GatheredOutput {
    name: |_| Some("standings.csv".to_owned()),
    reader: Reader::Public,
    own: Some("standing.csv"),
    csv: |source, table, _| {
        let rows: Vec<Row<'_>> = in_order(table, source.run.people)
            .filter(|(_, result)| !matches!(result, SubmissionResult::Unranked(None)))
            .collect();
        columns(source, table).csv(source.reader, &rows)
    },
};

type Row<'a> = (&'a str, SubmissionResult<'a>);

impl<'r> SheetColumns<'r, Row<'r>> {
    /// Adds a column that is empty for entrants without a rank.
    fn ranked<C: Cell>(self, name: &str, cell: impl Fn(&'r Standing) -> C + 'r) -> Self {
        self.with(name, move |(_, result)| result.standing().map(&cell))
    }

    /// Adds a column of the strength on Elo's scale, which ranks nobody; empty without games that count.
    fn rated(self, name: &str, table: &'r StandingsTable, elo: fn(Rating) -> Option<f64>) -> Self {
        self.with(name, move |(entrant, result)| {
            result.tallies()?;
            let elo = elo(table.strengths.as_ref()?.rating(entrant)?)?;
            // No sign for zero.
            Some(Plain(format!("{:.0}", elo.round() + 0.0)))
        })
    }

    /// Adds a column that is empty for entrants whose games do not count.
    fn gathered<C: Cell>(self, name: &str, cell: impl Fn(&'r Tally) -> C + 'r) -> Self {
        self.with(name, move |(_, result)| Some(cell(result.tallies()?.1)))
    }
}

/// Describes the order of a table: `ranked by wins, then points; ties by head-to-head`, and graded games.
pub fn ranked_by(scoring: &Scoring) -> String {
    let ranking = joined(scoring.ranking.iter().map(|key| key.name()), ", then ");
    let mut order = vec![format!("ranked by {ranking}")];
    if !scoring.ties.is_empty() {
        let ties = joined(scoring.ties.iter().map(|tie| tie.name()), ", then ");
        order.push(format!("ties by {ties}"));
    }
    order.extend(scoring.graded_games().map(|games| {
        format!(
            "\"graded\" are the points against {}, which alone decide the grade and do not count for the rank",
            games.against.join(", ")
        )
    }));
    order.join("; ")
}

fn columns<'r>(source: &OutputSource<'r>, table: &'r StandingsTable) -> SheetColumns<'r, Row<'r>> {
    let scoring = &source.run.manifest.competition.scoring;
    let has_podium = !scoring.podium.is_empty();
    let is_mixed = source.run.unequal().is_some();
    let micro = |value: f64| Plain(format!("{value:.6}"));
    SheetColumns::new()
        .ranked("rank", |row| row.rank)
        .with("entrant", |(entrant, _)| *entrant)
        .with_roles(source.roles, "points", |(_, result), seat| {
            Some(result.tallies()?.0[seat].points)
        })
        .gathered("total", |total| total.points)
        .gathered("games", |total| total.games)
        .gathered("wins", |total| total.wins)
        .gathered("draws", |total| total.draws)
        .gathered("losses", |total| total.losses)
        .gathered("cpu_us", |total| total.cpu_us)
        .gathered("faults", |total| total.faults)
        .ranked("rank_best", |row| Some(row.uncertainty.as_ref()?.rank_best))
        .ranked("rank_worst", |row| {
            Some(row.uncertainty.as_ref()?.rank_worst)
        })
        .ranked("first_probability", |row| {
            let first = row.uncertainty.as_ref()?.placing.first()?;
            Some(format!("{first:.3}"))
        })
        .ranked("ahead_per_game", move |row| Some(micro(row.ahead?.value)))
        .ranked("ahead_low", move |row| Some(micro(row.ahead?.low)))
        .ranked("ahead_high", move |row| Some(micro(row.ahead?.high)))
        .rated("elo", table, |rating| Some(rating.elo))
        .rated("elo_low", table, |rating| rating.low)
        .rated("elo_high", table, |rating| rating.high)
        .ranked("tie_broken_by", |row| row.decided_by.map(Tie::name))
        .ranked("place", move |row| has_podium.then_some(row.place))
        .ranked("prize", |row| row.prize)
        .ranked("no_prize", no_prize)
        .ranked("graded", |row| Some(row.graded?.points))
        .with("grade", |(_, result)| result.grade(scoring))
        .with_for(Reader::Staff, "boundaries", |(entrant, _)| {
            let own = table
                .alarms
                .iter()
                .filter(|alarm| alarm.entrant == *entrant);
            joined(own.map(|alarm| change(&alarm.change)), "; ")
        })
        .with("disqualified", |(_, result)| result.disqualified())
        .ranked("knew_draw", |row| row.knew_draw)
        .with("not_playing", |(_, result)| result.not_playing())
        .with("too_late", |(_, result)| result.too_late())
        .gathered("machines", move |_| is_mixed.then_some("mixed"))
}

fn change(change: &Change) -> String {
    let what = match change {
        Change::HalfK => "k-halved",
        Change::DoubleK => "k-doubled",
        Change::LessCpu => "cpu-less-10-percent",
        Change::MoreCpu => "cpu-more-10-percent",
        Change::WithoutState(state) => return format!("without-state {state}"),
        Change::WithoutOpponent(name) => return format!("without-opponent {name}"),
        Change::WinsFirst => "ranked-by-wins",
        Change::PointsFirst => "ranked-by-points",
    };
    what.to_owned()
}

pub(super) const SUBMISSIONS: GatheredOutput = GatheredOutput {
    name: |_| Some("submissions.csv".to_owned()),
    reader: Reader::Author,
    own: Some("submission.csv"),
    csv: |source, _, gathered| {
        SheetColumns::<EntrantLine>::new()
            .with("entrant", |line| &line.name)
            .with("form", |line| &line.form)
            .with("plays", |line| yes_or_no(line.artifact.is_some()))
            .with("artifact", |line| line.artifact.as_deref())
            .with("version", |line| line.version)
            .with("received", |line| Some(line.timing?.received))
            .with("received_by", |line| Some(line.timing?.by.name()))
            .with("deadline", |line| line.timing?.closes)
            .with("extended", |line| Some(line.timing?.extended))
            .with("timing", |line| line.timing?.verdict())
            .with("penalty", |line| line.timing?.lateness.penalty())
            .with("name", |line| line.title.as_deref())
            .with("nickname", |line| {
                (line.nickname.as_ref()).or_else(|| gathered.said.get(&line.name))
            })
            .with("language", |line| {
                line.language.as_deref().or_else(|| language(&line.form))
            })
            .with("tokens", |line| line.tokens)
            .with("reason", |line| {
                line.broken.as_deref().or(line.replaced.as_deref())
            })
            .with("warnings", |line| line.warnings.join("; "))
            .with("comment_words", |line| Some(line.comment.as_ref()?.words))
            .csv(source.reader, source.run.people)
    },
};

fn language(form: &str) -> Option<&str> {
    rulebook::rules::built_in()
        .flat_map(|rules| rules.kits())
        .any(|kit| kit.language == form)
        .then_some(form)
}

pub(crate) fn names_csv(entrants: &[EntrantLine], names: &PublicNames) -> Vec<u8> {
    SheetColumns::<EntrantLine>::new()
        .with("entrant", |line| &line.name)
        .with("public_name", |line| names.of(&line.name))
        .with("nickname", |line| names.nickname(&line.name))
        .with("anonymous", |line| line.anonymous)
        .csv(Reader::Staff, entrants)
}

/// Writes `staff/identities.csv`: a row for each submission and person behind it, and each person without one.
pub fn write_identities(run: &Path, entrants: &[Entrant], roster: Option<&Roster>) -> Result {
    let mut rows: Vec<(Option<&Entrant>, Option<&Person>)> = Vec::new();
    for entrant in entrants {
        let behind = roster
            .iter()
            .flat_map(|roster| &roster.people)
            .filter(|person| person.submission == *entrant.name);
        let before = rows.len();
        rows.extend(behind.map(|person| (Some(entrant), Some(person))));
        if rows.len() == before {
            rows.push((Some(entrant), None));
        }
    }
    let names = || entrants.iter().map(|entrant| entrant.name.as_str());
    rows.extend(
        roster
            .iter()
            .flat_map(|roster| roster.absent(names()))
            .map(|person| (None, Some(person))),
    );
    let folder = run.join(STAFF);
    make_private_folder(&folder)?;
    let table = SheetColumns::<(Option<&Entrant>, Option<&Person>)>::new()
        .with("submission", |(entrant, person)| {
            entrant
                .map(|entrant| entrant.name.as_str())
                .or_else(|| Some(&person.as_ref()?.submission))
        })
        .with("id", |(_, person)| Some(&person.as_ref()?.id))
        .with("name", |(_, person)| Some(&person.as_ref()?.name))
        .with("email", |(_, person)| Some(&person.as_ref()?.email))
        .with("section", |(_, person)| Some(&person.as_ref()?.section))
        .with("extension", |(_, person)| person.as_ref()?.extension)
        .with("submitted", |(entrant, _)| yes_or_no(entrant.is_some()))
        .with("plays", |(entrant, _)| {
            yes_or_no(entrant.and_then(Entrant::artifact).is_some())
        })
        .with("version", |(entrant, _)| {
            Some(entrant.as_ref()?.version.as_ref()?.number)
        })
        .with("received", |(entrant, _)| {
            Some(&entrant.as_ref()?.version.as_ref()?.received)
        })
        .with("origin", |(entrant, _)| Some(&entrant.as_ref()?.origin))
        .with("authors", |(entrant, _)| {
            Some(entrant.as_ref()?.about.authors.join("; "))
        })
        .csv(Reader::Staff, &rows);
    write_whole(&folder.join("identities.csv"), &table)
}

/// Returns a table of entrants that have something in common: their names, and what it is.
pub fn copies_csv<'a>(copies: impl Iterator<Item = (&'a [String], &'static str)>) -> Vec<u8> {
    let copies: Vec<(&[String], &str)> = copies.collect();
    SheetColumns::<(&[String], &str)>::new()
        .with("entrants", |(entrants, _)| entrants.join(", "))
        .with("same", |(_, same)| *same)
        .csv(Reader::Staff, &copies)
}

pub(super) const CHANGES: GatheredOutput = GatheredOutput {
    name: |source| {
        source
            .run
            .manifest
            .regrade
            .as_ref()
            .map(|_| "changes.csv".to_owned())
    },
    reader: Reader::Staff,
    own: None,
    csv: |source, table, _| {
        let changes = changes_of(source.run.manifest, table);
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
        let reported = [
            reported("rank", old.rank, new.rank),
            reported("prize", old.prize, new.prize),
            reported("grade", old.grade.as_ref(), new.grade.as_ref()),
            reported("total", old.total, new.total),
        ]
        .into_iter()
        .flatten();
        match &*joined(reported, ", ") {
            "" => format!("{}: nothing changes", new.entrant),
            reported => format!("{}: {reported}", new.entrant),
        }
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
            let by = format!("{:+.6}", new - old);
            format!(" ({})", by.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => String::new(),
    };
    Some(format!("{what} {}{by}", words.join(" → ")))
}

pub(crate) fn changes_of(manifest: &Manifest, table: &StandingsTable) -> Vec<ResultChange> {
    let scoring = &manifest.competition.scoring;
    (manifest.regrade.as_ref())
        .map(|regrade| changes(regrade, results(scoring, &manifest.entrants, table)))
        .unwrap_or_default()
}

/// Lists the entrants whose rank, prize or grade a regrade changes. Entrants whose games were
/// played again are always included, and come first.
fn changes(regrade: &Regrade, after: Vec<ResultLine>) -> Vec<ResultChange> {
    let pair = |after: ResultLine| {
        let before = regrade
            .before
            .iter()
            .find(|one| one.entrant == after.entrant);
        ResultChange {
            before: before.cloned().unwrap_or_default(),
            after,
        }
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
