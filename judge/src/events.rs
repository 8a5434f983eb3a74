//! Events that `judge run --json-events` prints; `protocol.md` lists them. A line is one object
//! with one key, which names the event.

use engines::GameResult;
use model::record::MatchResult;
use rulebook::scoring::Uncertainty;
use serde::{Deserialize, Serialize};

/// Version of the event format.
pub const VERSION: u32 = 1;

/// An event of a run. Times are in microseconds unless their name says otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Event {
    /// All programs are built; the games begin.
    Started(StartedEvent),
    /// An entrant does not play; comes after `started`.
    Refused(RefusedEvent),
    /// A game has ended.
    Game(GameEvent),
    /// A bot's fault; comes before its game.
    Fault(FaultEvent),
    /// A game will be played again, because of the machine or the judge.
    Again {
        /// The reason.
        reason: String,
    },
    /// The run's progress, at most once a second.
    Progress(ProgressEvent),
    /// The standings so far, from time to time and at the end.
    Standings {
        /// Whether all games have been played.
        finished: bool,
        /// The rows, the best one first.
        rows: Vec<StandingEvent>,
    },
    /// The last event of a run that did not fail.
    Done(DoneEvent),
}

/// See [`Event::Started`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartedEvent {
    /// The format's [`VERSION`].
    pub version: u32,
    /// The judge's version.
    pub judge: String,
    /// The game's slug.
    pub game: String,
    /// The competition's title.
    pub title: String,
    /// The run's folder.
    pub folder: String,
    /// The roles in the order of the seats.
    pub roles: Vec<String>,
    /// The entrants' names.
    pub entrants: Vec<String>,
    /// Number of games in the run.
    pub games: usize,
    /// Number of games played before this command.
    pub played: usize,
}

/// See [`Event::Refused`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefusedEvent {
    /// The entrant's name.
    pub entrant: String,
    /// Why it does not play.
    pub reason: String,
    /// The file with the compiler's output, if any.
    pub log: Option<String>,
}

/// See [`Event::Game`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameEvent {
    /// The game's number in `games.csv`, from 1.
    pub game: usize,
    /// The number of the initial state, from 0.
    pub state: u32,
    /// Turns played.
    pub plies: usize,
    /// Why the game ended: `rules`, or the cause of the fault that ended it.
    pub end: String,
    /// The seat that is charged with the end, if any.
    pub charged: Option<usize>,
    /// The entrants and their results, by seat.
    pub seats: Vec<Seat>,
}

/// A seat of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seat {
    /// The entrant in this seat.
    pub entrant: String,
    /// The result for this seat.
    pub result: GameResult,
    /// Points by the game's own formula.
    pub points: i64,
    /// CPU time charged.
    pub cpu_us: u64,
}

/// See [`Event::Fault`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultEvent {
    /// The game's number in `games.csv`, from 1.
    pub game: usize,
    /// The entrant at fault.
    pub entrant: String,
    /// The seat.
    pub seat: usize,
    /// Plies played before it.
    pub ply: u32,
    /// The cause, by its name in `protocol.md`.
    pub cause: String,
    /// The fault in words.
    pub detail: String,
}

/// See [`Event::Progress`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgressEvent {
    /// Games played, including those of earlier commands.
    pub played: usize,
    /// Number of games in the run.
    pub games: usize,
    /// Time since this command began to play, in seconds.
    pub elapsed_s: f64,
    /// Estimated time to the end, in seconds, if known.
    pub left_s: Option<f64>,
}

/// A row of the standings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StandingEvent {
    /// The rank, from 1; equal ranks are shared.
    pub rank: usize,
    /// 95 % confidence interval of the rank: the first and the last rank, both inclusive. Absent
    /// where it cannot be computed. It covers 95 of 100 tournaments on states drawn anew.
    pub rank_95: Option<[usize; 2]>,
    /// The entrant's name.
    pub entrant: String,
    /// Points by the competition's scoring.
    pub points: f64,
    /// Games played.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Faults.
    pub faults: u64,
    /// CPU time charged.
    pub cpu_us: u64,
}

/// See [`Event::Done`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DoneEvent {
    /// Number of games still to play; more than 0 after an interrupt.
    pub missing: usize,
    /// The files written.
    pub files: Vec<String>,
    /// The file with all moves of all games.
    pub journal: String,
    /// The most useful next command.
    pub next: String,
}

impl GameEvent {
    /// Builds the event of the game with this number.
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
    /// Builds the fault events of the game with this number.
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
    /// Builds a row of the standings.
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
