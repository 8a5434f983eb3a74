//! `judge repro`: plays a game of a run again, with some bots live and the others.

pub(super) mod story;

use super::exit::Done;
use super::one_game::{self, CommandFolder};
use super::out::{self, say_each, whole};
use crate::terminal::joined;
use clap::Args;
use engines::{Lifetime, Seat};
use intake::Toolchains;
use model::artifact::Artifact;
use model::builtin::is_builtin;
use model::fixture::{Fixture, Participant};
use model::game_id::GameId;
use model::record::MatchRecord;
use rulebook::rules::Rules;
use rulebook::{JudgeError, Result, refuse};
use run::commands::{path_for_shell, shown, this_command_with};
use run::{PastRun, builtin, named_by_run, open_run_cgroups, toolchains};
use sandbox::Isolation;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use store::MatchingGames;
use store::manifest::Manifest;
use story::{Story, who};
use system::run_folder::ARTIFACTS;

#[derive(Args)]
#[command(after_long_help = EXIT_HELP)]
pub(super) struct ReproArgs {
    /// The run folder
    run: PathBuf,
    /// The game: its number in games.csv, from 1, or the beginning of its id
    game: String,
    /// The entrant whose bot plays live [default: the one at fault, else all]
    #[arg(long, value_name = "NAME")]
    bot: Option<String>,
    /// The seat whose bot plays live: its number (from 0) or role
    #[arg(long, value_name = "SEAT")]
    seat: Option<String>,
    /// `all`: every bot plays live, none as recorded
    #[arg(long, value_name = "WHO", hide_possible_values = true, value_parser = ["all"])]
    live: Option<String>,
    /// A submission to use in place of the run's version
    #[arg(long, value_name = "PATH")]
    bot_dir: Option<PathBuf>,
    /// Wait before the turn at this ply, for a debugger
    ///
    /// Prints the process id, and waits for Enter.
    #[arg(long, value_name = "PLY", value_parser = whole::<u32>(0..=u64::MAX))]
    pause_at: Option<u32>,
}

const EXIT_HELP: &str = "Exit codes: 0 the game ended as recorded (cause, charged seat, number of plies, result), \
3 it ended differently, or the record could not be followed to its end, 1 judge error (the judge or the machine failed), \
2 wrong command or input, 130 interrupted.";

impl ReproArgs {
    pub(super) fn execute(&self) -> Result<Done> {
        let found = Rc::new(find_game(&self.run, &self.game)?);
        let subject = self.subject(&found)?;
        let only = subject.filter(|_| self.live.is_none());
        let is_live = |seat| only.is_none_or(|only| only.index() == seat);
        let live: Vec<bool> = (0..found.record.seats.len()).map(is_live).collect();
        self.check_pause(&found, &live)?;
        let mut isolation = Isolation::find();
        isolation.close(&found.run);
        if let Some(path) = &self.bot_dir {
            isolation.close(path);
        }
        out::warn(&isolation);
        let open = |_| CommandFolder::open("repro");
        let folder = self.bot_dir.as_ref().map(open).transpose()?;
        let done = self.repeat(&found, subject, &live, isolation, folder.as_ref());
        if let Some(folder) = &folder {
            // A result without its folder is useless.
            folder.await_interrupt();
        }
        done
    }

