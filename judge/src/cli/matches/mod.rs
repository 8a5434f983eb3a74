//! `judge match`: decides whether one bot is better than another, with as many pairs of games as
//! needed. A match is a run with a growing number of initial states. This keeps its journal the
//! only truth, and the same command continues it.

mod comparison;
mod question;
mod sides;
mod tell;

use self::comparison::Comparison;
use self::question::Question;
use self::sides::Sides;
use self::tell::MatchSink;
use super::entering::{Verbosity, Workers, builtin_names, hides_all_but};
use super::exit::{Done, stop_on_interrupt};
use super::out::{self, Form};
use super::run_sink::RunSink;
use super::run_tell;
use super::settings::Settings;
use crate::progress::{Stages, stage};
use clap::Args;
use engines::Lifetime;
use intake::Class;
use model::builtin::PREFIX;
use model::competition::{Competition, Schedule};
use model::draw::PRACTICE_SEED;
use model::entrant::Entrant;
use model::entrants_folder::part_of_name;
use report::html;
use rulebook::rules::Rules;
use rulebook::scoring::Sprt;
use rulebook::{JudgeError, schedule};
use run::commands::{shown, this_command};
use run::{
    CompetitionSpec, Given, Played, RESULTS, ReceiptSources, RunEvent, RunKind, RunSpec, Scheduled,
    Sink, Written,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;
use store::manifest::Manifest;
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

/// Default limit on initial states: enough for Elo bounds 30 apart in nearly every match, and an
/// end for all others.
const STATES_MAX: u32 = 5000;

/// Least number of games for each worker in a batch. Games to be played again wait until the
/// batch's other games have started.
const GAMES_FOR_WORKER: usize = 16;

impl MatchArgs {
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        // Before any reading or building.
        self.question.check()?;
        self.verbosity.apply();
        if self.form.is_json() {
            out::redirect_to_stderr();
        }
        let stop = stop_on_interrupt()?;
        let spec = self.settings.competition()?;
        let named = spec
            .read_named()?
            .map(|loaded| loaded.rules)
            .or_else(|| spec.game.clone());
        let both = [self.new.as_str(), self.old.as_str()];
        let mut sides = stage("reading the submissions", || {
            Sides::of(both, &self.opponents, &self.with, named.as_ref(), &stop)
        })?;
        for name in &sides.left_out {
            say!("{name} is one of the two compared bots, so it is left out of the opponents");
        }
        let mut loaded = spec.load(&sides.submissions, &sides.places)?;
        if let Some(note) = spec.note_on_rules(&loaded) {
            say!("{note}");
        }
        loaded.competition = self.competition(&*loaded.rules, loaded.competition, &mut sides)?;
        let direct = matches!(loaded.competition.schedule, Schedule::Pairs { .. });
        let out = self.folder(&*loaded.rules, &sides.compared);
        let (everybody, compared) = (sides.all(), sides.compared);
        let spec = RunSpec {
            build: crate::BUILD,
            kind: RunKind::Compared,
            places: Vec::new(),
            pool_places: Vec::new(),
            pool_builtins: Vec::new(),
            given: Some(Box::new(Given {
                loaded,
                class: Class {
                    submissions: sides.submissions,
                    ..Class::default()
                },
                roster: None,
                sources: ReceiptSources::default(),
                received: SystemTime::now(),
            })),
            roster: None,
            builtins: sides.builtins,
            out: Some(out),
            competition: CompetitionSpec::default(),
            machine: self.workers.machine(),
            mixed: true,
            on_shown_draw: true,
            closed: sides.places,
        };
        let before = RunSink::default();
        let built = spec.collect(&before, &stop)?.build(&before, &stop)?;
        all_play(&everybody, built.entrants())?;
        let scheduled = built.schedule(&before)?;
        let test = self.question.test(direct);
        play_out(
            compared,
            test,
            scheduled,
            self.workers.machine().jobs,
            &stop,
        )
    }

    /// Derives a match's competition: the game, clocks and scoring without deadline, prizes or
    /// disqualification. Games with more than two seats need an opponent; the default is the
    /// strongest of the other built-in bots.
    fn competition(
        &self,
        rules: &dyn Rules,
        mut competition: Competition,
        sides: &mut Sides,
    ) -> Result<Competition, JudgeError> {
        if competition.conditions.lifetime == Lifetime::Match {
            return Err(JudgeError::input(
                "a match counts its games pair by pair, and bots that live for a whole match play them in another order; choose --lifetime game",
            ));
        }
        let seats = schedule::roles(&competition)?.len();
        if seats > 2 && sides.opponents.is_empty() {
            let name = rules.baselines().into_iter().rev().map(|(name, _)| format!("{PREFIX}{name}")).find(|name| !sides.compared.contains(name)).ok_or_else(|| {
                JudgeError::input(format!(
                    "games for {seats} players need other opponents too; name some with --opponents"
                ))
            })?;
            say!(
                "games for {seats} players: {name} fills the other seats (choose others with --with or --opponents)"
            );
            sides.opponents.push(name.clone());
            sides.builtins.push(name);
        }
        let [new, old] = &sides.compared;
        competition.title = format!("{}: {new} against {old}", rules.info().title);
        competition.schedule = if sides.opponents.is_empty() {
            Schedule::Pairs { self_play: false }
        } else {
            Schedule::Gauntlet {
                against: sides.opponents.clone(),
            }
        };
        if competition.starts.is_empty() {
            competition.states = self.settings.states.unwrap_or(STATES_MAX);
        }
        competition.seed = competition.seed.or(Some(PRACTICE_SEED));
        competition.drop_course_rules();
        Ok(competition)
    }

    fn folder(&self, rules: &dyn Rules, [new, old]: &[String; 2]) -> PathBuf {
        let name = || {
            format!(
                "{}-match-{}-{}",
                rules.info().slug,
                part_of_name(new),
                part_of_name(old)
            )
        };
        self.out
            .clone()
            .unwrap_or_else(|| Path::new(RESULTS).join(name()))
    }
}

