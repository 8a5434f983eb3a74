//! `judge verify`: checks that a run, or its published view, agrees with its journal.

mod artifacts;
mod bounds;
mod drawn;
mod files;
mod inspection;
mod moments;
mod rebuilt;
mod records;
mod run;
mod view;

use self::inspection::{Inspection, refused};
use super::exit::Done;
use super::interrupt::stop_on_interrupt;
use ::run::commands::shown;
use ::run::named_game;
use clap::Args;
use error::JudgeError;
use report::{MARK_NAME, View, read_mark};
use std::path::PathBuf;
use system::foreign::ForeignFolder;

#[derive(Args)]
pub(super) struct VerifyArgs {
    /// A run folder, or a folder that `judge report` wrote for the public or for one student
    place: PathBuf,
    /// The game of a view, if it is one's own: the file or folder that was played with
    #[arg(long, value_name = "PATH")]
    game: Option<String>,
}

impl VerifyArgs {
    /// Reads the folder without changing it, and prints the checks and the differences.
    ///
    /// # Errors
    /// When it is no such folder, or cannot be read.
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        let stop = stop_on_interrupt()?;
        self.game.as_deref().map(named_game).transpose()?;
        let folder = self.place.canonicalize();
        let folder = folder.map_err(|e| {
            let reason = format!(
                "{e}; give a run folder, or one that judge report wrote for the public or for one student"
            );
            refused(&self.place, &reason)
        })?;
        let opened = ForeignFolder::open(&folder);
        let opened =
            opened.map_err(|e| refused(&self.place, &format!("it cannot be read: {e}")))?;
        let mut inspection = Inspection::default();
        if files::is_there(&opened, MARK_NAME) {
            let mark = files::text(&opened, MARK_NAME)?;
            match read_mark(&mark) {
                Some((View::Public, _)) => view::public(&opened, &stop, &mut inspection)?,
                Some((View::Student, Some(name))) => {
                    view::student(&opened, name, &mut inspection)?;
                }
                Some((View::Student, None)) => {
                    let reason = "it holds the folders of all students; give one of these";
                    return Err(refused(&self.place, reason));
                }
                Some((View::Staff, _)) => {
                    let reason =
                        "the staff view is a copy of the run's tables; give the run folder";
                    return Err(refused(&self.place, reason));
                }
                None => {
                    let reason = format!("its {MARK_NAME} is not one that judge report writes");
                    return Err(refused(&self.place, &reason));
                }
            }
        } else {
            run::inspect(&opened, &stop, &mut inspection)?;
        }
        inspection.tell(&shown(&folder))
    }
}
