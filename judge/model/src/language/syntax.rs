//! The syntax of comments and texts in languages.

use alloc::string::String;
use alloc::vec::Vec;
use core::iter;

/// The syntax of comments and texts in a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Syntax {
    /// The beginning of a comment that ends with its line; empty if there is none.
    pub line: &'static str,
    /// The beginning and the end of a comment of any length.
    pub block: Option<(&'static str, &'static str)>,
    /// Whether such comments can contain others.
    pub nested: bool,
    /// The mark around a text of any length, which may describe the code.
    pub docstring: Option<&'static str>,
    /// The quotes of texts that end on their line.
    pub quotes: &'static [u8],
}

/// The kind of a part of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// With its marks, without the end of its line.
    Comment,
    /// A text of any length, with its marks.
    Docstring,
    /// A text in quotes.
    Text,
    /// Anything else.
    Other,
}

impl Syntax {
    /// Returns a source without its comments.
    pub fn without_comments(&self, source: &[u8]) -> String {
        self.parts(source)
            .filter(|(part, _)| *part != Part::Comment)
            .map(|(_, own)| String::from_utf8_lossy(own))
            .collect()
    }

    pub(super) const C: Self = Self {
        line: "//",
        block: Some(("/*", "*/")),
        nested: false,
        docstring: None,
        quotes: b"\"'",
    };

    pub(super) const HASH: Self = Self {
        line: "#",
        block: None,
        ..Self::C
    };

    /// Cuts a source into its parts, without gaps.
    pub fn parts<'a>(&self, source: &'a [u8]) -> impl Iterator<Item = (Part, &'a [u8])> {
        let (syntax, mut rest, mut before) = (*self, source, b' ');
        iter::from_fn(move || {
            let (part, length) = syntax.first(before, rest)?;
            let (own, after) = rest.split_at(length);
            (rest, before) = (after, own[length - 1]);
            Some((part, own))
        })
    }

    /// Returns a source without its comments, and without blanks outside of texts.
    pub fn bare(&self, source: &[u8]) -> Vec<u8> {
        let mut bare = Vec::new();
        for (part, own) in self.parts(source) {
            match part {
                Part::Comment => {}
                Part::Text => bare.extend(own),
                Part::Docstring | Part::Other => {
                    bare.extend(own.iter().filter(|byte| !byte.is_ascii_whitespace()));
                }
            }
        }
        bare
    }

    /// `before` is the byte before the source.
    fn first(&self, before: u8, source: &[u8]) -> Option<(Part, usize)> {
        let first = *source.first()?;
        let block = self
            .block
            .and_then(|marks| block_length(source, marks, self.nested));
        let docstring = self
            .docstring
            .map(|mark| (mark, mark))
            .and_then(|marks| block_length(source, marks, false));
        // A quote between digits groups them, as in 1'000.
        let is_quote = self.quotes.contains(&first) && !(first == b'\'' && before.is_ascii_digit());
        let text = is_quote.then(|| text_length(source));
        Some(if let Some(length) = block {
            (Part::Comment, length)
        } else if let Some(length) = docstring {
            (Part::Docstring, length)
        } else if !self.line.is_empty() && source.starts_with(self.line.as_bytes()) {
            (Part::Comment, line_length(source))
        } else if source.starts_with(b"'\"'") {
            // A character in single quotes, in languages whose texts have no single quotes.
            (Part::Other, 3)
        } else if let Some(length) = text.flatten() {
            (Part::Text, length)
        } else {
            (Part::Other, 1)
        })
    }
}

fn line_length(source: &[u8]) -> usize {
    source
        .iter()
        .position(|byte| *byte == b'\n')
        .unwrap_or(source.len())
}

/// A block without an end extends to the end of the source.
fn block_length(source: &[u8], (begin, end): (&str, &str), nested: bool) -> Option<usize> {
    let (begin, end) = (begin.as_bytes(), end.as_bytes());
    let mut rest = source.strip_prefix(begin)?;
    let mut depth = 1;
    while depth > 0 && !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(end) {
            (rest, depth) = (after, depth - 1);
        } else if let Some(after) = rest.strip_prefix(begin).filter(|_| nested) {
            (rest, depth) = (after, depth + 1);
        } else {
            rest = &rest[1..];
        }
    }
    Some(source.len() - rest.len())
}

fn text_length(source: &[u8]) -> Option<usize> {
    let quote = source[0];
    let mut at = 1;
    while let Some(&byte) = source.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => return None,
            _ if byte == quote => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::Language;
    use alloc::string::String;

    #[test]
    fn comments_and_blanks_are_ignored_and_strings_kept() {
        let bare = |path: &str, source: &str| {
            let language = Language::of_file(path).expect(path);
            let syntax = language.syntax.expect(path);
            String::from_utf8(syntax.bare(source.as_bytes())).expect("UTF-8")
        };
        let two = "int a = 1; // one\n/* two */ char b = '\\'';";
        for (path, source, expected) in [
            ("Cat.h", two, "inta=1;charb='\\'';"),
            ("Cat.h", "s = \"a // b\"; /* open", "s=\"a // b\";"),
            ("bot.py", "x = '# no'  # yes\n", "x='# no'"),
            ("bot.py", "\"\"\"# a\n b\"\"\"", "\"\"\"#ab\"\"\""),
            ("a.ml", "let f' (* a (* b *) c *) = 1", "letf'=1"),
            ("A.hs", "f x' {- a {- b -} -} = x' -- c", "fx'=x'"),
            ("A.hs", "f = '\"' : g -- \"", "f='\"':g"),
            ("b.rs", "fn f<'a>() {} /* /* */ */ // x", "fnf<'a>(){}"),
        ] {
            assert_eq!(bare(path, source), expected, "{source}");
        }
    }
}
