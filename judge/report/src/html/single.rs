//! Pages of single games: beside a run's page, or as `judge view RUN GAME` writes them.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a view that is being made"
)]

use super::bot_stderr::BotStderr;
use super::data::{base, put_games};
use super::gather::{Summary, Why};
use super::pages::Pages;
use super::source::{FILE_NAME, ReadGame};
use super::{bot_stderr, encode, overview, shell};
use crate::replay::replay;
use model::competition::Competition;
use model::record::MatchRecord;
use rulebook::JudgeError;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use store::author_log::AuthorLogs;
use system::files::write_whole;

/// The text around a game's label in the name of its page. The label is the game's number, or the
/// beginning of its fixture's id.
const BEFORE_LABEL: &str = "game-";
const BEHIND_LABEL: &str = ".html";

/// Writes the page of one game, with the standard error and the notes of its bots, into the run's folder; returns
/// its path. `number` is the game's number in fixture order, if it has one.
///
/// # Errors
/// When the rules refuse the record, or the page cannot be written.
pub fn write_game(
    folder: &Path,
    competition: &Competition,
    number: Option<usize>,
    record: &MatchRecord,
) -> Result<PathBuf, JudgeError> {
    let label = number.map_or_else(|| record.fixture.text()[..12].to_owned(), |n| n.to_string());
    let wrote = BotStderr::of_all(&AuthorLogs::of_run(folder), record)?;
    let page = page(true, competition, &label, (record, &wrote), &mut |_, _| {})?;
    let path = folder.join(format!("{BEFORE_LABEL}{label}{BEHIND_LABEL}"));
    write_whole(&path, page.as_bytes())?;
    Ok(path)
}

/// Removes the pages of single games from a run's folder.
///
/// # Errors
/// When one cannot be removed.
pub(super) fn clear(folder: &Path) -> Result<(), JudgeError> {
    let unreadable = |e| JudgeError::io("read", folder, e);
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let label = name
            .strip_prefix(BEFORE_LABEL)
            .and_then(|rest| rest.strip_suffix(BEHIND_LABEL));
        let is_ours = label.is_some_and(|label| label.bytes().all(|b| b.is_ascii_hexdigit()));
        if is_ours {
            fs::remove_file(entry.path()).map_err(|e| JudgeError::io("remove", entry.path(), e))?;
        }
    }
    Ok(())
}

impl Pages<'_> {
    /// Returns the page of a game in a folder beside the run's page; `before` and `after` are its
    /// neighbours there. `None` if the game has not been played.
    pub(super) fn beside(
        &self,
        number: usize,
        before: Option<usize>,
        after: Option<usize>,
        read: ReadGame<'_>,
    ) -> Result<Option<String>, JudgeError> {
        let Some(record) = read.record(number)? else {
            return Ok(None);
        };
        let known = &self.summary.index;
        let mut link = |data: &mut Value, summary: &Summary| {
            let names = summary.names.iter().map(|name| json!(known.get(name)));
            data["entrants"] = names.collect();
            data["back"] = json!(format!("../{}", FILE_NAME));
            data["before"] = json!(before);
            data["after"] = json!(after);
        };
        let label = number.to_string();
        let competition = self.source.competition;
        let wrote = read.wrote(number, &record)?;
        let game = (&record, wrote.as_slice());
        page(self.source.has_run, competition, &label, game, &mut link).map(Some)
    }
}

fn page(
    has_run: bool,
    competition: &Competition,
    label: &str,
    (record, wrote): (&MatchRecord, &[BotStderr]),
    link: &mut dyn FnMut(&mut Value, &Summary),
) -> Result<String, JudgeError> {
    let mut summary = Summary::new(std::iter::empty());
    summary.add(competition, 0, record);
    let seats = summary.games[0].seats().to_vec();
    let rules = rulebook::rules::of(&competition.conditions)?;
    let pictures = replay(&*rules, &competition.conditions, record)?;
    let mut writer = encode::Writer::default();
    let game = writer.game(label.to_owned(), seats, Why::Other, record, &pictures);
    let game = game.with(bot_stderr::beside(
        record,
        &pictures,
        wrote,
        bot_stderr::Room::ALONE,
    ));
    let mut data = base(has_run, competition, &summary)?;
    let game = serde_json::to_value(game).expect("plain data");
    put_games(&mut data, vec![game], &writer);
    data["single"] = json!(true);
    link(&mut data, &summary);
    let has_neighbours = data.get("back").is_some();
    let body = overview::single(&competition.title, has_neighbours);
    let title = format!("{}: game {label}", competition.title);
    Ok(shell::page(&title, rules.palette(), &body, &data, false))
}
