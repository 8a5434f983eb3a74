//! Flags that several verbs have: those of a competition, of a tournament, and of this machine.

use super::out::{self, number, whole};
use crate::terminal::joined;
use clap::{Arg, Args};
use intake::ProgramCache;
use model::builtin::is_builtin;
use model::text::for_shell;
use rulebook::rules::Rules;
use rulebook::{Changes, GameSettings, KeyChange, MEMORY_MIB, Result, refuse};
use run::{CompetitionSpec, MachineUse, RunKind, RunSpec, builtin, named_game};
use serde_json::Value;
use serde_json::value::RawValue;
use std::path::PathBuf;
use std::sync::Arc;

/// Flags about a competition.
#[derive(Args, Default, PartialEq)]
pub(super) struct Settings {
    /// A competition file, or the name of a built-in one
    #[arg(long, value_name = "FILE", conflicts_with = "game")]
    pub(super) competition: Option<String>,
    /// The game, if no file of the submissions names it
    ///
    /// A built-in one, or the file or folder of one's own.
    #[arg(long, value_name = "GAME")]
    pub(super) game: Option<String>,
    /// Number of initial states of each pairing
    ///
    /// [default: the competition's]
    #[arg(long, help_heading = KEYS, value_name = "N", value_parser = whole::<u32>(1..=1_000_000))]
    pub(super) states: Option<u32>,
    /// Public seed, to draw the same games again
    ///
    /// Everything random follows from it, for practice and tests [default: the run's secret].
    #[arg(long, help_heading = KEYS, value_name = "N", value_parser = whole::<u64>(0..=u64::MAX))]
    seed: Option<u64>,
    /// A setting of the game, such as `side=9` (`judge competition GAME` lists them), or another key,
    /// such as `clock.backstop_s=3`; may be repeated
    #[arg(long, hide_short_help = true, help_heading = KEYS, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Time limit for a turn, in seconds
    #[arg(long, hide_short_help = true, help_heading = KEYS, value_name = "SECONDS", value_parser = number)]
    turn_s: Option<f64>,
    /// Bank: time for all turns of a game, in seconds
    #[arg(long, hide_short_help = true, help_heading = KEYS, value_name = "SECONDS", value_parser = number)]
    bank_s: Option<f64>,
    /// Memory limit of a bot, in MiB [default: 1024]
    #[arg(long, hide_short_help = true, help_heading = KEYS, value_name = "MIB", value_parser = whole::<u64>(MEMORY_MIB))]
    memory_mib: Option<u64>,
    /// How long a bot's process lives
    #[arg(long, hide_short_help = true, help_heading = KEYS, value_name = "SPAN", value_parser = ["turn", "game", "match"])]
    lifetime: Option<String>,
}

impl Settings {
    pub(super) fn competition(&self) -> Result<CompetitionSpec> {
        Ok(CompetitionSpec {
            named: self.competition.clone(),
            game: self.named_game()?,
            changes: self.changes()?,
        })
    }

    fn changes(&self) -> Result<Changes> {
        let number = |value: Option<f64>| value.map(|value| value.to_string());
        let flags = [
            ("states", self.states.map(|states| states.to_string())),
            ("clock.turn_s", number(self.turn_s)),
            ("clock.bank_s", number(self.bank_s)),
            (
                "bots.memory_mib",
                self.memory_mib.map(|mib| mib.to_string()),
            ),
            ("bots.lifetime", self.lifetime.clone()),
        ]
        .into_iter()
        .filter_map(|(key, value)| Some(KeyChange::by_flag(key, value?)));
        let config = GameConfig {
            set: self.set.clone(),
        };
        Ok(Changes {
            game: config.settings()?,
            seed: self.seed,
            keys: flags.chain(config.keys()?).collect(),
        })
    }

    pub(super) fn named_game(&self) -> Result<Option<Arc<dyn Rules>>> {
        self.game.as_deref().map(named_game).transpose()
    }
}

pub(super) const KEYS: &str = "Keys of a competition file, for this command";

/// The game's own settings; what is not said has the game's default.
#[derive(Args, Default, PartialEq)]
pub(super) struct GameConfig {
    /// A setting of the game, such as `side=9` (`judge competition GAME` lists them); may be repeated
    #[arg(long, hide_short_help = true, help_heading = KEYS, value_name = "NAME=VALUE")]
    set: Vec<String>,
}

