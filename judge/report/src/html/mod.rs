//! `report.html`: a run as one page that needs only a browser, and pages of single games.
//!
//! The words and tables come from `overview.rs`, `standings.rs` and `entrants.rs`, the games as
//! pictures from `encode.rs`. The script in `page/` draws them and knows no rules.

mod bot_stderr;
mod caption;
mod cells;
mod charts;
mod choose;
mod data;
mod encode;
mod entrants;
mod featured;
mod first;
mod full;
mod gather;
mod histogram;
mod history;
mod machines;
mod occasion;
mod overview;
mod pages;
mod palette;
mod phrases;
mod shell;
mod single;
mod source;
mod standings;
mod time_chart;
mod timeline;
mod yours;

pub use bot_stderr::{Beside, BotStderr, beside_game};
pub use full::{FOLDER_NAME as GAMES_FOLDER, GAMES_MAX, clear_games, replace_games};
pub use pages::Pages;
pub(crate) use phrases::{cut, readable_times, second_words};
pub use shell::data_of;
pub(crate) use shell::waiting;
pub use single::write_game;
pub use source::{FILE_NAME, Live, Made, PageMachines, PageSource, ReadGame, ReadGames};
pub(crate) use source::{OwnPage, Told};

use rulebook::JudgeError;
use std::path::{Path, PathBuf};
use system::files::write_whole;

/// Writes the page of a run into a folder; returns its path.
///
/// # Errors
/// When a game cannot be read, or the page cannot be written.
pub fn write_report(
    folder: &Path,
    source: &PageSource<'_>,
    read: ReadGame<'_>,
) -> Result<PathBuf, JudgeError> {
    let page = Pages::gather(*source, read)?.whole(read, false)?;
    let path = folder.join(FILE_NAME);
    write_whole(&path, page.as_bytes())?;
    // No page links to the earlier pages of single games any more, and the numbers of games may
    // have changed.
    clear_games(folder)?;
    single::clear(folder)?;
    Ok(path)
}
