//! From flags to a competition.

#![expect(clippy::disallowed_methods, reason = "staff name the file")]

use super::competition_file;
use super::display::this_command_with;
use super::game_config::GameConfig;
use clap::Args;
use competition::{Loaded, MEMORY_MIB, RATE_MAX, SILENCE_SECONDS_MIN, courses};
use engines::{Entry, Lifetime};
use error::JudgeError;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use words::clock::ClockMode;
use words::competition::{Competition, Schedule};
use words::fixture::find_game;
use words::nearest::did_you_mean;

/// What can be said about a competition on the command line.
#[derive(Args, Default)]
pub(super) struct Settings {
    /// The name of a built-in competition (see `judge competitions`), or a TOML file
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "game")]
    pub(super) competition: Option<String>,
    /// The game [default: found from the submissions]
    #[arg(long, value_name = "GAME")]
    pub(super) game: Option<String>,
    /// Number of initial states that each pairing plays [default: the competition's]
    #[arg(long, allow_negative_numbers = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(super) states: Option<u32>,
    /// Seed that everything random is drawn from, for practice and tests: anybody can draw the same [default: a secret of the run]
    #[arg(long, allow_negative_numbers = true, value_name = "N")]
    seed: Option<u64>,
    #[command(flatten)]
    config: GameConfig,
    /// What the clock counts: cpu or wall time [default: the competition's, usually cpu]
    #[arg(long, value_name = "TIME", value_parser = clock_mode)]
    clock: Option<ClockMode>,
    /// Time limit for a turn, in seconds [default: the competition's]
    #[arg(long, allow_negative_numbers = true, value_name = "SECONDS")]
    turn_time: Option<f64>,
    /// Bank: time for all turns of a game, in seconds [default: the competition's]
    #[arg(long, allow_negative_numbers = true, value_name = "SECONDS")]
    bank: Option<f64>,
    /// Increment: time added to the bank each turn, in seconds [default: the competition's]
    #[arg(long, allow_negative_numbers = true, value_name = "SECONDS")]
    increment: Option<f64>,
    /// Wall-clock limit for an answer, in seconds; catches silence only [default: 10]
    #[arg(long, allow_negative_numbers = true, value_name = "SECONDS")]
    backstop: Option<f64>,
    /// Wall-clock limit for a bot to become ready, in seconds [default: 20]
    #[arg(long, allow_negative_numbers = true, value_name = "SECONDS")]
    startup: Option<f64>,
    /// Memory limit of a bot, in MiB [default: the competition's, 1024]
    #[arg(long, allow_negative_numbers = true, value_name = "MIB", value_parser = clap::value_parser!(u64).range(MEMORY_MIB))]
    memory: Option<u64>,
    /// How long a bot's process lives: turn, game or match [default: the competition's]
    #[arg(long, value_name = "SPAN", value_parser = lifetime)]
    lifetime: Option<Lifetime>,
    /// Let bots start processes; needs control groups (`judge doctor` says whether they work here)
    #[arg(long)]
    allow_processes: bool,
}

/// What can be said about who meets whom and what it brings.
#[derive(Args, Default)]
pub(super) struct Scored {
    /// Points taken off for each second of CPU time [default: the competition's]
    #[arg(long, value_name = "POINTS", allow_negative_numbers = true)]
    k: Option<f64>,
    /// Every entrant also plays itself (in games for two)
    #[arg(long)]
    self_play: bool,
}

impl Scored {
    /// Changes a competition as the flags say.
    ///
    /// # Errors
    /// When a value is not allowed; the message names it.
    pub(super) fn change(&self, mut competition: Competition) -> Result<Competition, JudgeError> {
        if let Some(k) = self.k {
            if !(0.0..=RATE_MAX).contains(&k) {
                return Err(JudgeError::input(format!(
                    "--k {k}: must be 0 to {RATE_MAX} points per second"
                )));
            }
            competition.scoring.points_per_cpu_second = k;
        }
        if self.self_play {
            let Schedule::Pairs { self_play } = &mut competition.schedule else {
                let reason =
                    "--self-play works only with a round robin for two (schedule kind \"pairs\")";
                return Err(JudgeError::input(reason));
            };
            *self_play = true;
        }
        Ok(competition)
    }
}

impl Settings {
    /// Reads the competition that was named, if one was.
    ///
    /// # Errors
    /// When there is no such competition or file, or the file is wrong.
    pub(super) fn named_competition(&self) -> Result<Option<Loaded>, JudgeError> {
        self.competition
            .as_deref()
            .map(named_competition)
            .transpose()
    }

