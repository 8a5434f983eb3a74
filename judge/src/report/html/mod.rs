//! `report.html`: a run as one page that needs nothing but a browser, and pages of single
//! games. The words and tables come from `overview.rs` and `entrants.rs`, the games as pictures from
//! `encode.rs`; the script in `page/` draws them and knows no rules.

mod charts;
mod choose;
mod encode;
mod entrants;
mod gather;
mod histogram;
mod overview;
mod shell;
mod words;

use super::replay::replay;
use crate::competition::Competition;
use crate::error::JudgeError;
use crate::files::write_whole;
use crate::manifest::EntrantLine;
use crate::record::MatchRecord;
use crate::scoring::Table;
use gather::{Summary, Why};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The page's name in a run's folder.
pub const FILE_NAME: &str = "report.html";
/// The page is at most this big, so that it opens on a phone and can be sent by mail; what
/// else was played is shown by `judge view RUN GAME`.
const PAGE_BYTES_MAX: usize = 4_800_000;
/// So many entrants have a row and a column in the table of pairs.
const PAIRED_MAX: usize = 100;

/// What a page is made from.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The run's folder.
    pub folder: &'a Path,
    /// The competition.
    pub competition: &'a Competition,
    /// Everybody who handed something in.
    pub entrants: &'a [EntrantLine],
    /// The fixture ids of every game of the competition, in order.
    pub ids: &'a [String],
    /// Who stands where.
    pub table: &'a Table,
}

/// Reads a finished game by its fixture's id; none if it has not been played.
pub type Read<'a> = &'a dyn Fn(&str) -> Result<Option<MatchRecord>, JudgeError>;

/// Writes the page of a run into its folder; gives where.
///
/// # Errors
/// When a game cannot be read, or the page cannot be written.
pub fn write_report(source: &Source<'_>, read: Read<'_>) -> Result<PathBuf, JudgeError> {
    let summary = gather(source, read)?;
    let body = overview::body(source, &summary)?;
    let mut data = data(source, &summary)?;
    let room = PAGE_BYTES_MAX.saturating_sub(body.len() + shell::data(&data).len() + shell::BYTES);
    add_games(&mut data, source, &summary, read, room)?;
    let path = source.folder.join(FILE_NAME);
    let title = format!("{}: results", source.competition.title);
    write_whole(&path, shell::page(&title, &body, &data).as_bytes())?;
    Ok(path)
}

/// Writes the page of one game into the run's folder; gives where. `number` is the game's
/// number in fixture order, where it has one.
///
/// # Errors
/// When the rules refuse the record, or the page cannot be written.
pub fn write_game(
    folder: &Path,
    competition: &Competition,
    number: Option<usize>,
    record: &MatchRecord,
) -> Result<PathBuf, JudgeError> {
    let label = number.map_or_else(|| record.fixture[..12].to_owned(), |n| n.to_string());
    let mut summary = Summary::new(std::iter::empty());
    summary.add(number.unwrap_or_default(), record);
    let line = summary.games.last().expect("it was added just now");
    let pictures = replay(&competition.conditions, record)?;
    let mut writer = encode::Writer::default();
    let seats = line.seats.clone();
    let game = writer.game(label.clone(), seats, Why::Asked, record, &pictures);
    let mut data = base(folder, competition, &summary)?;
    put_games(
        &mut data,
        vec![serde_json::to_value(game).expect("plain data")],
        &writer,
    );
    data["single"] = json!(true);
    let path = folder.join(format!("game-{label}.html"));
    let title = format!("{}: game {label}", competition.title);
    let body = overview::single(&competition.title);
    write_whole(&path, shell::page(&title, &body, &data).as_bytes())?;
    Ok(path)
}

fn gather(source: &Source<'_>, read: Read<'_>) -> Result<Summary, JudgeError> {
    let rows = source.table.rows.iter();
    let ranked = rows.map(|row| row.standing.entrant.clone());
    let removed = source.table.removed.iter().map(|(name, _)| name.clone());
    let mut summary = Summary::new(ranked.chain(removed));
    for (id, number) in source.ids.iter().zip(1..) {
        if let Some(record) = read(id)? {
            summary.add(number, &record);
        }
    }
    Ok(summary)
}

/// Gives what the script needs for any page.
fn base(folder: &Path, competition: &Competition, summary: &Summary) -> Result<Value, JudgeError> {
    let folder = folder.file_name().unwrap_or_default().to_string_lossy();
    let names = summary.names.iter().map(|name| words::name(name));
    Ok(json!({
        "run": words::name(&folder),
        "names": names.collect::<Vec<_>>(),
        "roles": crate::schedule::roles(competition)?,
        "turn_us": competition.conditions.time.turn_us,
    }))
}

fn data(source: &Source<'_>, summary: &Summary) -> Result<Value, JudgeError> {
    let mut data = base(source.folder, source.competition, summary)?;
    let shown = summary.names.len().min(PAIRED_MAX);
    let pairs = summary.pairs.iter();
    let pairs = pairs.filter(|((one, other, _), _)| *one < shown && *other < shown);
    let pairs = pairs.map(|((one, other, role), pair)| {
        json!([
            one,
            other,
            role,
            pair.ahead,
            pair.level,
            pair.behind,
            pair.game
        ])
    });
    data["pairs"] = pairs.collect();
    data["paired"] = json!(shown);
    Ok(data)
}

/// Encodes the chosen games in fixture order, as many as there is room for.
fn add_games(
    data: &mut Value,
    source: &Source<'_>,
    summary: &Summary,
    read: Read<'_>,
    room: usize,
) -> Result<(), JudgeError> {
    let ranked = source.table.rows.len();
    let mut bytes = 0;
    let mut games = Vec::new();
    let mut writer = encode::Writer::default();
    for (index, why) in choose::choose(summary, ranked) {
        let line = &summary.games[index];
        let Some(record) = read(&source.ids[line.number - 1])? else {
            continue;
        };
        let pictures = replay(&source.competition.conditions, &record)?;
        let number = line.number.to_string();
        let game = writer.game(number, line.seats.clone(), why, &record, &pictures);
        let game = serde_json::to_value(game).expect("plain data");
        let size = shell::data(&game).len() + 1;
        if bytes + size > room {
            break;
        }
        bytes += size;
        games.push((line.number, game));
    }
    games.sort_by_key(|(number, _)| *number);
    let games = games.into_iter().map(|(_, game)| game).collect();
    put_games(data, games, &writer);
    Ok(())
}

fn put_games(data: &mut Value, games: Vec<Value>, writer: &encode::Writer) {
    data["games"] = Value::Array(games);
    data["kinds"] = json!(writer.kinds);
    data["forms"] = json!(writer.forms);
}
