//! Finds the game that the user named, and the programs of its bots.

use crate::Result;
use crate::cli::one_game;
use crate::terminal::joined;
use engines::Seat;
use intake::Toolchains;
use model::artifact::Artifact;
use model::builtin::is_builtin;
use model::fixture::{Fixture, Participant};
use model::game_id::GameId;
use model::record::MatchRecord;
use rulebook::JudgeError;
use rulebook::rules::Rules;
use run::PastRun;
use run::builtin;
use run::commands::{path_for_shell, shown};
use sandbox::Isolation;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::MatchingGames;
use store::manifest::Manifest;
use system::run_folder::ARTIFACTS;

pub(in crate::cli) struct FoundGame {
    /// The run's folder, absolute.
    pub(in crate::cli) run: PathBuf,
    pub(in crate::cli) manifest: Manifest,
    pub(in crate::cli) rules: Arc<dyn Rules>,
    /// Its number in `games.csv`; `None` for a game of a bot that has been replaced.
    pub(in crate::cli) number: Option<usize>,
    pub(super) fixture: Fixture,
    pub(in crate::cli) record: MatchRecord,
}

/// Maximum length of a number in `games.csv`, in digits; a longer one is part of an id.
const NUMBER_DIGITS_MAX: usize = 7;
const LISTED_MAX: usize = 4;
const ID_DIGITS_SHOWN: usize = 12;

/// Finds a game by its number in `games.csv` or by the beginning of its fixture's id.
pub(in crate::cli) fn find(run: &Path, game: &str) -> Result<FoundGame> {
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
        return refused!(
            "no game {number} in {run}: games.csv numbers them from 1 to {}",
            all.len()
        );
    };
    let (mut records, damage) = find_games(past, &id.text())?;
    match records.pop() {
        Some(record) => Ok(record),
        None => refused!(
            "game {number} has not been played yet{damage}; to continue {run}, rerun the judge run command that made it"
        ),
    }
}

fn by_id(past: &PastRun, game: &str) -> Result<MatchRecord> {
    let run = shown(&past.folder);
    let prefix = game.to_ascii_lowercase();
    if prefix.is_empty() || !prefix.chars().all(|c| c.is_ascii_hexdigit()) {
        return refused!(
            "{game:?} is neither the number of a game in games.csv nor the beginning of an id in its column fixture"
        );
    }
    let (mut records, damage) = find_games(past, &prefix)?;
    match records.len() {
        1 => Ok(records.remove(0)),
        0 => refused!(
            "no played game in {run} has an id that begins with {prefix}{damage}; games.csv lists them in its column fixture"
        ),
        several => {
            let first = records.iter().take(LISTED_MAX);
            let ids = joined(first.map(|record| brief(record.fixture)), ", ");
            let more = if several > LISTED_MAX { ", …" } else { "" };
            refused!(
                "{several} games have ids that begin with {prefix} ({ids}{more}); give more of the id"
            )
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
    refused!(
        "game {} of {} was played with other rules or conditions than those of run.json and this judge \
         ({}), so it cannot be played again; use the version of judge that played it (run.json: {})",
        brief(record.fixture),
        shown(&past.folder),
        crate::BUILD,
        manifest.judge
    )
}

pub(super) fn program(found: &FoundGame, seat: Seat) -> Result<Artifact> {
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

pub(super) fn check(
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
