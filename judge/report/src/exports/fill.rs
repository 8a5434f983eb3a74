//! Fills values into the rows of a file that a platform has exported.

use super::row::GradeRow;
use crate::submission_result::SubmissionResult;
use model::entrant::Person;
use model::lateness::Timing;
use model::numbers::counted;
use model::table::Table;
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
    /// Notes on people in only one of the two sources, and on values rejected or there before.
    pub notes: Vec<String>,
}

/// A filled value.
#[derive(Debug)]
pub struct Put {
    /// The row of the file, from 0.
    pub row: usize,
    pub who: String,
    pub value: String,
}

pub(super) struct SheetLayout {
    pub(super) head: usize,
    pub(super) who: Vec<usize>,
    pub(super) value: usize,
    pub(super) rows: Vec<usize>,
    /// Whether decimals follow a comma.
    pub(super) comma: bool,
    /// The column in which people read why they are late, if there is one.
    pub(super) feedback: Option<usize>,
}

/// Fills the column. People are looked up by id, address, submission or name, in this order. Who is not found,
/// or found more than once, gets a note and no value.
pub(super) fn fill(
    cells: &Table,
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
    let (mut put, mut changes) = (Vec::new(), Vec::new());
    let point = if place.comma { "," } else { "." };
    for &row in &place.rows {
        let cell = |column| cells.cell(row, column).trim();
        let before = readable(cell(place.value));
        let kept = if before.is_empty() {
            String::new()
        } else {
            format!("; the file keeps {before}")
        };
        let found = by_row.get(&row).map_or(&[][..], Vec::as_slice);
        let grade = match found {
            [grade] => grade,
            [] => {
                let who = place.who.iter().map(|&column| cells.cell(row, column));
                let who: Vec<&str> = who.filter(|cell| !cell.trim().is_empty()).collect();
                let who = readable(&who.join(", "));
                notes.push(format!("{who}: no entrant in this run{kept}"));
                continue;
            }
            [one, other, ..] => {
                let (one, other) = (one.shown(), other.shown());
                notes.push(format!("{one} and {other} match the same row{kept}"));
                continue;
            }
        };
        let (who, result) = (grade.shown(), &grade.result);
        let timing = grade.timing.filter(Timing::is_late);
        let feedback = place.feedback.filter(|&column| cell(column).is_empty());
        if let Some((timing, column)) = timing.zip(feedback) {
            let words = timing.words(result.standing().is_some());
            changes.push((row, column, words));
        }
        if let Some(value) = grade.value.clone() {
            if !before.is_empty() && !is_same(&before, &value) {
                notes.push(format!("{who}: {value} in place of {before}"));
            }
            changes.push((row, place.value, value.replace('.', point)));
            put.push(Put { row, who, value });
            continue;
        }
        // Every format reports these for the whole run.
        let is_reported = grade.is_unmarked
            || matches!(
                result,
                SubmissionResult::Missing | SubmissionResult::JudgeFailure(_)
            );
        let problem = result.problem().filter(|_| !is_reported);
        if !is_reported || !kept.is_empty() {
            let why = problem.map_or_else(String::new, |(_, reason)| format!(": {reason}"));
            notes.push(format!("{who} has no value{why}{kept}"));
        }
    }
    notes.sort();
    Ok(Filled {
        column: readable(cells.row(place.head)[place.value]),
        bytes: cells.with(changes)?,
        put,
        notes,
    })
}

fn is_same(one: &str, other: &str) -> bool {
    match (decimal(one), decimal(other)) {
        (Some(one), Some(other)) => (one - other).abs() < f64::EPSILON,
        _ => one == other,
    }
}

fn find(cells: &Table, place: &SheetLayout, who: &Person) -> Result<usize, String> {
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

/// Returns a cell or key in one form. Brightspace begins logins and ids with `#`.
fn folded(text: &str) -> String {
    text.trim().trim_start_matches('#').to_lowercase()
}

/// Turns `last, first` into `first last`.
fn turned(name: &str) -> Option<String> {
    let (last, first) = name.split_once(", ")?;
    Some(format!("{first} {last}"))
}

pub(super) fn decimal(cell: &str) -> Option<f64> {
    cell.replace(',', ".").parse().ok()
}

impl Filled {
    pub(super) fn some(&self, is: impl Fn(&Put) -> bool, what: &str) -> Option<String> {
        let mut some = self.put.iter().filter(|put| is(put));
        let Put { who, value, .. } = some.next()?;
        let all = counted(some.count() as u64 + 1, "value");
        Some(format!("{all} {what} (the first: {value} of {who})"))
    }

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
