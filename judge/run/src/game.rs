//! Games of one's own: opened from their files, and again from the copy that a run keeps. A mended
//! one must replay each recorded game.

use crate::event::{Sink, stage};
use crate::play::{open_game, open_game_among};
use crate::programs::{THIS_PROGRAM, toolchains};
use engines::{Forfeit, Seat};
use intake::{GAME_FILE, GameFiles, adopt_program, did_you_mean_path, find_kept_program};
use model::competition::Competition;
use model::fault::Phase;
use model::fixture::Conditions;
use model::record::MatchRecord;
use model::text::readable;
use referee::external::HELPERS;
use referee::verify::{WordsKnown, referee};
use rulebook::nearest::nearest;
use rulebook::rules::{Position, Rules};
use rulebook::{IoContext, JudgeError, Result, refuse, schedule};
use sandbox::{Builder, Isolation};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use store::manifest::Manifest;
use store::{Games, Inspector, Keys};
use system::cleanup::TemporaryFolder;
use system::foreign::ForeignFolder;
use system::run_folder;

/// No built-in game, and a path or a file that exists.
pub(crate) fn is_of_files(name: &str, place: &Path) -> bool {
    let is_built_in = rulebook::rules::built_in().any(|rules| rules.info().slug == name);
    !is_built_in && (name.contains('/') || name.contains('.') || place.exists())
}

const NAMED_MAX: usize = 3;

const ENTRIES_MAX: usize = 1000;

pub(crate) fn games_here() -> Vec<PathBuf> {
    let here = Path::new(".");
    let Ok(Ok(names)) = ForeignFolder::open(here).map(|folder| folder.names()) else {
        return Vec::new();
    };
    // Anybody may have named them.
    let mut games: Vec<PathBuf> = names
        .flatten()
        .take(ENTRIES_MAX)
        .filter(|name| name.to_str().is_some_and(|name| readable(name) == name))
        .map(|name| here.join(name))
        .filter(|place| place.join(GAME_FILE).is_file())
        .collect();
    games.sort();
    games.truncate(NAMED_MAX);
    games
}

pub(crate) fn open_own(slug: &str, folder: &Path) -> Result<Arc<dyn Rules>> {
    let rules = open(slug, folder, &BTreeMap::new())?;
    let own = rules.info().slug;
    if own != slug {
        return refuse(format!(
            "the game in {slug} is called {own}; rename its folder, or name it with --game {slug}"
        ));
    }
    rulebook::rules::add(slug, &rules);
    Ok(rules)
}

/// Finds a game by its slug, or opens it from its files.
pub fn named_game(name: &str) -> Result<Arc<dyn Rules>> {
    if !is_of_files(name, Path::new(name)) {
        return rulebook::rules::find(name).map_err(|error| {
            let slugs = rulebook::rules::built_in().map(|rules| rules.info().slug);
            // The error asks whether a built-in game is meant.
            let meant = match nearest(name, slugs) {
                Some(_) => String::new(),
                None => did_you_mean_path(Path::new(name)),
            };
            JudgeError::input(format!(
                "{error}; for a game of your own, name its file or folder; there is none called {name} here{meant}"
            ))
        });
    }
    open_files(name, Path::new(name), &BTreeMap::new())
}

/// `named` has the folders of programs that the competition names.
pub(crate) fn open_files(
    name: &str,
    place: &Path,
    named: &BTreeMap<String, String>,
) -> Result<Arc<dyn Rules>> {
    let rules = open(name, place, named)?;
    rulebook::rules::add(name, &rules);
    Ok(rules)
}

fn open(name: &str, place: &Path, named: &BTreeMap<String, String>) -> Result<Arc<dyn Rules>> {
    if !place.exists() {
        return refuse(format!(
            "there is no game {}{}; give the file or folder of a game, or a built-in one ({})",
            place.display(),
            did_you_mean_path(place),
            rulebook::rules::built_in()
                .map(|rules| rules.info().slug)
                .collect::<Vec<_>>()
                .join(", ")
        ));
    }
    let files = GameFiles::read(place, HELPERS)?;
    if let Ok(known) = rulebook::rules::find(name)
        && known
            .program()
            .is_some_and(|program| program.hash == files.hash())
    {
        return Ok(known);
    }
    let mut isolation = Isolation::find();
    let tools = toolchains(named, &mut isolation)?;
    let folder =
        TemporaryFolder::new("game", 0o755).or_io("make a folder in", std::env::temp_dir())?;
    let builder = Builder {
        judge: Path::new(THIS_PROGRAM),
        isolation: &isolation,
        stop: &AtomicBool::new(false),
    };
    let artifact = files.keep(folder.path(), builder, &tools)?;
    open_game(artifact, &isolation, Some((place.to_owned(), folder)))
}

