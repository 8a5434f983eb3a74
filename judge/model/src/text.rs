//! Texts: positions in them, and their safe and readable forms.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::borrow::Borrow;
use engines::quote::shown;
use unicode_normalization::UnicodeNormalization;
use unicode_security::skeleton as skeleton_chars;

/// Returns the number of the line that contains the byte at `offset`, counted from 1.
pub fn line_number(text: &str, offset: usize) -> usize {
    let before = &text.as_bytes()[..offset.min(text.len())];
    before.split(|&byte| byte == b'\n').count()
}

/// Escapes characters, but for line breaks, that a terminal acts on, or that look like others.
pub fn readable(text: &str) -> String {
    let mut readable = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' | ' '..='~' => readable.push(c),
            c => readable.extend(shown(c)),
        }
    }
    readable
}

/// Returns a cell that a spreadsheet does not calculate, with a `'` in front; see
/// [`unescape_cell`].
pub fn escape_cell(cell: &str) -> String {
    if is_formula(cell) {
        format!("'{cell}")
    } else {
        cell.to_owned()
    }
}

/// Returns the text of a cell, defused or not.
pub fn unescape_cell(cell: &str) -> &str {
    let bare = cell.strip_prefix('\'');
    bare.filter(|bare| is_formula(bare)).unwrap_or(cell)
}

/// Returns whether a spreadsheet calculates a cell, maybe after a mark has been removed.
fn is_formula(cell: &str) -> bool {
    cell.trim_start_matches('\'')
        .starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r'])
}

/// Quotes a word that a shell would misread.
pub fn for_shell(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Maximum length of a game's slug, in characters.
pub const SLUG_CHARS_MAX: usize = 40;

/// Returns whether a text can be a game's slug.
pub fn is_slug(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (1..=SLUG_CHARS_MAX).contains(&text.len()) && text.chars().all(fits)
}

const NAMES_LISTED_MAX: usize = 10;

/// Lists the first ten names, and the number of the others.
pub fn listed<T: Borrow<str>>(names: &[T]) -> String {
    first(names, NAMES_LISTED_MAX, [", ", " and "])
}

const SENTENCES_LISTED_MAX: usize = 5;

/// Lists the first five sentences, and the number of the others.
pub fn listed_sentences(sentences: &[String]) -> String {
    first(sentences, SENTENCES_LISTED_MAX, ["; ", "; and "])
}

fn first<T: Borrow<str>>(all: &[T], listed_max: usize, [between, last]: [&str; 2]) -> String {
    let shown = all[..all.len().min(listed_max)].join(between);
    match all.len().checked_sub(listed_max) {
        Some(more @ 1..) => format!("{shown}{last}{more} more"),
        _ => shown,
    }
}

/// Returns the skeleton of UTS 39 without blanks: the eye cannot tell equal looks apart.
pub fn skeleton(name: &str) -> String {
    let is_blank = |c: char| c.is_whitespace() || c == '\u{2800}';
    skeleton_chars(name).filter(|&c| !is_blank(c)).collect()
}

/// Returns the letters of a name without marks; `ü`, `ue` and `u` are equal.
pub fn plain_letters(name: &str) -> String {
    let base: String = name
        .nfkd()
        .flat_map(char::to_lowercase)
        .filter(|c| c.is_alphanumeric())
        .collect();
    let spelled = [
        ("ß", "ss"),
        ("æ", "ae"),
        ("œ", "oe"),
        ("ø", "o"),
        ("ł", "l"),
        ("đ", "d"),
        ("ı", "i"),
        ("ae", "a"),
        ("oe", "o"),
        ("ue", "u"),
    ];
    let spell = |name: String, (from, to): (&str, &str)| name.replace(from, to);
    spelled.into_iter().fold(base, spell)
}

/// Returns the words of a name, whatever separates them, each as its plain letters.
pub fn plain_words(name: &str) -> Vec<String> {
    let whole: String = name.nfc().collect();
    whole
        .split(|c: char| !c.is_alphanumeric())
        .map(plain_letters)
        .collect()
}

/// Replaces every character outside ASCII with its escape.
pub fn spelled_out(name: &str) -> String {
    let spell = |c: char| {
        if c.is_ascii() {
            vec![c]
        } else {
            c.escape_unicode().collect()
        }
    };
    name.chars().flat_map(spell).collect()
}

#[cfg(test)]
mod tests {
    use super::{escape_cell, for_shell, readable, skeleton, spelled_out, unescape_cell};

    #[test]
    fn a_word_for_the_shell_is_quoted() {
        assert_eq!(for_shell("/opt/it's/judge"), r"'/opt/it'\''s/judge'");
        assert_eq!(for_shell("--set=side=5"), "--set=side=5");
    }

    #[test]
    fn defused_cell_is_no_formula_and_keeps_text() {
        for cell in [
            "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1", "''@x",
        ] {
            let safe = escape_cell(cell);
            assert_eq!(safe, format!("'{cell}"));
            assert_eq!(unescape_cell(&safe), cell);
        }
        for cell in ["alice", "", "'", "d'Alembert", "'quoted'"] {
            assert_eq!((&*escape_cell(cell), unescape_cell(cell)), (cell, cell));
        }
        let unescaped = unescape_cell("=1+1");
        assert_eq!(unescaped, "=1+1", "from before cells were escaped");
    }

    #[test]
    fn lookalike_names_share_look_and_differ_when_escaped() {
        let others = "honest1 |honest1\u{a0}|һonest1|honеst1|ｈonest1|honest\u{3164}1";
        for other in others.split('|') {
            assert_eq!(skeleton(other), skeleton("honest1"), "{other}");
            assert_eq!(spelled_out(other) == other, other.is_ascii());
        }
        assert_ne!(skeleton("Müller"), skeleton("Muller"));
        assert_ne!(skeleton("honest1"), skeleton("honest2"));
        assert_eq!(spelled_out("һo"), "\\u{4bb}o");
    }

    #[test]
    fn terminal_escapes_are_shown_and_not_obeyed() {
        let found = readable("a\tb\n\u{1b}[31mred\r\u{202e}");
        assert_eq!(found, "a\tb\n\\u{1b}[31mred\\u{d}\\u{202e}");
    }
}
