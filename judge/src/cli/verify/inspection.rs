//! Result of an inspection: the checks, and the differences found.

use super::super::exit::Done;
use ::run::commands::shown;
use error::JudgeError;
use std::fmt::Display;
use std::path::Path;
use words::numbers::counted;

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

    /// Prints the inspection of one place of many. Where nothing differs, it is one line, and the
    /// notes are added to those of all.
    ///
    /// # Errors
    /// When games could not be checked, and nothing else differs.
    pub(super) fn tell_among(
        &mut self,
        place: &str,
        notes: &mut Vec<String>,
    ) -> Result<Done, JudgeError> {
        if self.is_equal() && !self.is_partial {
            self.rows.clear();
            for note in self.notes.drain(..) {
                if !notes.contains(&note) {
                    notes.push(note);
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
    ///
    /// # Errors
    /// When games could not be checked, and nothing else differs.
    pub(super) fn tell(&self, place: &str) -> Result<Done, JudgeError> {
        let number = |row: &Row| row.number.to_string();
        let what = self.rows.iter().map(|row| row.what.len()).max();
        let numbers = self.rows.iter().map(|row| number(row).len()).max();
        let unit = self.rows.iter().map(|row| counted_unit(row).len()).max();
        let differ = self.rows.iter().map(|row| row.differ.to_string().len());
        let differ = differ.max().unwrap_or_default();
        let (what, numbers) = (what.unwrap_or_default(), numbers.unwrap_or_default());
        let unit = unit.unwrap_or_default();
        for row in &self.rows {
            say!(
                "{:what$}  {:>numbers$} {:unit$}  {:>differ$} differ",
                row.what,
                number(row),
                counted_unit(row),
                row.differ
            );
        }
        tell_notes(&self.notes);
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

/// Prints notes.
pub(super) fn tell_notes(notes: &[String]) {
    for note in notes {
        say!("note: {note}");
    }
}

fn counted_unit(row: &Row) -> String {
    let text = counted(row.number as u64, row.unit);
    let unit = text.split_once(' ').map(|(_, unit)| unit);
    unit.unwrap_or_default().to_owned()
}

/// Shortens a text and removes control characters, because it may come from strangers.
fn shortened(text: &str, characters_max: usize) -> String {
    let plain = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    if text.chars().count() <= characters_max {
        return text.chars().map(plain).collect();
    }
    let cut = text.chars().take(characters_max).map(plain);
    cut.chain(['…']).collect()
}

/// Returns the error for a place that cannot be verified at all.
pub(super) fn refused(place: &Path, reason: &str) -> JudgeError {
    JudgeError::input(format!("cannot verify {}: {reason}", shown(place)))
}

#[cfg(test)]
mod tests {
    use super::*;

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
