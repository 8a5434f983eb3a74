//! `standings.csv`: a row for each entrant.

use super::output::{Made, Output, OutputSource, Scored};
use crate::sheet::{
    Reader, Roles, Rows, Sheet, SheetColumns, or_empty, text, text_or_empty, yes_or_empty,
};
use crate::submission_result::{NoResult, no_prize, no_result};
use model::competition::{Competition, Scoring};
use model::tally::Tally;
use model::tie::Tie;
use rulebook::scoring::{Beside, Removed, StandingsRow};

pub(super) const OUTPUT: Output = Output {
    name: |_| Some("standings.csv".to_owned()),
    reader: Reader::Public,
    made: Made::AtEnd {
        own: Some("standing.csv"),
        csv,
    },
};

/// An entrant with a row in the table.
enum StandingsLine<'a> {
    Ranked(&'a StandingsRow),
    /// An entrant without a rank.
    Beside(&'a Beside),
    /// A removed entrant, and the reason.
    Removed(&'a Removed),
    NoResult(&'a NoResult<'a>),
}

impl<'a> StandingsLine<'a> {
    fn entrant(&self) -> &'a str {
        match self {
            Self::Ranked(row) => &row.standing.entrant,
            Self::Beside(beside) => &beside.entrant,
            Self::Removed(removed) => &removed.entrant,
            Self::NoResult(line) => line.entrant,
        }
    }

    /// Returns the tallies by role and their sum, for an entrant whose games count.
    fn tallies(&self) -> Option<(&'a [Tally], &'a Tally)> {
        match self {
            Self::Ranked(row) => Some((&row.standing.by_role, &row.standing.total)),
            Self::Beside(beside) => Some((&beside.by_role, &beside.total)),
            Self::Removed(_) | Self::NoResult(_) => None,
        }
    }
}

/// The rows of `standings.csv`.
enum StandingRows {}

impl Rows for StandingRows {
    type Row<'a> = StandingsLine<'a>;
}

/// Returns the file; it includes entrants that do not play or were too late.
fn csv(source: &OutputSource<'_>, scored: &Scored<'_>) -> Vec<u8> {
    let (competition, table) = (&source.manifest.competition, scored.table);
    let without: Vec<NoResult<'_>> =
        no_result(&competition.scoring, &source.manifest.entrants).collect();
    let is_mixed = scored.unequal.is_some();
    let columns = columns(competition, source.roles).with("machines", move |placed| {
        or_empty(placed.tallies().filter(|_| is_mixed).map(|_| "mixed"))
    });
    let mut sheet = Sheet::new(columns);
    for row in &table.rows {
        sheet.row(&StandingsLine::Ranked(row));
    }
    for beside in &table.beside {
        sheet.row(&StandingsLine::Beside(beside));
    }
    for removed in &table.removed {
        sheet.row(&StandingsLine::Removed(removed));
    }
    for line in &without {
        sheet.row(&StandingsLine::NoResult(line));
    }
    sheet.finish()
}

impl<'c> SheetColumns<'c, StandingRows> {
    /// Adds a column that is empty for entrants without a rank.
    fn ranked(
        self,
        name: &'static str,
        cell: impl Fn(&StandingsRow) -> String + Sync + 'c,
    ) -> Self {
        self.with(name, move |placed| match placed {
            StandingsLine::Ranked(row) => cell(row),
            StandingsLine::Beside(_) | StandingsLine::Removed(_) | StandingsLine::NoResult(_) => {
                String::new()
            }
        })
    }

    /// Adds a column that is empty for entrants whose games do not count.
    fn gathered(self, name: &'static str, cell: impl Fn(&Tally) -> String + Sync + 'c) -> Self {
        self.with(name, move |placed| {
            or_empty(placed.tallies().map(|(_, total)| cell(total)))
        })
    }
}

/// Describes the order of a table, and the games that decide grades alone: `ranked by wins, then
/// points; ties by head-to-head`.
pub fn ranked_by(scoring: &Scoring) -> String {
    let then = |names: Vec<&str>| names.join(", then ");
    let ranking = then(scoring.ranking.iter().map(|key| key.name()).collect());
    let ties = then(scoring.ties.iter().map(|tie| tie.name()).collect());
    let ties = (!ties.is_empty()).then(|| format!("ties by {ties}"));
    let graded = scoring.graded_games().map(|games| {
        let against = games.against.join(", ");
        format!(
            "\"graded\" are the points against {against}, which alone decide the grade and do not count for the rank"
        )
    });
    [Some(format!("ranked by {ranking}")), ties, graded]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("; ")
}

/// Returns the columns, which are the same for every competition of a game.
fn columns(competition: &Competition, roles: Roles) -> SheetColumns<'_, StandingRows> {
    let scoring = &competition.scoring;
    let has_podium = !scoring.podium.is_empty();
    let columns = SheetColumns::new()
        .ranked("rank", |row| row.standing.rank.to_string())
        .with("entrant", |placed| text(placed.entrant()))
        .with_roles(roles, "points", |placed, seat| {
            or_empty(placed.tallies().map(|(by_role, _)| by_role[seat].points))
        })
        .gathered("total", |total| total.points.to_string())
        .gathered("games", |total| total.games.to_string())
        .gathered("wins", |total| total.wins.to_string())
        .gathered("draws", |total| total.draws.to_string())
        .gathered("losses", |total| total.losses.to_string())
        .gathered("cpu_us", |total| total.cpu_us.to_string())
        .gathered("faults", |total| total.faults.to_string())
        .ranked("rank_best", |row| {
            or_empty(row.uncertainty.as_ref().map(|u| u.rank_best))
        })
        .ranked("rank_worst", |row| {
            or_empty(row.uncertainty.as_ref().map(|u| u.rank_worst))
        })
        .ranked("first_probability", |row| {
            let first = row.uncertainty.as_ref().and_then(|u| u.placing.first());
            or_empty(first.map(|share| format!("{share:.3}")))
        })
        .ranked("ahead_per_game", |row| {
            or_empty(row.ahead.map(|d| format!("{:.6}", d.mean)))
        })
        .ranked("ahead_low", |row| {
            or_empty(row.ahead.map(|d| format!("{:.6}", d.low)))
        })
        .ranked("ahead_high", |row| {
            or_empty(row.ahead.map(|d| format!("{:.6}", d.high)))
        })
        .ranked("tie_broken_by", |row| {
            or_empty(row.standing.decided_by.map(Tie::name))
        })
        .ranked("place", move |row| {
            or_empty(has_podium.then_some(row.standing.place))
        })
        .ranked("prize", |row| or_empty(row.standing.prize))
        .ranked("no_prize", |row| {
            text_or_empty(no_prize(&row.standing).as_deref())
        })
        .ranked("graded", |row| {
            or_empty(row.standing.graded.map(|graded| graded.points))
        })
        .with("grade", |placed| match placed {
            StandingsLine::Ranked(row) => text_or_empty(row.standing.grade.as_deref()),
            StandingsLine::Beside(_) => String::new(),
            StandingsLine::Removed(removed) => text_or_empty(removed.grade.as_deref()),
            StandingsLine::NoResult(line) => text_or_empty(line.grade.as_deref()),
        })
        .with("disqualified", |placed| match placed {
            StandingsLine::Ranked(row) => text_or_empty(row.standing.disqualified.as_deref()),
            StandingsLine::Removed(removed) => text(&removed.reason),
            StandingsLine::Beside(_) | StandingsLine::NoResult(_) => String::new(),
        })
        .ranked("knew_draw", |row| yes_or_empty(row.knew_draw));
    [("not_playing", false), ("too_late", true)]
        .into_iter()
        .fold(columns, |columns, (name, is_too_late)| {
            columns.with(name, move |placed| match placed {
                StandingsLine::NoResult(line) if line.is_too_late == is_too_late => {
                    text(&line.reason)
                }
                StandingsLine::NoResult(_)
                | StandingsLine::Ranked(_)
                | StandingsLine::Beside(_)
                | StandingsLine::Removed(_) => String::new(),
            })
        })
}
