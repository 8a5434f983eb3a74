//! `judge match`: decides whether one bot is better than another.

mod output;

use self::output::MatchSink;
use super::exit::{Done, stop_on_interrupt};
use super::flags::{Settings, Verbosity, Workers, builtin_names, hides_all_but};
use super::out::{self, Form, number, say_each};
use super::run_output;
use super::run_sink::RunSink;
use crate::Result;
use crate::progress::Stages;
use clap::Args;
use report::html;
use rulebook::scoring::{Comparison, Sprt, Unit};
use run::commands::{shown, this_command};
use run::{MatchSpec, Written, lock};
use std::path::PathBuf;
use std::sync::Arc;
use system::files::write_whole;

const AFTER_HELP: &str = "NEW and OLD play pairs of games, both on the same initial state and with seats exchanged, until a \
sequential test (SPRT) can tell whether NEW is better. All games are kept in the run folder: rerun the same command to \
continue. The exit code is 0 whatever the verdict is. More flags about a competition and this machine work here: see judge run --help.";

#[derive(Args)]
#[command(
    mut_args(hides_all_but(&[
        "new", "old", "opponents", "with", "elo0", "elo1", "alpha", "beta", "out", "states",
        "seed", "game", "competition", "jobs", "verbose", "format", "json",
    ])),
    after_help = "More flags about a competition and this machine work here: see judge run --help.",
    after_long_help = AFTER_HELP,
    mut_arg("states", |flag| flag.help("Maximum number of initial states [default: 5000]").long_help("Maximum number of initial states [default: 5000]. On each, NEW and OLD play a pair of games; with opponents, each plays every opponent in every seat")),
    mut_arg("seed", |flag| flag.help("Seed for everything random [default: 1]").long_help(None))
)]
pub(super) struct MatchArgs {
    /// The new version: a folder, zip, program, commit or built-in bot
    ///
    /// FOLDER@REFERENCE is a commit of a git repository, such as .@HEAD or .@v1; builtin:NAME a
    /// built-in bot.
    new: String,
    /// The version to compare with, named in the same way
    old: String,
    /// Let both play the bots in a folder instead
    ///
    /// May be repeated.
    #[arg(long, value_name = "DIR")]
    opponents: Vec<PathBuf>,
    /// Let both play a built-in bot instead
    #[arg(long, value_name = "BOT", long_help = format!("Let both play a built-in bot instead; may be repeated\n\n{}", builtin_names()))]
    with: Vec<String>,
    #[command(flatten)]
    question: Question,
    /// The run folder [default: results/GAME-match-NEW-OLD]
    ///
    /// An existing match is continued.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    workers: Workers,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    verbosity: Verbosity,
    #[command(flatten)]
    form: Form,
}

const TEST: &str = "The test";

/// Flags about the question, and how sure the answer must be.
#[derive(Args)]
struct Question {
    /// The test decides whether NEW is better by only elo0 …
    #[arg(
        long,
        value_name = "ELO",
        default_value_t = 0.0,
        value_parser = number,
        hide_short_help = true,
        help_heading = TEST
    )]
    elo0: f64,
    /// … or by elo1 or more; logistic Elo. The closer the two, the more games the test needs
    #[arg(
        long,
        value_name = "ELO",
        default_value_t = 30.0,
        value_parser = number,
        hide_short_help = true,
        help_heading = TEST
    )]
    elo1: f64,
    /// Accepted rate of calling NEW better when it is not
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = number, hide_short_help = true, help_heading = TEST)]
    alpha: f64,
    /// Accepted rate of calling NEW no better when it is
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = number, hide_short_help = true, help_heading = TEST)]
    beta: f64,
}

/// Largest difference in Elo that a bound may have.
const GAIN_MAX: f64 = 1000.0;
/// Range of the error rates, both ends inclusive.
const ERROR_MIN: f64 = 0.0001;
const ERROR_MAX: f64 = 0.4;

