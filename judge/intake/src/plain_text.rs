//! Cleaning of texts from compilers and authors, for a terminal or a file.

use model::text::readable;

/// First character of a sequence that colours text or moves the cursor, and a last one.
const ESCAPE: char = '\u{1b}';
const BELL: char = '\u{7}';

/// Removes colours and similar sequences, and makes every other control character visible.
pub(super) fn plain(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            (ESCAPE, Some('[')) => {
                // Up to the letter that gives the meaning of the numbers before it.
                while rest
                    .next_if(|c| !('@'..='Z').contains(c) && !('\\'..='~').contains(c))
                    .is_some()
                {}
                rest.next();
            }
            (ESCAPE, Some(']')) => {
                while rest.next_if(|c| *c != BELL && *c != ESCAPE).is_some() {}
                rest.next();
                rest.next_if_eq(&'\\');
            }
            ('\r', Some('\n')) => {}
            _ => kept.push(c),
        }
    }
    readable(&kept)
}

/// Cleans a text, and returns it as one line.
pub(super) fn plain_line(text: &str) -> String {
    plain(text.trim()).replace(['\n', '\t'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_taken_out_and_other_controls_are_shown() {
        for (text, shown) in [
            ("\u{1b}[1m\u{1b}[31merror\u{1b}[0m: no\r\n", "error: no\n"),
            ("\u{1b}]0;title\u{7}a\u{1b}]8;;http://x\u{1b}\\b", "ab"),
            ("a\u{8}b\rc", "a\\u{8}b\\u{d}c"),
            ("\u{1b}[", ""),
            ("\u{1b}c", "\\u{1b}c"),
            ("ünïcode\t‘x’", "ünïcode\t‘x’"),
        ] {
            assert_eq!(plain(text), shown);
        }
        assert_eq!(plain_line(" a\nb\n"), "a b");
    }
}