impl GameConfig {
    pub(super) fn of(&self, rules: &dyn Rules) -> Result<Box<RawValue>> {
        if let Some(change) = self.keys()?.next() {
            return refuse(format!(
                "{}: only a competition has this key; give settings of the game",
                change.written
            ));
        }
        let nothing = RawValue::from_string("{}".to_owned()).expect("JSON");
        self.settings()?.over(rules, &nothing)
    }

    pub(super) fn settings(&self) -> Result<GameSettings> {
        let mut settings = GameSettings::default();
        for (name, value) in self.pairs()?.filter(|(name, _)| !name.contains('.')) {
            // Any value that is not JSON is a text.
            let json = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
            settings.values.insert(name.to_owned(), json);
            settings.written.extend([" --set ", name, "=", value]);
        }
        Ok(settings)
    }

    fn keys(&self) -> Result<impl Iterator<Item = KeyChange>> {
        Ok(self
            .pairs()?
            .filter(|(name, _)| name.contains('.'))
            .map(|(name, value)| KeyChange {
                key: name.to_owned(),
                value: value.to_owned(),
                written: format!("--set {name}={value}"),
            }))
    }

    /// Splits the flags into names and values; no name appears twice.
    fn pairs(&self) -> Result<impl Iterator<Item = (&str, &str)>> {
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        for setting in &self.set {
            let Some(pair) = setting.split_once('=') else {
                return refuse(format!("--set {setting}: must have the form NAME=VALUE"));
            };
            if pairs.iter().any(|(name, _)| *name == pair.0) {
                return refuse(format!(
                    "--set {setting}: {} is set twice; remove one",
                    pair.0
                ));
            }
            pairs.push(pair);
        }
        Ok(pairs.into_iter())
    }
}

pub(super) const MACHINE: &str = "This machine";

/// Returns a sentence with the built-in bots of each game.
pub(super) fn builtin_names() -> String {
    let games = rulebook::rules::built_in().map(|rules| {
        let bots = builtin::names(&*rules).join(" and ");
        format!("for {}, {bots}", rules.info().slug)
    });
    format!("Built in are, {}.", joined(games, "; "))
}

/// Flags about how this machine plays games.
#[derive(Args, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(super) struct Workers {
    /// Number of games to play at once [default: the number of CPUs]
    #[arg(long, hide_short_help = true, help_heading = MACHINE, value_name = "N", value_parser = whole::<u16>(1..=1024))]
    jobs: Option<u16>,
    /// Do not pin each worker and its bots to one CPU
    #[arg(long, hide_short_help = true, help_heading = MACHINE)]
    no_pin: bool,
    /// Run even if this machine isolates programs weakly; run.json and the page say so
    #[arg(long, hide_short_help = true, help_heading = MACHINE)]
    weak_isolation: bool,
    /// Start every process in a new sandbox, not from a warm cage: slower, with the same results
    #[arg(long, hide_short_help = true, help_heading = MACHINE)]
    cold: bool,
    /// Build every submission, also one that an earlier run has built: see judge doctor
    #[arg(long, hide_short_help = true, help_heading = MACHINE)]
    no_cache: bool,
}

/// How much is printed.
#[derive(Args, Clone, Copy, Default, PartialEq)]
pub(super) struct Verbosity {
    /// Print also what run.json, the tables and `judge doctor` say
    #[arg(long, hide_short_help = true)]
    verbose: bool,
}

impl Verbosity {
    pub(super) fn apply(self) {
        if self.verbose {
            out::be_verbose();
        }
    }
}

/// Hides the flags of `judge run` from the help of a verb that takes them too, and leaves its own.
pub(super) fn hides_all_but(own: &'static [&'static str]) -> impl FnMut(Arg) -> Arg {
    move |arg| {
        let is_own = own.contains(&arg.get_id().as_str());
        if is_own { arg } else { arg.hide(true) }
    }
}

pub(super) const FLAGS_OF_RUN: &str = "All flags of judge run work here too: see judge run --help.";

