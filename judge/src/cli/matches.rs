//! `judge match`: decides whether one bot is better than another, and says so.

use super::exit::{Done, lock, stop_on_interrupt};
use super::flags::{Settings, Verbosity, Workers, builtin_names, hides_all_but};
use super::out::{self, Form, number, say_each};
use super::run_output;
use super::run_sink::RunSink;
use crate::progress::{Stages, Versus, signed};
use crate::terminal::joined;
use clap::Args;
use model::numbers::{count, counted};
use model::points::Points;
use report::html;
use rulebook::scoring::{Comparison, Estimate, Finding, Sprt, Unit};
use rulebook::{Result, refuse};
use run::commands::{shown, this_command};
use run::{MatchSpec, RunEvent, Sink, Written};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
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

/// Largest difference in Elo that a bound may have.
const GAIN_MAX: f64 = 1000.0;
/// Range of the error rates, both ends inclusive.
const ERROR_MIN: f64 = 0.0001;
const ERROR_MAX: f64 = 0.4;

impl MatchArgs {
    fn test(&self) -> Result<Sprt> {
        let (null, alternative) = (self.elo0, self.elo1);
        for (number, gain) in [(0, null), (1, alternative)] {
            if !(-GAIN_MAX..=GAIN_MAX).contains(&gain) {
                return refuse(format!(
                    "--elo{number} {gain}: must be {} to {GAIN_MAX}",
                    -GAIN_MAX
                ));
            }
        }
        if null >= alternative {
            let how = if null > alternative {
                "are the wrong way round"
            } else {
                "are equal"
            };
            return refuse(format!(
                "--elo0 {null} and --elo1 {alternative} {how}: the test decides whether NEW is better by elo1 or only \
                 by elo0, so elo0 must be the smaller one"
            ));
        }
        for (flag, share) in [("--alpha", self.alpha), ("--beta", self.beta)] {
            if !(ERROR_MIN..=ERROR_MAX).contains(&share) {
                return refuse(format!(
                    "{flag} {share}: must be {ERROR_MIN} to {ERROR_MAX}; 0.05 allows a wrong verdict in one match of twenty"
                ));
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

    pub(super) fn execute(self) -> Result<Done> {
        // Before any reading or building.
        let test = self.test()?;
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
        let sink = MatchSink {
            stages: Stages::default(),
            comparison: &comparison,
            progress: Mutex::default(),
        };
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
    say!("\n{}\n", headline(comparison));
    say!("  {}", verdict(comparison));
    say_each("  ", facts(comparison));
    say!();
    run_output::faults(&written.run, &tables.first_faults);
    say_each("note: ", written.mixed_machines());
    say_each("note: ", forfeits(comparison));
    say_each("note: ", run_output::overloaded(folder, &tables.overloaded));
    say_each("note: ", repeated(comparison));
    if comparison.finding().is_none() {
        // A side that loses most games by its own faults shows nothing new in more of them.
        let mut sides = comparison.names.iter().zip(&comparison.totals);
        if let Some((name, _)) = sides.find(|(_, side)| 2 * side.forfeits > side.tally.games) {
            say!("fix {name} first: its faults ended most of its games");
        } else if !comparison.is_over() {
            say!("to continue, rerun the command: {}", this_command());
        } else if written.run.manifest.competition.starts.is_empty() {
            let (unit, more) = (unit(comparison), u64::from(comparison.counted()) * 2);
            say!("to continue, rerun the command with more {unit}s, for example --states {more}");
        } else {
            say!("to continue, add start positions to the file, and rerun the command");
        }
    }
    run_output::machinery(machinery);
    let page = shown(&folder.join(html::FILE_NAME));
    say!("results: {}/ (open {page})", shown(folder));
    let state = serde_json::to_string_pretty(&state(comparison)).expect("plain data");
    if out::is_redirected() {
        out::line(format_args!("{state}"));
    }
    write_whole(&folder.join(STATE_FILE), format!("{state}\n").as_bytes())
}

/// The state of a match, for programs. docs/scripts.md describes the fields.
#[derive(Serialize)]
struct MatchState<'a> {
    new: &'a str,
    old: &'a str,
    decision: Option<&'static str>,
    pairs: u64,
    games: usize,
    wins: u64,
    draws: u64,
    losses: u64,
    pentanomial: Option<[u64; 5]>,
    elo: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    los: Option<f64>,
    llr: f64,
    bounds: (f64, f64),
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

fn state(of: &Comparison) -> MatchState<'_> {
    let (paired, test, tally) = (&of.paired, &of.test, of.totals[0].tally);
    let estimate = test.unit.estimate(paired);
    let interval = estimate.filter(|_| !paired.has_no_variance());
    MatchState {
        new: &of.names[0],
        old: &of.names[1],
        decision: of.finding().map(|finding| match finding {
            Finding::Better => "better",
            Finding::Worse => "worse",
            Finding::NotWorse => "not-worse",
            Finding::NoSign => "no-sign",
        }),
        pairs: paired.count(),
        games: of.games,
        wins: tally.wins,
        draws: tally.draws,
        losses: tally.losses,
        pentanomial: of.is_direct().then(|| paired.pentanomial()),
        elo: estimate.map(|estimate| estimate.value),
        low: interval.map(|estimate| estimate.low),
        high: interval.map(|estimate| estimate.high),
        los: paired.estimate().map(|_| paired.los()),
        llr: of.llr,
        bounds: test.bounds(),
        elo0: test.null,
        elo1: test.alternative,
        alpha: test.alpha,
        beta: test.beta,
    }
}

fn line(of: &Comparison) -> String {
    let [pairs, result, gain, sure, llr] = facts(of);
    format!("{pairs}: {result}; {gain}; {sure}; {llr}")
}

/// Returns the pairs, the results, the gain of the new side, its likelihood, and the test's progress.
fn facts(of: &Comparison) -> [String; 5] {
    let Sprt {
        null, alternative, ..
    } = of.test;
    let (lower, upper) = of.test.bounds();
    let llr = signed(of.llr, 2);
    [
        format!(
            "{} ({})",
            counted(of.paired.count(), unit(of)),
            counted(of.games, "game")
        ),
        result(of),
        gain(of),
        match of.paired.estimate() {
            Some(_) => format!("LOS {:.1} %", 100.0 * of.paired.los()),
            None => "LOS: too few games yet".to_owned(),
        },
        format!("LLR {llr} ({lower:.2} to {upper:.2}) [{null}, {alternative}]"),
    ]
}

fn unit(of: &Comparison) -> &'static str {
    if of.is_direct() {
        "pair"
    } else {
        "initial state"
    }
}

fn result(of: &Comparison) -> String {
    if of.is_direct() {
        let tally = of.totals[0].tally;
        return format!(
            "{} {} won, {} drawn, {} lost",
            of.names[0],
            count(tally.wins),
            count(tally.draws),
            count(tally.losses)
        );
    }
    let sides = of.names.iter().zip(&of.totals).map(|(name, side)| {
        let percent = side.score.times(100, side.tally.games);
        format!("{name} scored {percent:.1} %")
    });
    joined(sides, ", ")
}

fn gain(of: &Comparison) -> String {
    match of.test.unit.estimate(&of.paired) {
        None => "Elo: too few games yet".to_owned(),
        Some(Estimate { value, .. }) if value.is_infinite() => {
            let all = if value > 0.0 { "wins" } else { "losses" };
            format!("Elo {}: nothing but {all}", signed(value, 0))
        }
        Some(Estimate { value, .. }) if of.paired.has_no_variance() => format!(
            "Elo {}: no interval, because all {}s ended alike",
            signed(value, 0),
            unit(of)
        ),
        Some(Estimate { value, low, high }) => {
            let [value, low, high] = [value, low, high].map(|elo| signed(elo, 0));
            format!("Elo {value} (95 %: {low} to {high})")
        }
    }
}

fn verdict(of: &Comparison) -> String {
    let [new, old] = &of.names;
    match of.finding() {
        Some(Finding::NotWorse) => {
            let elo = of.test.null.abs();
            format!("{new} is not worse than {old} by {elo} Elo or more")
        }
        Some(Finding::Better) => format!("{new} is better than {old}{}", by_signs(of)),
        Some(Finding::Worse) => format!("{new} is worse than {old}{}", by_signs(of)),
        Some(Finding::NoSign) => {
            let estimate = of.test.unit.estimate(&of.paired);
            let worse = if estimate.is_some_and(|estimate| estimate.high < 0.0) {
                "; it is probably worse"
            } else {
                ""
            };
            let elo = of.test.alternative.abs();
            format!("no sign that {new} is better than {old} by {elo} Elo or more{worse}")
        }
        None => format!("undecided after {}", counted(of.paired.count(), unit(of))),
    }
}

fn by_signs(of: &Comparison) -> String {
    if of.accepted.is_some() {
        return String::new();
    }
    let (better, worse) = of.paired.signs();
    let (most, all, unit) = (better.max(worse), better + worse, unit(of));
    let side = &of.names[usize::from(worse > better)];
    let chance = 100.0 * of.paired.sign_test_p_value();
    format!(
        " ({most} of {all} {unit}s without a tie; luck alone gives {side} as many in {chance:.1} % of matches)"
    )
}

fn headline(of: &Comparison) -> String {
    let old = &of.names[1];
    if of.games == 0 {
        return format!("No {} has been played yet", unit(of));
    }
    let clause = match of.finding() {
        Some(Finding::NotWorse) => {
            format!("it is not worse by {} Elo or more", of.test.null.abs())
        }
        Some(Finding::NoSign) if !is_clearly_worse(of) => format!(
            "no sign that it is better by {} Elo or more",
            of.test.alternative.abs()
        ),
        Some(_) => "that is more than luck".to_owned(),
        None => "that may be luck".to_owned(),
    };
    if of.is_direct() {
        return format!("{} against {old}; {clause}", share(of));
    }
    format!("{}; {clause}", result(of))
}

/// Returns whether the new side did worse on more states than luck explains. The match could have
/// stopped after any number of states n, so each has the share 1/n(n+1) of the error rate.
#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
fn is_clearly_worse(of: &Comparison) -> bool {
    let (better, worse) = of.paired.signs();
    let states = of.paired.count() as f64;
    worse > better && of.paired.sign_test_p_value() <= of.test.alpha / (states * (states + 1.0))
}

/// Returns the share of its games that the new side wins or loses, whichever is more.
fn share(of: &Comparison) -> String {
    let (new, tally) = (&of.names[0], &of.totals[0].tally);
    let percent = |games: u64| Points::whole(1).times(100 * games, tally.games);
    let (verb, games) = if tally.wins >= tally.losses {
        ("wins", tally.wins)
    } else {
        ("loses", tally.losses)
    };
    if games == tally.games {
        return format!("{new} {verb} all of its games");
    }
    let draws = match tally.draws {
        0 => String::new(),
        draws => format!(" and draws {:.0} %", percent(draws)),
    };
    format!(
        "{new} {verb} about {:.0} % of its games{draws}",
        percent(games)
    )
}

/// Notes on games that faults have ended: the result is then less about the quality of play.
fn forfeits(of: &Comparison) -> Vec<String> {
    of.names.iter().zip(&of.totals).filter(|(_, side)| side.forfeits > 0)
        .map(|(name, side)| {
            let games = counted(side.tally.games, "game");
            let forfeits = count(side.forfeits);
            format!(
                "faults of {name} ended {forfeits} of its {games}: the result reflects these faults, and not only \
                 how well it plays"
            )
        })
        .collect()
}

/// Returns a note if fewer than half of the games are different.
fn repeated(of: &Comparison) -> Option<String> {
    let (all, distinct) = (of.games, of.distinct());
    (distinct * 2 < all).then(|| {
        format!(
            "only {} of {} are different, but the test counts each as new evidence: the verdict is less certain \
             than it says (judge competition GAME lists the game's settings for --set, such as random openings)",
            count(distinct as u64),
            counted(all, "game")
        )
    })
}

struct MatchSink<'a> {
    stages: Stages,
    comparison: &'a Mutex<Comparison>,
    /// `None` before the first game.
    progress: Mutex<Option<Versus>>,
}

impl MatchSink<'_> {
    /// Prints the games played before. Returns whether they were enough.
    fn begin(&self) -> bool {
        let comparison = lock(self.comparison);
        if comparison.games > 0 {
            say!("already played: {}", line(&comparison));
        }
        *lock(&self.progress) = (!comparison.is_over()).then(Versus::begin);
        comparison.is_over()
    }
}

impl Sink for MatchSink<'_> {
    fn take(&self, event: RunEvent<'_>) {
        let mut progress = lock(&self.progress);
        let say = |line: &str| progress.iter().for_each(|progress| progress.say(line));
        let comparison = lock(self.comparison);
        match event {
            RunEvent::StageBegins { .. } | RunEvent::StageEnds => self.stages.take(event),
            RunEvent::FirstFault(folder, first) => say(&run_output::first_fault(folder, first)),
            RunEvent::Again(reason) => say(&format!("a game will be played again: {reason}")),
            RunEvent::Note(words) => say(words),
            // After the verdict the games in play no longer matter.
            RunEvent::Interrupted if !comparison.is_over() => say(run_output::INTERRUPTED),
            RunEvent::Tick => {
                if let Some(progress) = &mut *progress {
                    let (lower, upper) = comparison.test.bounds();
                    let done = (comparison.llr / upper).max(comparison.llr / lower);
                    progress.tick(comparison.counted() as usize, done, || line(&comparison));
                }
            }
            RunEvent::Ends => progress.iter().for_each(Versus::close),
            _ => {}
        }
    }
}
