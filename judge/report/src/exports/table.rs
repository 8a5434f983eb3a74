//! Grades as a plain table, the tables of a roster's sections, and cells that platforms read as
//! they are written.

use super::export::{Export, ExportSource, Exported};
use super::homework::{self, MarkedPart, number};
use super::row::GradeRow;
use crate::sheet::{Rows, Sheet, SheetColumns, or_empty, text, text_or_empty};
use crate::submission_result::no_prize;
use model::competition::HomeworkPart;
use rulebook::JudgeError;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use store::names::PublicNames;

pub(super) const CSV: Export = Export {
    name: "csv",
    about: "A plain table",
    file_name: "grades.csv",
    write: Ok(write),
    fill: None,
    report: None,
};

/// The rows of the table.
enum GradeSheet {}

impl Rows for GradeSheet {
    type Row<'a> = GradeRow;
}

/// Makes the table. Each part of the homework is a column with points.
#[expect(clippy::unnecessary_wraps, reason = "other formats read games")]
fn write(source: &ExportSource<'_>) -> Result<Exported, JudgeError> {
    let (grades, parts) = (source.rows, &source.manifest.competition.scoring.homework);
    let of_graded = |grade: &GradeRow| grade.standing().and_then(|row| row.graded);
    let mut columns = SheetColumns::<GradeSheet>::new()
        .with("submission", |grade| text(&grade.who.submission))
        .with("id", |grade| text(&grade.who.id))
        .with("name", |grade| text(&grade.who.name))
        .with("email", |grade| text(&grade.who.email))
        .with("section", |grade| text(&grade.who.section))
        .with("rank", |grade| {
            or_empty(grade.standing().map(|row| row.rank))
        })
        .with("total", |grade| {
            or_empty(grade.standing().map(|row| number(row.total.points)))
        });
    if grades.iter().any(|grade| of_graded(grade).is_some()) {
        columns = columns.with("graded", move |grade| {
            or_empty(of_graded(grade).map(|total| number(total.points)))
        });
    }
    let columns = columns
        .with("prize", |grade| {
            or_empty(grade.standing().and_then(|row| row.prize))
        })
        .with("grade", |grade| text_or_empty(grade.grade.as_deref()))
        .with("disqualified", |grade| text_or_empty(grade.disqualified()))
        .with("not_playing", |grade| text_or_empty(grade.not_playing()))
        .with("too_late", |grade| text_or_empty(grade.too_late()))
        .with("no_prize", |grade| {
            text_or_empty(grade.standing().and_then(no_prize).as_deref())
        });
    let columns =
        with_homework(columns, parts).with("value", |grade| or_empty(grade.value.as_ref()));
    let mut sheet = Sheet::new(columns);
    for grade in grades {
        sheet.row(grade);
    }
    Ok(sheet.finish().into())
}

/// Adds a column for the points in each part of the homework, and one for their sum.
fn with_homework<'c>(
    mut columns: SheetColumns<'c, GradeSheet>,
    parts: &[HomeworkPart],
) -> SheetColumns<'c, GradeSheet> {
    if parts.is_empty() {
        return columns;
    }
    for (index, part) in parts.iter().enumerate() {
        columns = columns.with(&part.name, move |grade| {
            or_empty(
                grade
                    .homework
                    .get(index)
                    .and_then(MarkedPart::points)
                    .map(number),
            )
        });
    }
    columns.with("homework", |grade| {
        or_empty(homework::points(&grade.homework).map(number))
    })
}

/// The rows of the tables: a person, with the rank in the section.
enum Sections {}

impl Rows for Sections {
    type Row<'a> = (&'a GradeRow, Option<usize>);
}

/// Returns the tables, by section and rank; `None` if the roster has no sections. The rank in a
/// section is 1 + the number of its submissions ahead.
pub fn sections(grades: &[GradeRow], names: &PublicNames) -> Option<Vec<u8>> {
    let mut by_section: BTreeMap<&str, Vec<&GradeRow>> = BTreeMap::new();
    for grade in grades.iter().filter(|grade| !grade.who.section.is_empty()) {
        by_section
            .entry(&grade.who.section)
            .or_default()
            .push(grade);
    }
    if by_section.is_empty() {
        return None;
    }
    let columns = SheetColumns::<Sections>::new()
        .with("section", |(grade, _)| text(&grade.who.section))
        .with("section_rank", |(_, rank)| or_empty(*rank))
        .with("name", |(grade, _)| text(&grade.who.name))
        .with("id", |(grade, _)| text(&grade.who.id))
        .with("submission", |(grade, _)| text(&grade.who.submission))
        .with("public_name", |(grade, _)| {
            let name = grade.standing().map(|row| names.of(&row.entrant));
            text_or_empty(name)
        })
        .with("rank", |(grade, _)| {
            or_empty(grade.standing().map(|row| row.rank))
        })
        .with("total", |(grade, _)| {
            or_empty(grade.standing().map(|row| number(row.total.points)))
        })
        .with("prize", |(grade, _)| {
            or_empty(grade.standing().and_then(|row| row.prize))
        })
        .with("grade", |(grade, _)| text_or_empty(grade.grade.as_deref()))
        .with("not_playing", |(grade, _)| {
            text_or_empty(grade.not_playing())
        });
    let mut sheet = Sheet::new(columns);
    for mut section in by_section.into_values() {
        let ranked = section.iter().filter_map(|grade| grade.standing());
        let ranked: BTreeSet<(usize, &str)> =
            ranked.map(|row| (row.rank, row.entrant.as_str())).collect();
        let place = |grade: &GradeRow| {
            let own = grade.standing()?.rank;
            Some(1 + ranked.iter().filter(|(rank, _)| *rank < own).count())
        };
        section.sort_by_key(|grade| (place(grade).unwrap_or(usize::MAX), grade.shown()));
        for grade in section {
            sheet.row(&(grade, place(grade)));
        }
    }
    Some(sheet.finish())
}

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

#[cfg(test)]
mod tests {
    use super::*;

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