impl Workers {
    pub(super) fn machine(&self) -> MachineUse {
        MachineUse {
            jobs: jobs(self.jobs),
            pins: !self.no_pin,
            weak_isolation: self.weak_isolation,
            cold: self.cold,
            cache: (!self.no_cache).then(ProgramCache::of_user).flatten(),
        }
    }
}

/// By default the number of CPUs.
pub(super) fn jobs(asked: Option<u16>) -> usize {
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.map_or_else(all, usize::from)
}

/// Flags about a tournament.
#[derive(Args, Default, PartialEq)]
pub(super) struct Entering {
    /// Another place of submissions; staff say so that a list of repositories in it is theirs
    #[arg(long, hide_short_help = true, value_name = "PLACE")]
    submissions: Vec<PathBuf>,
    /// Who submitted what, as a CSV file
    ///
    /// [default: roster.csv in the submissions' folder, or next to their zip or list] A CSV file with the columns submission, id, name, email, section; or a list exported from
    /// a learning platform.
    #[arg(long, value_name = "FILE")]
    roster: Option<PathBuf>,
    /// Enter a built-in bot: random, or others in --help
    #[arg(long, value_name = "BOT", long_help = format!("Enter a built-in bot too; may be repeated\n\n{}", builtin_names()))]
    with: Vec<String>,
    /// Play only against a folder of bots, or builtin:NAME
    ///
    /// May be repeated. The submissions meet each bot of this pool in both seats, and not each other.
    /// A table has a row for each opponent; the pool has no rank.
    #[arg(long, value_name = "POOL")]
    against: Vec<String>,
    /// The run folder [default: one in results]
    ///
    /// It is results/GAME, or results/GAME-PLACE. An existing run is continued. PLACE is the name of the submissions' folder.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    workers: Workers,
    /// Let programs play that were submitted after games on this draw were shown; the table marks
    /// them
    #[arg(long, hide_short_help = true)]
    on_shown_draw: bool,
    /// Continue on a machine whose speed differs by more than half from the machines that played
    /// the games; tables and page say so
    #[arg(long, hide_short_help = true, help_heading = MACHINE)]
    mixed: bool,
    #[command(flatten)]
    settings: Settings,
    /// Points taken off for each second of CPU time (K)
    #[arg(long, hide_short_help = true, help_heading = KEYS, value_name = "POINTS", value_parser = number)]
    points_per_cpu_second: Option<f64>,
    #[command(flatten)]
    pub(super) verbosity: Verbosity,
}

impl Entering {
    /// Returns whether there is no flag about a tournament.
    pub(super) fn is_empty(&self) -> bool {
        let none = Self {
            verbosity: self.verbosity,
            ..Self::default()
        };
        *self == none
    }

    /// Returns the specification of the run of these places, which nobody has called their own.
    pub(super) fn spec_at(&self, kind: RunKind, places: &[PathBuf], verb: &str) -> Result<RunSpec> {
        let mut competition = self.settings.competition()?;
        let rate = self
            .points_per_cpu_second
            .map(|rate| KeyChange::by_flag("scoring.points_per_cpu_second", rate.to_string()));
        competition.changes.keys.extend(rate);
        let all = [&self.submissions, places].concat();
        if all.is_empty() && self.with.is_empty() {
            let reason = "nobody to play; name the folder, zip or list with the submissions, as in judge run DIR, or \
                          built-in bots with --with";
            return refuse(reason);
        }
        let (pool_builtins, pool_places): (Vec<String>, Vec<String>) = self
            .against
            .iter()
            .cloned()
            .partition(|name| is_builtin(name));
        if let Some(place) = places.iter().find(|place| intake::has_list(place)) {
            let class = for_shell(&place.display().to_string());
            let command = format!("judge {verb} --submissions {class} …");
            return Err(intake::strangers_list(place, &command));
        }
        self.verbosity.apply();
        Ok(RunSpec {
            build: crate::BUILD,
            kind,
            places: all,
            pool_places: pool_places.into_iter().map(PathBuf::from).collect(),
            pool_builtins,
            roster: self.roster.clone(),
            builtins: self.with.clone(),
            out: self.out.clone(),
            competition,
            machine: self.workers.machine(),
            mixed: self.mixed,
            on_shown_draw: self.on_shown_draw,
            ..RunSpec::default()
        })
    }
}
