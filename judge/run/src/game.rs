//! Games of one's own, opened from their files, and again from the copy that a run keeps.

use crate::play::{open_game, open_game_among};
use crate::programs::{THIS_PROGRAM, toolchains};
use intake::{GAME_FILE, GameFiles, adopt_program, did_you_mean_path, find_kept_program};
use model::competition::Competition;
use model::text::readable;
use referee::external::HELPERS;
use rulebook::JudgeError;
use rulebook::nearest::nearest;
use rulebook::rules::Rules;
use sandbox::{Builder, Isolation};
use std::collections::BTreeMap;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use system::cleanup::TemporaryFolder;
use system::foreign::ForeignFolder;

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

pub(crate) fn open_own(slug: &str, folder: &Path) -> Result<Arc<dyn Rules>, JudgeError> {
    let rules = open(slug, folder, &BTreeMap::new())?;
    let own = rules.info().slug;
    if own != slug {
        return Err(JudgeError::input(format!(
            "the game in {slug} is called {own}; rename its folder, or name it with --game {slug}"
        )));
    }
    rulebook::rules::add(slug, &rules);
    Ok(rules)
}

/// Finds a game by its slug, or opens it from its files.
pub fn named_game(name: &str) -> Result<Arc<dyn Rules>, JudgeError> {
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
) -> Result<Arc<dyn Rules>, JudgeError> {
    let rules = open(name, place, named)?;
    rulebook::rules::add(name, &rules);
    Ok(rules)
}

fn open(
    name: &str,
    place: &Path,
    named: &BTreeMap<String, String>,
) -> Result<Arc<dyn Rules>, JudgeError> {
    if !place.exists() {
        return Err(JudgeError::input(format!(
            "there is no game {}{}; give the file or folder of a game, or a built-in one ({})",
            place.display(),
            did_you_mean_path(place),
            rulebook::rules::built_in()
                .map(|rules| rules.info().slug)
                .collect::<Vec<_>>()
                .join(", ")
        )));
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
    let mode = Permissions::from_mode(0o755);
    let folder = TemporaryFolder::new("game", mode)
        .map_err(|e| JudgeError::io("make a folder in", std::env::temp_dir(), e))?;
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
) -> Result<Arc<dyn Rules>, JudgeError> {
    let Some(program) = rules.program() else {
        return Ok(rules);
    };
    let artifact = adopt_program(program, run, isolation)?;
    let kept = open_game(artifact, isolation, None)?;
    rulebook::rules::add(kept.info().slug, &kept);
    Ok(kept)
}

pub(crate) fn open_kept(run: &Path, competition: &Competition) -> Result<(), JudgeError> {
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