/// Returns whether two entrants have the same artifact.
fn are_one_program([new, old]: &[String; 2], manifest: &Manifest) -> bool {
    let artifact = |name: &String| {
        manifest
            .entrants
            .iter()
            .find(|line| line.name == *name)?
            .artifact
            .as_deref()
    };
    artifact(new).is_some_and(|new| artifact(old) == Some(new))
}

/// Plays until the test has decided, and prints the verdict.
fn play_out(
    names: [String; 2],
    test: Sprt,
    scheduled: Scheduled,
    jobs: usize,
    stop: &Arc<AtomicBool>,
) -> Result<Done, JudgeError> {
    let (note, machinery) = (scheduled.note_on_states(), scheduled.machinery());
    let mut played = scheduled.begin()?;
    let scheduled = played.scheduled();
    if let Some(note) = note {
        say!("  {note}");
    }
    if are_one_program(&names, scheduled.manifest()) {
        say!(
            "  note: {} and {} are the same program (is a change not saved, or committed already?)",
            names[0],
            names[1]
        );
    }
    let states = scheduled.competition().states;
    let games_each = scheduled.ids().len() / states as usize;
    let scoring = scheduled.competition().scoring.clone();
    let comparison = Comparison::new(names, test, scoring, games_each, states);
    let sink = MatchSink::new(comparison, stop);
    let outcome = play(&mut played, &sink, (games_each, jobs), stop);
    let comparison = sink.into_comparison();
    // Even after a failure, the files show the states that the match has counted.
    let states = comparison.counted().max(1);
    let written = played
        .end_at(states)
        .and_then(|()| played.write_first(states as usize * games_each, &Stages::default()));
    outcome?;
    tell(&written?, &comparison, &machinery)?;
    Ok(if comparison.is_over() {
        Done::Success
    } else {
        Done::Interrupted
    })
}

/// Plays the states in order, in batches. A game that must be played again comes after all others
/// of the batch, and until then no later state counts.
fn play(
    played: &mut Played,
    sink: &MatchSink<'_>,
    (games_each, jobs): (usize, usize),
    stop: &Arc<AtomicBool>,
) -> Result<(), JudgeError> {
    played.restore(sink)?;
    if sink.begin() {
        return Ok(());
    }
    let games = played.scheduled().fixtures().len();
    let mut result = Ok(());
    while !sink.is_over() && !stop.load(Ordering::Relaxed) && result.is_ok() {
        let begun = sink.counted() as usize * games_each;
        // Workers wait for each other at the end of each batch, which is why batches grow.
        let batch = (begun / 2)
            .max(jobs * GAMES_FOR_WORKER)
            .next_multiple_of(games_each);
        let end = (begun + batch).min(games);
        result = played.play_some(begun..end, stop, sink);
    }
    sink.take(RunEvent::Ends);
    result
}

/// Checks that the two sides and their opponents play with their newest submissions.
fn all_play(names: &[String], entrants: &[Entrant]) -> Result<(), JudgeError> {
    for name in names {
        let Some(entrant) = entrants.iter().find(|one| one.name == *name) else {
            return Err(JudgeError::input(format!(
                "the name {name} looks like another one; rename its folder and rerun the command"
            )));
        };
        if let Some(broken) = entrant.broken_newest() {
            return Err(JudgeError::input(format!(
                "{name} cannot play: {broken}; correct it (judge check shows what is wrong) or leave it out, and rerun the command"
            )));
        }
    }
    Ok(())
}

/// Name of the file with the state of a match.
const STATE_FILE: &str = "match.json";

/// Prints the result of a match, and writes it for programs.
fn tell(
    written: &Written<'_>,
    comparison: &Comparison,
    machinery: &[String],
) -> Result<(), JudgeError> {
    let (folder, tables) = (written.run.folder, &written.tables);
    say!("\n{}\n", comparison.headline());
    say!("  {}", comparison.verdict());
    for fact in comparison.facts() {
        say!("  {fact}");
    }
    say!();
    run_tell::faults(&written.run, &tables.first_faults);
    if let Some(note) = written.mixed_machines() {
        say!("note: {note}");
    }
    for note in comparison.forfeits() {
        say!("note: {note}");
    }
    if let Some(note) = run_tell::overloaded(folder, &tables.overloaded) {
        say!("note: {note}");
    }
    if let Some(note) = comparison.repeated() {
        say!("note: {note}");
    }
    let is_undecided = comparison.finding().is_none();
    let has_listed_starts = !written.run.manifest.competition.starts.is_empty();
    if is_undecided && let Some(name) = comparison.hopeless() {
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
    run_tell::machinery(machinery);
    let page = shown(&folder.join(html::FILE_NAME));
    say!("results: {}/ (open {page})", shown(folder));
    let state = serde_json::to_string_pretty(&comparison.state()).expect("plain data");
    if out::is_redirected() {
        out::line(format_args!("{state}"));
    }
    write_whole(&folder.join(STATE_FILE), format!("{state}\n").as_bytes())
}
