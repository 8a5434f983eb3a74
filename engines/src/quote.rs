//! Quotations of strangers' text that are safe to show.

use crate::prelude::*;

/// The maximum length of a quoted line, in characters.
pub const QUOTE_CHARS_MAX: usize = 200;

pub(crate) const NAME_CHARS_MAX: usize = 60;

/// The maximum length of a sentence with a quotation, in characters.
pub const SENTENCE_CHARS_MAX: usize = 1000;

/// Returns bytes as a text of at most [`QUOTE_CHARS_MAX`] that is safe to show.
pub fn quote(text: impl AsRef<[u8]>) -> String {
    let bytes = text.as_ref();
    let head = &bytes[..bytes.len().min(4 * QUOTE_CHARS_MAX)];
    let text = String::from_utf8_lossy(head);
    let mut quoted = shortened(&text, QUOTE_CHARS_MAX);
    if head.len() < bytes.len() && !quoted.ends_with('…') {
        quoted.push('…');
    }
    quoted
}

/// Returns a sentence as a text of at most [`SENTENCE_CHARS_MAX`] that is safe to show.
pub fn safe_sentence(sentence: &str) -> String {
    shortened(sentence, SENTENCE_CHARS_MAX)
}

/// Makes a text safe to show. An ellipsis marks a cut.
pub(crate) fn shortened(text: &str, characters_max: usize) -> String {
    let mut characters = text.chars().flat_map(shown);
    let mut short: String = characters.by_ref().take(characters_max).collect();
    if characters.next().is_some() {
        short.push('…');
    }
    short
}

/// Escapes a character if a terminal would act on it, or if it makes one thing look like another.
pub fn shown(c: char) -> Vec<char> {
    let breaks_line = matches!(c, '\u{2028}' | '\u{2029}');
    if c.is_control() || breaks_line || is_unseen(c) {
        c.escape_unicode().collect()
    } else {
        alloc::vec![c]
    }
}

/// Bidirectional controls, fillers, tags and the like: their skeleton (UTS 39) is empty.
fn is_unseen(c: char) -> bool {
    !c.is_ascii()
        && unicode_security::skeleton(c.encode_utf8(&mut [0; 4]))
            .next()
            .is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_short_and_hold_no_control_characters() {
        assert_eq!(quote(b"plain \xc3\xa9"), "plain é");
        assert_eq!(quote(b"\x1b[31m"), "\\u{1b}[31m");
        assert_eq!(quote("\u{202e}".as_bytes()), "\\u{202e}");
        assert_eq!(quote([0xff]), "\u{fffd}");
        let unseen = "\u{200b}\u{ad}\u{61c}\u{3164}\u{2028}\u{e0041}\u{2066}";
        assert_eq!(
            quote(unseen.as_bytes()),
            unseen.escape_unicode().to_string()
        );
        let seen = "üЖ日本👍a\u{301}\u{a0}ㄱ";
        assert_eq!(quote(seen.as_bytes()), seen);
        for long in [alloc::vec![b'x'; 1 << 20], alloc::vec![b'x'; 201]] {
            assert_eq!(quote(&long).chars().count(), QUOTE_CHARS_MAX + 1);
        }
        assert_eq!(quote([b'x'; 200]).chars().count(), QUOTE_CHARS_MAX);
        assert_eq!(safe_sentence("a\n\u{1b}[2J"), "a\\u{a}\\u{1b}[2J");
        let long = safe_sentence(&"ü".repeat(1 << 20));
        assert_eq!(long.chars().count(), SENTENCE_CHARS_MAX + 1);
    }
}
