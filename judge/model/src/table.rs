//! Tables as spreadsheets and platforms save them: their encoding, and what is between their cells.

use alloc::borrow::ToOwned;
use alloc::string::String;

/// A table that was decoded.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its whole text; one in UTF-8 has the bytes of the file.
    pub text: String,
    /// Where the cells begin, after a mark of the encoding and Excel's own `sep=;`.
    pub start: usize,
    /// The delimiter of the cells: the named one, or the most frequent of the header.
    pub delimiter: u8,
}

impl Table {
    /// Decodes a table.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let text = decoded(bytes)?;
        let table = text.trim_start_matches(MARK);
        let named = table
            .strip_prefix(NAMES)
            .and_then(|rest| rest.bytes().next())
            .filter(|byte| b",;\t|".contains(byte));
        let before = text.len() - table.len();
        Ok(Self {
            start: before + named.map_or(0, |_| NAMES.len() + 1),
            delimiter: named.unwrap_or_else(|| most_frequent(table)),
            text,
        })
    }
}

/// The mark of UTF-8.
const MARK: char = '\u{feff}';
/// Excel's words before the delimiter.
const NAMES: &str = "sep=";

/// Decodes what spreadsheets save: UTF-8, UTF-16 with its mark, or the code page 1252.
fn decoded(bytes: &[u8]) -> Result<String, String> {
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

/// The characters 0x80 to 0x9f of the code page 1252.
const CP1252: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

/// Finds the delimiter between the cells of the header; those in quotes do not count. Spreadsheets
/// in some languages write semicolons.
fn most_frequent(text: &str) -> u8 {
    let (mut counts, mut is_quoted) = ([0; DELIMITERS.len()], false);
    for byte in text.trim_start_matches(['\r', '\n']).bytes() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            b'\r' | b'\n' => break,
            byte => {
                let known = DELIMITERS.iter().zip(&mut counts);
                known
                    .filter(|(delimiter, _)| **delimiter == byte)
                    .for_each(|(_, count)| *count += 1);
            }
        }
    }
    let known = DELIMITERS.into_iter().zip(counts);
    known
        .max_by_key(|(_, count)| *count)
        .map_or(b',', |(delimiter, _)| delimiter)
}

/// All delimiters; of equally frequent ones the last counts.
const DELIMITERS: [u8; 3] = [b'\t', b';', b','];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delimiter_is_the_named_or_the_most_frequent_one_outside_of_quotes() {
        for (text, delimiter, start) in [
            ("a", b',', 0),
            ("a;b,c;d\n,,,,", b';', 0),
            ("\"x,y,z\";b;c\n", b';', 0),
            ("\"x\n;;;\",b\n", b',', 0),
            ("\r\na\tb\n", b'\t', 0),
            ("\u{feff}a;b\n", b';', 3),
            ("\u{feff}sep=|\na,b|c\n", b'|', 8),
            ("sep=x\na;b\n", b',', 0),
        ] {
            let table = Table::read(text.as_bytes()).expect("a text");
            assert_eq!((table.delimiter, table.start), (delimiter, start), "{text}");
            assert_eq!(table.text, text);
        }
    }
}
