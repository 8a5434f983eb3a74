//! Tables as spreadsheets and platforms save them. One cell can change, and every other byte stays.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// A table and the positions of its cells.
#[derive(Clone, Debug)]
pub struct Table {
    text: String,
    rows: Vec<Vec<TableCell>>,
    delimiter: u8,
}

#[derive(Clone, Debug)]
struct TableCell {
    /// Byte range, with quotes if there are any.
    span: Range<usize>,
    text: String,
}

impl Table {
    /// The delimiter is the one that Excel names (`sep=;`), or the header's most frequent.
    pub fn read(text: String) -> Result<Self, String> {
        let table = text.trim_start_matches(MARK);
        let named = table
            .strip_prefix(NAMES)
            .and_then(|rest| rest.bytes().next())
            .filter(|byte| b",;\t|".contains(byte));
        let before = text.len() - table.len();
        let start = before + named.map_or(0, |_| NAMES.len() + 1);
        let delimiter = named.unwrap_or_else(|| most_frequent(table));
        Ok(Self {
            rows: scan(&text, start, delimiter)?,
            text,
            delimiter,
        })
    }

    /// Decodes a file, and locates the cells of rows that have a word.
    pub fn read_file(bytes: &[u8]) -> Result<Self, String> {
        let mut table = Self::read(decoded(bytes)?)?;
        let is_blank = |cell: &TableCell| cell.text.trim().is_empty();
        table.rows.retain(|row| !row.iter().all(is_blank));
        if table.rows.is_empty() {
            return Err("is empty".to_owned());
        }
        Ok(table)
    }

    /// Returns the number of rows, including the header.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether it has no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the cells of a row, without blanks around them.
    pub fn row(&self, row: usize) -> Vec<&str> {
        self.rows[row].iter().map(|cell| cell.text.trim()).collect()
    }

    /// Returns a cell; empty if the row is shorter.
    pub fn cell(&self, row: usize, column: usize) -> &str {
        self.rows[row].get(column).map_or("", |cell| &cell.text)
    }

    /// Returns the line of a row, counted from 1.
    pub fn line(&self, row: usize) -> usize {
        line(&self.text, self.rows[row][0].span.start)
    }

    /// Returns the file with these cells changed: (row, column, text). Cells keep their quotes.
    pub fn with(&self, mut changes: Vec<(usize, usize, String)>) -> Result<Vec<u8>, String> {
        changes.sort();
        let mut out = Vec::with_capacity(self.text.len());
        let (mut at, bytes) = (0, self.text.as_bytes());
        for (row, column, text) in changes {
            let cell = self.rows[row].get(column).ok_or_else(|| {
                let line = self.line(row);
                format!("line {line}: has fewer cells than the header")
            })?;
            out.extend(&bytes[at..cell.span.start]);
            out.extend(self.written(cell, &text).into_bytes());
            at = cell.span.end;
        }
        out.extend(&bytes[at..]);
        Ok(out)
    }

    fn written(&self, cell: &TableCell, text: &str) -> String {
        let was_quoted = self.text[cell.span.clone()].starts_with('"');
        if was_quoted || text.contains(['"', '\n', '\r', char::from(self.delimiter)]) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text.to_owned()
        }
    }
}

fn scan(text: &str, start: usize, delimiter: u8) -> Result<Vec<Vec<TableCell>>, String> {
    let bytes = text.as_bytes();
    let ends_line = |at: usize| matches!(bytes.get(at), Some(b'\n' | b'\r'));
    let mut rows = Vec::new();
    let mut at = start;
    while ends_line(at) {
        at += 1;
    }
    while at < bytes.len() {
        let mut row = Vec::new();
        loop {
            let from = at;
            let quoted = bytes.get(at) == Some(&b'"');
            if quoted {
                let open = || format!("line {}: a quote is not closed", line(text, from));
                at = closing(bytes, at).ok_or_else(open)?;
            }
            while at < bytes.len() && !ends_line(at) && bytes[at] != delimiter {
                at += 1;
            }
            row.push(TableCell {
                span: from..at,
                text: plain(&text[from..at], quoted),
            });
            if bytes.get(at) != Some(&delimiter) {
                break;
            }
            at += 1;
        }
        while ends_line(at) {
            at += 1;
        }
        rows.push(row);
    }
    Ok(rows)
}

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

