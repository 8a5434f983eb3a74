//! From what the user named to the game that was played, and to the programs of its bots.

use super::super::words::{for_shell, shown};
use crate::artifact::Artifact;
use crate::error::JudgeError;
use crate::fixture::{Fixture, Sitter};
use crate::manifest::Manifest;
use crate::record::MatchRecord;
use crate::schedule::{self, Contestant};
use crate::{builtin, intake, journal};
use engines::{Entry, Seat};
use std::path::{Path, PathBuf};

/// A game of a run.
pub(in crate::cli) struct Found {
    /// The run's folder, absolute.
    pub(in crate::cli) run: PathBuf,
    pub(in crate::cli) manifest: Manifest,
    pub(super) entry: &'static Entry,
    /// The number in `games.csv`; none for a game of a bot that has been replaced.
    pub(in crate::cli) number: Option<usize>,
    pub(super) fixture: Fixture,
    pub(in crate::cli) record: MatchRecord,
}

/// A number in `games.csv` has fewer digits than this; what is longer is part of an id.
const NUMBER_DIGITS_MAX: usize = 7;
/// How many games a complaint about an ambiguous name lists.
const LISTED_MAX: usize = 4;
/// How many digits of an id are shown.
const ID_DIGITS_SHOWN: usize = 12;

/// Finds a game by its number in `games.csv` or by the beginning of its fixture's id.
///
/// # Errors
/// When the folder holds no run, or the run has no such game.
pub(in crate::cli) fn find(run: &Path, game: &str) -> Result<Found, JudgeError> {
    let (run, manifest) = open(run)?;
    let entry = manifest.competition.conditions.entry()?;
    let fixtures = fixtures(&manifest)?;
    let is_number = game.chars().all(|c| c.is_ascii_digit()) && game.len() <= NUMBER_DIGITS_MAX;
    let record = match game.parse::<usize>() {
        Ok(number) if is_number => by_number(&run, number, &fixtures)?,
        _ => by_id(&run, game)?,
    };
    let fixture = fixture(&run, entry, &manifest, &record)?;
    let place = fixtures.iter().position(|f| f.id == fixture.id);
    Ok(Found {
        number: place.map(|index| index + 1),
        run,
        manifest,
        entry,
        fixture,
        record,
    })
}

pub(in crate::cli) fn open(run: &Path) -> Result<(PathBuf, Manifest), JudgeError> {
    let no_run = |reason: &str| {
        JudgeError::input(format!(
            "{} is no run's folder: {reason}; name the folder that judge run has written (its --out)",
            run.display()
        ))
    };
    let folder = run.canonicalize().map_err(|e| no_run(&e.to_string()))?;
    if !folder.is_dir() {
        return Err(no_run("it is no folder"));
    }
    let manifest = Manifest::read(&folder)?;
    let manifest = manifest.ok_or_else(|| no_run("there is no run.json in it"))?;
    if !folder.join(journal::FILE_NAME).is_file() {
        return Err(no_run("there is no journal.jsonl in it"));
    }
    Ok((folder, manifest))
}

/// Lists the run's games again: their order is what the numbers count.
pub(in crate::cli) fn fixtures(manifest: &Manifest) -> Result<Vec<Fixture>, JudgeError> {
    let contestant = |entrant: &str, hash: &str| Contestant {
        name: entrant.to_owned(),
        artifact: Artifact {
            hash: hash.to_owned(),
            directory: PathBuf::new(),
            program: PathBuf::new(),
            args: Vec::new(),
            tokens: None,
        },
    };
    let playing = manifest.entrants.iter().filter_map(|line| {
        let hash = line.artifact.as_ref()?;
        Some(contestant(&line.name, hash))
    });
    let playing: Vec<Contestant> = playing.collect();
    let filler = manifest.filler.as_ref();
    let filler = filler.map(|sitter| contestant(&sitter.entrant, &sitter.artifact));
    let seats = schedule::roles(&manifest.competition)?.len();
    if seats > 2 && playing.len() < seats && filler.is_none() {
        return Err(JudgeError::input(
            "run.json does not tell who sat on the empty chairs; give the same judge run command again, \
             which plays nothing again and writes it down",
        ));
    }
    schedule::fixtures(&manifest.competition, &playing, filler.as_ref())
}

