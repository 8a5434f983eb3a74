//! The files that an OCaml course gives with its assignment. The judge's own copies always play. An
//! author whose copy has other content gets a note on the difference.

use crate::source::SourceFile;
use std::collections::BTreeSet;

/// Words that begin a definition.
const KEYWORDS: [&str; 8] = [
    "type",
    "and",
    "val",
    "let",
    "exception",
    "open",
    "module",
    "external",
];

/// Returns how a submitted file differs from the judge's own text. Returns `None` if only blanks,
/// comments or order differ, or definitions are missing.
pub(super) fn note(file: &SourceFile, own: &str) -> Option<String> {
    let theirs = definitions(&String::from_utf8_lossy(&file.bytes));
    let own = definitions(own);
    let first = theirs.difference(&own).next()?;
    let name: Vec<&str> = first
        .split(' ')
        .filter(|word| !word.starts_with('\''))
        .take(2)
        .collect();
    Some(format!(
        "{} differs from the judge's copy, which was used instead ({})",
        file.path,
        name.join(" ")
    ))
}

/// Splits a text into its definitions, each with single blanks between its words.
fn definitions(text: &str) -> BTreeSet<String> {
    let mut all: Vec<Vec<String>> = Vec::new();
    for word in words(&without_comments(text)) {
        if KEYWORDS.contains(&word.as_str()) {
            let word = if word == "and" { "type" } else { &word };
            all.push(vec![word.to_owned()]);
        } else if let Some(last) = all.last_mut() {
            // Optional signs: a bar before the first case, the last semicolon.
            let before = last.last().map(String::as_str);
            match (before, word.as_str()) {
                (Some("="), "|") => continue,
                (Some(";"), "}") => drop(last.pop()),
                _ => {}
            }
            last.push(word);
        }
    }
    let ended = all.iter_mut().map(|words| {
        // Two semicolons may end a definition.
        while words.last().is_some_and(|word| word == ";") {
            words.pop();
        }
        words.join(" ")
    });
    ended.collect()
}

fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut depth = 0_usize;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let step = match (&rest.as_bytes()[..rest.len().min(2)], depth) {
            (b"(*", _) => {
                depth += 1;
                2
            }
            (b"*)", 1..) => {
                depth -= 1;
                kept.push(' ');
                2
            }
            (_, 0) => {
                kept.push(first);
                first.len_utf8()
            }
            _ => first.len_utf8(),
        };
        rest = &rest[step..];
    }
    kept
}

/// Splits a text into names and sequences of signs.
fn words(text: &str) -> Vec<String> {
    let is_name = |c: char| c.is_alphanumeric() || "_'.".contains(c);
    let alone = |c: char| "()[]{};:,|=*".contains(c);
    let mut words: Vec<String> = Vec::new();
    let mut joins = false;
    let mut last = ' ';
    for c in text.chars() {
        let same = is_name(c) == is_name(last) && !alone(c) && !alone(last);
        if c.is_whitespace() {
            joins = false;
        } else if joins && same {
            words.last_mut().expect("it joins the last one").push(c);
        } else {
            words.push(c.to_string());
            joins = true;
        }
        last = c;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "(* The types. *)\ntype camel = H of position\n           | V of position\n\
                       type player = {\n  position : position;\n  current : int;\n}\n";

    fn note_on(text: &str) -> Option<String> {
        let file = SourceFile {
            path: "types/types.ml".to_owned(),
            bytes: text.as_bytes().to_vec(),
            executable: false,
        };
        note(&file, OWN)
    }

    #[test]
    fn blanks_comments_and_order_are_no_difference() {
        let theirs = "type player={position:position;current:int}(* (* a *) b *)\n\ntype camel =\n\
                      | H of position (* x *)\n  |V of position;;";
        assert_eq!(note_on(theirs), None);
        assert_eq!(note_on(""), None);
    }

    #[test]
    fn what_differs_is_named() {
        for (theirs, name) in [
            (OWN.replace("H of", "Horizontal of"), "(type camel)"),
            (OWN.replace("current", "left"), "(type player)"),
            (format!("{OWN}let size = 7\n"), "(let size)"),
            (format!("{OWN}type 'a tree = Leaf"), "(type tree)"),
        ] {
            let note = note_on(&theirs).expect("it differs");
            assert!(note.contains(name), "{note}");
        }
    }
}
