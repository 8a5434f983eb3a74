//! Fills values into the rows of a file that a platform has exported.

use super::cells::Cells;
use super::row::GradeRow;
use crate::submission_result::SubmissionResult;
use model::entrant::Person;
use model::lateness::Timing;
use model::numbers::counted;
use model::text::readable;
use std::collections::HashMap;

/// A filled file, with its values and notes on the problems.
#[derive(Debug)]
pub struct Filled {
    /// The content of the file.
    pub bytes: Vec<u8>,
    /// The heading of the filled column.
    pub column: String,
    /// The filled values.
    pub put: Vec<Put>,
    /// Notes on people who are in only one of the two sources, on values that the platform rejects,
    /// and on other values that were there before.
    pub notes: Vec<String>,
}

/// A filled value.
#[derive(Debug)]
pub struct Put {
    /// The row of the file, from 0.
    pub row: usize,
    /// The person.
    pub who: String,
    /// The value.
    pub value: String,
}

/// The layout of an exported file.
pub(super) struct SheetLayout {
    /// The columns that identify people.
    pub(super) who: Vec<usize>,
    /// The column that gets the values.
    pub(super) value: usize,
    /// The rows of people.
    pub(super) rows: Vec<usize>,
    /// Whether decimals follow a comma.
    pub(super) comma: bool,
    /// The column in which people read why they are late, if there is one.
    pub(super) feedback: Option<usize>,
}

