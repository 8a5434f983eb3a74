//! The list of a part's games: `staff/parts/ID`, written with the part. Everyone who has a part can
//! sign lines for it, so only lines for its own games are accepted.

use super::keys::Keys;
use model::game_id::GameId;
use rulebook::JudgeError;
use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use system::files::{make_private_folder, read_regular, write_whole};
use system::run_folder::STAFF;

const FOLDER: &str = "parts";

/// The games that the owner of a key may sign.
#[derive(Clone, Debug)]
pub enum Scope {
    /// All games of a run.
    Run,
    /// The games of a part, as ids of fixtures.
    Part(Arc<HashSet<GameId>>),
}

impl Scope {
    /// Makes the scope of a part from the ids of its fixtures.
    pub fn part(games: impl Iterator<Item = GameId>) -> Self {
        Self::Part(Arc::new(games.collect()))
    }

    /// Returns whether a fixture's game is in the scope.
    pub(super) fn has(&self, game: GameId) -> bool {
        match self {
            Self::Run => true,
            Self::Part(games) => games.contains(&game),
        }
    }
}

/// Records the games of a part.
///
/// # Errors
/// When the staff's folder cannot be written.
pub fn note(
    run: &Path,
    keys: &Keys,
    part: &str,
    games: impl Iterator<Item = GameId>,
) -> Result<(), JudgeError> {
    make_private_folder(&run.join(STAFF))?;
    let folder = run.join(STAFF).join(FOLDER);
    make_private_folder(&folder)?;
    let mut list = String::new();
    for game in games {
        list += &game.text();
        list.push('\n');
    }
    let text = format!("{}\n{list}", keys.mac(part, list.as_bytes()));
    write_whole(&folder.join(part), text.as_bytes())
}

/// Returns the ids of a run's parts.
pub(super) fn parts(run: &Path) -> Vec<String> {
    fs::read_dir(run.join(STAFF).join(FOLDER))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name())
        .filter_map(|name| name.into_string().ok())
        .collect()
}

/// Reads the games of a part.
///
/// # Errors
/// When the record is missing or damaged.
pub(super) fn read(run: &Path, keys: &Keys, part: &str) -> Result<Scope, JudgeError> {
    let path: PathBuf = run.join(STAFF).join(FOLDER).join(part);
    let lost = |what: &str| {
        JudgeError::input(format!(
            "{} {what}: it lists the games of the part, and without it judge cannot take any of them; restore it from \
             a backup, or play the part's games again: judge split RUN",
            path.display()
        ))
    };
    let text = match read_regular(&path) {
        Ok(text) => text,
        Err(e) if e.kind() == ErrorKind::NotFound => return Err(lost("is missing")),
        Err(e) if e.kind() == ErrorKind::FileTooLarge => return Err(lost("is damaged")),
        Err(e) => return Err(JudgeError::io("read", &path, e)),
    };
    let text = String::from_utf8(text).map_err(|_| lost("is damaged"))?;
    let (mac, games) = text.split_once('\n').ok_or_else(|| lost("is damaged"))?;
    if mac != keys.mac(part, games.as_bytes()) {
        return Err(lost("is damaged"));
    }
    let ids: Option<Vec<GameId>> = games
        .lines()
        .map(|id| GameId::parse(id.as_bytes()))
        .collect();
    let ids = ids.ok_or_else(|| lost("is damaged"))?;
    Ok(Scope::part(ids.into_iter()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_games_that_is_changed_or_gone_is_not_believed() {
        let run = tempfile::tempdir().expect("a temporary folder");
        let keys = Keys::make(run.path(), false).expect("ours");
        let id = |digit: &str| GameId::parse(digit.repeat(32).as_bytes()).expect("an id");
        let own = ["1", "2"].map(id);
        note(run.path(), &keys, "p", own.into_iter()).expect("ours");
        assert_eq!(parts(run.path()), ["p"]);
        let scope = read(run.path(), &keys, "p").expect("ours");
        assert!(scope.has(id("2")) && !scope.has(id("3")));
        let path = run.path().join("staff/parts/p");
        let text = fs::read_to_string(&path).expect("there");
        fs::write(&path, text + "three\n").expect("ours");
        let told = |part| read(run.path(), &keys, part).expect_err("lost").to_string();
        assert!(told("p").contains("is damaged"), "{}", told("p"));
        assert!(told("q").contains("is missing"), "{}", told("q"));
    }
}