impl Question {
    fn test(&self) -> Result<Sprt> {
        let (null, alternative) = (self.elo0, self.elo1);
        for (number, gain) in [(0, null), (1, alternative)] {
            if !(-GAIN_MAX..=GAIN_MAX).contains(&gain) {
                return refused!("--elo{number} {gain}: must be {} to {GAIN_MAX}", -GAIN_MAX);
            }
        }
        if null >= alternative {
            let how = if null > alternative {
                "are the wrong way round"
            } else {
                "are equal"
            };
            return refused!(
                "--elo0 {null} and --elo1 {alternative} {how}: the test decides whether NEW is better by elo1 or only \
                 by elo0, so elo0 must be the smaller one"
            );
        }
        for (flag, share) in [("--alpha", self.alpha), ("--beta", self.beta)] {
            if !(ERROR_MIN..=ERROR_MAX).contains(&share) {
                return refused!(
                    "{flag} {share}: must be {ERROR_MIN} to {ERROR_MAX}; 0.05 allows a wrong verdict in one match of twenty"
                );
            }
        }
        Ok(Sprt {
            unit: Unit::Elo,
            null,
            alternative,
            alpha: self.alpha,
            beta: self.beta,
        })
    }
}

impl MatchArgs {
    pub(super) fn execute(self) -> Result<Done> {
        // Before any reading or building.
        let test = self.question.test()?;
        self.verbosity.apply();
        if self.form.is_json() {
            out::redirect_to_stderr();
        }
        let stop = stop_on_interrupt()?;
        let spec = MatchSpec {
            build: crate::BUILD,
            sides: [self.new, self.old],
            opponents: self.opponents,
            with: self.with,
            competition: self.settings.competition()?,
            states: self.settings.states,
            out: self.out,
            test,
            machine: self.workers.machine(),
        };
        let mut matched = spec.begin(&RunSink::default(), &stop)?;
        let machinery = matched.played.scheduled.machinery();
        let comparison = Arc::clone(&matched.comparison);
        let sink = MatchSink::new(&comparison);
        let mut outcome = matched.restore(&sink, &stop);
        if outcome.is_ok() && !sink.begin() {
            outcome = matched.play(&sink, &stop);
        }
        // Even after a failure, the files show the states that the match has counted.
        let written = matched.write(&Stages::default());
        outcome?;
        let comparison = lock(&comparison);
        print(&written?, &comparison, &machinery)?;
        Ok(if comparison.is_over() {
            Done::Success
        } else {
            Done::Interrupted
        })
    }
}

const STATE_FILE: &str = "match.json";

fn print(written: &Written<'_>, comparison: &Comparison, machinery: &[String]) -> Result {
    let (folder, tables) = (written.run.folder, &written.tables);
    say!("\n{}\n", output::headline(comparison));
    say!("  {}", output::verdict(comparison));
    say_each("  ", output::facts(comparison));
    say!();
    run_output::faults(&written.run, &tables.first_faults);
    say_each("note: ", written.mixed_machines());
    say_each("note: ", output::forfeits(comparison));
    say_each("note: ", run_output::overloaded(folder, &tables.overloaded));
    say_each("note: ", output::repeated(comparison));
    let is_undecided = comparison.finding().is_none();
    let has_listed_starts = !written.run.manifest.competition.starts.is_empty();
    if is_undecided && let Some(name) = output::hopeless(comparison) {
        say!("fix {name} first: its faults ended most of its games");
    } else if is_undecided && comparison.is_over() && has_listed_starts {
        say!("to continue, add start positions to the file, and rerun the command");
    } else if is_undecided && comparison.is_over() {
        let more = u64::from(comparison.counted()) * 2;
        let units = if comparison.is_direct() {
            "pairs"
        } else {
            "initial states"
        };
        say!("to continue, rerun the command with more {units}, for example --states {more}");
    } else if is_undecided {
        say!("to continue, rerun the command: {}", this_command());
    }
    run_output::machinery(machinery);
    let page = shown(&folder.join(html::FILE_NAME));
    say!("results: {}/ (open {page})", shown(folder));
    let state = serde_json::to_string_pretty(&output::state(comparison)).expect("plain data");
    if out::is_redirected() {
        out::line(format_args!("{state}"));
    }
    write_whole(&folder.join(STATE_FILE), format!("{state}\n").as_bytes())
}
