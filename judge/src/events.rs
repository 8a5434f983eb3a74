//! Events that `judge run --json-events` prints as lines; `protocol.md` lists them.

use engines::{GameResult, Seat};
use model::record::MatchResult;
use rulebook::scoring::{Standing, Uncertainty};
use serde::Serialize;

pub(crate) const VERSION: u32 = 1;

/// An event of a run. Times are in microseconds unless their name says otherwise. Games have their
/// numbers in `games.csv`, from 1.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Event<'a> {
    /// All programs are built; the games begin.
    Started {
        version: u32,
        judge: &'a str,
        game: &'a str,
        title: &'a str,
        folder: String,
        roles: &'a [&'a str],
        entrants: Vec<&'a str>,
        games: usize,
        played: usize,
    },
    /// An entrant does not play; comes after `started`.
    Refused {
        entrant: &'a str,
        reason: String,
        /// The file with the compiler's output, if any.
        log: Option<String>,
    },
    Game {
        game: usize,
        /// The number of the initial state, from 0.
        state: u32,
        plies: usize,
        /// Why the game ended: `rules`, or the cause of the fault that ended it.
        end: &'a str,
        /// The seat that is charged with the end, if any.
        charged: Option<usize>,
        seats: Vec<SeatEvent<'a>>,
    },
    /// A bot's fault; comes before its game.
    Fault {
        game: usize,
        entrant: &'a str,
        seat: usize,
        /// Plies played before it.
        ply: u32,
        /// The cause, by its name in `protocol.md`.
        cause: &'a str,
        detail: &'a str,
    },
    /// A game will be played again, because of the machine or the judge.
    Again { reason: &'a str },
    /// The run's progress, at most once a second.
    Progress {
        /// Games played, including those of earlier commands.
        played: usize,
        games: usize,
        /// Time since this command began to play.
        elapsed_s: f64,
        /// Estimated time to the end, if known.
        left_s: Option<f64>,
    },
    /// The standings so far, from time to time and at the end.
    Standings {
        finished: bool,
        /// The best one first.
        rows: Vec<StandingEvent<'a>>,
    },
    /// The last event of a run that did not fail.
    Done {
        /// Number of games still to play; more than 0 after an interrupt.
        missing: usize,
        files: Vec<String>,
        journal: String,
        /// The most useful next command.
        next: &'a str,
    },
}

#[derive(Serialize)]
pub(crate) struct SeatEvent<'a> {
    entrant: &'a str,
    result: GameResult,
    /// Points by the game's own formula.
    points: i64,
    cpu_us: u64,
}

#[derive(Serialize)]
pub(crate) struct StandingEvent<'a> {
    /// The rank, from 1; equal ranks are shared.
    rank: usize,
    /// Inclusive. It covers the ranks of 95 of 100 tournaments on states drawn anew.
    rank_95: Option<[usize; 2]>,
    entrant: &'a str,
    /// Points by the competition's scoring.
    points: f64,
    games: u64,
    wins: u64,
    faults: u64,
    cpu_us: u64,
}

impl<'a> Event<'a> {
    pub(crate) fn game(game: usize, result: &'a MatchResult) -> Self {
        let seats = result.seats.iter().zip(&result.outcome.seats);
        let seats = seats.map(|(seat, outcome)| SeatEvent {
            entrant: &seat.entrant,
            result: outcome.result,
            points: outcome.points,
            cpu_us: seat.cpu_us,
        });
        Self::Game {
            game,
            state: result.state,
            plies: result.plies,
            end: result.end.name(),
            charged: result.end.charged().map(Seat::index),
            seats: seats.collect(),
        }
    }

    pub(crate) fn faults(game: usize, result: &'a MatchResult) -> impl Iterator<Item = Self> {
        result.faults.iter().map(move |fault| Self::Fault {
            game,
            entrant: &result.seats[fault.seat.index()].entrant,
            seat: fault.seat.index(),
            ply: fault.ply,
            cause: fault.cause.name(),
            detail: &fault.detail,
        })
    }
}

impl<'a> StandingEvent<'a> {
    pub(crate) fn of(standing: &'a Standing, uncertainty: Option<&Uncertainty>) -> Self {
        let total = &standing.total;
        Self {
            rank: standing.rank,
            rank_95: uncertainty.map(|uncertainty| [uncertainty.rank_best, uncertainty.rank_worst]),
            entrant: &standing.entrant,
            points: total.points.as_f64(),
            games: total.games,
            wins: total.wins,
            faults: total.faults,
            cpu_us: total.cpu_us,
        }
    }
}
