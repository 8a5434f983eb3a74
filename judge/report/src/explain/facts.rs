//! The results of a run's entrants as data, named as in `standings.csv`; docs/scripts.md describes them.

use crate::run_data::{PlayedRun, standings};
use crate::submission_result::{SubmissionResult, in_order, no_prize};
use crate::words::titled;
use model::competition::Scoring;
use model::tally::{Tally, Tie};
use rulebook::scoring::StandingsTable;
use rulebook::{Result, schedule};
use serde::Serialize;

/// The results of a run.
#[derive(Serialize)]
pub struct RunFacts {
    title: String,
    round: String,
    played: usize,
    scheduled: usize,
    entrants: Vec<EntrantFacts>,
}

/// The result of an entrant. Without a rank, the fields about it are null; without games, the sums are 0.
#[derive(Serialize)]
struct EntrantFacts {
    entrant: String,
    rank: Option<usize>,
    #[serde(flatten)]
    sums: TallyFacts,
    rank_best: Option<usize>,
    rank_worst: Option<usize>,
    elo: Option<f64>,
    elo_low: Option<f64>,
    elo_high: Option<f64>,
    tie_broken_by: Option<&'static str>,
    place: Option<usize>,
    prize: Option<u32>,
    no_prize: Option<String>,
    grade: Option<String>,
    disqualified: Option<String>,
    not_playing: Option<String>,
    too_late: Option<String>,
    roles: Vec<RoleFacts>,
    opponents: Vec<OpponentFacts>,
}

#[derive(Serialize)]
struct TallyFacts {
    total: f64,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    cpu_us: u64,
    faults: u64,
}

#[derive(Serialize)]
struct RoleFacts {
    role: &'static str,
    #[serde(flatten)]
    sums: TallyFacts,
}

#[derive(Serialize)]
struct OpponentFacts {
    opponent: String,
    #[serde(flatten)]
    sums: TallyFacts,
}

impl TallyFacts {
    fn of(tally: &Tally) -> Self {
        Self {
            total: tally.points.as_f64(),
            games: tally.games,
            wins: tally.wins,
            draws: tally.draws,
            losses: tally.losses,
            cpu_us: tally.cpu_us,
            faults: tally.faults,
        }
    }
}

/// Collects the results of one entrant of a run, or of all: ranked ones first, in their order.
pub fn facts(run: &PlayedRun<'_>, entrant: Option<&str>) -> Result<RunFacts> {
    let competition = &run.manifest.competition;
    let roles = schedule::roles(competition)?;
    let mut played = 0;
    let table = standings(run.manifest, run, &mut |_, _, _| {
        played += 1;
        Ok(())
    })?;
    let entrants = in_order(&table, &run.manifest.entrants)
        .filter(|(name, _)| entrant.is_none_or(|asked| asked == *name))
        .map(|(name, result)| of_entrant(&table, name, &result, &competition.scoring, roles));
    Ok(RunFacts {
        title: titled(competition),
        round: competition.round.clone(),
        played,
        scheduled: run.ids.len(),
        entrants: entrants.collect(),
    })
}

fn of_entrant(
    table: &StandingsTable,
    name: &str,
    result: &SubmissionResult<'_>,
    scoring: &Scoring,
    roles: &[&'static str],
) -> EntrantFacts {
    let standing = result.standing();
    let uncertainty = standing.and_then(|standing| standing.uncertainty.as_ref());
    let (by_role, total) = result.tallies().unzip();
    let rating = table
        .strengths
        .as_ref()
        .filter(|_| total.is_some())
        .and_then(|all| all.rating(name));
    let by_role = roles.iter().zip(by_role.unwrap_or_default());
    let met = table.sums.against(name).into_iter();
    let owned = |text: Option<&str>| text.map(str::to_owned);
    EntrantFacts {
        entrant: name.to_owned(),
        rank: standing.map(|standing| standing.rank),
        sums: TallyFacts::of(total.unwrap_or(&Tally::default())),
        rank_best: uncertainty.map(|ranks| ranks.rank_best),
        rank_worst: uncertainty.map(|ranks| ranks.rank_worst),
        elo: rating.map(|rating| rating.elo),
        elo_low: rating.and_then(|rating| rating.low),
        elo_high: rating.and_then(|rating| rating.high),
        tie_broken_by: standing.and_then(|standing| standing.decided_by.map(Tie::name)),
        place: standing
            .filter(|_| !scoring.podium.is_empty())
            .map(|standing| standing.place),
        prize: standing.and_then(|standing| standing.prize),
        no_prize: standing.and_then(no_prize),
        grade: owned(result.grade(scoring)),
        disqualified: owned(result.disqualified()),
        not_playing: owned(result.not_playing()),
        too_late: owned(result.too_late()),
        roles: by_role
            .map(|(role, tally)| RoleFacts {
                role,
                sums: TallyFacts::of(tally),
            })
            .collect(),
        opponents: met
            .map(|(opponent, tally)| OpponentFacts {
                opponent: opponent.to_owned(),
                sums: TallyFacts::of(&tally),
            })
            .collect(),
    }
}
