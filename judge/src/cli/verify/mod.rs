//! `judge verify`: checks that a run, or its published view, agrees with its journal.

mod bounds;
mod files;
mod inspection;
mod records;
mod run;
mod view;

use self::inspection::{Inspection, refused, tell_notes};
use super::exit::{Done, stop_on_interrupt};
use ::run::commands::shown;
use ::run::named_game;
use clap::Args;
use model::numbers::counted;
use model::text::readable;
use report::{MARK_NAME, View, read_mark};
use rulebook::JudgeError;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use system::foreign::ForeignFolder;

/// Maximum number of entries of a folder with those of all students: more than any course has.
const ENTRIES_MAX: usize = 100_000;

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
        let folder = self.place.canonicalize().map_err(|e| {
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

/// Inspects the folders of all students. Nothing else may be there but hidden folders, which a watch
/// has while it publishes.
fn inspect_students(all: &ForeignFolder, stop: &AtomicBool) -> Result<Done, JudgeError> {
    let unreadable = |e| refused(all.path(), &format!("it cannot be read: {e}"));
    let (mut students, mut notes) = (HashSet::new(), Vec::new());
    let (mut differ, mut failed) = (false, 0);
    for name in all.sorted_names(ENTRIES_MAX).map_err(unreadable)? {
        if stop.load(Ordering::Relaxed) {
            return Err(JudgeError::Interrupted);
        }
        if name == MARK_NAME || name.as_bytes().starts_with(b".") {
            continue;
        }
        match inspect_student(all, &name, &mut students, &mut notes) {
            Ok(done) => differ |= !matches!(done, Done::Success),
            Err(error) => {
                say!("{}", readable(&error.to_string()));
                failed += 1;
            }
        }
    }
    tell_notes(&notes, students.len());
    if differ {
        return Ok(Done::Unverified);
    }
    if failed > 0 {
        let folders = counted(failed, "folder");
        return Err(refused(all.path(), &format!("{folders} failed, see above")));
    }
    if students.is_empty() {
        return Err(refused(all.path(), "it has no student's folder"));
    }
    let students = counted(students.len() as u64, "student");
    say!("{}: {students}, nothing differs", shown(all.path()));
    Ok(Done::Success)
}

/// Inspects the folder of one student among those of all. Adds the public name to `students`, and
/// what holds for others too to `notes`.
fn inspect_student(
    all: &ForeignFolder,
    name: &OsStr,
    students: &mut HashSet<String>,
    notes: &mut Vec<(String, Vec<String>)>,
) -> Result<Done, JudgeError> {
    let refused = |reason: &str| refused(&all.path().join(name), reason);
    let folder = all.folder(name).map_err(|e| refused(&e.to_string()))?;
    if !files::is_there(&folder, MARK_NAME) {
        return Err(refused("it is no student's folder"));
    }
    let mark = files::text(&folder, MARK_NAME)?;
    let Some((View::Student, Some(student))) = read_mark(&mark) else {
        return Err(refused("it is no student's folder"));
    };
    if !students.insert(student.to_owned()) {
        return Err(refused("another folder is of the same student"));
    }
    let mut inspection = Inspection::default();
    view::student(&folder, student, &mut inspection)?;
    let name = readable(&name.to_string_lossy());
    inspection.tell_among(&shown(folder.path()), &name, notes)
}
