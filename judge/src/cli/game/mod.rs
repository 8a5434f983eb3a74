//! `judge game`: a game of one's own, made and checked. `judge competition`: the built-in
//! competitions, listed or printed as files.

use super::exit::{Done, stop_on_interrupt};
use super::flags::GameConfig;
use super::out::whole;
use crate::cli::new::{is_built_in, write_new};
use crate::cli::out;
use clap::{Args, Subcommand};
use model::numbers::count;
use model::text::{SLUG_CHARS_MAX, is_slug};
use referee::external::HELPERS;
use referee::external::check::{Checked, Finding, GAMES_AT_ONCE, check};
use rulebook::nearest::did_you_mean;
use rulebook::{JudgeError, Result, courses, refuse, standard};
use run::commands::{path_for_shell, program};
use run::play::open_game;
use run::{builtin, is_found_by, named_game};
use sandbox::Isolation;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

#[derive(Args)]
pub(super) struct GameArgs {
    #[command(subcommand)]
    verb: Option<GameVerb>,
}

#[derive(Subcommand)]
enum GameVerb {
    /// Create a folder with a game that already plays
    New(NewGameArgs),
    /// Play random games, and say in plain words what is wrong with the rules
    Check(CheckGameArgs),
}

impl GameArgs {
    pub(super) fn execute(&self) -> Result<Done> {
        match &self.verb {
            Some(GameVerb::New(new)) => new.execute(),
            Some(GameVerb::Check(check)) => check.execute(),
            None => {
                for rules in rulebook::rules::built_in() {
                    let info = rules.info();
                    let bots = builtin::names(&*rules).join(", ");
                    say!("{:18} {} ({bots})", info.slug, info.title);
                }
                say!("\nto watch one: judge play builtin:random builtin:random --game NAME");
                say!("to make your own: judge game new NAME");
                Ok(Done::Success)
            }
        }
    }
}

const REPORTED_EVERY: Duration = Duration::from_secs(5);

/// Minimum number of late plies whose time is worth a word.
const PLIES_REPORTED_MIN: u64 = 1000;

#[derive(Args)]
struct CheckGameArgs {
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
    fn execute(&self) -> Result<Done> {
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
        let mut reported = begun;
        let stop = stop_on_interrupt()?;
        let mut on_progress = |games: u64| {
            if reported.elapsed() >= REPORTED_EVERY {
                reported = Instant::now();
                let seconds = begun.elapsed().as_secs();
                let (games, all) = (count(games), count(self.games));
                out::aside(format_args!("{games} of {all} games, {seconds} s elapsed"));
            }
            !stop.load(Ordering::Relaxed)
        };
        let clock = || u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        let report = check(checked, self.seed, self.games, &clock, &mut on_progress)?;
        let (slug, plies_max) = (probed.info().slug, probed.info().plies_max);
        let (games, plies) = (count(report.games), count(report.plies));
        let settings = self.config.settings()?;
        for finding in &report.findings {
            self.say_finding(finding, &settings.written);
        }
        if !report.findings.is_empty() {
            let found = report.findings.len();
            let kinds = if found == 1 { "thing is" } else { "things are" };
            say!("{slug} is not sound: {found} {kinds} wrong, found within {games} games");
            return Ok(Done::Wrong);
        }
        // The game's own bound, where it is about these settings.
        let most = if settings.values.is_empty() || probed.limit().is_some() {
            format!("{} of {plies_max} plies", report.plies_most)
        } else {
            format!("{} plies", report.plies_most)
        };
        let speed = speed(&report.times);
        say!(
            "{slug} is sound: {games} games, each played twice; {plies} plies, the longest game {most}; {speed}"
        );
        if !report.draws {
            say!("it draws no picture (frame), so replays show its views as text");
        }
        if report.games < self.games {
            say!("interrupted after {games} of {} games", count(self.games));
            return Ok(Done::Interrupted);
        }
        Ok(Done::Success)
    }

    fn say_finding(&self, finding: &Finding, set: &str) {
        // A difference may need the games before it.
        let number = finding.seed.wrapping_sub(self.seed);
        let begin = self.seed.wrapping_add(number - number % GAMES_AT_ONCE);
        let (seed, ply) = (finding.seed, finding.ply);
        say!(
            "game {} (seed {seed}), ply {ply}: {}",
            number + 1,
            finding.words
        );
        let (program, game) = (program(), path_for_shell(Path::new(&self.game)));
        say!("  again: {program} game check {game}{set} --seed {begin} --games {GAMES_AT_ONCE}");
    }
}

fn speed(times: &[(u64, u64)]) -> String {
    if times.iter().all(|(_, plies)| *plies == 0) {
        return "no ply was played, because all games are over at once".to_owned();
    }
    // The mean time of a ply, and the number of plies.
    let mean = |times: &[(u64, u64)]| {
        let sum =
            |(us, plies), (more_us, more_plies): &(u64, u64)| (us + more_us, plies + more_plies);
        let (us, plies) = times.iter().fold((0, 0), sum);
        (us / plies.max(1), plies)
    };
    let quarter = times.len().div_ceil(4);
    let (all, _) = mean(times);
    let (first, _) = mean(&times[..quarter]);
    let (last, plies) = mean(&times[times.len() - quarter..]);
    if plies >= PLIES_REPORTED_MIN && (first > 2 * last || last > 2 * first) {
        return format!("{all} µs a ply ({first} at the beginning, {last} at the end)");
    }
    format!("{all} µs a ply")
}

