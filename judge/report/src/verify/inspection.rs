//! Result of an inspection: the checks, and the differences found.

use std::fmt::Display;

const TOLD: usize = 20;
const CHARACTERS_MAX: usize = 400;
/// Maximum length of a reported note, in characters; some notes list the names of files.
const NOTE_CHARACTERS_MAX: usize = 4000;

/// The checks so far.
pub struct Inspection {
    /// The build of this judge.
    pub build: &'static str,
    /// The lines of the table.
    pub rows: Vec<Row>,
    /// The first differences.
    pub differences: Vec<String>,
    /// Number of differences, including those not reported.
    pub found: usize,
    /// The notes, which are no differences.
    pub notes: Vec<String>,
    /// Whether games could not be checked.
    pub is_partial: bool,
}

/// A line of the table: `number` things were checked, and `differ` of them differ.
#[derive(Clone, Copy)]
pub struct Row {
    /// The kind of check.
    pub what: &'static str,
    /// Number of things checked.
    pub number: usize,
    /// One of these things.
    pub unit: &'static str,
    /// Number of those that differ.
    pub differ: usize,
}

impl Inspection {
    /// Begins an inspection by this build of the judge.
    pub const fn new(build: &'static str) -> Self {
        Self {
            build,
            rows: Vec::new(),
            differences: Vec::new(),
            found: 0,
            notes: Vec::new(),
            is_partial: false,
        }
    }

    /// Adds a line to the table.
    pub fn row(&mut self, what: &'static str, number: usize, unit: &'static str, differ: usize) {
        self.rows.push(Row {
            what,
            number,
            unit,
            differ,
        });
    }

    /// Adds a difference; the text names its place, and is made only if it is reported.
    pub fn differs(&mut self, text: impl Display) {
        self.found += 1;
        if self.differences.len() < TOLD {
            let text = shortened(&text.to_string(), CHARACTERS_MAX);
            self.differences.push(text);
        }
    }

    /// Adds a note, which is no difference.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes
            .push(shortened(&text.into(), NOTE_CHARACTERS_MAX));
    }

    /// Adds a note on games that could not be checked, so that the place is not verified.
    pub fn unchecked(&mut self, text: impl Into<String>) {
        self.note(text);
        self.is_partial = true;
    }

    /// Returns whether no difference was found.
    pub fn is_equal(&self) -> bool {
        self.found == 0 && self.rows.iter().all(|row| row.differ == 0)
    }
}

fn shortened(text: &str, characters_max: usize) -> String {
    let plain = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let is_long = text.chars().nth(characters_max).is_some();
    let short = text.chars().take(characters_max).map(plain);
    short.chain(is_long.then_some('…')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_cut_and_stripped_of_escapes() {
        let mut inspection = Inspection::new("a test");
        inspection.note("not checked: \u{1b}[31m");
        inspection.differs("x".repeat(2 * CHARACTERS_MAX));
        assert_eq!(inspection.notes, ["not checked: \u{fffd}[31m"]);
        let reported = &inspection.differences[0];
        assert_eq!(reported.chars().count(), CHARACTERS_MAX + 1);
    }
}
