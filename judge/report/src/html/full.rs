//! A page for every game of a run, in a folder beside the run's page.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a run's folder"
)]

use super::pages::Pages;
use super::source::ReadGame;
use rulebook::JudgeError;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use system::cleanup::TemporaryFolder;
use system::files::make_folder;

/// The folder's name.
pub const FOLDER_NAME: &str = "games";
/// Maximum number of games with a page of their own. Pages have some 50 kB each, which makes 1 GB.
pub const GAMES_MAX: usize = 20_000;
/// The file that marks a folder as made by the judge and replaceable.
const MARK_NAME: &str = "games.txt";
const MARK: &str = "pages of single games, made by judge; they are replaced and removed with the page beside them\n";

impl Pages<'_> {
    /// Writes all games into a new folder, as pages that link each other and the run's page. If
    /// `own` is given, writes only the games of that entrant.
    ///
    /// # Errors
    /// When there are more than [`GAMES_MAX`], one cannot be read or written, or `stop` is set.
    pub fn write_games(
        &self,
        folder: &Path,
        own: Option<&str>,
        read: ReadGame<'_>,
        stop: &AtomicBool,
    ) -> Result<(), JudgeError> {
        let own = own.map(|name| self.summary.index.get(name).copied());
        let numbers = match own {
            // An unknown entrant is in no game.
            Some(None) => Vec::new(),
            own => self.played(own.flatten()),
        };
        check_count(numbers.len())?;
        make_folder(folder)?;
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            fs::write(&path, text).map_err(|e| JudgeError::io("write", &path, e))
        };
        write(MARK_NAME, MARK)?;
        for (at, &number) in numbers.iter().enumerate() {
            if stop.load(Ordering::Relaxed) {
                return Err(JudgeError::Interrupted);
            }
            let before = at.checked_sub(1).map(|at| numbers[at]);
            let after = numbers.get(at + 1).copied();
            if let Some(page) = self.beside(number, before, after, read)? {
                write(&format!("{number}.html"), &page)?;
            }
        }
        Ok(())
    }
}

fn check_count(games: usize) -> Result<(), JudgeError> {
    if games <= GAMES_MAX {
        return Ok(());
    }
    Err(JudgeError::input(format!(
        "--full writes at most {GAMES_MAX} pages, but there are {games} games; leave it out, \
         and open single games with judge view RUN GAME"
    )))
}

/// Writes all games into the folder `games` below `folder`, which replaces an earlier one. The new
/// folder is completed elsewhere before it is moved there.
///
/// # Errors
/// As [`Pages::write_games`], or when `games` is something else.
pub fn replace_games(
    folder: &Path,
    pages: &Pages<'_>,
    read: ReadGame<'_>,
    stop: &AtomicBool,
) -> Result<(), JudgeError> {
    let place = folder.join(FOLDER_NAME);
    let failed = |e| JudgeError::io("make the folder", &place, e);
    if place.exists() && !is_ours(&place) {
        return Err(JudgeError::input(format!(
            "cannot write all games into {}: it contains other files; move them away",
            place.display()
        )));
    }
    let private = Permissions::from_mode(0o700);
    let fresh = TemporaryFolder::new_in(folder, ".new-", private).map_err(failed)?;
    let made = fresh.path().join(FOLDER_NAME);
    pages.write_games(&made, None, read, stop)?;
    fs::set_permissions(&made, Permissions::from_mode(0o755)).map_err(failed)?;
    if place.exists() {
        fs::rename(&place, fresh.path().join("old")).map_err(failed)?;
    }
    fs::rename(&made, &place).map_err(failed)
}

/// Removes the folder `games` below `folder` if the judge has made it.
///
/// # Errors
/// When it cannot be removed.
pub fn clear_games(folder: &Path) -> Result<(), JudgeError> {
    let place = folder.join(FOLDER_NAME);
    if !is_ours(&place) {
        return Ok(());
    }
    let failed = |e| JudgeError::io("remove", &place, e);
    // The folder keeps its mark until it has been moved away.
    let old = tempfile::Builder::new()
        .prefix(".old-")
        .tempdir_in(folder)
        .map_err(failed)?;
    fs::rename(&place, old.path().join(FOLDER_NAME)).map_err(failed)?;
    old.close().map_err(failed)
}

fn is_ours(place: &Path) -> bool {
    fs::read_to_string(place.join(MARK_NAME)).is_ok_and(|mark| mark == MARK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_games_are_refused_before_anything_is_written() {
        assert!(check_count(GAMES_MAX).is_ok());
        let refused = check_count(GAMES_MAX + 1)
            .expect_err("too many")
            .to_string();
        assert!(refused.contains("20001") && refused.contains("judge view RUN GAME"));
    }

    #[test]
    fn a_folder_of_somebody_else_is_left_alone() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let games = folder.path().join(FOLDER_NAME);
        fs::create_dir(&games).expect("new");
        fs::write(games.join("mine.txt"), "mine").expect("new");
        clear_games(folder.path()).expect("nothing to do");
        assert!(games.join("mine.txt").exists());
        fs::write(games.join(MARK_NAME), MARK).expect("new");
        clear_games(folder.path()).expect("it is ours");
        assert!(!games.exists());
    }
}