/// Built-in games need nothing kept.
pub(crate) fn keep(
    rules: Arc<dyn Rules>,
    run: &Path,
    isolation: &Isolation,
) -> Result<Arc<dyn Rules>> {
    let Some(program) = rules.program() else {
        return Ok(rules);
    };
    let artifact = adopt_program(program, run, isolation)?;
    let kept = open_game(artifact, isolation, None)?;
    rulebook::rules::add(kept.info().slug, &kept);
    Ok(kept)
}

pub(crate) fn open_kept(run: &Path, competition: &Competition) -> Result {
    let conditions = &competition.conditions;
    let is_open = rulebook::rules::of(conditions).is_ok();
    let Some(program) = conditions.rules_program().filter(|_| !is_open) else {
        return Ok(());
    };
    let artifact = find_kept_program(program, run)?.ok_or_else(|| {
        JudgeError::input(format!(
            "the run's copy of the game {} ({}) is missing or has changed; restore it from a backup, or rerun the \
             command that began the run, with the same game",
            conditions.game,
            run.join("artifacts").join(program).display()
        ))
    })?;
    open_game_among(&[artifact], conditions, &Isolation::find()).map(|_| ())
}

/// Gives conditions the game's identity in the run that has begun. [`check_mended`] then compares them.
pub(crate) fn keep_identity(conditions: &mut Conditions, folder: &Path) -> Result {
    let journal = fs::metadata(folder.join(run_folder::JOURNAL));
    if journal.map_or(0, |journal| journal.len()) == 0 {
        return Ok(());
    }
    let is_of_program = |of: &Conditions| of.game_program.is_some();
    if let Some(begun) = Manifest::read(folder)?.map(|begun| begun.competition.conditions)
        && begun.game == conditions.game
        && is_of_program(&begun)
        && is_of_program(conditions)
    {
        conditions.keep_game(&begun);
    }
    Ok(())
}

/// The journal is locked, so that no other process adds games meanwhile.
pub(crate) fn check_mended(
    rules: &dyn Rules,
    competition: &Competition,
    folder: &Path,
    isolation: &Isolation,
    sink: &dyn Sink,
) -> Result {
    let Some(begun) = Manifest::read(folder)? else {
        return Ok(());
    };
    let conditions = &competition.conditions;
    let last = begun.competition.conditions.rules_program();
    let Some(last) = last.filter(|last| Some(*last) != conditions.rules_program()) else {
        return Ok(());
    };
    let kept = find_kept_program(last, folder)?
        .ok_or_else(|| refused(folder, "the run's own version of it is missing"))?;
    let comparison = Comparison {
        old: &*open_game(kept, isolation, None)?,
        new: rules,
        conditions,
    };
    let count = stage(sink, "comparing the game's versions", || {
        comparison.compare(&begun.competition, folder)
    })?;
    sink.note(&format!(
        "this is another version of the game; all {count} recorded games replay equally, and keep their ids"
    ));
    Ok(())
}

fn refused(folder: &Path, reason: &str) -> JudgeError {
    JudgeError::input(format!(
        "{} was played with another version of the game, and this one cannot take it over: {reason}. Continue with \
         the old version, or choose another folder with --out",
        folder.display()
    ))
}

struct Comparison<'a> {
    old: &'a dyn Rules,
    new: &'a dyn Rules,
    conditions: &'a Conditions,
}