fn plain(cell: &str, quoted: bool) -> String {
    match cell.strip_prefix('"').filter(|_| quoted) {
        Some(rest) => rest.strip_suffix('"').unwrap_or(rest).replace("\"\"", "\""),
        None => cell.to_owned(),
    }
}

fn line(text: &str, at: usize) -> usize {
    1 + text[..at].matches('\n').count()
}

const MARK: char = '\u{feff}';
const NAMES: &str = "sep=";

/// Decodes UTF-8, UTF-16 with its mark, or the code page 1252.
pub fn decoded(bytes: &[u8]) -> Result<String, String> {
    let no_text = "is no text (an Excel file?); save it as \"CSV UTF-8\"";
    if let [0xff, 0xfe, rest @ ..] = bytes {
        let units = rest
            .chunks_exact(2)
            .map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        let text: Result<String, _> = char::decode_utf16(units).collect();
        return text.map_err(|_| no_text.to_owned());
    }
    if bytes.contains(&0) {
        return Err(no_text.to_owned());
    }
    if let Ok(text) = core::str::from_utf8(bytes) {
        return Ok(text.to_owned());
    }
    let is_utf8_elsewhere = String::from_utf8_lossy(bytes)
        .chars()
        .any(|c| !c.is_ascii() && c != char::REPLACEMENT_CHARACTER);
    if is_utf8_elsewhere {
        return Err("is UTF-8 text only in part; save it as \"CSV UTF-8\"".to_owned());
    }
    let read = |byte: &u8| match byte {
        0x80..=0x9f => CP1252.chars().nth(usize::from(byte - 0x80)),
        byte => Some(char::from(*byte)),
    };
    Ok(bytes.iter().filter_map(read).collect())
}

const CP1252: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

/// Some languages' spreadsheets write semicolons. Cells in quotes do not count.
fn most_frequent(text: &str) -> u8 {
    let mut is_quoted = false;
    let header: Vec<u8> = text
        .trim_start_matches(['\r', '\n'])
        .bytes()
        .filter(|byte| {
            is_quoted ^= *byte == b'"';
            !is_quoted
        })
        .take_while(|byte| !b"\r\n".contains(byte))
        .collect();
    let count = |delimiter: &u8| header.split(|byte| byte == delimiter).count();
    DELIMITERS.into_iter().max_by_key(count).unwrap_or(b',')
}

/// All delimiters; of equally frequent ones the last counts.
const DELIMITERS: [u8; 3] = [b'\t', b';', b','];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_cell_changes_and_every_other_byte_stays() {
        let text = "\u{feff}\"Student\",ID,\"A \"\"big\"\" one, really\"\r\n\r\n'x',  ,\"old\"\r\n\"two\nlines\",7,\n";
        let cells = Table::read_file(text.as_bytes()).expect("well-formed");
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
            let cells = Table::read_file(&bytes).expect("a table");
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
            let reason = Table::read_file(&bytes).expect_err("refused");
            assert!(reason.contains(words), "{reason}");
        }
        let short = Table::read_file(b"a;b\nx\n").expect("well-formed");
        let refused = short.with(vec![(1, 1, "5".to_owned())]);
        let reason = refused.expect_err("too short");
        assert!(reason.starts_with("line 2: has fewer"), "{reason}");
    }

    #[test]
    fn delimiter_is_named_or_most_frequent_outside_quotes() {
        for (text, delimiter, header) in [
            ("a", b',', "a"),
            ("a;b,c;d\n,,,,", b';', "a"),
            ("\"x,y,z\";b;c\n", b';', "x,y,z"),
            ("\"x\n;;;\",b\n", b',', "x\n;;;"),
            ("\r\na\tb\n", b'\t', "a"),
            ("\u{feff}a;b\n", b';', "a"),
            ("\u{feff}sep=|\na,b|c\n", b'|', "a,b"),
            ("sep=x\na;b\n", b',', "sep=x"),
        ] {
            let table = Table::read_file(text.as_bytes()).expect("a text");
            let found = (table.delimiter, table.cell(0, 0));
            assert_eq!(found, (delimiter, header), "{text}");
        }
    }
}