/// Fills the column.
///
/// People are looked up by id, address, submission or name, in this order. A person who is not
/// found, or found more than once, gets a note and no value.
pub(super) fn fill(
    cells: &Cells,
    place: &SheetLayout,
    grades: &[GradeRow<'_>],
) -> Result<Filled, String> {
    let mut notes = Vec::new();
    let mut by_row: HashMap<usize, Vec<&GradeRow<'_>>> = HashMap::new();
    for grade in grades {
        match find(cells, place, &grade.who) {
            Ok(row) => by_row.entry(row).or_default().push(grade),
            Err(reason) => notes.push(format!("{} {reason}", grade.shown())),
        }
    }
    let mut put = Vec::new();
    for &row in &place.rows {
        let before = readable(cells.cell(row, place.value).trim());
        let kept = if before.is_empty() {
            String::new()
        } else {
            format!("; the file keeps {before}")
        };
        let found = by_row.get(&row).map_or(&[][..], Vec::as_slice);
        match found {
            [] => {
                let who: Vec<&str> = place
                    .who
                    .iter()
                    .map(|&column| cells.cell(row, column))
                    .filter(|cell| !cell.trim().is_empty())
                    .collect();
                let who = readable(&who.join(", "));
                notes.push(format!("{who}: no entrant in this run{kept}"));
            }
            [grade] => match &grade.value {
                Some(value) => put.push(Put {
                    row,
                    who: grade.shown(),
                    value: value.clone(),
                }),
                None => match no_value(grade) {
                    Some(why) => notes.push(format!("{why}{kept}")),
                    None if kept.is_empty() => {}
                    None => notes.push(format!("{} has no value{kept}", grade.shown())),
                },
            },
            [one, other, ..] => {
                let (one, other) = (one.shown(), other.shown());
                notes.push(format!("{one} and {other} match the same row{kept}"));
            }
        }
    }
    let replaced = put.iter().filter_map(|Put { row, who, value }| {
        let before = readable(cells.cell(*row, place.value).trim());
        let is_other = !before.is_empty() && !is_same(&before, value);
        is_other.then(|| format!("{who}: {value} in place of {before}"))
    });
    notes.extend(replaced);
    notes.sort();
    let point = if place.comma { "," } else { "." };
    let values = put
        .iter()
        .map(|one| (one.row, place.value, one.value.replace('.', point)));
    let late = by_row.iter().filter_map(|(&row, found)| {
        let column = place
            .feedback
            .filter(|&at| cells.cell(row, at).trim().is_empty())?;
        let [grade] = found.as_slice() else {
            return None;
        };
        let timing = grade.timing.filter(Timing::is_late)?;
        Some((
            row,
            column,
            timing.words(grade.came_to.standing().is_some()),
        ))
    });
    Ok(Filled {
        column: readable(cells.row(0)[place.value].trim()),
        bytes: cells.with(values.chain(late).collect())?,
        put,
        notes,
    })
}

/// Returns whether two values are the same grade, or the same number in other digits.
fn is_same(one: &str, other: &str) -> bool {
    match (decimal(one), decimal(other)) {
        (Some(one), Some(other)) => (one - other).abs() < f64::EPSILON,
        _ => one == other,
    }
}

/// Returns why a person gets no value. Missing submissions, and what the judge did not get to, are
/// left out, because every format reports them for the whole run.
fn no_value(grade: &GradeRow<'_>) -> Option<String> {
    if grade.is_unmarked
        || matches!(
            grade.came_to,
            SubmissionResult::Missing | SubmissionResult::Ours(_)
        )
    {
        return None;
    }
    let why = grade
        .came_to
        .not_playing()
        .or(grade.came_to.too_late())
        .map(|reason| format!(": {reason}"))
        .unwrap_or_default();
    Some(format!("{} has no value{why}", grade.shown()))
}

fn find(cells: &Cells, place: &SheetLayout, who: &Person) -> Result<usize, String> {
    for key in [&who.id, &who.email, &who.submission, &who.name] {
        let key = folded(key);
        if key.is_empty() {
            continue;
        }
        let is_there = |row: &&usize| {
            place.who.iter().any(|&column| {
                let cell = folded(cells.cell(**row, column));
                cell == key || turned(&cell).is_some_and(|cell| cell == key)
            })
        };
        let hits: Vec<usize> = place.rows.iter().filter(is_there).copied().collect();
        match hits.as_slice() {
            [] => {}
            [row] => return Ok(*row),
            several => return Err(format!("matches {} rows of the file", several.len())),
        }
    }
    Err("is not in the file".to_owned())
}

fn folded(text: &str) -> String {
    text.trim().to_lowercase()
}

/// Turns `last, first` into `first last`.
fn turned(name: &str) -> Option<String> {
    let (last, first) = name.split_once(", ")?;
    Some(format!("{first} {last}"))
}

/// Parses a number with a decimal point or comma.
pub(super) fn decimal(cell: &str) -> Option<f64> {
    cell.replace(',', ".").parse().ok()
}

impl Filled {
    /// Describes the values of a kind, with the first of them as an example; `None` without any.
    pub(super) fn some(&self, is: impl Fn(&Put) -> bool, what: &str) -> Option<String> {
        let mut some = self.put.iter().filter(|put| is(put));
        let Put { who, value, .. } = some.next()?;
        let all = counted(some.count() as u64 + 1, "value");
        Some(format!("{all} {what} (the first: {value} of {who})"))
    }

    /// Notes the values that are no numbers; `why` says why that matters.
    pub(super) fn note_words(&mut self, why: &str) {
        let is_word = |put: &Put| !put.value.is_empty() && decimal(&put.value).is_none();
        let words = self.some(is_word, &format!("without a number, {why}"));
        self.notes.extend(words.map(|words| {
            format!("note: {words}; write numbers in [scoring.grades], or give --value total")
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_among_numbers_are_noted() {
        let notes = |values: &[&str]| {
            let put = |value: &&str| Put {
                row: 1,
                who: "Ann Lee".into(),
                value: (*value).into(),
            };
            let mut filled = Filled {
                bytes: Vec::new(),
                column: String::new(),
                put: values.iter().map(put).collect(),
                notes: Vec::new(),
            };
            filled.note_words("but Moodle counts");
            filled.notes.concat()
        };
        assert_eq!(notes(&["12.5", ""]), "");
        let note = notes(&["12.5", "pass"]);
        let expected =
            "note: 1 value without a number, but Moodle counts (the first: pass of Ann Lee);";
        assert!(note.starts_with(expected), "{note}");
    }
}
