//! A check of a game's rules: random games, and moves that the rules should refuse. The first
//! process plays one game after another and is asked more than a game needs. The second plays some
//! games at a time, a round of each in turn, and is asked no more. What depends on other games, on
//! the process or on requests that change nothing makes a difference.

mod random_game;

use engines::{GameResult, Outcome, Refused};
use random_game::RandomGame;
use rulebook::rules::{Rules, RulesError};
use rulebook::{JudgeError, Result};
use serde_json::value::RawValue;
use std::ops::RangeInclusive;

/// Number of games that are played at a time, and compared.
pub const GAMES_AT_ONCE: u64 = 10;

/// A broken promise.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The kind of promise.
    pub promise: Promise,
    /// The seed of the game.
    pub seed: u64,
    /// The plies before it happened.
    pub ply: u32,
    /// The event, as a sentence.
    pub words: String,
}

/// The result of a check.
#[derive(Debug, Default)]
pub struct Report {
    /// The broken promises, the first one of each kind.
    pub findings: Vec<Finding>,
    /// Number of games.
    pub games: u64,
    /// Number of plies in these games.
    pub plies: u64,
    /// Plies of the longest game.
    pub plies_most: u32,
    /// Whether a game had a picture.
    pub draws: bool,
    /// Time of the second process, in microseconds, and plies, by the plies before.
    pub times: Vec<(u64, u64)>,
}

/// Plays `games` random games with the seeds from `first` on, and stops after a batch with a broken
/// promise. `clock` returns microseconds. `on_progress` gets the games so far; false stops.
pub fn check(
    checked: Checked<'_>,
    first: u64,
    games: u64,
    clock: &dyn Fn() -> u64,
    on_progress: &mut dyn FnMut(u64) -> bool,
) -> Result<Report> {
    let mut report = Report::default();
    while report.games < games && report.findings.is_empty() {
        let count = GAMES_AT_ONCE.min(games - report.games);
        let from = first.wrapping_add(report.games);
        let seeds = (0..count).map(|one| from.wrapping_add(one));
        batch(checked, seeds.collect(), clock, &mut report)?;
        report.games += count;
        if !on_progress(report.games) {
            break;
        }
    }
    Ok(report)
}

fn batch(
    checked: Checked<'_>,
    seeds: Vec<u64>,
    clock: &dyn Fn() -> u64,
    report: &mut Report,
) -> Result {
    let mut finished = Vec::new();
    for seed in seeds {
        let mut game = RandomGame::new(checked, seed);
        let ended = game.draw().and_then(|()| {
            while game.round(true)? {}
            Ok(())
        });
        match ended {
            Ok(()) => {
                report.plies += u64::from(game.ply);
                report.plies_most = report.plies_most.max(game.ply);
                report.draws |= game.draws();
                finished.push(game);
            }
            Err(stop) => report.broken(stop, &game)?,
        }
    }
    let mut second: Vec<_> = finished
        .iter()
        .map(|game| RandomGame::again(checked, game))
        .map(Some)
        .collect();
    while second.iter().any(Option::is_some) {
        for (slot, first) in second.iter_mut().zip(&finished) {
            let Some(mut game) = slot.take() else {
                continue;
            };
            let continues = game.opened().and_then(|()| {
                let (ply, begun) = (game.ply, clock());
                let more = game.round(false)?;
                if game.ply > ply {
                    report.time(ply, clock().saturating_sub(begun), game.ply - ply);
                }
                same(&first.log, &game.log)?;
                Ok(more)
            });
            match continues {
                Ok(true) => *slot = Some(game),
                Ok(false) => {}
                Err(stop) => report.broken(stop, &game)?,
            }
        }
    }
    Ok(())
}

impl Report {
    fn broken(&mut self, stop: Stop, game: &RandomGame<'_>) -> Result {
        let (promise, words) = match stop {
            Stop::Broken(promise, words) => (promise, words),
            Stop::Failed(error) => return Err(error),
        };
        if self.findings.iter().all(|known| known.promise != promise) {
            self.findings.push(Finding {
                promise,
                seed: game.seed,
                ply: game.ply,
                words,
            });
        }
        Ok(())
    }

    fn time(&mut self, ply: u32, us: u64, plies: u32) {
        let at = ply as usize;
        if self.times.len() <= at {
            self.times.resize(at + 1, (0, 0));
        }
        self.times[at].0 += us;
        self.times[at].1 += u64::from(plies);
    }
}

/// In characters of an answer.
const SHOWN_MAX: usize = 160;