impl Comparison<'_> {
    fn compare(&self, begun: &Competition, folder: &Path) -> Result<usize> {
        if let Some(fact) = self.other_fact() {
            return Err(refused(folder, &format!("its {fact} differ")));
        }
        let draw = Keys::of_run(folder)?.draw(begun);
        for state in 0..begun.states_drawn() {
            let [old, new] = [self.old, self.new]
                .map(|rules| schedule::setup(rules, begun, &draw, state).map(|it| it.to_string()));
            if old? != new? {
                return Err(refused(
                    folder,
                    &format!("it draws another initial state {state}"),
                ));
            }
        }
        let mut take = |line: usize, _, difference| match difference {
            Ok(None) => Ok(()),
            Ok(Some(difference)) => Err(refused(
                folder,
                &format!("the game in line {line} of its journal differs: {difference}"),
            )),
            Err(JudgeError::Game { reason, .. }) => Err(refused(
                folder,
                &format!("it fails in the game in line {line} of the journal: {reason}"),
            )),
            Err(error) => Err(error),
        };
        let inspector = Inspector {
            inspect: &|record| self.difference(record),
            take: &mut take,
        };
        let games = Games::inspect(folder, self.conditions, Vec::new(), inspector)?;
        Ok(games.len())
    }

    fn other_fact(&self) -> Option<&'static str> {
        let [old, new] = [self.old, self.new].map(Rules::info);
        [
            (
                "roles",
                old.roles != new.roles || old.seats_min != new.seats_min,
            ),
            (
                "moves that bots are shown",
                old.information != new.information,
            ),
            ("lists of moves", old.moves_listed != new.moves_listed),
            (
                "points",
                old.tie_break != new.tie_break || old.points != new.points,
            ),
        ]
        .into_iter()
        .find_map(|(fact, differs)| differs.then_some(fact))
    }

    fn difference(&self, record: &MatchRecord) -> Result<Option<String>> {
        let found = referee(self.new, self.conditions, record, WordsKnown::All)?;
        if let Some(difference) = found.first() {
            return Ok(Some(difference.to_string()));
        }
        let start = |rules: &dyn Rules| {
            rules
                .start(&record.setup)
                .map_err(|error| error.of("a recorded setup"))
        };
        walk(record, [start(self.old)?, start(self.new)?])
    }
}

/// Plays a record in two versions at once, and returns the first difference in what seats see.
fn walk(record: &MatchRecord, mut pair: [Box<dyn Position>; 2]) -> Result<Option<String>> {
    let (mut turns, mut faults) = (record.turns.iter(), record.faults.iter().peekable());
    let mut gone = vec![false; record.seats.len()];
    loop {
        let [old, new] = [seen(&*pair[0])?, seen(&*pair[1])?];
        let ply = record.turns.len() - turns.len();
        if old != new {
            let reason = format!("ply {ply}: expected {new}, found {old}");
            return Ok(Some(reason));
        }
        let Some(seat) = pair[1].to_move()?.first() else {
            return Ok(None);
        };
        let mut forfeit = |seat: Seat, why: Forfeit| {
            pair.iter_mut()
                .try_for_each(|position| position.forfeit(seat, why))
        };
        if gone[seat.index()] {
            forfeit(seat, Forfeit::Gone)?;
            continue;
        }
        let is_due = faults
            .peek()
            .is_some_and(|fault| fault.phase != Phase::Turn && fault.ply as usize == ply);
        if !is_due {
            let Some(turn) = turns.next() else {
                return Ok(None);
            };
            if let Some(mv) = &turn.mv {
                for position in &mut pair {
                    if position.play_recorded(turn.seat, mv.get())?.is_err() {
                        return Ok(Some(format!("ply {ply}: one of them refuses {mv}")));
                    }
                }
                faults.next_if(|fault| fault.ply as usize == ply && record.is_carried_out(fault));
                continue;
            }
        }
        let Some(fault) = faults.next() else {
            return Ok(None);
        };
        let why = fault.cause.forfeit(fault.phase);
        gone[fault.seat.index()] |= why == Forfeit::Gone;
        forfeit(fault.seat, why)?;
    }
}

fn seen(position: &dyn Position) -> Result<String> {
    let mut seen = Vec::new();
    for seat in position.to_move()?.iter() {
        seen.extend_from_slice(format!("{seat} ").as_bytes());
        position.write_view(seat, &mut seen)?;
        position.write_legal_moves(seat, &mut seen)?;
    }
    Ok(String::from_utf8_lossy(&seen).into_owned())
}
