//! `standings.csv`: a row for each entrant.

use super::{GatheredOutput, OutputSource, Scored};
use crate::sheet::{Reader, SheetColumns, or_empty, text, text_or_empty, yes_or_empty};
use crate::submission_result::{SubmissionResult, in_order, no_prize};
use model::competition::Scoring;
use model::tally::Tally;
use model::tie::Tie;
use rulebook::scoring::{Change, Rating, StandingsRow};

pub(super) const STANDINGS: GatheredOutput = GatheredOutput {
    name: |_| Some("standings.csv".to_owned()),
    reader: Reader::Public,
    own: Some("standing.csv"),
    csv,
};

type Row<'a> = (&'a str, SubmissionResult<'a>);

fn csv(source: &OutputSource<'_>, scored: &Scored<'_>) -> Vec<u8> {
    let rows = in_order(scored.table, source.people)
        .filter(|(_, result)| !matches!(result, SubmissionResult::Unranked));
    columns(source, scored).csv(source.reader, rows)
}

impl<'c> SheetColumns<'c, Row<'c>> {
    fn ranked(self, name: &'static str, cell: impl Fn(&StandingsRow) -> String + 'c) -> Self {
        self.with(name, move |(_, result)| or_empty(result.row().map(&cell)))
    }

    /// Adds a column of the strength on Elo's scale, which ranks nobody; empty without games that count.
    fn rated(
        self,
        name: &'static str,
        scored: &'c Scored<'_>,
        elo: fn(Rating) -> Option<f64>,
    ) -> Self {
        self.with(name, move |(entrant, result)| {
            let strengths = scored.table.strengths.as_ref();
            let strengths = strengths.filter(|_| result.tallies().is_some());
            let elo = strengths
                .and_then(|strengths| strengths.rating(entrant))
                .and_then(elo);
            // No sign for zero.
            or_empty(elo.map(|elo| format!("{:.0}", elo.round() + 0.0)))
        })
    }

    fn gathered(self, name: &'static str, cell: impl Fn(&Tally) -> String + 'c) -> Self {
        self.with(name, move |(_, result)| {
            or_empty(result.tallies().map(|(_, total)| cell(total)))
        })
    }
}

/// Describes the order of a table: `ranked by wins, then points; ties by head-to-head`, and graded games.
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

fn columns<'c>(source: &OutputSource<'c>, scored: &'c Scored<'_>) -> SheetColumns<'c, Row<'c>> {
    let scoring = &source.manifest.competition.scoring;
    let has_podium = !scoring.podium.is_empty();
    SheetColumns::new()
        .ranked("rank", |row| row.standing.rank.to_string())
        .with("entrant", |(entrant, _)| text(entrant))
        .with_roles(source.roles, "points", |(_, result), seat| {
            or_empty(result.tallies().map(|(by_role, _)| by_role[seat].points))
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
        .rated("elo", scored, |rating| Some(rating.elo))
        .rated("elo_low", scored, |rating| rating.low)
        .rated("elo_high", scored, |rating| rating.high)
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
        .with("grade", |(_, result)| text_or_empty(result.grade(scoring)))
        .with_for(Reader::Staff, "boundaries", |(entrant, _)| {
            let alarms = scored.table.alarms.iter();
            let own = alarms.filter(|alarm| alarm.entrant == *entrant);
            let changes: Vec<String> = own.map(|alarm| change(&alarm.change)).collect();
            text(&changes.join("; "))
        })
        .with("disqualified", |(_, result)| {
            text_or_empty(result.disqualified())
        })
        .ranked("knew_draw", |row| yes_or_empty(row.knew_draw))
        .with("not_playing", |(_, result)| {
            text_or_empty(result.not_playing())
        })
        .with("too_late", |(_, result)| text_or_empty(result.too_late()))
        .gathered("machines", |_| {
            if scored.is_mixed { "mixed" } else { "" }.to_owned()
        })
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