type Answer = (u32, String, String);

fn same(first: &[Answer], second: &[Answer]) -> Result<(), Stop> {
    let Some((one, other)) = first.iter().zip(second).find(|(one, other)| one != other) else {
        return Ok(());
    };
    let (ply, name, text) = one;
    let again = if other.1 == *name { &other.2 } else { &other.1 };
    let [text, again] = apart(text, again);
    let words = format!(
        "{name} at ply {ply} was {text}, and in a second process {again}; equal requests need equal answers \
         (luck outside of draw, a set without an order, something that positions share, or a refused move that \
         changes the position)"
    );
    broken(Promise::Repeats, words)
}

/// Returns two texts from shortly before their first difference on.
fn apart(one: &str, other: &str) -> [String; 2] {
    let both = one.chars().zip(other.chars());
    let alike = both.take_while(|(a, b)| a == b).count();
    let skipped = alike.saturating_sub(SHOWN_MAX / 4);
    let dots = |is_cut: bool| if is_cut { "…" } else { "" };
    [one, other].map(|text| {
        let shown: String = text.chars().skip(skipped).take(SHOWN_MAX).collect();
        let after = dots(text.chars().count() > skipped + SHOWN_MAX);
        format!("{}{shown}{after}", dots(skipped > 0))
    })
}

fn wrong_outcome(outcome: &Outcome, seats: usize, points: &RangeInclusive<i64>) -> Option<String> {
    if outcome.seats.len() != seats {
        let found = outcome.seats.len();
        return Some(format!(
            "the outcome has {found} seats, and the game {seats}"
        ));
    }
    let all = outcome.seats.iter();
    let count = |result| all.clone().filter(|seat| seat.result == result).count();
    let (won, drawn) = (count(GameResult::Won), count(GameResult::Drawn));
    if won > 0 && drawn > 0 || won == 0 && drawn < seats {
        return Some(format!(
            "of {seats} seats {won} won and {drawn} drew; either some win and the others lose, or all draw"
        ));
    }
    for (at, seat) in all.clone().enumerate() {
        let placement = seat.placement;
        let better = (all.clone())
            .filter(|other| other.placement < placement)
            .count();
        if better + 1 != usize::from(placement) {
            return Some(format!(
                "seat {at} has the placement {placement}, but {better} are better"
            ));
        }
        if (seat.result == GameResult::Lost) != (placement != 1) {
            let result = seat.result;
            return Some(format!(
                "seat {at} has the placement {placement} and the result {result:?}; the first place wins or draws, and the others lose"
            ));
        }
        if !points.contains(&seat.points) {
            return Some(format!(
                "seat {at} ends with {} points; at the start, its range was {} to {}",
                seat.points,
                points.start(),
                points.end()
            ));
        }
    }
    None
}

/// The rules in two processes, and the configuration of all games.
#[derive(Clone, Copy, Debug)]
pub struct Checked<'a> {
    /// The rules that are asked for more.
    pub probed: &'a dyn Rules,
    /// The same rules, played plainly.
    pub plain: &'a dyn Rules,
    /// The configuration.
    pub config: &'a RawValue,
}

/// A part of the contract of rules. A check reports the first broken promise of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// The program answers.
    Answers,
    /// Equal requests have equal answers.
    Repeats,
    /// A setup reads back as itself.
    Setup,
    /// The lists have all legal moves, and no others.
    Legal,
    /// Moves of one round do not depend on their order.
    Rounds,
    /// An outcome is consistent, and comes in time.
    Outcome,
    /// Frames are pictures.
    Frame,
}

enum Stop {
    Broken(Promise, String),
    Failed(JudgeError),
}

fn broken<T>(promise: Promise, words: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Broken(promise, words.into()))
}

impl Stop {
    fn of(error: RulesError, words: impl FnOnce(Refused) -> String) -> Self {
        match error {
            RulesError::Refused(refused) => Self::Broken(Promise::Setup, words(refused)),
            RulesError::Failed(error) => error.into(),
        }
    }
}

impl From<JudgeError> for Stop {
    fn from(error: JudgeError) -> Self {
        match error {
            JudgeError::Game { reason, .. } => {
                // A finding names its ply.
                let rest = reason.strip_prefix("ply ");
                let named = rest.and_then(|rest| rest.split_once(": "));
                let words = named.map_or(&*reason, |(_, words)| words);
                Self::Broken(Promise::Answers, words.to_owned())
            }
            other => Self::Failed(other),
        }
    }
}