fn by_number(run: &Path, number: usize, all: &[Fixture]) -> Result<MatchRecord, JudgeError> {
    let index = number.checked_sub(1).filter(|&index| index < all.len());
    let Some(index) = index else {
        return Err(JudgeError::input(format!(
            "there is no game {number} in {}: games.csv numbers them from 1 to {}",
            shown(run),
            all.len()
        )));
    };
    let mut look = journal::look(run, &all[index].id)?;
    look.records.pop().ok_or_else(|| {
        JudgeError::input(format!(
            "game {number} has not been played yet{}; the judge run command that made {} goes on with it",
            damage(look.damaged),
            shown(run)
        ))
    })
}

fn by_id(run: &Path, game: &str) -> Result<MatchRecord, JudgeError> {
    let prefix = game.to_ascii_lowercase();
    if prefix.is_empty() || !prefix.chars().all(|c| c.is_ascii_hexdigit()) {
        return Err(JudgeError::input(format!(
            "{game:?} is neither a game's number in games.csv nor the beginning of its fixture's id"
        )));
    }
    let mut look = journal::look(run, &prefix)?;
    match look.records.as_slice() {
        [_] => Ok(look.records.remove(0)),
        [] => Err(JudgeError::input(format!(
            "no game whose fixture's id begins with {prefix} has been played in {}{}; games.csv lists them",
            shown(run),
            damage(look.damaged)
        ))),
        several => {
            let ids = several.iter().take(LISTED_MAX);
            let ids: Vec<&str> = ids.map(|record| brief(&record.fixture)).collect();
            let more = if several.len() > LISTED_MAX {
                ", …"
            } else {
                ""
            };
            Err(JudgeError::input(format!(
                "{} games have fixture ids that begin with {prefix} ({}{more}); give more of it",
                several.len(),
                ids.join(", ")
            )))
        }
    }
}

fn brief(id: &str) -> &str {
    id.get(..ID_DIGITS_SHOWN).unwrap_or(id)
}

/// Says that a game may be among the lines that cannot be read.
fn damage(lines: usize) -> String {
    match lines {
        0 => String::new(),
        _ => format!(
            " (or its line is damaged: {lines} line(s) of journal.jsonl cannot be read, and \
             judge run would play their games again)"
        ),
    }
}

/// Makes the fixture of a record again, and checks that it is the same: nothing else is known
/// to have the same rules and conditions.
fn fixture(
    run: &Path,
    entry: &Entry,
    manifest: &Manifest,
    record: &MatchRecord,
) -> Result<Fixture, JudgeError> {
    let sitters = record.seats.iter().map(|seat| Sitter {
        entrant: seat.entrant.as_str().into(),
        artifact: seat.artifact.as_str().into(),
    });
    let conditions = &manifest.competition.conditions;
    let fixture = Fixture::new(
        entry,
        conditions,
        record.state,
        sitters.collect(),
        record.setup.clone().into(),
    );
    if fixture.id == record.fixture {
        return Ok(fixture);
    }
    Err(JudgeError::input(format!(
        "game {} of {} was played by other rules or conditions than run.json and this judge \
         ({}) know, so it cannot be repeated; use the judge that played it (run.json: {})",
        brief(&record.fixture),
        shown(run),
        env!("CARGO_PKG_VERSION"),
        manifest.judge
    )))
}

/// Finds the program that a seat played with.
///
/// # Errors
/// When it is not kept any more; the message says what to give instead.
pub(super) fn program(found: &Found, seat: Seat) -> Result<Artifact, JudgeError> {
    let sitter = &found.fixture.seats[seat.index()];
    let (name, hash) = (&sitter.entrant, &sitter.artifact);
    if let Some(artifact) = builtin::kept(found.entry, name, hash, &found.run) {
        return Ok(artifact);
    }
    intake::kept(hash, &found.run)?.ok_or_else(|| {
        let folder = found.manifest.submissions.as_deref().unwrap_or("SUBMISSIONS");
        JudgeError::input(format!(
            "the program that {name} played with is not in {} any more; give its folder or file with --bot-dir {}",
            shown(&found.run.join("artifacts")),
            for_shell(&format!("{folder}/{name}"))
        ))
    })
}
