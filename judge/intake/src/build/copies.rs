//! Entrants whose programs or sources are the same. Staff judge what that means.

use crate::read::judge_toml;
use crate::read::source::SourceFile;
use crate::read::submission::ANONYMOUS;
use model::draw::hash;
use model::language::{Language, Syntax};
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
    let given = files.map(|(path, text)| bare(path, text.as_bytes()));
    let given: BTreeSet<Vec<u8>> = given.collect();
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
        join(
            Sameness::Files,
            digest(own.iter().map(|file| file.bytes.clone())),
        );
        join(
            Sameness::Sources,
            digest(own.iter().map(|file| bare(&file.path, &file.bytes))),
        );
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
    let settings = [judge_toml::FILE_NAME, ANONYMOUS];
    let is_own = |file: &&SourceFile| !file.is_aside();
    let is_source = |file: &&SourceFile| syntax_of(&file.path).is_some();
    let mut own: Vec<&SourceFile> = files.iter().filter(is_own).filter(is_source).collect();
    if own.is_empty() {
        own.extend(files.iter().filter(is_own));
        own.retain(|file| !settings.contains(&file.path.as_str()));
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
}
