//! Events that `judge run --json-events` prints; `protocol.md` lists them. A line is one object
//! with one key, which names the event.

use engines::GameResult;
use model::record::MatchResult;
use rulebook::scoring::Uncertainty;
use serde::{Deserialize, Serialize};

/// Version of the event format.
pub const VERSION: u32 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Event {
    /// All programs are built; the games begin.
    Started(StartedEvent),
    /// An entrant does not play; comes after `started`.
    Refused(RefusedEvent),
    Game(GameEvent),
    /// A bot's fault; comes before its game.
    Fault(FaultEvent),
    /// A game will be played again, because of the machine or the judge.
    Again {
        reason: String,
    },
    /// The run's progress, at most once a second.
    Progress(ProgressEvent),
    /// The standings so far, from time to time and at the end.
    Standings {
        finished: bool,
        /// The rows, the best one first.
        rows: Vec<StandingEvent>,
    },
    Done(DoneEvent),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartedEvent {
    pub version: u32,
    pub judge: String,
    pub game: String,
    pub title: String,
    pub folder: String,
    pub roles: Vec<String>,
    pub entrants: Vec<String>,
    pub games: usize,
    /// Number of games played before this command.
    pub played: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefusedEvent {
    pub entrant: String,
    pub reason: String,
    pub log: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameEvent {
    /// The game's number in `games.csv`, from 1.
    pub game: usize,
    /// The number of the initial state, from 0.
    pub state: u32,
    pub plies: usize,
    /// Why the game ended: `rules`, or the cause of the fault that ended it.
    pub end: String,
    /// The seat that is charged with the end, if any.
    pub charged: Option<usize>,
    pub seats: Vec<Seat>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seat {
    pub entrant: String,
    pub result: GameResult,
    pub points: i64,
    pub cpu_us: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultEvent {
    /// The game's number in `games.csv`, from 1.
    pub game: usize,
    pub entrant: String,
    pub seat: usize,
    /// Plies played before it.
    pub ply: u32,
    pub cause: String,
    pub detail: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgressEvent {
    pub played: usize,
    pub games: usize,
    /// Time since this command began to play, in seconds.
    pub elapsed_s: f64,
    /// Estimated time to the end, in seconds, if known.
    pub left_s: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StandingEvent {
    /// The rank, from 1; equal ranks are shared.
    pub rank: usize,
    /// Inclusive. It covers the ranks of 95 of 100 tournaments on states drawn anew.
    pub rank_95: Option<[usize; 2]>,
    pub entrant: String,
    pub points: f64,
    pub games: u64,
    pub wins: u64,
    pub faults: u64,
    pub cpu_us: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DoneEvent {
    /// Number of games still to play; more than 0 after an interrupt.
    pub missing: usize,
    pub files: Vec<String>,
    /// The file with all moves of all games.
    pub journal: String,
    pub next: String,
}

impl GameEvent {
    pub fn of(game: usize, result: &MatchResult) -> Self {
        let seats = result
            .seats
            .iter()
            .zip(&result.outcome.seats)
            .map(|(seat, outcome)| Seat {
                entrant: seat.entrant.clone(),
                result: outcome.result,
                points: outcome.points,
                cpu_us: seat.cpu_us,
            });
        Self {
            game,
            state: result.state,
            plies: result.plies,
            end: result.end.name().to_owned(),
            charged: result.end.charged().map(engines::Seat::index),
            seats: seats.collect(),
        }
    }
}

impl FaultEvent {
    pub fn all(game: usize, result: &MatchResult) -> Vec<Self> {
        result
            .faults
            .iter()
            .map(|fault| Self {
                game,
                entrant: result.seats[fault.seat.index()].entrant.clone(),
                seat: fault.seat.index(),
                ply: fault.ply,
                cause: fault.cause.name().to_owned(),
                detail: fault.detail.clone(),
            })
            .collect()
    }
}

impl StandingEvent {
    pub fn of(standing: &rulebook::scoring::Standing, uncertainty: Option<&Uncertainty>) -> Self {
        let total = &standing.total;
        Self {
            rank: standing.rank,
            rank_95: uncertainty.map(|uncertainty| [uncertainty.rank_best, uncertainty.rank_worst]),
            entrant: standing.entrant.clone(),
            points: total.points.as_f64(),
            games: total.games,
            wins: total.wins,
            faults: total.faults,
            cpu_us: total.cpu_us,
        }
    }
}
