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
use std::sync::atomic::AtomicBool;
use system::foreign::ForeignFolder;

/// Maximum number of students whose folders are verified together.
const STUDENTS_MAX: usize = 100_000;

#[derive(Args)]
pub(super) struct VerifyArgs {
    /// A run folder, or a folder that `judge report` wrote for the public or for students
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
                "{e}; give a run folder, or one that judge report wrote for the public or for students"
            );
            refused(&self.place, &reason)
        })?;
        let opened = ForeignFolder::open(&folder);
        let opened =
            opened.map_err(|e| refused(&self.place, &format!("it cannot be read: {e}")))?;
        inspect(&opened, &stop)
    }
}

fn inspect(folder: &ForeignFolder, stop: &AtomicBool) -> Result<Done, JudgeError> {
    let mut inspection = Inspection::default();
    let place = folder.path();
    if files::is_there(folder, MARK_NAME) {
        match read_mark(&files::text(folder, MARK_NAME)?) {
            Some((View::Public, _)) => view::public(folder, stop, &mut inspection)?,
            Some((View::Student, Some(name))) => view::student(folder, name, &mut inspection)?,
            Some((View::Student, None)) => return inspect_students(folder, stop),
            Some((View::Staff, _)) => {
                let reason = "the staff view is a copy of the run's tables; give the run folder";
                return Err(refused(place, reason));
            }
            None => {
                let reason = format!("its {MARK_NAME} is not one that judge report writes");
                return Err(refused(place, &reason));
            }
        }
    } else {
        run::inspect(folder, stop, &mut inspection)?;
    }
    inspection.tell(&shown(place))
}

/// Inspects the folders of all students.
fn inspect_students(folders: &ForeignFolder, stop: &AtomicBool) -> Result<Done, JudgeError> {
    let refused = |reason: &str| refused(folders.path(), reason);
    let names = folders.sorted_names(STUDENTS_MAX);
    let names = names.map_err(|e| refused(&format!("it cannot be read: {e}")))?;
    let students = names.iter().filter_map(|name| folders.folder(name).ok());
    let mut done = None;
    for student in students.filter(|student| files::is_there(student, MARK_NAME)) {
        if done.is_some() {
            say!("");
        }
        let now = inspect(&student, stop)?;
        done = Some(match done {
            Some(Done::Unverified) => Done::Unverified,
            _ => now,
        });
    }
    done.ok_or_else(|| refused("it has no student's folder"))
}
