//! `judge match`: whether one bot is better than another, by as many pairs of games as that
//! takes. A match is a run whose initial states grow, so that its journal is the only truth of it
//! and the same command continues it.

mod asked;
mod comparison;
mod question;
mod sides;
mod tell;

use self::asked::{Asked, AskedBefore};
use self::comparison::{Comparison, Encounter};
use self::question::Question;
use self::sides::Sides;
use super::display::{shown, this_command};
use super::entering::{Entering, Workers, game};
use super::exit::Done;
use super::first_sight::ReceiptSources;
use super::game_events::{GameEvents, Shows};
use super::interrupt::stop_on_interrupt;
use super::prepare::{Cause, Given, Purpose};
use super::prepared::Prepared;
use super::run_ending;
use super::run_folder::RESULTS;
use super::run_tell;
use super::settings::Settings;
use crate::builtin;
use crate::intact::intact;
use crate::progress::{Versus, stage};
use clap::builder::UnknownArgumentValueParser;
use clap::{Arg, Args};
use competition::schedule;
use engines::{Entry, Lifetime};
use error::JudgeError;
use intake::Collected;
use report::{FirstFaults, RunFiles, Written};
use scoring::Sprt;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;
use tournament::TournamentPlan;
use words::builtin::PREFIX;
use words::competition::{Competition, Disqualify, PrizeNeeds, Schedule, TooLate};
use words::draw::PRACTICE_SEED;
use words::entrants_folder::part_of_name;
use words::record::MatchRecord;
use words::slurm::SlurmSettings;

const AFTER_HELP: &str = "NEW and OLD play pairs of games, both on the same initial state and with seats exchanged, until a \
sequential test (SPRT) can tell whether NEW is better. All games are kept in the run folder: rerun the same command to \
continue. The exit code is 0 whatever the verdict is.";

#[derive(Args)]
#[command(
    after_help = AFTER_HELP,
    arg(named_otherwise("games", UnknownArgumentValueParser::suggest_arg("--pairs"))),
    arg(named_otherwise("sprt", UnknownArgumentValueParser::suggest(IS_SPRT))),
    mut_arg("states", |flag| flag.visible_alias("pairs").help("The most initial states, on each of which NEW and OLD play a pair of games; with opponents, one game each in every seat against every opponent [default: 5000]")),
    mut_arg("seed", |flag| flag.help("Seed that everything random is drawn from [default: 1]"))
)]
pub(super) struct MatchArgs {
    /// The new version: a submission's folder, zip or program, FOLDER@REFERENCE for a commit of a
    /// git repository (.@HEAD, .@v1), or builtin:NAME
    new: String,
    /// What it is compared with, named in the same way
    old: String,
    /// Let both play the submissions in this folder and not each other; may be repeated
    #[arg(long, value_name = "DIR")]
    opponents: Vec<PathBuf>,
    /// Let both play this built-in bot and not each other; may be repeated
    #[arg(long, value_name = "BOT")]
    with: Vec<String>,
    #[command(flatten)]
    question: Question,
    /// The run folder; an existing match is continued [default: results/GAME-match-NEW-OLD]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    workers: Workers,
    #[command(flatten)]
    settings: Settings,
}

/// What who asks for the test is told.
const IS_SPRT: &str = "every match is a sequential test; --elo0 and --elo1 are its bounds";

/// Makes a flag that other programs have for what is called otherwise here: it is refused, and the
/// tip is the right one.
fn named_otherwise(flag: &'static str, tip: UnknownArgumentValueParser) -> Arg {
    let flag = Arg::new(flag).long(flag).hide(true).value_parser(tip);
    flag.num_args(0..=1).default_missing_value("")
}

/// The most initial states, where nobody says how many: enough for Elo bounds 30 apart in nearly
/// every match, and an end for all others.
const STATES_MAX: u32 = 5000;

