//! Result of an inspection: the checks, and the differences found.

use super::super::exit::Done;
use ::run::commands::shown;
use model::numbers::counted;
use model::text::listed;
use rulebook::JudgeError;
use std::fmt::Display;
use std::path::Path;

/// Maximum number of differences reported individually.
const TOLD: usize = 20;
/// Maximum length of a reported difference, in characters.
const CHARACTERS_MAX: usize = 400;
/// Maximum length of a reported note, in characters; some notes list the names of files.
const NOTE_CHARACTERS_MAX: usize = 4000;

/// The checks so far.
#[derive(Default)]
pub(super) struct Inspection {
    rows: Vec<Row>,
    differences: Vec<String>,
    /// Number of differences, including those not reported.
    found: usize,
    notes: Vec<String>,
    /// Whether games could not be checked.
    is_partial: bool,
}

/// A line of the table.
struct Row {
    what: &'static str,
    number: usize,
    unit: &'static str,
    differ: usize,
}

impl Inspection {
    /// Adds a line to the table: `number` things were checked, and `differ` of them differ.
    pub(super) fn row(
        &mut self,
        what: &'static str,
        number: usize,
        unit: &'static str,
        differ: usize,
    ) {
        self.rows.push(Row {
            what,
            number,
            unit,
            differ,
        });
    }

    /// Adds a difference; the text names its place, and is made only if it is reported.
    pub(super) fn differs(&mut self, text: impl Display) {
        self.found += 1;
        if self.differences.len() < TOLD {
            let text = shortened(&text.to_string(), CHARACTERS_MAX);
            self.differences.push(text);
        }
    }

    /// Adds a note, which is no difference.
    pub(super) fn note(&mut self, text: impl Into<String>) {
        self.notes
            .push(shortened(&text.into(), NOTE_CHARACTERS_MAX));
    }

    /// Adds a note on games that could not be checked, so that the place is not verified.
    pub(super) fn unchecked(&mut self, text: impl Into<String>) {
        self.note(text);
        self.is_partial = true;
    }

    /// Prints the inspection of one place of many. Where nothing differs, it is one line, and its
    /// notes are added to `notes`, each with the names of its places.
    pub(super) fn tell_among(
        &mut self,
        place: &str,
        name: &str,
        notes: &mut Vec<(String, Vec<String>)>,
    ) -> Result<Done, JudgeError> {
        if self.is_equal() && !self.is_partial {
            self.rows.clear();
            for note in self.notes.drain(..) {
                match notes.iter_mut().find(|(known, _)| *known == note) {
                    Some((_, names)) => names.push(name.to_owned()),
                    None => notes.push((note, vec![name.to_owned()])),
                }
            }
        }
        self.tell(place)
    }

    /// Returns whether no difference was found.
    fn is_equal(&self) -> bool {
        self.found == 0 && self.rows.iter().all(|row| row.differ == 0)
    }

    /// Prints the inspection.
    pub(super) fn tell(&self, place: &str) -> Result<Done, JudgeError> {
        let width = |cell: fn(&Row) -> String| {
            let cells = self.rows.iter().map(|row| cell(row).len());
            cells.max().unwrap_or_default()
        };
        let (what, number) = (
            width(|row| row.what.to_owned()),
            width(|row| row.number.to_string()),
        );
        let (unit, differ) = (width(counted_unit), width(|row| row.differ.to_string()));
        for row in &self.rows {
            say!(
                "{:what$}  {:>number$} {:unit$}  {:>differ$} differ",
                row.what,
                row.number,
                counted_unit(row),
                row.differ
            );
        }
        for note in &self.notes {
            say!("note: {note}");
        }
        for difference in &self.differences {
            say!("differs: {difference}");
        }
        if let Some(more @ 1..) = self.found.checked_sub(self.differences.len()) {
            say!("and {}", counted(more as u64, "more difference"));
        }
        let place = shortened(place, CHARACTERS_MAX);
        if self.found == 0 && self.is_partial {
            return Err(JudgeError::input(format!(
                "{place}: not verified, because no game was checked; give the file or folder of a game of your own with --game"
            )));
        }
        if self.is_equal() {
            say!("{place}: nothing differs in what was checked");
            return Ok(Done::Success);
        }
        say!("{place}: {}", counted(self.found as u64, "difference"));
        Ok(Done::Unverified)
    }
}

/// Prints the notes on `all` places, and the names of those that only some have.
pub(super) fn tell_notes(notes: &[(String, Vec<String>)], all: usize) {
    for (note, names) in notes {
        if names.len() == all {
            say!("note: {note}");
        } else {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            say!("note on {}: {note}", listed(&names));
        }
    }
}

fn counted_unit(row: &Row) -> String {
    let text = counted(row.number as u64, row.unit);
    text.split_once(' ')
        .map(|(_, unit)| unit)
        .unwrap_or_default()
        .to_owned()
}

/// Shortens a text and removes control characters, because it may come from strangers.
fn shortened(text: &str, characters_max: usize) -> String {
    let plain = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let is_long = text.chars().nth(characters_max).is_some();
    let short = text.chars().take(characters_max).map(plain);
    short.chain(is_long.then_some('…')).collect()
}

/// Returns the error for a place that cannot be verified at all.
pub(super) fn refused(place: &Path, reason: &str) -> JudgeError {
    JudgeError::input(format!("cannot verify {}: {reason}", shown(place)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_on_some_places_has_their_names() {
        let mut notes = Vec::new();
        for (place, own) in [("ann", "x"), ("bob", "y"), ("eve", "x")] {
            let mut inspection = Inspection::default();
            inspection.row("files", 1, "file", 0);
            inspection.note(own);
            let done = inspection.tell_among(place, place, &mut notes);
            assert!(matches!(done, Ok(Done::Success)));
        }
        let mut differing = Inspection::default();
        differing.note("z");
        differing.differs("all");
        let done = differing.tell_among("tom", "tom", &mut notes);
        assert!(matches!(done, Ok(Done::Unverified)));
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let expected: [(String, Vec<String>); 2] = [
            ("x".to_owned(), names(&["ann", "eve"])),
            ("y".to_owned(), names(&["bob"])),
        ];
        assert_eq!(notes, expected);
        assert_eq!(differing.notes, ["z"]);
    }

    #[test]
    fn what_strangers_have_named_is_cut_and_commands_no_terminal() {
        let mut inspection = Inspection::default();
        inspection.note("not checked: \u{1b}[31m");
        inspection.differs("x".repeat(2 * CHARACTERS_MAX));
        assert_eq!(inspection.notes, ["not checked: \u{fffd}[31m"]);
        let told = &inspection.differences[0];
        assert_eq!(told.chars().count(), CHARACTERS_MAX + 1);
    }
}
