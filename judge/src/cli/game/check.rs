//! `judge game check`: random games that look for what is wrong with the rules.

use crate::cli::exit::Done;
use crate::cli::game_config::GameConfig;
use crate::cli::interrupt::stop_on_interrupt;
use crate::cli::numbers::whole;
use crate::cli::out;
use clap::Args;
use model::numbers::count;
use referee::external::check::{Checked, Finding, GAMES_AT_ONCE, Report, check};
use rulebook::JudgeError;
use rulebook::rules::Rules;
use run::commands::{path_for_shell, program};
use run::named_game;
use run::play::open_game;
use sandbox::Isolation;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Time between two lines about the progress.
const TOLD_EVERY: Duration = Duration::from_secs(5);

/// Minimum number of late plies whose time is worth a word.
const PLIES_TOLD_MIN: u64 = 1000;

#[derive(Args)]
pub(in crate::cli) struct CheckGameArgs {
    /// The game: its file or folder, or a built-in one
    #[arg(value_name = "GAME")]
    game: String,
    /// Number of random games, each played twice
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = whole::<u64>(1..=u64::MAX))]
    games: u64,
    /// Seed of the first game; the others have the next ones
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<u64>(0..=u64::MAX))]
    seed: u64,
    #[command(flatten)]
    config: GameConfig,
}

impl CheckGameArgs {
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        let probed = match named_game(&self.game) {
            Err(JudgeError::Game { reason, .. }) => {
                say!("{} does not start: {reason}", self.game);
                return Ok(Done::Wrong);
            }
            named => named?,
        };
        let plain = match probed.program() {
            Some(program) => open_game(program.clone(), &Isolation::find(), None)?,
            None => Arc::clone(&probed),
        };
        let config = self.config.of(&*probed)?;
        let checked = Checked {
            probed: &*probed,
            plain: &*plain,
            config: &config,
        };
        let begun = Instant::now();
        let mut told = begun;
        let stop = stop_on_interrupt()?;
        let mut tell = |games: u64| {
            if told.elapsed() >= TOLD_EVERY {
                told = Instant::now();
                let seconds = begun.elapsed().as_secs();
                let (games, all) = (count(games), count(self.games));
                out::aside(format_args!("{games} of {all} games, {seconds} s elapsed"));
            }
            !stop.load(Ordering::Relaxed)
        };
        let clock = || u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        let report = check(checked, self.seed, self.games, &clock, &mut tell)?;
        self.say(&report, &*probed);
        Ok(if !report.findings.is_empty() {
            Done::Wrong
        } else if report.games < self.games {
            say!(
                "interrupted after {} of {} games",
                count(report.games),
                count(self.games)
            );
            Done::Interrupted
        } else {
            Done::Success
        })
    }

    fn say(&self, report: &Report, rules: &dyn Rules) {
        let slug = rules.info().slug;
        let games = count(report.games);
        for finding in &report.findings {
            self.say_finding(finding);
        }
        if !report.findings.is_empty() {
            let found = report.findings.len();
            let kinds = if found == 1 { "thing is" } else { "things are" };
            say!("{slug} is not sound: {found} {kinds} wrong, found within {games} games");
            return;
        }
        say!(
            "{slug} is sound: {games} games, each played twice; {} plies, the longest game {}{}; {}",
            count(report.plies),
            report.plies_most,
            self.most_plies(rules),
            speed(&report.times)
        );
        if !report.draws {
            say!("it draws no picture (frame), so replays show its views as text");
        }
    }

    /// Returns the game's own bound on plies in words, where it is about these settings.
    fn most_plies(&self, rules: &dyn Rules) -> String {
        let settings = self.config.settings().ok();
        let is_default = settings.is_some_and(|settings| settings.values.is_empty());
        if is_default || rules.limit().is_some() {
            format!(" of {} plies", rules.info().plies_max)
        } else {
            " plies".to_owned()
        }
    }

    fn say_finding(&self, finding: &Finding) {
        // A difference may need the games before it.
        let number = finding.seed.wrapping_sub(self.seed);
        let begin = self.seed.wrapping_add(number - number % GAMES_AT_ONCE);
        let (seed, ply) = (finding.seed, finding.ply);
        say!(
            "game {} (seed {seed}), ply {ply}: {}",
            number + 1,
            finding.words
        );
        let set = self.config.settings().map(|set| set.written);
        say!(
            "  again: {} game check {}{} --seed {begin} --games {GAMES_AT_ONCE}",
            program(),
            path_for_shell(Path::new(&self.game)),
            set.unwrap_or_default()
        );
    }
}

/// Returns the time of a ply in words, and of the first and last ones if these differ much.
fn speed(times: &[(u64, u64)]) -> String {
    if times.iter().all(|(_, plies)| *plies == 0) {
        return "no ply was played, because all games are over at once".to_owned();
    }
    let mean = |times: &[(u64, u64)]| {
        let us: u64 = times.iter().map(|(us, _)| us).sum();
        let plies: u64 = times.iter().map(|(_, plies)| plies).sum();
        us / plies.max(1)
    };
    let quarter = times.len().div_ceil(4);
    let (all, first) = (mean(times), mean(&times[..quarter]));
    let last = mean(&times[times.len() - quarter..]);
    let enough = times[times.len() - quarter..]
        .iter()
        .map(|(_, plies)| plies)
        .sum::<u64>()
        >= PLIES_TOLD_MIN;
    let differ = enough && (first > 2 * last || last > 2 * first);
    let more = if differ {
        format!(" ({first} at the beginning, {last} at the end)")
    } else {
        String::new()
    };
    format!("{all} µs a ply{more}")
}