    fn repeat(
        &self,
        found: &Rc<FoundGame>,
        subject: Option<Seat>,
        live: &[bool],
        mut isolation: Isolation,
        folder: Option<&CommandFolder>,
    ) -> Result<Done> {
        let conditions = &found.manifest.competition.conditions;
        let run_cgroups = open_run_cgroups(&mut isolation, conditions.processes)?;
        let tools = toolchains(&named_by_run(&found.manifest), &mut isolation)?;
        let mut fixture = found.fixture.clone();
        let mut artifacts: Vec<Artifact> = Vec::new();
        let note = (subject.is_none() && self.live.is_none()).then(|| {
            let choices = choices(found);
            format!(
                "nobody made a fault, so every bot plays live; to play one against the record: {choices}"
            )
        });
        for seat in (0..live.len()).map(Seat::new).filter(|s| live[s.index()]) {
            let artifact = match (folder, &self.bot_dir) {
                (Some(folder), Some(path)) if Some(seat) == subject => folder.build(
                    path,
                    seat.index(),
                    &found.rules,
                    &found.manifest.competition,
                    &isolation,
                    &tools,
                )?,
                _ => {
                    let artifact = kept_program(found, seat)?;
                    check_program(found, seat, &artifact, &isolation, &tools)?;
                    artifact
                }
            };
            // The seeds depend on the fixture's id, which is unchanged.
            let seats = Arc::make_mut(&mut fixture.seats);
            seats[seat.index()].artifact = artifact.hash.as_str().into();
            artifacts.push(artifact);
        }
        greet(found, live, &fixture.seats, &isolation, note);
        let machine = found.manifest.machine.as_ref();
        let pin = machine.is_some_and(|machine| machine.pinned).then_some(0);
        let story = Rc::new(RefCell::new(Story::new(found, live, self.pause_at)));
        let caged = (isolation, run_cgroups.as_ref());
        let game = (&fixture, conditions);
        let played = one_game::play(&*found.rules, game, artifacts, pin, caged, &story);
        let (record, story) = (&found.record, story.borrow());
        if let (Some(ply), false) = (self.pause_at, story.paused) {
            say!("note: no live bot had a turn at ply {ply}, so there was no pause");
        }
        match played {
            Ok(played) => Ok(verdict(record, &played.record, &story)),
            Err(JudgeError::RecordEnds(reason)) => {
                stopped(&reason, record, &story);
                Ok(Done::Differently)
            }
            Err(error) => Err(error),
        }
    }

    /// Finds the seat that the game is repeated for: the named one, or the one charged with the end.
    fn subject(&self, found: &FoundGame) -> Result<Option<Seat>> {
        let record = &found.record;
        let choices = choices(found);
        if self.bot.is_some() || self.seat.is_some() {
            let is_it = |index: &usize| {
                let entrant = &record.seats[*index].entrant;
                let named = self.bot.as_ref().is_none_or(|bot| bot == entrant);
                let role = found.rules.info().roles[*index];
                let seat = self.seat.as_ref();
                named && seat.is_none_or(|s| *s == index.to_string() || s == role)
            };
            let fitting: Vec<usize> = (0..record.seats.len()).filter(is_it).collect();
            let which = match *fitting.as_slice() {
                [one] => return Ok(Some(Seat::new(one))),
                [] => "does not play in this game",
                _ => "has several seats in this game",
            };
            let bot = self.bot.iter().map(|bot| format!("--bot {bot}"));
            let seat = self.seat.iter().map(|seat| format!("--seat {seat}"));
            let named = joined(bot.chain(seat), " ");
            return refuse(format!("{named} {which}; choose one of: {choices}"));
        }
        let charged = record.end.charged();
        let subject = charged.or_else(|| record.faults.first().map(|fault| fault.seat));
        if subject.is_none() && self.bot_dir.is_some() {
            return refuse(format!(
                "nobody made a fault in this game, so choose whose bot --bot-dir replaces: {choices}"
            ));
        }
        Ok(subject)
    }

    /// Checks that no recorded player has the turn to wait for.
    fn check_pause(&self, found: &FoundGame, live: &[bool]) -> Result {
        let turns = &found.record.turns;
        if let Some(ply) = self.pause_at
            && let Some(turn) = turns.get(ply as usize)
            && !live[turn.seat.index()]
        {
            let who = who(&found.record, found.rules.info().roles, turn.seat);
            let own = turns
                .iter()
                .zip(0..)
                .filter(|(turn, _)| live[turn.seat.index()]);
            let plies = joined(own.map(|(_, ply): (_, usize)| ply), ", ");
            return refuse(format!(
                "--pause-at {ply} is a turn of {who}, which plays as recorded; the live turns are at plies {plies}"
            ));
        }
        Ok(())
    }
}

fn choices(found: &FoundGame) -> String {
    let seats = found
        .rules
        .info()
        .roles
        .iter()
        .zip(&found.record.seats)
        .zip(0..)
        .map(|((role, seat), index)| format!("--seat {index} ({role}: {})", seat.entrant));
    joined(seats, ", ")
}

