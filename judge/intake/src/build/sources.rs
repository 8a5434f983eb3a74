//! Comparison of programs and sources for staff, and the longest comment of sources.

use crate::read::judge_toml;
use crate::read::names::base_name;
use crate::read::source::{SourceFile, has_ending};
use crate::read::submission::{ANONYMOUS, Form, Submission};
use engines::{Kit, Sign};
use model::draw::hash;
use model::entrant::Comment;
use model::language::{Language, Part, Syntax};
use rulebook::rules::Rules;
use std::collections::{BTreeMap, BTreeSet};

/// Property that several entrants share; the strongest evidence comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sameness {
    /// The course's template, unchanged.
    Template,
    /// Files that are equal byte for byte, under any names.
    Files,
    /// The built program.
    Program,
    /// Sources that differ only in formatting and comments.
    Sources,
}

impl Sameness {
    /// Returns the description for staff.
    pub fn words(self) -> &'static str {
        match self {
            Self::Template => "the course's template, unchanged but for formatting and comments",
            Self::Files => "the same files",
            Self::Program => "the same program",
            Self::Sources => "the same sources, but for formatting and comments",
        }
    }
}

/// Entrants that share a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copies {
    /// Their names, in order.
    pub entrants: Vec<String>,
    /// The shared property.
    pub same: Sameness,
}

/// The program and files of an entrant, played or submitted last.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The entrant's name.
    pub entrant: String,
    /// The hash of its program, if it has one.
    pub artifact: Option<String>,
    /// The files of its submission.
    pub files: Vec<SourceFile>,
}

/// Finds groups of entrants with the same submission, each once with the strongest evidence.
pub fn find_copies(game: &dyn Rules, all: &[Compared]) -> Vec<Copies> {
    let kits = game.kits().iter();
    let files = kits.flat_map(|kit| kit.files.iter().chain(kit.starter));
    let given: BTreeSet<Vec<u8>> = files
        .map(|(path, text)| bare(path, text.as_bytes()))
        .collect();
    let mut groups: BTreeMap<(Sameness, String), BTreeSet<&str>> = BTreeMap::new();
    for one in all {
        let mut join = |same, key: String| {
            groups.entry((same, key)).or_default().insert(&one.entrant);
        };
        let own = own_files(&one.files, &given);
        if own.is_empty() {
            join(Sameness::Template, String::new());
            continue;
        }
        let contents = own.iter().map(|file| file.bytes.clone());
        let bare = own.iter().map(|file| bare(&file.path, &file.bytes));
        join(Sameness::Files, digest(contents));
        join(Sameness::Sources, digest(bare));
        if let Some(artifact) = &one.artifact {
            join(Sameness::Program, artifact.clone());
        }
    }
    let mut reported: BTreeSet<BTreeSet<&str>> = BTreeSet::new();
    let mut copies = Vec::new();
    for ((same, _), entrants) in groups {
        if entrants.len() > 1 && reported.insert(entrants.clone()) {
            let entrants = entrants.into_iter().map(str::to_owned).collect();
            copies.push(Copies { entrants, same });
        }
    }
    copies.sort_by(|a, b| a.entrants.cmp(&b.entrants));
    copies
}

/// Returns the author's own files: sources, or all if there are none. `given` is the course's text.
fn own_files<'a>(files: &'a [SourceFile], given: &BTreeSet<Vec<u8>>) -> Vec<&'a SourceFile> {
    let mut own: Vec<&SourceFile> = files.iter().filter(|file| !file.is_aside()).collect();
    if own.iter().any(|file| syntax_of(&file.path).is_some()) {
        own.retain(|file| syntax_of(&file.path).is_some());
    } else {
        own.retain(|file| ![judge_toml::FILE_NAME, ANONYMOUS].contains(&&*file.path));
    }
    own.retain(|file| !given.contains(&bare(&file.path, &file.bytes)));
    own
}

fn bare(path: &str, bytes: &[u8]) -> Vec<u8> {
    syntax_of(path).map_or_else(|| bytes.to_vec(), |syntax| syntax.bare(bytes))
}

fn syntax_of(path: &str) -> Option<Syntax> {
    Language::of_file(path)?.syntax
}

/// Hashes contents, independent of their order.
fn digest(contents: impl Iterator<Item = Vec<u8>>) -> String {
    let mut contents: Vec<Vec<u8>> = contents.filter(|content| !content.is_empty()).collect();
    contents.sort();
    let parts: Vec<&[u8]> = contents.iter().map(Vec::as_slice).collect();
    hash(&parts)
}

/// The comment has 0 words if there is none.
pub(crate) fn longest_comment(submission: &Submission) -> Option<Comment> {
    let Ok(Form::Sources(_, kit)) = submission.form else {
        return None;
    };
    let syntax = Language::named(kit.language)?.syntax?;
    let files = submission.files.iter();
    let comments = files.filter(|file| is_asked_for(file, kit)).map(|file| {
        let (line, words) = longest(&file.bytes, &syntax);
        Comment {
            file: file.path.clone(),
            line,
            words,
        }
    });
    // The first of equally long ones wins.
    comments.rev().max_by_key(|one| one.words)
}

