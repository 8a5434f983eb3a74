//! A match of two bots: a run whose initial states grow in number until a test has decided.

#![expect(
    clippy::disallowed_methods,
    reason = "the time at which files are taken"
)]

use crate::builtin;
use crate::collected::{Collected, ReceiptSources, collect_places};
use crate::event::{RunEvent, Sink, stage};
use crate::location::RESULTS;
use crate::played::{Played, Written};
use crate::scheduled::Scheduled;
use crate::spec::{CompetitionSpec, MachineUse, RunKind, RunSpec};
use engines::Lifetime;
use intake::{Class, Expected, Opening, Submission};
use model::builtin::PREFIX;
use model::competition::{Competition, Schedule};
use model::draw::PRACTICE_SEED;
use model::entrant::Entrant;
use model::entrants_folder::part_of_name;
use rulebook::rules::Rules;
use rulebook::scoring::{Comparison, Sprt, Unit};
use rulebook::{JudgeError, Result, refuse, schedule};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;
use store::manifest::Manifest;

/// A match, as plain data.
pub struct MatchSpec {
    /// The judge's version, with the commit that it is built from.
    pub build: &'static str,
    /// The new side and the old side: places, or built-in bots with `builtin:`.
    pub sides: [String; 2],
    /// The places of bots that both play instead of each other.
    pub opponents: Vec<PathBuf>,
    /// Built-in bots that both play instead of each other.
    pub with: Vec<String>,
    /// The competition that gives game, clocks and scoring.
    pub competition: CompetitionSpec,
    /// Maximum number of initial states.
    pub states: Option<u32>,
    /// The run's folder; by default one in `results`, named after the game and the two sides.
    pub out: Option<PathBuf>,
    /// The test; its unit follows from the opponents.
    pub test: Sprt,
    /// How this machine plays.
    pub machine: MachineUse,
}

/// A match that can be played.
pub struct Match {
    /// The run.
    pub played: Played,
    /// The games that count.
    pub comparison: Arc<Mutex<Comparison>>,
    games_each: usize,
}

/// Enough for Elo bounds 30 apart in nearly every match, and an end for all others.
const STATES_MAX: u32 = 5000;

/// Games to be played again wait until the batch's other games have started.
const GAMES_FOR_WORKER: usize = 16;

impl MatchSpec {
    /// Builds both sides and their opponents, lists the games, and begins the run.
    pub fn begin(&self, sink: &dyn Sink, stop: &Arc<AtomicBool>) -> Result<Match> {
        let named = self.competition.read_named()?.map(|loaded| loaded.rules);
        let game = named.as_ref().or(self.competition.game.as_ref());
        let mut sides = stage(sink, "reading the submissions", || {
            Sides::of(self, game, stop)
        })?;
        for name in &sides.left_out {
            sink.line(&format!(
                "{name} is one of the two compared bots, so it is left out of the opponents"
            ));
        }
        let mut loaded = self.competition.load(&sides.submissions, &sides.places)?;
        if let Some(note) = self.competition.note_on_rules(&loaded) {
            sink.line(&note);
        }
        let rules = Arc::clone(&loaded.rules);
        loaded.competition = self.terms(&*rules, loaded.competition, &mut sides, sink)?;
        let [new, old] = sides.compared.each_ref().map(|name| part_of_name(name));
        let name = format!("{}-match-{new}-{old}", rules.info().slug);
        let everybody = [sides.compared.as_slice(), &sides.opponents].concat();
        let spec = RunSpec {
            build: self.build,
            kind: RunKind::Compared,
            builtins: sides.builtins,
            out: Some(self.out.clone().unwrap_or(Path::new(RESULTS).join(name))),
            machine: self.machine.clone(),
            mixed: true,
            on_shown_draw: true,
            closed: sides.places,
            ..RunSpec::default()
        };
        let collected = Collected {
            spec,
            loaded,
            class: Class {
                submissions: sides.submissions,
                ..Class::default()
            },
            roster: None,
            sources: ReceiptSources::default(),
            received: SystemTime::now(),
        };
        let built = collected.build(sink, stop)?;
        all_play(&everybody, &built.entrants)?;
        let scheduled = built.schedule(sink)?;
        let note = scheduled.note_on_states();
        let played = scheduled.begin()?;
        sink.notes(note);
        let scheduled = &played.scheduled;
        if are_one_program(&sides.compared, &scheduled.manifest) {
            let [new, old] = &sides.compared;
            sink.note(&format!(
                "note: {new} and {old} are the same program (is a change not saved, or committed already?)"
            ));
        }
        let Competition {
            scoring, states, ..
        } = scheduled.competition();
        let games_each = scheduled.ids.len() / *states as usize;
        let unit = match &*sides.opponents {
            [] => Unit::Elo,
            _ => Unit::EloAgainstOthers,
        };
        let test = Sprt { unit, ..self.test };
        let comparison =
            Comparison::new(sides.compared, test, scoring.clone(), games_each, *states);
        Ok(Match {
            comparison: Arc::new(Mutex::new(comparison)),
            games_each,
            played,
        })
    }

