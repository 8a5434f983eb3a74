//! How sources are written, as far as it takes to compare them: their endings and comments, and
//! how `JPlag` calls the language.

use super::source::has_ending;

/// A language that sources are compared in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceLanguage {
    /// Its name, fit for a folder.
    pub name: &'static str,
    /// How `JPlag` calls it; `text` where it has no parser for it.
    pub jplag: &'static str,
    /// The endings of its files.
    pub endings: &'static [&'static str],
    /// What a comment begins with that ends with its line.
    line: &'static str,
    /// What a comment begins and ends with that may be longer.
    block: Option<(&'static str, &'static str)>,
    /// Such comments hold others.
    nested: bool,
    /// What texts are written in.
    quotes: &'static [u8],
}

const C_LIKE: SourceLanguage = SourceLanguage {
    name: "cpp",
    jplag: "cpp",
    endings: &["c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx"],
    line: "//",
    block: Some(("/*", "*/")),
    nested: false,
    quotes: b"\"'",
};

/// All of them. `JPlag` has no parsers for OCaml and Haskell.
pub const SOURCE_LANGUAGES: [SourceLanguage; 8] = [
    C_LIKE,
    SourceLanguage {
        name: "python",
        jplag: "python3",
        endings: &["py"],
        line: "#",
        block: None,
        ..C_LIKE
    },
    SourceLanguage {
        name: "ocaml",
        jplag: "text",
        endings: &["ml", "mli"],
        line: "",
        block: Some(("(*", "*)")),
        nested: true,
        quotes: b"\"",
    },
    SourceLanguage {
        name: "haskell",
        jplag: "text",
        endings: &["hs"],
        line: "--",
        block: Some(("{-", "-}")),
        nested: true,
        quotes: b"\"",
    },
    SourceLanguage {
        name: "rust",
        jplag: "rust",
        endings: &["rs"],
        nested: true,
        quotes: b"\"",
        ..C_LIKE
    },
    SourceLanguage {
        name: "javascript",
        jplag: "javascript",
        endings: &["js", "mjs"],
        ..C_LIKE
    },
    SourceLanguage {
        name: "java",
        jplag: "java",
        endings: &["java"],
        ..C_LIKE
    },
    SourceLanguage {
        name: "shell",
        jplag: "text",
        endings: &["sh"],
        line: "#",
        block: None,
        ..C_LIKE
    },
];

impl SourceLanguage {
    /// Returns the language of a file by its ending.
    pub fn of(path: &str) -> Option<&'static Self> {
        let mut all = SOURCE_LANGUAGES.iter();
        all.find(|language| has_ending(path, language.endings))
    }

    /// Returns a source without its comments, and without blanks outside of texts.
    pub(super) fn bare(&self, source: &[u8]) -> Vec<u8> {
        let mut bare = Vec::new();
        let mut rest = source;
        while let Some(&byte) = rest.first() {
            rest = if self.begins_line(rest) {
                after_line(rest)
            } else if let Some(after) = self.after_block(rest) {
                after
            } else if self.quotes.contains(&byte) {
                let (text, after) = rest.split_at(text_length(rest));
                bare.extend(text);
                after
            } else {
                if !byte.is_ascii_whitespace() {
                    bare.push(byte);
                }
                &rest[1..]
            };
        }
        bare
    }

    fn begins_line(&self, source: &[u8]) -> bool {
        !self.line.is_empty() && source.starts_with(self.line.as_bytes())
    }

    /// Returns what stands behind a longer comment, where one begins; one that does not end goes to
    /// the end of the source.
    fn after_block<'a>(&self, source: &'a [u8]) -> Option<&'a [u8]> {
        let (begin, end) = self.block?;
        let (begin, end) = (begin.as_bytes(), end.as_bytes());
        let mut rest = source.strip_prefix(begin)?;
        let mut depth = 1;
        while depth > 0 && !rest.is_empty() {
            if let Some(after) = rest.strip_prefix(end) {
                (rest, depth) = (after, depth - 1);
            } else if let Some(after) = rest.strip_prefix(begin).filter(|_| self.nested) {
                (rest, depth) = (after, depth + 1);
            } else {
                rest = &rest[1..];
            }
        }
        Some(rest)
    }
}

fn after_line(source: &[u8]) -> &[u8] {
    let end = source.iter().position(|byte| *byte == b'\n');
    end.map_or(&[], |end| &source[end..])
}

/// Returns how long the text is that a source begins with; one that does not end in its line is
/// only its quote.
fn text_length(source: &[u8]) -> usize {
    let quote = source[0];
    let mut at = 1;
    while let Some(&byte) = source.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => return 1,
            _ if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blanks_do_not_count_and_texts_do() {
        let bare = |path: &str, source: &str| {
            let language = SourceLanguage::of(path).expect(path);
            String::from_utf8(language.bare(source.as_bytes())).expect("UTF-8")
        };
        for (path, source, expected) in [
            (
                "Cat.h",
                "int a = 1; // one\n/* two */ char b = '\\'';",
                "inta=1;charb='\\'';",
            ),
            ("Cat.h", "s = \"a // b\"; /* open", "s=\"a // b\";"),
            ("bot.py", "x = '# no'  # yes\n", "x='# no'"),
            ("a.ml", "let f' (* a (* b *) c *) = 1", "letf'=1"),
            ("A.hs", "f x' {- a {- b -} -} = x' -- c", "fx'=x'"),
            ("b.rs", "fn f<'a>() {} /* /* */ */ // x", "fnf<'a>(){}"),
        ] {
            assert_eq!(bare(path, source), expected, "{source}");
        }
        assert_eq!(SourceLanguage::of("readme.md"), None);
    }
}
