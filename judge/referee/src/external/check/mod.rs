//! A check of a game's rules: random games, each played twice and compared, and moves that the rules
//! should refuse.
//!
//! The first process plays one game after another and is asked more than a game needs. The second
//! one plays some games at a time, a round of each in turn, and is asked no more. Whatever depends
//! on other games, on the process or on requests that change nothing makes a difference.

mod compare;
mod probe;
mod promise;
mod random_game;

pub use promise::{Checked, Promise};

use promise::Stop;
use random_game::RandomGame;
use rulebook::JudgeError;

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
    /// Time of the second process, in microseconds, and number of plies, by the plies before.
    pub times: Vec<(u64, u64)>,
}

/// Plays `games` random games with the seeds from `first` on. Stops after the games among which the
/// first promise was broken. `clock` returns microseconds. `tell` gets the number of games so far, and
/// returns whether to continue.
///
/// # Errors
/// When the machine fails.
pub fn check(
    checked: Checked<'_>,
    first: u64,
    games: u64,
    clock: &dyn Fn() -> u64,
    tell: &mut dyn FnMut(u64) -> bool,
) -> Result<Report, JudgeError> {
    let mut report = Report::default();
    while report.games < games && report.findings.is_empty() {
        let count = GAMES_AT_ONCE.min(games - report.games);
        let from = first.wrapping_add(report.games);
        let seeds = (0..count).map(|one| from.wrapping_add(one));
        batch(checked, seeds.collect(), clock, &mut report)?;
        report.games += count;
        if !tell(report.games) {
            break;
        }
    }
    Ok(report)
}

/// Plays some games twice.
fn batch(
    checked: Checked<'_>,
    seeds: Vec<u64>,
    clock: &dyn Fn() -> u64,
    report: &mut Report,
) -> Result<(), JudgeError> {
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
                compare::same(&first.log, &game.log)?;
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
    /// Adds a broken promise, unless one of the kind is known.
    fn broken(&mut self, stop: Stop, game: &RandomGame<'_>) -> Result<(), JudgeError> {
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