    /// With more than two seats, the default opponent is the strongest other built-in bot.
    fn terms(
        &self,
        rules: &dyn Rules,
        mut competition: Competition,
        sides: &mut Sides,
        sink: &dyn Sink,
    ) -> Result<Competition> {
        if competition.conditions.lifetime == Lifetime::Match {
            return refuse(
                "a match counts its games pair by pair, and bots that live for a whole match play them in another order; choose --lifetime game",
            );
        }
        let seats = schedule::roles(&competition)?.len();
        if seats > 2 && sides.opponents.is_empty() {
            let bots = builtin::names(rules).into_iter().rev();
            let name = bots
                .map(|name| format!("{PREFIX}{name}"))
                .find(|name| !sides.compared.contains(name))
                .ok_or_else(|| {
                    JudgeError::input(format!(
                        "games for {seats} players need other opponents too; name some with --opponents"
                    ))
                })?;
            sink.line(&format!(
                "games for {seats} players: {name} fills the other seats (choose others with --with or --opponents)"
            ));
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
            competition.states = self.states.unwrap_or(STATES_MAX);
        }
        competition.seed = competition.seed.or(Some(PRACTICE_SEED));
        competition.drop_course_rules();
        Ok(competition)
    }
}

impl Match {
    /// Counts the games that have been played before.
    pub fn restore(&mut self, sink: &dyn Sink, stop: &AtomicBool) -> Result {
        let comparison = &self.comparison;
        let counting = Counting {
            comparison,
            stop,
            sink,
        };
        self.played.restore(&counting).map(drop)
    }

    /// Plays the states in batches, until the test has decided, which sets `stop`. A game to be
    /// played again comes last in its batch, and until then no later state counts.
    pub fn play(&mut self, sink: &dyn Sink, stop: &Arc<AtomicBool>) -> Result {
        let comparison = &self.comparison;
        let counting = Counting {
            comparison,
            stop,
            sink,
        };
        let Scheduled { fixtures, .. } = &self.played.scheduled;
        let games = fixtures.len();
        let batch_min = self.played.scheduled.spec.machine.jobs * GAMES_FOR_WORKER;
        let mut result = Ok(());
        while !lock(comparison).is_over() && !stop.load(Ordering::Relaxed) && result.is_ok() {
            let begun = lock(comparison).counted() as usize * self.games_each;
            // Workers wait for each other at the end of each batch, which is why batches grow.
            let batch = batch_min.max(begun / 2).next_multiple_of(self.games_each);
            let end = (begun + batch).min(games);
            result = self.played.play_some(begun..end, stop, &counting);
        }
        sink.take(RunEvent::Ends);
        result
    }

    /// Writes the tables and the page of the states that count.
    pub fn write(&mut self, sink: &dyn Sink) -> Result<Written<'_>> {
        let states = lock(&self.comparison).counted().max(1);
        self.played.end_at(states)?;
        self.played
            .write_first(states as usize * self.games_each, sink)
    }
}

/// Locks the state of a match.
fn lock(comparison: &Mutex<Comparison>) -> MutexGuard<'_, Comparison> {
    comparison.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Counting<'a> {
    comparison: &'a Mutex<Comparison>,
    stop: &'a AtomicBool,
    sink: &'a dyn Sink,
}

impl Sink for Counting<'_> {
    fn take(&self, event: RunEvent<'_>) {
        let mut comparison = lock(self.comparison);
        match event {
            // Games after the verdict do not count.
            RunEvent::Restored(_, result) if !comparison.is_over() => comparison.add(result),
            RunEvent::Finished(_, record) => comparison.add(&record.result()),
            RunEvent::Tick if comparison.is_over() => self.stop.store(true, Ordering::Relaxed),
            _ => {}
        }
        drop(comparison);
        self.sink.take(event);
    }
}

fn are_one_program([new, old]: &[String; 2], manifest: &Manifest) -> bool {
    let artifact = |name: &String| {
        let mut lines = manifest.entrants.iter();
        lines.find(|line| line.name == *name)?.artifact.as_deref()
    };
    artifact(new).is_some_and(|new| artifact(old) == Some(new))
}