/// How many games each worker is given at least before those that are to be played again have
/// their turn.
const GAMES_FOR_WORKER: usize = 16;

impl MatchArgs {
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        // Before anything is read or built.
        self.question.check()?;
        let stop = stop_on_interrupt()?;
        let named = self.settings.named_competition()?;
        let game_named = match &named {
            Some(loaded) => Some(loaded.entry),
            None => self.settings.named_game()?,
        };
        let both = [self.new.as_str(), self.old.as_str()];
        let mut sides = stage("reading the submissions", || {
            Sides::of(both, &self.opponents, &self.with, game_named, &stop)
        })?;
        for name in &sides.left_out {
            say!("{name} is compared, and left out of the opponents");
        }
        let (entry, competition, toolchains) = if let Some(loaded) = named {
            (loaded.entry, loaded.competition, loaded.toolchains)
        } else {
            let entry = game(&self.settings, &sides.submissions)?;
            (entry, competition::standard(entry), BTreeMap::new())
        };
        let competition = self.competition(entry, competition, &mut sides)?;
        let encounter = match competition.schedule {
            Schedule::Pairs { .. } => Encounter::EachOther,
            Schedule::Gauntlet { .. } | Schedule::Groups => Encounter::Opponents,
        };
        let test = self.question.test(entry, &competition, encounter)?;
        let folder = self.folder(entry, &sides.compared);
        let entering = Entering::in_folder(
            folder,
            sides.places.clone(),
            sides.builtins.clone(),
            self.workers.clone(),
        );
        let given = Given {
            entry,
            competition,
            cause: Cause::Match(sides.all()),
            collected: Collected {
                submissions: sides.submissions,
                ..Collected::default()
            },
            roster: None,
            sources: ReceiptSources::default(),
            slurm: SlurmSettings::default(),
            now: SystemTime::now(),
            toolchains,
        };
        let prepared = entering.prepare_given(given, Purpose::Run, &stop)?;
        self.play_out(prepared, sides.compared, test, encounter, &stop)
    }

    /// Makes what is played of a competition: its game and clocks and what it counts, and no
    /// deadline, prize or disqualification. Where a game has more than two seats and nobody is
    /// named as an opponent, the strongest of the other built-in bots is.
    fn competition(
        &self,
        entry: &'static Entry,
        competition: Competition,
        sides: &mut Sides,
    ) -> Result<Competition, JudgeError> {
        let mut competition = self.settings.change(entry, competition)?;
        if competition.conditions.lifetime == Lifetime::Match {
            return Err(JudgeError::input(
                "a match counts its games pair by pair, and bots that live for a whole match play them in another order; choose --lifetime game",
            ));
        }
        let seats = schedule::roles(&competition)?.len();
        if seats > 2 && sides.opponents.is_empty() {
            let known = entry.baselines().into_iter().rev();
            let mut known = known.map(|(name, _)| format!("{PREFIX}{name}"));
            let name = known.find(|name| !sides.compared.contains(name));
            let name = name.ok_or_else(|| {
                JudgeError::input(format!(
                    "games of {seats} need opponents besides the two; name some with --opponents"
                ))
            })?;
            say!(
                "games of {seats}: both play {name} in the other seats (--with or --opponents choose others)"
            );
            sides.opponents.push(name.clone());
            sides.builtins.push(name);
        }
        let [new, old] = &sides.compared;
        competition.title = format!("{}: {new} against {old}", entry.info.title);
        competition.schedule = if sides.opponents.is_empty() {
            Schedule::Pairs { self_play: false }
        } else {
            Schedule::Gauntlet {
                against: sides.opponents.clone(),
            }
        };
        competition.states = self.settings.states.unwrap_or(STATES_MAX);
        competition.seed = competition.seed.or(Some(PRACTICE_SEED));
        competition.deadline = None;
        competition.late = Vec::new();
        competition.too_late = TooLate::default();
        let scoring = &mut competition.scoring;
        scoring.disqualify = Disqualify::Never;
        scoring.prizes = Vec::new();
        scoring.prize_needs = PrizeNeeds::default();
        scoring.grades = None;
        scoring.rank_builtins = true;
        Ok(competition)
    }

    fn folder(&self, entry: &Entry, [new, old]: &[String; 2]) -> PathBuf {
        let name = || {
            format!(
                "{}-match-{}-{}",
                entry.info.slug,
                part_of_name(new),
                part_of_name(old)
            )
        };
        let default = || Path::new(RESULTS).join(name());
        self.out.clone().unwrap_or_else(default)
    }

    /// Plays until the test has accepted something, and says what.
    fn play_out(
        &self,
        mut prepared: Prepared,
        names: [String; 2],
        test: Sprt,
        encounter: Encounter,
        stop: &Arc<AtomicBool>,
    ) -> Result<Done, JudgeError> {
        prepared.manifest.sign(&prepared.keys);
        prepared.manifest.write(&prepared.folder)?;
        let mut asked = Asked::new(&names, self.question.flags(), &prepared.manifest);
        let mut asked_before = AskedBefore::read(&prepared.folder)?;
        let doubts = asked_before.doubts(&asked);
        asked_before.begin(&asked)?;
        if let Some(note) = prepared.note_on_states() {
            say!("  {note}");
        }
        if asked.is_one_program() {
            say!(
                "  note: {} and {} are the same program (is a change not saved, or committed already?)",
                names[0],
                names[1]
            );
        }
        let states = prepared.competition().states;
        let games_each = prepared.games.len() / states as usize;
        let scoring = prepared.competition().scoring.clone();
        let mut comparison = Comparison::new(names, test, encounter, scoring, games_each, states);
        let outcome = self.play(&mut prepared, &mut comparison, stop);
        let noted = prepared.journal.note_end();
        // Whatever happened, the files show what counts.
        let written = Self::write(&mut prepared, &comparison, games_each);
        asked.states = comparison.counted();
        asked.verdict = comparison.verdict();
        let answered = asked_before.write(&asked);
        outcome.and(noted).and(answered)?;
        tell(&prepared, &comparison, &written?, &doubts);
        Ok(if comparison.is_over() {
            Done::Success
        } else {
            Done::Interrupted
        })
    }

    /// Plays states in their order, some at a time: a game that must be played again comes after
    /// all others that are given out, and until then nothing behind it counts.
    fn play(
        &self,
        prepared: &mut Prepared,
        comparison: &mut Comparison,
        stop: &Arc<AtomicBool>,
    ) -> Result<(), JudgeError> {
        let roles = prepared.roles;
        let mut firsts = FirstFaults::default();
        stage("restoring the games that have been played", || {
            for (id, number) in prepared.games.iter().zip(1..) {
                if comparison.is_over() {
                    break;
                }
                if let Some(result) = prepared.journal.games().result(id)? {
                    comparison.add(&result);
                    firsts.of(roles, number, &result);
                }
            }
            Ok::<(), JudgeError>(())
        })?;
        if comparison.games > 0 {
            say!("already played: {}", comparison.line());
        }
        if comparison.is_over() {
            return Ok(());
        }
        let judge = PathBuf::from(builtin::THIS_PROGRAM);
        let jobs = self.workers.jobs();
        let plan = TournamentPlan {
            judge: &judge,
            order: prepared.order(),
            machine: prepared.machine_line()?,
            pin: !self.workers.no_pin,
            intact: &intact,
            jobs,
            stop: Arc::clone(stop),
            abandon: Arc::default(),
        };
        let (folder, games) = (prepared.folder.as_path(), prepared.games.as_slice());
        let mut heard = GameEvents::begin(folder, roles, games, firsts, stop)?;
        let games_each = prepared.games.len() / prepared.manifest.competition.states as usize;
        let mut shown = ShownMatch {
            comparison,
            progress: Versus::begin(),
            stop,
        };
        let mut result = Ok(());
        while !shown.is_over() && !stop.load(Ordering::Relaxed) && result.is_ok() {
            let begun = shown.comparison.counted() as usize * games_each;
            // Workers wait for each other at the end of each batch, so batches grow.
            let batch = (begun / 2)
                .max(jobs * GAMES_FOR_WORKER)
                .next_multiple_of(games_each);
            let end = (begun + batch).min(prepared.fixtures.len());
            let fixtures = &prepared.fixtures[begun..end];
            let journal = &mut prepared.journal;
            result = tournament::play(&plan, fixtures, journal, &mut |event| {
                heard.take(&event, &mut shown);
            });
        }
        shown.progress.close();
        result.and(heard.end())
    }

    /// Notes how many states the match has come to, and writes its tables and its page.
    fn write(
        prepared: &mut Prepared,
        comparison: &Comparison,
        games_each: usize,
    ) -> Result<Written, JudgeError> {
        let states = comparison.counted().max(1);
        prepared.manifest.competition.states = states;
        prepared.manifest.sign(&prepared.keys);
        prepared.manifest.write(&prepared.folder)?;
        let run = RunFiles {
            folder: &prepared.folder,
            manifest: &prepared.manifest,
            games: &prepared.games[..states as usize * games_each],
            journal: prepared.journal.games(),
        };
        run_ending::write_files(&run)
    }
}

