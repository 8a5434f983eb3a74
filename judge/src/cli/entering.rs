//! Flags that define the entrants of a tournament and how it is played, or the one bot of a verb.

use super::exit::Done;
use super::out::{self, number, whole};
use super::settings::{KEYS, Settings};
use clap::{Arg, Args};
use intake::ProgramCache;
use model::builtin::is_builtin;
use model::text::for_shell;
use referee::external::choose_any;
use rulebook::{JudgeError, KeyChange};
use run::{MachineUse, RunKind, RunSpec, builtin};
use serde_json::value::RawValue;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

pub(super) const MACHINE: &str = "This machine";

/// Returns a sentence with the built-in bots of each game.
pub(super) fn builtin_names() -> String {
    let games: Vec<String> = rulebook::rules::built_in()
        .map(|rules| {
            let bots = builtin::names(&*rules).join(" and ");
            format!("for {}, {bots}", rules.info().slug)
        })
        .collect();
    format!("Built in are, {}.", games.join("; "))
}

/// Flags about how this machine plays games.
#[derive(Args, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(super) struct Workers {
    /// Number of games to play at once [default: the number of CPUs]
    #[arg(long, hide_short_help = true, help_heading = MACHINE, value_name = "N", value_parser = whole::<u16>(1..=1024))]
    pub(super) jobs: Option<u16>,
    /// Do not pin each worker and its bots to one CPU
    #[arg(long, hide_short_help = true, help_heading = MACHINE)]
    pub(super) no_pin: bool,
    /// Run even if this machine isolates programs weakly; run.json and the page say so
    #[arg(long, hide_short_help = true, help_heading = MACHINE)]
    pub(super) weak_isolation: bool,
    /// Start every process in a new sandbox, not from a warm cage: slower, with the same results
    #[arg(long, hide_short_help = true, help_heading = MACHINE)]
    pub(super) cold: bool,
    /// Build every submission, also one that an earlier run has built: see judge doctor
    #[arg(long, hide_short_help = true, help_heading = MACHINE)]
    pub(super) no_cache: bool,
}

/// How much is printed.
#[derive(Args, Clone, Copy, Default, PartialEq, Eq)]
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
            cache: if self.no_cache {
                None
            } else {
                ProgramCache::of_user()
            },
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
    pub(super) submissions: Vec<PathBuf>,
    /// Who submitted what, as a CSV file
    ///
    /// [default: roster.csv in the submissions' folder, or next to their zip or list] A CSV file with the columns submission, id, name, email, section; or a list exported from
    /// a learning platform.
    #[arg(long, value_name = "FILE")]
    pub(super) roster: Option<PathBuf>,
    /// Enter a built-in bot: random, or others in --help
    #[arg(long, value_name = "BOT", long_help = format!("Enter a built-in bot too; may be repeated\n\n{}", builtin_names()))]
    pub(super) with: Vec<String>,
    /// Play only against a folder of bots, or builtin:NAME
    ///
    /// May be repeated. The submissions meet each bot of this pool in both seats, and not each other.
    /// A table has a row for each opponent; the pool has no rank.
    #[arg(long, value_name = "POOL")]
    pub(super) against: Vec<String>,
    /// The run folder [default: one in results]
    ///
    /// It is results/GAME, or results/GAME-PLACE. An existing run is continued. PLACE is the name of the submissions' folder.
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    #[command(flatten)]
    pub(super) workers: Workers,
    /// Let programs play that were submitted after games on this draw were shown; the table marks
    /// them
    #[arg(long, hide_short_help = true)]
    pub(super) on_shown_draw: bool,
    /// Continue on a machine whose speed differs by more than half from the machines that played
    /// the games; tables and page say so
    #[arg(long, hide_short_help = true, help_heading = MACHINE)]
    pub(super) mixed: bool,
    #[command(flatten)]
    pub(super) settings: Settings,
    /// Points taken off for each second of CPU time (K)
    #[arg(long, hide_short_help = true, help_heading = KEYS, value_name = "POINTS", value_parser = number)]
    pub(super) points_per_cpu_second: Option<f64>,
    #[command(flatten)]
    pub(super) verbosity: Verbosity,
}

impl Entering {
    /// Returns the specification of the run of these places, which nobody has called their own.
    pub(super) fn spec_at(
        &self,
        kind: RunKind,
        places: &[PathBuf],
        verb: &str,
    ) -> Result<RunSpec, JudgeError> {
        let mut competition = self.settings.competition()?;
        let rate = self.points_per_cpu_second.map(|rate| rate.to_string());
        let rate = rate.map(|rate| KeyChange::by_flag("scoring.points_per_cpu_second", rate));
        competition.changes.keys.extend(rate);
        let mut all = self.submissions.clone();
        all.extend_from_slice(places);
        if all.is_empty() && self.with.is_empty() {
            let reason = "nobody to play; name the folder, zip or list with the submissions, as in judge run DIR, or \
                          built-in bots with --with";
            return Err(JudgeError::input(reason));
        }
        let (pool_builtins, pool_places): (Vec<&String>, Vec<&String>) =
            self.against.iter().partition(|name| is_builtin(name));
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
            pool_builtins: pool_builtins.into_iter().cloned().collect(),
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

#[derive(Args)]
pub(super) struct BotArgs {
    /// The game
    game: String,
    /// The bot, for example `random`
    name: String,
}

impl BotArgs {
    /// Parses exactly `judge bot GAME NAME`, as runs start it: the help of all verbs would take half of the
    /// start of a process for each turn.
    pub(super) fn of_command(arguments: impl Iterator<Item = OsString>) -> Option<Self> {
        let arguments: Vec<OsString> = arguments.skip(1).take(4).collect();
        let [verb, game, name] = arguments
            .iter()
            .map(|argument| argument.to_str())
            .collect::<Option<Vec<&str>>>()?
            .try_into()
            .ok()?;
        let is_plain = !game.starts_with('-') && !name.starts_with('-');
        (verb == "bot" && is_plain).then(|| Self {
            game: game.to_owned(),
            name: name.to_owned(),
        })
    }

    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        let (input, output) = (io::stdin().lock(), io::stdout().lock());
        if self.game == builtin::ANY_GAME {
            // A game of somebody's own: its rules are not here, and this bot needs none.
            let any = |_, _: &RawValue, legal: &RawValue, seed| Ok(choose_any(legal, seed)?);
            builtin::play(&any, input, output)?;
            return Ok(Done::Success);
        }
        let rules = rulebook::rules::find(&self.game)?;
        builtin::check_name(&*rules, &self.name)?;
        builtin::play(&builtin::chooser(&*rules, &self.name), input, output)?;
        Ok(Done::Success)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_full_bot_command_bypasses_other_verbs() {
        let is_bot = |command: &str| {
            let arguments = command.split(' ').map(OsString::from);
            BotArgs::of_command(arguments).is_some()
        };
        assert!(is_bot("judge bot reversi random"));
        for command in [
            "judge",
            "judge bot",
            "judge bot reversi",
            "judge bot reversi --help",
            "judge bot --help random",
            "judge bot reversi random more",
            "judge run reversi random",
        ] {
            assert!(!is_bot(command), "{command}");
        }
    }
}
