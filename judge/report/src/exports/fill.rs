//! Foreign CSV files: their cells are located one by one, so that values can be filled into the rows
//! of people, and every other byte stays.

use super::row::GradeRow;
use crate::submission_result::SubmissionResult;
use model::entrant::Person;
use model::lateness::Timing;
use model::numbers::counted;
use model::text::readable;
use std::collections::HashMap;
use std::ops::Range;

/// A file and the positions of its cells.
#[derive(Debug)]
pub(super) struct Cells {
    bytes: Vec<u8>,
    /// Rows with at least one cell that is not empty.
    rows: Vec<Vec<CsvCell>>,
    delimiter: u8,
}

#[derive(Clone, Debug)]
struct CsvCell {
    /// Byte range, with quotes if there are any.
    span: Range<usize>,
    text: String,
}

impl Cells {
    /// Locates the cells.
    ///
    /// # Errors
    /// When the file is not text with cells between commas, semicolons or tabs; the text says why.
    pub(super) fn read(bytes: Vec<u8>) -> Result<Self, String> {
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            return Err("is UTF-16; save it as \"CSV UTF-8\"".to_owned());
        }
        if bytes.contains(&0) {
            return Err("is not text; save it as CSV".to_owned());
        }
        let start = if bytes.starts_with(b"\xef\xbb\xbf") {
            3
        } else {
            0
        };
        let delimiter = delimiter(&bytes[start..]);
        let rows = scan(&bytes, start, delimiter)?;
        if rows.is_empty() {
            return Err("is empty".to_owned());
        }
        Ok(Self {
            bytes,
            rows,
            delimiter,
        })
    }

    /// Returns the number of rows, including the header.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the cells of a row.
    pub(super) fn row(&self, row: usize) -> Vec<&str> {
        self.rows[row]
            .iter()
            .map(|cell| cell.text.as_str())
            .collect()
    }

    /// Returns a cell; empty if the row is shorter.
    pub(super) fn cell(&self, row: usize, column: usize) -> &str {
        self.rows[row].get(column).map_or("", |cell| &cell.text)
    }

    /// Returns the file with these cells changed: (row, column, text). Cells keep their quotes.
    ///
    /// # Errors
    /// When a row has no such cell.
    pub(super) fn with(&self, mut changes: Vec<(usize, usize, String)>) -> Result<Vec<u8>, String> {
        changes.sort();
        let mut out = Vec::with_capacity(self.bytes.len());
        let mut at = 0;
        for (row, column, text) in changes {
            let cell = self.rows[row].get(column).ok_or_else(|| {
                let line = line(&self.bytes, self.rows[row][0].span.start);
                format!("line {line}: has fewer cells than the header")
            })?;
            out.extend(&self.bytes[at..cell.span.start]);
            out.extend(self.written(cell, &text).into_bytes());
            at = cell.span.end;
        }
        out.extend(&self.bytes[at..]);
        Ok(out)
    }

    fn written(&self, cell: &CsvCell, text: &str) -> String {
        let was_quoted = self.bytes[cell.span.clone()].first() == Some(&b'"');
        if was_quoted || text.contains(['"', '\n', '\r', char::from(self.delimiter)]) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text.to_owned()
        }
    }
}

fn scan(bytes: &[u8], start: usize, delimiter: u8) -> Result<Vec<Vec<CsvCell>>, String> {
    let ends_line = |at: usize| matches!(bytes.get(at), Some(b'\n' | b'\r'));
    let mut rows = Vec::new();
    let mut at = start;
    while at < bytes.len() {
        let mut row = Vec::new();
        loop {
            let from = at;
            let quoted = bytes.get(at) == Some(&b'"');
            if quoted {
                let open = || format!("line {}: a quote is not closed", line(bytes, from));
                at = closing(bytes, at).ok_or_else(open)?;
            }
            while at < bytes.len() && !ends_line(at) && bytes[at] != delimiter {
                at += 1;
            }
            row.push(CsvCell {
                span: from..at,
                text: plain(&bytes[from..at], quoted),
            });
            if bytes.get(at) != Some(&delimiter) {
                break;
            }
            at += 1;
        }
        while ends_line(at) {
            at += 1;
        }
        if row
            .iter()
            .any(|cell: &CsvCell| !cell.text.trim().is_empty())
        {
            rows.push(row);
        }
    }
    Ok(rows)
}