/// A match that is counted and shown while its games are played, and ended by its verdict.
struct ShownMatch<'a> {
    comparison: &'a mut Comparison,
    progress: Versus,
    stop: &'a AtomicBool,
}

impl Shows for ShownMatch<'_> {
    fn finished(&mut self, _number: usize, record: &MatchRecord) {
        self.comparison.add(&record.result());
    }

    fn again(&mut self, reason: &str) {
        self.progress
            .say(&format!("a game will be played again: {reason}"));
    }

    fn say(&mut self, line: &str) {
        self.progress.say(line);
    }

    fn is_over(&self) -> bool {
        self.comparison.is_over()
    }

    fn tick(&mut self) {
        if self.is_over() {
            self.stop.store(true, Ordering::Relaxed);
        }
        let comparison = &*self.comparison;
        let counted = comparison.counted() as usize;
        self.progress
            .tick(counted, comparison.progress(), || comparison.line());
    }
}

/// Says what came of a match.
fn tell(prepared: &Prepared, comparison: &Comparison, written: &Written, doubts: &[String]) {
    say!();
    for fact in comparison.facts() {
        say!("  {fact}");
    }
    say!();
    run_tell::faults(&prepared.folder, &written.first_faults);
    if let Some(note) = run_ending::mixed_machines(&prepared.folder, written) {
        say!("note: {note}");
    }
    for note in comparison.forfeits() {
        say!("note: {note}");
    }
    if let Some(note) = run_tell::overloaded(&prepared.folder, &written.overloaded) {
        say!("note: {note}");
    }
    if let Some(note) = comparison.repeated() {
        say!("note: {note}");
    }
    for doubt in doubts {
        say!("note: {doubt}");
    }
    say!("{}", comparison.verdict());
    let is_undecided = comparison.accepted.is_none();
    if is_undecided && let Some(name) = comparison.hopeless() {
        say!("mend {name} first: its faults have ended most of its games");
    } else if is_undecided && comparison.is_over() {
        let more = u64::from(comparison.counted()) * 2;
        let (units, flag) = if comparison.is_direct() {
            ("pairs", "--pairs")
        } else {
            ("initial states", "--states")
        };
        say!("to go on, rerun the command with more {units}, for example {flag} {more}");
    } else if is_undecided {
        say!("to go on, rerun the command: {}", this_command());
    }
    say!();
    run_tell::machinery(&prepared.machinery);
    say!("tables, page and every move: {}", shown(&prepared.folder));
}
