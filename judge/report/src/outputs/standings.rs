//! `standings.csv`: a row for each entrant.

use super::{GatheredOutput, OutputSource, Scored};
use crate::sheet::{Cell, Plain, Reader, SheetColumns};
use crate::submission_result::{SubmissionResult, in_order, no_prize};
use model::competition::Scoring;
use model::tally::Tally;
use model::tally::Tie;
use rulebook::scoring::{Change, Rating, Standing};

pub(super) const STANDINGS: GatheredOutput = GatheredOutput {
    name: |_| Some("standings.csv".to_owned()),
    reader: Reader::Public,
    own: Some("standing.csv"),
    csv,
};

type Row<'a> = (&'a str, SubmissionResult<'a>);

fn csv(source: &OutputSource<'_>, scored: &Scored<'_>) -> Vec<u8> {
    let rows: Vec<Row<'_>> = in_order(scored.table, source.people)
        .filter(|(_, result)| !matches!(result, SubmissionResult::Unranked))
        .collect();
    columns(source, scored).csv(source.reader, &rows)
}

impl<'r> SheetColumns<'r, Row<'r>> {
    /// Adds a column that is empty for entrants without a rank.
    fn ranked<C: Cell>(self, name: &str, cell: impl Fn(&'r Standing) -> C + 'r) -> Self {
        self.with(name, move |(_, result)| result.standing().map(&cell))
    }

    /// Adds a column of the strength on Elo's scale, which ranks nobody; empty without games that count.
    fn rated(self, name: &str, scored: &'r Scored<'_>, elo: fn(Rating) -> Option<f64>) -> Self {
        self.with(name, move |(entrant, result)| {
            result.tallies()?;
            let elo = elo(scored.table.strengths.as_ref()?.rating(entrant)?)?;
            // No sign for zero.
            Some(Plain(format!("{:.0}", elo.round() + 0.0)))
        })
    }

    /// Adds a column that is empty for entrants whose games do not count.
    fn gathered<C: Cell>(self, name: &str, cell: impl Fn(&'r Tally) -> C + 'r) -> Self {
        self.with(name, move |(_, result)| {
            let (_, total) = result.tallies()?;
            Some(cell(total))
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

fn columns<'r>(source: &OutputSource<'r>, scored: &'r Scored<'_>) -> SheetColumns<'r, Row<'r>> {
    let scoring = &source.manifest.competition.scoring;
    let has_podium = !scoring.podium.is_empty();
    let micro = |value: f64| Plain(format!("{value:.6}"));
    SheetColumns::new()
        .ranked("rank", |row| row.rank)
        .with("entrant", |(entrant, _)| *entrant)
        .with_roles(source.roles, "points", |(_, result), seat| {
            let (by_role, _) = result.tallies()?;
            Some(by_role[seat].points)
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
        .rated("elo", scored, |rating| Some(rating.elo))
        .rated("elo_low", scored, |rating| rating.low)
        .rated("elo_high", scored, |rating| rating.high)
        .ranked("tie_broken_by", |row| row.decided_by.map(Tie::name))
        .ranked("place", move |row| has_podium.then_some(row.place))
        .ranked("prize", |row| row.prize)
        .ranked("no_prize", no_prize)
        .ranked("graded", |row| Some(row.graded?.points))
        .with("grade", |(_, result)| result.grade(scoring))
        .with_for(Reader::Staff, "boundaries", |(entrant, _)| {
            let alarms = scored.table.alarms.iter();
            let own = alarms.filter(|alarm| alarm.entrant == *entrant);
            let changes: Vec<String> = own.map(|alarm| change(&alarm.change)).collect();
            changes.join("; ")
        })
        .with("disqualified", |(_, result)| result.disqualified())
        .ranked("knew_draw", |row| row.knew_draw)
        .with("not_playing", |(_, result)| result.not_playing())
        .with("too_late", |(_, result)| result.too_late())
        .gathered("machines", |_| scored.is_mixed.then_some("mixed"))
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