fn is_asked_for(file: &SourceFile, kit: &Kit) -> bool {
    let name = base_name(&file.path);
    match kit.sign {
        Sign::Flat(names) => names.contains(&name),
        Sign::Anywhere(wanted) => name == wanted,
        Sign::Text { ending, .. } => has_ending(name, &[ending]),
    }
}

/// Returns the first line of the longest comment and its words. Adjacent comments count as one.
fn longest(source: &[u8], syntax: &Syntax) -> (usize, u64) {
    let mut best = (0, 0);
    // First line, words and last line of the comment that the next one continues.
    let mut run: Option<(usize, u64, usize)> = None;
    let mut line = 1;
    for (part, own) in syntax.parts(source) {
        let begins = line;
        line += own.split(|byte| *byte == b'\n').count() - 1;
        match part {
            Part::Comment | Part::Docstring => {
                let (first, earlier) = match run {
                    Some((first, words, last)) if last + 1 >= begins => (first, words),
                    _ => (begins, 0),
                };
                let words = earlier + words_in(own);
                run = Some((first, words, line));
                if words > best.1 {
                    best = (first, words);
                }
            }
            Part::Other if own.trim_ascii().is_empty() => {}
            Part::Text | Part::Other => run = None,
        }
    }
    best
}

fn words_in(comment: &[u8]) -> u64 {
    String::from_utf8_lossy(comment)
        .split_whitespace()
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(entrant: &str, artifact: &str, files: &[(&str, &str)]) -> Compared {
        let files = files.iter();
        let files = files.map(|(path, text)| SourceFile::new(path, *text));
        Compared {
            entrant: entrant.to_owned(),
            artifact: Some(artifact.to_owned()),
            files: files.collect(),
        }
    }

    #[test]
    fn each_copy_group_is_named_once_by_strongest() {
        let game = rulebook::rules::find("catch-the-cat").expect("registered");
        let kit = &game.kits()[0];
        let template = kit.starter;
        let ann = [("Cat.h", "int a; // ann"), ("README.md", "mine")];
        let eve = [("bot", "#!/bin/sh"), ("judge.toml", "run = \"./bot\"")];
        let all = [
            one("ann", "1", &ann),
            one("bob", "2", &[("src/Cat.h", "int  a;\n"), kit.files[0]]),
            one("cid", "3", &[("Other.h", "int a; // ann")]),
            one("dan", "4", &[("bot", "#!/bin/sh")]),
            one("eve", "4", &eve),
            one("fay", "5", template),
            one("gil", "6", template),
            one("hal", "7", &[("Cat.h", "int b;")]),
        ];
        let reported = find_copies(&*game, &all);
        let named = |one: &Copies| format!("{}: {:?}", one.entrants.join(" "), one.same);
        let reported: Vec<String> = reported.iter().map(named).collect();
        let expected = [
            "ann bob cid: Sources",
            "ann cid: Files",
            "dan eve: Files",
            "fay gil: Template",
        ];
        assert_eq!(reported, expected);
    }

    #[test]
    fn the_longest_comment_is_found_with_its_line() {
        let nested = "module A where\nimport B\n\n{- My AI looks three plies\n   ahead {- nested -} -}\nf = 1 -- one\n";
        let quoted = "let a = \"(* no comment at all here *)\"\n(* two words *)\n";
        let both = "#pragma once\n/* one\n two */ int x; // three four five\n";
        let text = "import a\n\n\"\"\"Plays well.\n\nAnd fast.\"\"\"\nx = 1  # a\n";
        // Adjacent line comments count as one.
        let lines = "-- | My AI\n-- looks ahead\n--\n-- and moves.\nf = 1\n\n-- another one\n";
        for (language, text, expected) in [
            ("haskell", nested, (4, 7)),
            ("ocaml", quoted, (2, 2)),
            ("cpp", both, (3, 3)),
            ("python", text, (3, 4)),
            ("haskell", lines, (1, 6)),
            ("haskell", "f = '\"'\n-- a b c\n", (2, 3)),
            ("haskell", "f x' = \"a\\\"--\" ++ x' -- b c\n", (1, 2)),
            ("ocaml", "let x = 1 (* never ends", (1, 2)),
            ("cpp", "int n = 1'000; // the cat's plan\n", (1, 3)),
            ("python", "s = '# no'  # one\n", (1, 1)),
            ("ocaml", "let x = 1", (0, 0)),
            ("haskell", "", (0, 0)),
        ] {
            let syntax = Language::named(language)
                .expect("a course's language")
                .syntax;
            let found = longest(text.as_bytes(), &syntax.expect("it is known"));
            assert_eq!(found, expected, "{text}");
        }
    }
}
