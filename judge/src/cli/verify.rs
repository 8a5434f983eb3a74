//! `judge verify`: checks that a run, or its published view, agrees with its journal.

use super::exit::{Done, stop_on_interrupt};
use super::out::say_each;
use crate::BUILD;
use clap::Args;
use intake::unreadable_words;
use model::numbers::counted;
use model::text::{listed, readable};
use report::verify::{self, Inspection, Row, files, refused};
use report::{MARK_NAME, View, read_mark};
use rulebook::{JudgeError, Result, refuse};
use run::commands::shown;
use run::named_game;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fmt;
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
    pub(super) fn execute(&self) -> Result<Done> {
        let stop = stop_on_interrupt()?;
        self.game.as_deref().map(named_game).transpose()?;
        let other = |what: &dyn fmt::Display| {
            let reason = format!(
                "{what}; give a run folder, or one that judge report wrote for the public or for students"
            );
            refused(&shown(&self.place), &reason)
        };
        let folder = self.place.canonicalize().map_err(|e| {
            let why = unreadable_words(&self.place, &e);
            other(&format_args!("it {why}"))
        })?;
        if folder.is_file() {
            return Err(other(&"it is a file"));
        }
        let unreadable = |e| refused(&shown(&self.place), &format!("it cannot be read: {e}"));
        inspect(&ForeignFolder::open(&folder).map_err(unreadable)?, &stop)
    }
}

fn inspect(folder: &ForeignFolder, stop: &AtomicBool) -> Result<Done> {
    let mut inspection = Inspection::new(BUILD);
    let place = shown(folder.path());
    if files::is_there(folder, MARK_NAME) {
        match read_mark(&files::text(folder, MARK_NAME)?) {
            Some((View::Public, _)) => verify::public(folder, &place, stop, &mut inspection)?,
            Some((View::Student, Some(name))) => {
                verify::student(folder, (&place, name), &mut inspection)?;
            }
            Some((View::Student, None)) => return inspect_students(folder, stop),
            Some((View::Staff, _)) => {
                let reason = "the staff view is a copy of the run's tables; give the run folder";
                return Err(refused(&place, reason));
            }
            None => {
                let reason = format!("its {MARK_NAME} is not one that judge report writes");
                return Err(refused(&place, &reason));
            }
        }
    } else {
        run::verify(folder, stop, &mut inspection)?;
    }
    print(&inspection, &place)
}

/// Inspects the folders of all students. Only hidden folders of a watch may be there too.
fn inspect_students(all: &ForeignFolder, stop: &AtomicBool) -> Result<Done> {
    let place = shown(all.path());
    let unreadable = |e| refused(&place, &format!("it cannot be read: {e}"));
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
            Ok(done) => differ |= done != Done::Success,
            Err(error) => {
                say!("{}", readable(&error.to_string()));
                failed += 1;
            }
        }
    }
    print_notes(&notes, students.len());
    if differ {
        return Ok(Done::Unverified);
    }
    if failed > 0 {
        let folders = counted(failed, "folder");
        return Err(refused(&place, &format!("{folders} failed, see above")));
    }
    if students.is_empty() {
        return Err(refused(&place, "it has no student's folder"));
    }
    let students = counted(students.len(), "student");
    say!("{place}: {students}, nothing differs");
    Ok(Done::Success)
}

/// Adds the public name to `students`, and what holds for others too to `notes`.
fn inspect_student(
    all: &ForeignFolder,
    name: &OsStr,
    students: &mut HashSet<String>,
    notes: &mut Vec<(String, Vec<String>)>,
) -> Result<Done> {
    let place = shown(&all.path().join(name));
    let refused = |reason: &str| refused(&place, reason);
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
    let mut inspection = Inspection::new(BUILD);
    verify::student(&folder, (&place, student), &mut inspection)?;
    let name = readable(&name.to_string_lossy());
    print_among(inspection, &place, &name, notes)
}

/// Prints the inspection of one place of many. Notes of equal places wait in `notes`, with their names.
fn print_among(
    mut inspection: Inspection,
    place: &str,
    name: &str,
    notes: &mut Vec<(String, Vec<String>)>,
) -> Result<Done> {
    if inspection.is_equal() && !inspection.is_partial {
        inspection.rows.clear();
        for note in inspection.notes.drain(..) {
            match notes.iter_mut().find(|(known, _)| *known == note) {
                Some((_, names)) => names.push(name.to_owned()),
                None => notes.push((note, vec![name.to_owned()])),
            }
        }
    }
    print(&inspection, place)
}

fn print(inspection: &Inspection, place: &str) -> Result<Done> {
    let rows = &inspection.rows;
    let unit = |row: &Row| {
        let plural = if row.number == 1 { "" } else { "s" };
        format!("{}{plural}", row.unit)
    };
    let width = |cell: &dyn Fn(&Row) -> String| {
        rows.iter()
            .map(|row| cell(row).len())
            .max()
            .unwrap_or_default()
    };
    let [what, number, units, differ] = [
        width(&|row| row.what.to_owned()),
        width(&|row| row.number.to_string()),
        width(&unit),
        width(&|row| row.differ.to_string()),
    ];
    for row in rows {
        say!(
            "{:what$}  {:>number$} {:units$}  {:>differ$} differ",
            row.what,
            row.number,
            unit(row),
            row.differ
        );
    }
    say_each("note: ", &inspection.notes);
    say_each("differs: ", &inspection.differences);
    let found = inspection.found;
    if let Some(more @ 1..) = found.checked_sub(inspection.differences.len()) {
        say!("and {}", counted(more, "more difference"));
    }
    if found == 0 && inspection.is_partial {
        return refuse(format!(
            "{place}: not verified, because no game was checked; give the file or folder of a game of your own with --game"
        ));
    }
    if inspection.is_equal() {
        say!("{place}: nothing differs in what was checked");
        return Ok(Done::Success);
    }
    say!("{place}: {}", counted(found, "difference"));
    Ok(Done::Unverified)
}

/// Prints the notes on `all` places, and the names of those that only some have.
fn print_notes(notes: &[(String, Vec<String>)], all: usize) {
    for (note, names) in notes {
        if names.len() == all {
            say!("note: {note}");
        } else {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            say!("note on {}: {note}", listed(&names));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_on_some_places_has_their_names() {
        let mut notes = Vec::new();
        for (place, own) in [("ann", "x"), ("bob", "y"), ("eve", "x")] {
            let mut inspection = Inspection::new(BUILD);
            inspection.row("files", 1, "file", 0);
            inspection.note(own);
            let done = print_among(inspection, place, place, &mut notes);
            assert!(matches!(done, Ok(Done::Success)));
        }
        let mut differing = Inspection::new(BUILD);
        differing.note("z");
        differing.differs("all");
        let done = print_among(differing, "tom", "tom", &mut notes);
        assert!(matches!(done, Ok(Done::Unverified)));
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let expected: [(String, Vec<String>); 2] = [
            ("x".to_owned(), names(&["ann", "eve"])),
            ("y".to_owned(), names(&["bob"])),
        ];
        assert_eq!(notes, expected);
    }
}
