//! `report.html`: a run as one page that needs only a browser, and pages of single games.

mod bot_stderr;
mod charts;
mod choose;
mod conduct;
mod encode;
mod entrants;
mod games;
mod gather;
mod overview;
mod pages;
mod phrases;
mod shell;
mod source;
mod standings;
mod time_chart;
mod timeline;
mod verdict;
mod yours;

pub(crate) use bot_stderr::BotStderr;
pub use bot_stderr::{BotWords, bot_words_of_game};
pub use games::{FOLDER_NAME as GAMES_FOLDER, GAMES_MAX, write_game};
pub use pages::Pages;
pub(crate) use phrases::{cut, readable_times, second_words};
pub(crate) use shell::{data_of, waiting};
pub use source::{FILE_NAME, Live, Made};
pub(crate) use source::{OwnPage, StaffReports};
