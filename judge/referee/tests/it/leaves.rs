//! The values of a JSON text, each with its path and its range.

use std::ops::Range;

/// A value of a JSON text.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    /// The keys and indices that lead to it, such as `turns.3.0`.
    pub(crate) path: String,
    /// Its byte range in the text.
    pub(crate) range: Range<usize>,
    /// Whether it contains no other values.
    pub(crate) is_leaf: bool,
}

/// Lists every value of a JSON text without whitespace, the outermost first.
pub(crate) fn values(text: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let end = read(text, 0, "", &mut found);
    assert_eq!(end, text.len(), "one value, and no blanks");
    found
}

fn read(text: &str, start: usize, path: &str, found: &mut Vec<Value>) -> usize {
    let bytes = text.as_bytes();
    let place = found.len();
    found.push(Value {
        path: path.to_owned(),
        range: start..start,
        is_leaf: true,
    });
    let below = |key: &str| match path {
        "" => key.to_owned(),
        _ => format!("{path}.{key}"),
    };
    let end = match bytes[start] {
        b'"' => string_end(bytes, start),
        b'{' | b'[' => {
            found[place].is_leaf = false;
            let mut at = start + 1;
            let mut index = 0;
            while !matches!(bytes[at], b'}' | b']') {
                let mut key = index.to_string();
                if bytes[start] == b'{' {
                    let end = string_end(bytes, at);
                    text[at + 1..end - 1].clone_into(&mut key);
                    at = end + 1;
                }
                at = read(text, at, &below(&key), found);
                at += usize::from(bytes[at] == b',');
                index += 1;
            }
            at + 1
        }
        _ => {
            let rest = &bytes[start..];
            let length = rest.iter().position(|byte| b",]}".contains(byte));
            start + length.expect("the text is an object")
        }
    };
    found[place].range.end = end;
    end
}

/// Returns the end of the string that begins at `start`, after its closing quote.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}