/// Returns the position after the closing quote of the quote that opens at `open`.
fn closing(bytes: &[u8], open: usize) -> Option<usize> {
    let mut at = open + 1;
    loop {
        at += bytes.get(at..)?.iter().position(|&byte| byte == b'"')?;
        if bytes.get(at + 1) != Some(&b'"') {
            return Some(at + 1);
        }
        at += 2;
    }
}

fn plain(cell: &[u8], quoted: bool) -> String {
    let text = String::from_utf8_lossy(cell);
    match text.strip_prefix('"').filter(|_| quoted) {
        Some(rest) => rest.strip_suffix('"').unwrap_or(rest).replace("\"\"", "\""),
        None => text.into_owned(),
    }
}

fn line(bytes: &[u8], at: usize) -> usize {
    1 + bytes[..at].split(|&byte| byte == b'\n').count() - 1
}

/// Returns the delimiter of the cells, detected from the header.
fn delimiter(bytes: &[u8]) -> u8 {
    let header = bytes
        .split(|&byte| byte == b'\n')
        .next()
        .unwrap_or_default();
    let count = |delimiter: u8| header.split(|&byte| byte == delimiter).count();
    [b'\t', b';', b',']
        .into_iter()
        .max_by_key(|&delimiter| count(delimiter))
        .expect("there are three")
}

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
    grades: &[GradeRow],
) -> Result<Filled, String> {
    let mut notes = Vec::new();
    let mut by_row: HashMap<usize, Vec<&GradeRow>> = HashMap::new();
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
        Some((row, column, timing.words(grade.standing().is_some())))
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
fn no_value(grade: &GradeRow) -> Option<String> {
    if grade.is_unmarked
        || matches!(
            grade.came_to,
            SubmissionResult::Missing | SubmissionResult::Ours(_)
        )
    {
        return None;
    }
    let why = grade
        .not_playing()
        .or(grade.too_late())
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

    #[test]
    fn one_cell_changes_and_every_other_byte_stays() {
        let text = "\u{feff}\"Student\",ID,\"A \"\"big\"\" one, really\"\r\n\r\n'x',  ,\"old\"\r\n\"two\nlines\",7,\n";
        let cells = Cells::read(text.as_bytes().to_vec()).expect("well-formed");
        assert_eq!(cells.len(), 3);
        assert_eq!(cells.row(0), ["Student", "ID", "A \"big\" one, really"]);
        assert_eq!(cells.cell(2, 0), "two\nlines");
        let same = cells.with(Vec::new()).expect("no change");
        assert_eq!(same, text.as_bytes());
        let changes = vec![(2, 2, "5".to_owned()), (1, 2, "new".to_owned())];
        let filled = String::from_utf8(cells.with(changes).expect("both are there"));
        let expected = text.replace("\"old\"", "\"new\"").replace("7,\n", "7,5\n");
        assert_eq!(filled.expect("UTF-8"), expected);
    }

    #[test]
    fn what_is_no_table_is_refused() {
        for (bytes, words) in [
            (b"\xff\xfea\0".to_vec(), "UTF-16"),
            (b"PK\x03\0".to_vec(), "not text"),
            (b"a,b\n\"open,1\n".to_vec(), "line 2: a quote is not closed"),
            (b"\n\n".to_vec(), "is empty"),
        ] {
            let reason = Cells::read(bytes).expect_err("refused");
            assert!(reason.contains(words), "{reason}");
        }
        let short = Cells::read(b"a;b\nx\n".to_vec()).expect("well-formed");
        let reason = short.with(vec![(1, 1, "5".to_owned())]);
        assert!(
            reason
                .expect_err("too short")
                .starts_with("line 2: has fewer")
        );
    }
}