fn all_play(names: &[String], entrants: &[Entrant]) -> Result {
    for name in names {
        let entrant = entrants.iter().find(|one| one.name == *name);
        let reason = match entrant.map(Entrant::broken_newest) {
            Some(None) => continue,
            None => format!(
                "the name {name} looks like another one; rename its folder and rerun the command"
            ),
            Some(Some(broken)) => format!(
                "{name} cannot play: {broken}; correct it (judge check shows what is wrong) or leave it out, and rerun the command"
            ),
        };
        return refuse(reason);
    }
    Ok(())
}

struct Sides {
    compared: [String; 2],
    /// The opponents of both sides; empty if they play each other.
    opponents: Vec<String>,
    submissions: Vec<Submission>,
    builtins: Vec<String>,
    places: Vec<PathBuf>,
    left_out: Vec<String>,
}

struct Side {
    name: String,
    /// Its place and its files, unless it is a built-in bot.
    submitted: Option<(PathBuf, Submission)>,
}

impl Side {
    fn of(word: &str, game: Option<&Arc<dyn Rules>>, stop: &AtomicBool) -> Result<Self> {
        if word.starts_with(PREFIX) {
            return Ok(Self {
                name: word.to_owned(),
                submitted: None,
            });
        }
        let submission = intake::open_one(Path::new(word), game, stop)?;
        Ok(Self {
            name: submission.name.clone(),
            submitted: Some((intake::folder_of(Path::new(word)), submission)),
        })
    }

    /// Returns the name of the submission's parent folder, if it is a valid entrant's name.
    fn folder_around(&self) -> Option<String> {
        let (place, _) = self.submitted.as_ref()?;
        let there = place.canonicalize().ok()?;
        let name = there.parent()?.file_name()?.to_str()?;
        let is_allowed = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        name.chars().all(is_allowed).then(|| name.to_owned())
    }
}

impl Sides {
    fn of(spec: &MatchSpec, game: Option<&Arc<dyn Rules>>, stop: &AtomicBool) -> Result<Self> {
        let [new, old] = &spec.sides;
        let mut sides = [Side::of(new, game, stop)?, Side::of(old, game, stop)?];
        if sides[0].name == sides[1].name {
            refuse_lookalikes(&mut sides)?;
        }
        let mut all = Self {
            compared: sides.each_ref().map(|side| side.name.clone()),
            opponents: Vec::new(),
            submissions: Vec::new(),
            builtins: Vec::new(),
            places: spec.opponents.clone(),
            left_out: Vec::new(),
        };
        for side in sides {
            match side.submitted {
                None => all.builtins.push(side.name),
                Some((place, mut submission)) => {
                    submission.name = side.name;
                    all.places.push(place);
                    all.submissions.push(submission);
                }
            }
        }
        let opening = Opening::new(Expected::Class, game, stop);
        let (class, _) = collect_places(&spec.opponents, opening, None)?;
        for opponent in class.submissions {
            if all.compared.contains(&opponent.name) {
                all.left_out.push(opponent.name);
            } else {
                all.opponents.push(opponent.name.clone());
                all.submissions.push(opponent);
            }
        }
        let named = spec.with.len() + all.opponents.len();
        if let (0, Some(name)) = (named, all.left_out.first()) {
            return refuse(format!(
                "--opponents contains only bots that are being compared ({name}); name another folder, or omit \
                 --opponents to let the two play each other"
            ));
        }
        for bot in &spec.with {
            let name = format!("{PREFIX}{}", bot.strip_prefix(PREFIX).unwrap_or(bot));
            if all.compared.contains(&name) {
                return refuse(format!(
                    "{name} is compared and cannot be an opponent too; remove --with"
                ));
            }
            all.opponents.push(name.clone());
            all.builtins.push(name);
        }
        Ok(all)
    }
}

/// To their parent folders' names if these differ, else to `new` and `old`.
fn refuse_lookalikes(sides: &mut [Side; 2]) -> Result {
    let names = match sides.each_ref().map(Side::folder_around) {
        [Some(new), Some(old)] if new != old => [new, old],
        _ => ["new", "old"].map(str::to_owned),
    };
    for (side, name) in sides.iter_mut().zip(names) {
        if side.submitted.is_none() {
            return refuse(format!(
                "{} cannot be compared with itself; name two different bots",
                side.name
            ));
        }
        side.name = name;
    }
    Ok(())
}
