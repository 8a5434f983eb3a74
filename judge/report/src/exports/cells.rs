//! Foreign CSV files: their cells are located one by one, so that one cell can change and every
//! other byte stays.

use model::table::Table;
use std::ops::Range;

/// A file and the positions of its cells.
#[derive(Debug)]
pub(super) struct Cells {
    /// Its text, in UTF-8.
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
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let Table {
            text,
            start,
            delimiter,
        } = Table::read(bytes)?;
        let bytes = text.into_bytes();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_cell_changes_and_every_other_byte_stays() {
        let text = "\u{feff}\"Student\",ID,\"A \"\"big\"\" one, really\"\r\n\r\n'x',  ,\"old\"\r\n\"two\nlines\",7,\n";
        let cells = Cells::read(text.as_bytes()).expect("well-formed");
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
    fn tables_of_spreadsheets_are_read_as_rosters_are() {
        let text = "sep=;\r\nName;\"a,b,c\"\r\nZoë;\r\n";
        let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let cp1252 = text.chars().map(|c| u8::try_from(c).expect("Latin"));
        for bytes in [[&b"\xff\xfe"[..], &utf16].concat(), cp1252.collect()] {
            let cells = Cells::read(&bytes).expect("a table");
            assert_eq!(cells.row(0), ["Name", "a,b,c"]);
            let filled = cells.with(vec![(1, 1, "5".to_owned())]);
            let expected = text.replace("Zoë;", "Zoë;5");
            assert_eq!(filled.expect("filled"), expected.as_bytes());
        }
    }

    #[test]
    fn what_is_no_table_is_refused() {
        for (bytes, words) in [
            (b"PK\x03\0".to_vec(), "no text"),
            (b"a,b\n\"open,1\n".to_vec(), "line 2: a quote is not closed"),
            (b"\n\n".to_vec(), "is empty"),
        ] {
            let reason = Cells::read(&bytes).expect_err("refused");
            assert!(reason.contains(words), "{reason}");
        }
        let short = Cells::read(b"a;b\nx\n").expect("well-formed");
        let reason = short.with(vec![(1, 1, "5".to_owned())]);
        assert!(
            reason
                .expect_err("too short")
                .starts_with("line 2: has fewer")
        );
    }
}
