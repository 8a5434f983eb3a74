//! The book in `docs/`: every chapter exists, every link leads somewhere, and every command prints
//! what the page shows.

mod commands;
mod console;
mod links;
mod named_tests;
mod shown;

use crate::support::root;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

struct Chapter {
    name: String,
    /// The folder that its links start from, relative to the repository's root.
    folder: PathBuf,
    text: String,
}

fn docs() -> PathBuf {
    root().join("docs")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn contents() -> Vec<String> {
    let summary = read(&docs().join("SUMMARY.md"));
    let names = summary.split("](").skip(1);
    let names = names.map(|rest| rest.split_once(')').expect("a link ends").0.to_owned());
    names.collect()
}

fn chapters() -> Vec<Chapter> {
    let chapter = |name: String| {
        let text = read(&docs().join(&name));
        let include = text.trim().strip_prefix("{{#include ");
        match include.and_then(|rest| rest.strip_suffix("}}")) {
            Some(path) => {
                let path = Path::new(path.strip_prefix("../").expect("what lies above docs"));
                Chapter {
                    name,
                    folder: path.parent().expect("a file").to_owned(),
                    text: read(&root().join(path)),
                }
            }
            None => Chapter {
                folder: Path::new("docs").join(Path::new(&name).parent().expect("a file")),
                name,
                text,
            },
        }
    };
    contents().into_iter().map(chapter).collect()
}

fn pages() -> BTreeSet<String> {
    let folders = ["", "design/"].into_iter();
    let names = folders.flat_map(|folder| {
        let files = fs::read_dir(docs().join(folder)).expect("a folder");
        let files = files.map(|file| file.expect("an entry").file_name());
        files.map(move |name| format!("{folder}{}", name.to_string_lossy()))
    });
    let pages = names.filter(|name| is_page(Path::new(name)) && name != "SUMMARY.md");
    pages.collect()
}

fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "md")
}

#[derive(Debug)]
struct Block {
    /// The text after the fence: the language, and words for the tests.
    info: String,
    text: String,
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.trim_start().strip_prefix("```") else {
            continue;
        };
        let inside = lines.by_ref().take_while(|line| line.trim() != "```");
        blocks.push(Block {
            info: info.to_owned(),
            text: inside.flat_map(|line| [line, "\n"]).collect(),
        });
    }
    blocks
}

#[test]
fn the_contents_name_every_chapter_once() {
    let named = contents();
    let once: BTreeSet<&str> = named.iter().map(String::as_str).collect();
    assert_eq!(once.len(), named.len(), "a chapter stands twice");
    let pages = pages();
    let pages: BTreeSet<&str> = pages.iter().map(String::as_str).collect();
    assert_eq!(once, pages, "docs/SUMMARY.md and the pages in docs");
}
