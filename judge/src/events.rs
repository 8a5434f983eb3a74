//! What `judge run --json-events` tells while it runs; `protocol.md` lists it. A line is one
//! object with one key, which names the event.

use engines::GameResult;
use scoring::Uncertainty;
use serde::{Deserialize, Serialize};
use words::record::MatchResult;

/// The version of the events.
pub const VERSION: u32 = 1;

/// Something that happened in a run. Times are in microseconds unless their name says otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Event {
    /// Everything is built; the games begin.
    Started(StartedEvent),
    /// An entrant that does not play; after `started`.
    Refused(RefusedEvent),
    /// A game has been played.
    Game(GameEvent),
    /// A bot's fault; before its game.
    Fault(FaultEvent),
    /// A game will be played again, for reasons of the machine's or the judge's.
    Again {
        /// Why.
        reason: String,
    },
    /// How far the run is, at most once a second.
    Progress(ProgressEvent),
    /// The standings so far, now and then, and at the end.
    Standings {
        /// Whether all games have been played.
        finished: bool,
        /// The best one first.
        rows: Vec<StandingEvent>,
    },
    /// The last event of a run that did not fail.
    Done(DoneEvent),
}

/// See [`Event::Started`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartedEvent {
    /// [`VERSION`].
    pub version: u32,
    /// The judge's version.
    pub judge: String,
    /// The game's slug.
    pub game: String,
    /// The competition's title.
    pub title: String,
    /// The run's folder.
    pub folder: String,
    /// The seats in order.
    pub roles: Vec<String>,
    /// Who plays.
    pub entrants: Vec<String>,
    /// All games of the run.
    pub games: usize,
    /// Games that had been played before.
    pub played: usize,
}

/// See [`Event::Refused`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefusedEvent {
    /// Its name.
    pub entrant: String,
    /// Why it does not play.
    pub reason: String,
    /// The file with what the compiler said, if there is one.
    pub log: Option<String>,
}

/// See [`Event::Game`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameEvent {
    /// The number in `games.csv`, from 1.
    pub game: usize,
    /// The number of the initial state, from 0.
    pub state: u32,
    /// Turns played.
    pub plies: usize,
    /// Why it ended: `rules`, or the cause of the fault that ended it.
    pub end: String,
    /// The seat that is charged with the end.
    pub charged: Option<usize>,
    /// Who played, by seat.
    pub seats: Vec<Seat>,
}

/// A seat of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seat {
    /// Who sat there.
    pub entrant: String,
    /// How the game ended for it.
    pub result: GameResult,
    /// The points of the game's own formula.
    pub points: i64,
    /// CPU time charged.
    pub cpu_us: u64,
}

/// See [`Event::Fault`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultEvent {
    /// The number of the game in `games.csv`, from 1.
    pub game: usize,
    /// Whose fault it is.
    pub entrant: String,
    /// The seat.
    pub seat: usize,
    /// Plies played before it.
    pub ply: u32,
    /// The cause, as `protocol.md` names it.
    pub cause: String,
    /// The fault in words.
    pub detail: String,
}

/// See [`Event::Progress`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgressEvent {
    /// Games played, those of earlier runs included.
    pub played: usize,
    /// All games.
    pub games: usize,
    /// Since this command began to play, in seconds.
    pub elapsed_s: f64,
    /// Until the end, in seconds, as far as it can be told.
    pub left_s: Option<f64>,
}

/// A row of the standings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StandingEvent {
    /// The rank, from 1; equal ranks are shared.
    pub rank: usize,
    /// Where the rank lies in 95 of 100 tournaments on states drawn anew: first and last rank,
    /// where that can be said.
    pub rank_95: Option<[usize; 2]>,
    /// The entrant's name.
    pub entrant: String,
    /// Points as the competition counts them.
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
    /// Games that are still to be played; more than 0 after an interrupt.
    pub missing: usize,
    /// The files that were written.
    pub files: Vec<String>,
    /// The file with every move of every game.
    pub journal: String,
    /// The command that is most useful next.
    pub next: String,
}

impl GameEvent {
    /// Tells of a game with this number.
    pub fn of(game: usize, result: &MatchResult) -> Self {
        let seats = result.seats.iter().zip(&result.outcome.seats);
        let seats = seats.map(|(seat, outcome)| Seat {
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
    /// Tells of the faults of a game with this number.
    pub fn all(game: usize, result: &MatchResult) -> Vec<Self> {
        let faults = result.faults.iter().map(|fault| Self {
            game,
            entrant: result.seats[fault.seat.index()].entrant.clone(),
            seat: fault.seat.index(),
            ply: fault.ply,
            cause: fault.cause.name().to_owned(),
            detail: fault.detail.clone(),
        });
        faults.collect()
    }
}

impl StandingEvent {
    /// Tells a row of the standings.
    pub fn of(standing: &scoring::Standing, uncertainty: Option<&Uncertainty>) -> Self {
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