    /// Changes a competition as the flags say.
    ///
    /// # Errors
    /// When a value is not allowed; the message names it.
    pub(super) fn change(
        &self,
        entry: &'static Entry,
        mut competition: Competition,
    ) -> Result<Competition, JudgeError> {
        let conditions = &mut competition.conditions;
        conditions.config = self.config.over(entry, &conditions.config)?;
        conditions.processes |= self.allow_processes;
        conditions.memory_mib = self.memory.unwrap_or(conditions.memory_mib);
        silence("--backstop", self.backstop, &mut conditions.backstop_ms)?;
        silence("--startup", self.startup, &mut conditions.startup_ms)?;
        if let Some(seconds) = self.increment {
            conditions.time.increment_us = micros("--increment", seconds)?;
        }
        if let Some(seconds) = self.turn_time {
            conditions.time.turn_us = Some(micros("--turn-time", seconds)?);
        }
        if let Some(seconds) = self.bank {
            conditions.time.bank_us = Some(micros("--bank", seconds)?);
        }
        if conditions.time.bank_us.is_none() && self.increment.is_some() {
            let reason = "--increment needs a bank to add to; give --bank too";
            return Err(JudgeError::input(reason));
        }
        conditions.mode = self.clock.unwrap_or(conditions.mode);
        conditions.startup_on_wall_clock = conditions.mode == ClockMode::Wall;
        conditions.lifetime = self.lifetime.unwrap_or(conditions.lifetime);
        competition.seed = self.seed.or(competition.seed);
        competition.states = self.states.unwrap_or(competition.states);
        Ok(competition)
    }

    /// Refuses what has no meaning where one game is played.
    ///
    /// # Errors
    /// When `--states` was given.
    pub(super) fn admit_one_game(&self) -> Result<(), JudgeError> {
        if self.states.is_some() {
            let reason = "--states is for tournaments; use --state N to choose an initial state";
            return Err(JudgeError::input(reason));
        }
        Ok(())
    }

    /// Finds the game that was named.
    ///
    /// # Errors
    /// When there is no such game.
    pub(super) fn named_game(&self) -> Result<Option<&'static Entry>, JudgeError> {
        Ok(self.game.as_deref().map(find_game).transpose()?)
    }
}

/// Says that nothing tells which game is meant, with the whole command that names it.
pub(super) fn untold_game(why: &str, games: impl Iterator<Item = &'static Entry>) -> JudgeError {
    let command = with_game(this_command_with, games);
    JudgeError::input(format!("{why}; name it:\n{command}"))
}

/// Adds the first of these games to a command, which takes the flag, and says in a second line which others there are.
pub(super) fn with_game(
    command: impl FnOnce(&str) -> String,
    games: impl Iterator<Item = &'static Entry>,
) -> String {
    let slugs: Vec<&str> = games.map(|entry| entry.info.slug).collect();
    let (first, others) = slugs.split_first().expect("there are games");
    let others = match others {
        [] => String::new(),
        others => format!("\n  (or {})", others.join(", ")),
    };
    let command = command(&format!("--game {first}"));
    format!("  {command}{others}")
}

/// Finds a competition: a built-in one by its name, or a file.
///
/// # Errors
/// When there is no such competition or file, or the file is wrong.
pub(super) fn named_competition(name: &str) -> Result<Loaded, JudgeError> {
    if let Some(course) = courses().find(|course| course.name == name) {
        return competition::read(name, course.text);
    }
    let text = fs::read_to_string(name).map_err(|error| {
        if error.kind() != ErrorKind::NotFound {
            return JudgeError::input(format!("--competition {name} cannot be read: {error}"));
        }
        let known: Vec<&str> = courses().map(|course| course.name).collect();
        JudgeError::input(format!(
            "--competition {name}: no such file and no such built-in competition{}; built in are {}",
            did_you_mean(name, known.iter().copied()),
            known.join(", ")
        ))
    })?;
    competition_file::read(Path::new(name), name, &text)
}

fn clock_mode(text: &str) -> Result<ClockMode, String> {
    match text {
        "cpu" => Ok(ClockMode::Cpu),
        "wall" => Ok(ClockMode::Wall),
        _ => Err("must be cpu or wall".to_owned()),
    }
}

fn lifetime(text: &str) -> Result<Lifetime, String> {
    match text {
        "turn" => Ok(Lifetime::Turn),
        "game" => Ok(Lifetime::Game),
        "match" => Ok(Lifetime::Match),
        _ => Err("must be turn, game or match".to_owned()),
    }
}

/// The longest time that can be asked for: a day.
const SECONDS_MAX: f64 = 86_400.0;

/// Sets a limit on silence, in milliseconds.
fn silence(flag: &str, seconds: Option<f64>, place: &mut u64) -> Result<(), JudgeError> {
    let Some(seconds) = seconds else {
        return Ok(());
    };
    if seconds < SILENCE_SECONDS_MIN {
        return Err(JudgeError::input(format!(
            "{flag} {seconds}: must be {SILENCE_SECONDS_MIN} to {SECONDS_MAX} seconds, because the judge needs time to read an answer"
        )));
    }
    *place = micros(flag, seconds)? / 1000;
    Ok(())
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be positive and small"
)]
fn micros(flag: &str, seconds: f64) -> Result<u64, JudgeError> {
    if !(0.001..=SECONDS_MAX).contains(&seconds) {
        return Err(JudgeError::input(format!(
            "{flag} {seconds}: must be 0.001 to {SECONDS_MAX} seconds"
        )));
    }
    Ok((seconds * 1e6).round() as u64)
}