fn greet(
    found: &FoundGame,
    live: &[bool],
    participants: &[Participant],
    isolation: &Isolation,
    note: Option<String>,
) {
    let (info, record) = (&found.rules.info(), &found.record);
    let id = record.fixture;
    let number = found.number.map_or_else(
        || format!("a game of an earlier version (id {id})"),
        |number| format!("game {number} (id {id})"),
    );
    say!("{}, {number} of {}", info.title, shown(&found.run));
    for (index, &live) in live.iter().enumerate() {
        let seat = Seat::new(index);
        let is_own = *participants[index].artifact != *record.seats[index].artifact;
        let how = match (live, is_own) {
            (false, _) => "as recorded",
            (true, false) => "live",
            (true, true) => "live, not the version of the run",
        };
        say!("  {}: {how}", who(record, info.roles, seat));
    }
    say!("  isolation: {isolation}");
    if let Some(machine) = &found.manifest.machine
        && machine.isolation.level != isolation.level()
    {
        let before = machine.isolation.level;
        say!("  note: isolation was {before} in the run");
    }
    if found.manifest.competition.conditions.lifetime == Lifetime::Match {
        say!("  note: in the run a process lived for a whole match; here it sees only this game");
    }
    say_each("  note: ", note);
    say!();
}

fn stopped(reason: &str, record: &MatchRecord, story: &Story) {
    say!("\nthen: {}", story.ending(record));
    if story.is_past_the_fault() {
        say!("now:  that fault did not happen, and the game continues");
    }
    say!(
        "stopped at ply {}: {reason}; the record ends here",
        story.ply
    );
    say!(
        "to let all bots play live: {}",
        this_command_with("--live all")
    );
}

fn verdict(then: &MatchRecord, now: &MatchRecord, story: &Story) -> Done {
    let facts = |record: &MatchRecord| {
        let results = record.outcome.seats.iter().map(|seat| seat.result);
        (record.end, record.turns.len(), results.collect::<Vec<_>>())
    };
    if facts(then) == facts(now) {
        say!("\nthen and now: {}", story.ending(now));
        let how = if story.departed {
            "the same end, with other moves"
        } else {
            "the same game and the same end"
        };
        say!("{how}");
        return Done::Success;
    }
    say!("\nthen: {}", story.ending(then));
    say!("now:  {}", story.ending(now));
    say!("it ended differently");
    Done::Differently
}

pub(super) struct FoundGame {
    /// The run's folder, absolute.
    pub(super) run: PathBuf,
    pub(super) manifest: Manifest,
    pub(super) rules: Arc<dyn Rules>,
    /// Its number in `games.csv`; `None` for a game of a bot that has been replaced.
    pub(super) number: Option<usize>,
    fixture: Fixture,
    pub(super) record: MatchRecord,
}

/// Maximum length of a number in `games.csv`, in digits; a longer one is part of an id.
const NUMBER_DIGITS_MAX: usize = 7;
const LISTED_MAX: usize = 4;
const ID_DIGITS_SHOWN: usize = 12;

/// Finds a game by its number in `games.csv` or by the beginning of its fixture's id.
pub(super) fn find_game(run: &Path, game: &str) -> Result<FoundGame> {
    let past = PastRun::open(run)?;
    let rules = rulebook::rules::of(&past.manifest.competition.conditions)?;
    let ids = past.ids()?;
    let is_number = game.chars().all(|c| c.is_ascii_digit()) && game.len() <= NUMBER_DIGITS_MAX;
    let record = match game.parse::<usize>() {
        Ok(number) if is_number => by_number(&past, number, &ids)?,
        _ => by_id(&past, game)?,
    };
    let fixture = fixture(&past, &*rules, &record)?;
    Ok(FoundGame {
        number: (1..=ids.len()).find(|number| ids[number - 1] == fixture.id),
        run: past.folder,
        manifest: past.manifest,
        rules,
        fixture,
        record,
    })
}

fn by_number(past: &PastRun, number: usize, all: &[GameId]) -> Result<MatchRecord> {
    let run = shown(&past.folder);
    let Some(id) = number.checked_sub(1).and_then(|index| all.get(index)) else {
        return refuse(format!(
            "no game {number} in {run}: games.csv numbers them from 1 to {}",
            all.len()
        ));
    };
    let (mut records, damage) = find_games(past, &id.text())?;
    match records.pop() {
        Some(record) => Ok(record),
        None => refuse(format!(
            "game {number} has not been played yet{damage}; to continue {run}, rerun the judge run command that made it"
        )),
    }
}