#[derive(Args)]
struct NewGameArgs {
    /// The folder to make; its name becomes the game's name
    #[arg(value_name = "NAME")]
    folder: PathBuf,
    /// The language
    #[arg(long, default_value = "python", value_parser = FIRST.map(|first| first.0))]
    lang: String,
}

/// The languages with a first game: its file, its text, and the lines that run it.
const FIRST: [(&str, &str, &str, &str); 3] = [
    (
        "python",
        "game.py",
        include_str!("first/game.py"),
        "run = \"python3 game.py\"\n",
    ),
    (
        "javascript",
        "game.js",
        include_str!("first/game.js"),
        "run = \"node game.js\"\n",
    ),
    (
        "cpp",
        "game.cpp",
        include_str!("first/game.cpp"),
        "build = \"g++ -std=c++17 -O2 -o game game.cpp\"\nrun = \"./game\"\n",
    ),
];

impl NewGameArgs {
    fn execute(&self) -> Result<Done> {
        let slug = slug_of(&self.folder)?;
        let (_, file, text, manifest) = *FIRST
            .iter()
            .find(|first| first.0 == self.lang)
            .expect("a possible value");
        // The title for people: `tug-of-war` becomes `Tug of war`.
        let words = slug.replace('-', " ");
        let title = words[..1].to_uppercase() + &words[1..];
        let rules = text.replace("@SLUG@", slug).replace("@TITLE@", &title);
        // Editors look for it next to the file.
        let header = HELPERS
            .iter()
            .filter(|_| self.lang == "cpp")
            .find(|(name, _)| *name == "judge_game.hpp");
        let mut files = vec![(file, rules.into()), ("game.toml", manifest.into())];
        files.extend(header.map(|&(name, text)| (name, text.into())));
        write_new(&self.folder, &files)?;
        let (judge, game) = (program(), path_for_shell(&self.folder));
        let flag = if is_found_by(slug, &self.folder, &[]) {
            String::new()
        } else {
            format!(" --game {game}")
        };
        say!("made {}: a game that plays", self.folder.display());
        say!("  {file}: the rules; begin here");
        say!("  game.toml: how they are run");
        if let Some((name, _)) = header {
            say!("  {name}: what serves them, from this judge; leave it as it is");
        }
        say!("\nto check the rules, watch a game, make a bot, and play a tournament:");
        say!("  {judge} game check {game}");
        say!("  {judge} play builtin:random builtin:random --game {game}");
        say!("  {judge} new {game} bots/ann --lang python");
        say!("  {judge} run bots --with random{flag}");
        Ok(Done::Success)
    }
}

fn slug_of(folder: &Path) -> Result<&str> {
    let name = folder.file_name().and_then(|name| name.to_str());
    match name.filter(|name| is_slug(name)) {
        Some(slug) if is_built_in(slug) => refuse(format!(
            "{slug} is the name of a built-in game; choose another name"
        )),
        Some(slug) => Ok(slug),
        None => refuse(format!(
            "{}: a game's name is 1 to {SLUG_CHARS_MAX} of a-z, 0-9 and \"-\"; choose another folder",
            folder.display()
        )),
    }
}

#[derive(Args)]
pub(super) struct CompetitionArgs {
    /// Name of a built-in competition, or the file or folder of a game of your own
    name: Option<String>,
}

impl CompetitionArgs {
    pub(super) fn execute(&self) -> Result<Done> {
        let Some(name) = self.name.as_deref() else {
            for course in courses() {
                let loaded = rulebook::read(course.name, course.text)?;
                say!("{:20} {}", course.name, loaded.competition.title);
            }
            say!("\nto play one: judge run DIR --competition NAME");
            say!("to start your own: judge competition NAME > my.toml");
            return Ok(Done::Success);
        };
        if let Some(course) = courses().find(|course| course.name == name) {
            out::line(format_args!("{}", course.text.trim_end()));
        } else if !is_built_in(name) && Path::new(name).exists() {
            let rules = named_game(name)?;
            // A text in JSON is one in TOML.
            out::line(format_args!(
                "# The path of the game begins at this file's folder. COMPETITIONS.md lists all keys.\n\
                 game = {}\ntitle = {}\nstates = {}",
                Value::from(name),
                Value::from(rules.info().title),
                standard(&*rules).states
            ));
        } else {
            let known: Vec<&str> = courses().map(|course| course.name).collect();
            let meant = did_you_mean(name, known.iter().copied());
            let all = known.join(", ");
            return refuse(format!(
                "no built-in competition {name:?}{meant}; there are {all}"
            ));
        }
        Ok(Done::Success)
    }
}
