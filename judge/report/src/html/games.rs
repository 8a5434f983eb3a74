//! Pages of single games: in a folder next to a run's page, or as `judge view RUN GAME` writes them.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a run's folder or into a view that is being made"
)]

use super::bot_stderr::{BotStderr, TextLimits};
use super::encode::Writer;
use super::pages::{Pages, base};
use super::{FILE_NAME, GameSummary, Summary, overview, shell};
use crate::run_data::GameSource;
use model::competition::Competition;
use model::record::MatchRecord;
use rulebook::{IoContext, JudgeError, Result, refuse};
use serde_json::json;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use store::author_log::AuthorLogs;
use system::cleanup::TemporaryFolder;
use system::files::{make_folder, set_mode, write_whole};

/// The folder's name.
pub const FOLDER_NAME: &str = "games";
/// Maximum number of games with a page of their own. Pages have some 50 kB each, which makes 1 GB.
pub const GAMES_MAX: usize = 20_000;
/// The file that marks a folder as made by the judge and replaceable.
const MARK_NAME: &str = "games.txt";
const MARK: &str = "pages of single games, made by judge; they are replaced and removed with the page beside them\n";

impl Pages<'_> {
    /// Writes the page of a run into its folder; returns its path. With `full`, it writes a page for each game,
    /// until the flag is set. Earlier pages of games are removed: nothing links them any more.
    pub fn write(&self, folder: &Path, full: Option<&AtomicBool>) -> Result<PathBuf> {
        let page = self.whole(None, full.is_some())?;
        let games = |stop| move |made: &Path| self.write_games(made, self.run.games, stop);
        replace_games(folder, full.map(games))?;
        clear(folder)?;
        let path = folder.join(FILE_NAME);
        write_whole(&path, page.as_bytes())?;
        Ok(path)
    }

    /// Writes a page for each of these games that the run's page knows.
    pub(crate) fn write_games(
        &self,
        folder: &Path,
        games: &dyn GameSource,
        stop: &AtomicBool,
    ) -> Result {
        let known = &self.summary.games;
        let numbers: Vec<usize> = (0..games.count())
            .map(|place| games.number(place))
            .filter(|number| (known.binary_search_by_key(number, GameSummary::number)).is_ok())
            .collect();
        check_count(numbers.len())?;
        make_folder(folder)?;
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            fs::write(&path, text).or_io("write", &path)
        };
        write(MARK_NAME, MARK)?;
        for (at, &number) in numbers.iter().enumerate() {
            if stop.load(Ordering::Relaxed) {
                return Err(JudgeError::Interrupted);
            }
            let Some(record) = games.record(number)? else {
                continue;
            };
            let neighbours = [at.checked_sub(1), Some(at + 1)].map(|at| numbers.get(at?));
            let among = Some((&self.summary.index, neighbours));
            let stderr = games.wrote(number, &record)?;
            let (competition, label) = (&self.run.manifest.competition, number.to_string());
            let game = (&record, stderr.as_slice());
            let page = page(self.run.is_staff, competition, &label, game, among)?;
            write(&format!("{number}.html"), &page)?;
        }
        Ok(())
    }
}

fn check_count(games: usize) -> Result {
    if games <= GAMES_MAX {
        return Ok(());
    }
    refuse(format!(
        "--full writes at most {GAMES_MAX} pages, but there are {games} games; leave it out, \
         and open single games with judge view RUN GAME"
    ))
}

/// Replaces the folder `games`, if the judge has made it. `fill` completes another one elsewhere.
fn replace_games(folder: &Path, fill: Option<impl FnOnce(&Path) -> Result>) -> Result {
    let place = folder.join(FOLDER_NAME);
    let is_ours = fs::read_to_string(place.join(MARK_NAME)).is_ok_and(|mark| mark == MARK);
    if !is_ours && fill.is_none() {
        return Ok(());
    }
    if !is_ours && place.exists() {
        return refuse(format!(
            "cannot write all games into {}: it contains other files; move them away",
            place.display()
        ));
    }
    let failed = |e| JudgeError::io("make the folder", &place, e);
    let fresh = TemporaryFolder::new_in(folder, ".new-", 0o700).map_err(failed)?;
    let made = fresh.path().join(FOLDER_NAME);
    if let Some(fill) = fill {
        fill(&made)?;
        set_mode(&made, 0o755).map_err(failed)?;
    }
    if is_ours {
        fs::rename(&place, fresh.path().join("old")).map_err(failed)?;
    }
    if made.exists() {
        fs::rename(&made, &place).map_err(failed)?;
    }
    Ok(())
}

/// The text around a label in the name of a page: a game's number, or the beginning of its fixture's id.
const BEFORE_LABEL: &str = "game-";
const BEHIND_LABEL: &str = ".html";

/// Writes the page of one game, with its bots' standard error and notes, into a folder; returns its path.
pub fn write_game(
    folder: &Path,
    competition: &Competition,
    number: Option<usize>,
    record: &MatchRecord,
) -> Result<PathBuf> {
    let label = number.map_or_else(|| record.fixture.text()[..12].to_owned(), |n| n.to_string());
    let wrote = BotStderr::of_all(&AuthorLogs::of_run(folder), record)?;
    let page = page(true, competition, &label, (record, &wrote), None)?;
    let path = folder.join(format!("{BEFORE_LABEL}{label}{BEHIND_LABEL}"));
    write_whole(&path, page.as_bytes())?;
    Ok(path)
}

fn clear(folder: &Path) -> Result {
    for entry in fs::read_dir(folder).or_io("read", folder)? {
        let entry = entry.or_io("read", folder)?;
        let is_ours = entry
            .file_name()
            .to_string_lossy()
            .strip_prefix(BEFORE_LABEL)
            .and_then(|rest| rest.strip_suffix(BEHIND_LABEL))
            .is_some_and(|label| label.bytes().all(|b| b.is_ascii_hexdigit()));
        if is_ours {
            fs::remove_file(entry.path()).or_io("remove", entry.path())?;
        }
    }
    Ok(())
}

/// The games before and after, by their numbers.
type Neighbours<'a> = [Option<&'a usize>; 2];

fn page(
    has_run: bool,
    competition: &Competition,
    label: &str,
    (record, wrote): (&MatchRecord, &[BotStderr]),
    among: Option<(&HashMap<String, usize>, Neighbours<'_>)>,
) -> Result<String> {
    let mut summary = Summary::default();
    summary.add(competition, 0, record);
    let seats = summary.games[0].seats().to_vec();
    let mut writer = Writer::new(&competition.conditions, TextLimits::ALONE)?;
    let game = writer.game(label, &seats, "", record, wrote)?;
    let mut data = base(has_run, competition, &summary)?;
    writer.put(&mut data, vec![game]);
    data["single"] = json!(true);
    if let Some((known, [before, after])) = among {
        data["entrants"] = (summary.names.iter().map(|name| json!(known.get(name)))).collect();
        data["back"] = json!(format!("../{FILE_NAME}"));
        data["before"] = json!(before);
        data["after"] = json!(after);
    }
    let body = overview::single(&competition.title, among.is_some()).into_string();
    shell::page(competition, &format!("game {label}"), &body, &data, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_games_are_refused_before_writing() {
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
        let none = None::<fn(&Path) -> Result<(), JudgeError>>;
        replace_games(folder.path(), none).expect("nothing to do");
        assert!(games.join("mine.txt").exists());
        fs::write(games.join(MARK_NAME), MARK).expect("new");
        replace_games(folder.path(), none).expect("it is ours");
        assert!(!games.exists());
    }
}