fn by_id(past: &PastRun, game: &str) -> Result<MatchRecord> {
    let run = shown(&past.folder);
    let prefix = game.to_ascii_lowercase();
    if prefix.is_empty() || !prefix.chars().all(|c| c.is_ascii_hexdigit()) {
        return refuse(format!(
            "{game:?} is neither the number of a game in games.csv nor the beginning of an id in its column fixture"
        ));
    }
    let (mut records, damage) = find_games(past, &prefix)?;
    match records.len() {
        1 => Ok(records.remove(0)),
        0 => refuse(format!(
            "no played game in {run} has an id that begins with {prefix}{damage}; games.csv lists them in its column fixture"
        )),
        several => {
            let first = records.iter().take(LISTED_MAX);
            let ids = joined(first.map(|record| brief(record.fixture)), ", ");
            let more = if several > LISTED_MAX { ", …" } else { "" };
            refuse(format!(
                "{several} games have ids that begin with {prefix} ({ids}{more}); give more of the id"
            ))
        }
    }
}

/// Returns the games whose ids begin so, and a note on damaged lines, in which others may be.
fn find_games(past: &PastRun, prefix: &str) -> Result<(Vec<MatchRecord>, String)> {
    let conditions = &past.manifest.competition.conditions;
    let MatchingGames { records, damaged } = store::find_games(&past.folder, conditions, prefix)?;
    let damage = match damaged {
        0 => String::new(),
        lines => format!(
            " (or its line is damaged; damaged lines of journal.jsonl: {lines}; \
             judge run would play their games again)"
        ),
    };
    Ok((records, damage))
}

fn brief(id: GameId) -> String {
    id.text()[..ID_DIGITS_SHOWN].to_owned()
}

/// Makes the fixture of a record again. An equal id is the only proof of the same rules and conditions.
fn fixture(past: &PastRun, rules: &dyn Rules, record: &MatchRecord) -> Result<Fixture> {
    let manifest = &past.manifest;
    let seats = record.seats.iter().map(|seat| Participant {
        entrant: seat.entrant.as_str().into(),
        artifact: seat.artifact.as_str().into(),
    });
    let conditions = &manifest.competition.conditions;
    let draw = (&past.draw(), record.state);
    let fixture = one_game::fixture(
        rules,
        conditions,
        draw,
        seats.collect(),
        record.setup.clone(),
    );
    if fixture.id == record.fixture {
        return Ok(fixture);
    }
    refuse(format!(
        "game {} of {} was played with other rules or conditions than those of run.json and this judge \
         ({}), so it cannot be played again; use the version of judge that played it (run.json: {})",
        brief(record.fixture),
        shown(&past.folder),
        crate::BUILD,
        manifest.judge
    ))
}

fn kept_program(found: &FoundGame, seat: Seat) -> Result<Artifact> {
    let Participant {
        entrant: name,
        artifact: hash,
    } = &found.fixture.seats[seat.index()];
    if let Some(artifact) = builtin::find_kept(&*found.rules, name, hash, &found.run)? {
        return Ok(artifact);
    }
    intake::find_kept_program(hash, &found.run)?.ok_or_else(|| {
        let folder = found
            .manifest
            .submissions
            .as_deref()
            .unwrap_or("SUBMISSIONS");
        JudgeError::input(format!(
            "the program of {name} in {} is missing or has changed since the build; give its folder or file with --bot-dir {}",
            shown(&found.run.join(ARTIFACTS)),
            path_for_shell(&Path::new(folder).join(name.as_ref()))
        ))
    })
}

fn check_program(
    found: &FoundGame,
    seat: Seat,
    artifact: &Artifact,
    isolation: &Isolation,
    tools: &Toolchains,
) -> Result {
    let name = &found.fixture.seats[seat.index()].entrant;
    if is_builtin(name) {
        return Ok(());
    }
    intake::can_run(artifact, &isolation.closed, tools).map_err(|reason| {
        JudgeError::input(format!(
            "this machine cannot run the program of {name}, through no fault of the bot: {reason}"
        ))
    })
}
