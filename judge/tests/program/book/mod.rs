//! The book in `docs/`: every chapter is in its contents, every link leads somewhere, every command
//! exists, and every test that a page names does.

mod console;

use crate::support::page::blocks;
use crate::support::{Run, judge, root, source};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

struct Chapter {
    name: String,
    /// The folder that its links start from, relative to the repository's root.
    folder: PathBuf,
    text: String,
}

fn contents() -> Vec<String> {
    let summary = source("docs/SUMMARY.md");
    targets(&summary).into_iter().map(str::to_owned).collect()
}

fn chapters() -> Vec<Chapter> {
    let chapter = |name: String| {
        let own = Path::new("docs").join(&name);
        let text = fs::read_to_string(root().join(&own)).expect("readable");
        let include = text.trim().strip_prefix("{{#include ../");
        let path = include.and_then(|rest| rest.strip_suffix("}}"));
        let path = path.map_or(own, PathBuf::from);
        let folder = path.parent().expect("a file").to_owned();
        let text = fs::read_to_string(root().join(&path)).expect("readable");
        Chapter { name, folder, text }
    };
    contents().into_iter().map(chapter).collect()
}

fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "md")
}

fn pages() -> BTreeSet<String> {
    let names = ["", "design/"].into_iter().flat_map(|folder| {
        let files = fs::read_dir(root().join("docs").join(folder)).expect("a folder");
        let files = files.map(|file| file.expect("an entry").file_name());
        files.map(move |name| format!("{folder}{}", name.to_string_lossy()))
    });
    let pages = names.filter(|name| is_page(Path::new(name)) && name != "SUMMARY.md");
    pages.collect()
}

#[test]
fn the_contents_name_every_chapter_once() {
    let named = contents();
    let once: BTreeSet<String> = named.iter().cloned().collect();
    assert_eq!(once.len(), named.len(), "a chapter stands twice");
    assert_eq!(once, pages(), "docs/SUMMARY.md and the pages in docs");
}

fn targets(prose: &str) -> Vec<&str> {
    let rests = prose.split("](").skip(1);
    let targets = rests.filter_map(|rest| rest.split_once(')'));
    targets.map(|(target, _)| target).collect()
}

/// Returns a page without its blocks and without what is quoted as code.
fn prose(text: &str) -> String {
    let mut in_block = false;
    let mut prose = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            prose.extend(line.split('`').step_by(2));
            prose.push('\n');
        }
    }
    prose
}

/// Returns the anchor of a heading, by the rule of GitHub and mdBook.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().map(|c| if c == ' ' { '-' } else { c });
    let kept = kept.filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    kept.collect()
}

#[test]
fn every_link_targets_existing_file_and_heading() {
    for Chapter { name, folder, text } in chapters() {
        for target in targets(&prose(&text)) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (path, heading) = target.split_once('#').unwrap_or((target, ""));
            let place = root().join(&folder).join(path);
            let there = path.is_empty() || place.exists();
            assert!(there, "{name} links to {target}");
            let text = match path {
                "" => text.clone(),
                _ if place.is_file() && is_page(&place) => {
                    fs::read_to_string(&place).expect("readable")
                }
                _ => String::new(),
            };
            let mut headings = text.lines().filter(|line| line.starts_with('#'));
            let known = heading.is_empty() || headings.any(|line| anchor(line) == heading);
            assert!(known, "{name} links to {target}: no such heading");
        }
    }
}

fn help(verb: &str) -> String {
    let ended = judge().args(verb.split(' ')).arg("--help").ended();
    assert_eq!(ended.code, Some(0), "judge has no verb {verb}");
    ended.stdout
}

/// Returns the verbs that a script calls, each with its flags.
fn calls(script: &str) -> Vec<(String, Vec<String>)> {
    let mut calls = Vec::new();
    let script = script.replace("\\\n", " ");
    let is_comment = |line: &&str| line.trim_start().starts_with('#');
    for line in script.lines().filter(|line| !is_comment(line)) {
        let line = line.split(" # ").next().expect("split gives one at least");
        let words = line.replace("cargo run --release --", "judge");
        let words: Vec<&str> = words.split_whitespace().collect();
        for (at, pair) in words.windows(2).enumerate() {
            let is_program = matches!(pair[0], "judge" | "./judge" | "./judge-program");
            if !is_program || !pair[1].chars().all(|c| c.is_ascii_lowercase()) {
                continue;
            }
            let own = words[at..].iter();
            let own = own.take_while(|word| !matches!(**word, "|" | ";" | "&&" | ":::"));
            let flags = own.filter(|word| word.starts_with("--"));
            let flags = flags.map(|flag| flag.split('=').next().expect("one").to_owned());
            let verb = match words.get(at + 2) {
                Some(next) if pair[1] == "game" => format!("game {next}"),
                _ => pair[1].to_owned(),
            };
            calls.push((verb, flags.collect()));
        }
    }
    calls
}

/// Commands that the book shows without running them: their verbs and flags must exist.
#[test]
fn every_verb_and_flag_in_the_book_exists() {
    let mut helps: BTreeMap<String, String> = BTreeMap::new();
    let mut found = 0;
    for chapter in chapters() {
        for block in blocks(&chapter.text) {
            let script = match block.info.split_whitespace().next() {
                Some("sh" | "yaml") => block.text,
                // The output of a command contains no commands.
                Some("console") => {
                    let lines = block.text.lines();
                    let commands = lines.filter_map(|line| line.strip_prefix("$ "));
                    commands.flat_map(|line| [line, "\n"]).collect()
                }
                _ => continue,
            };
            for (verb, flags) in calls(&script) {
                let help = helps.entry(verb.clone()).or_insert_with(|| {
                    let own = help(&verb);
                    // Other verbs that take the flags of a run refer to its help.
                    let refers = own.contains("judge run --help");
                    if refers { own + &help("run") } else { own }
                });
                for flag in flags {
                    let there = help.split([' ', ',', ']', '\n']).any(|word| word == flag);
                    assert!(there, "{}: judge {verb} has no {flag}", chapter.name);
                }
                found += 1;
            }
        }
    }
    assert!(found > 20, "commands of judge");
}

/// The marks of statements of a course without a ✓.
const MARKS: [&str; 4] = ["*open*", "*key*", "*by hand*", "*differs*"];

/// Minimum number of statements; none may get lost.
const STATEMENTS_MIN: usize = 259;

/// Returns the tests that a text names, as `module::test`. A test's name has three words or more.
fn tests_named(text: &str) -> Vec<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    let is_test = |name: &&str| {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_:".contains(c);
        let words = name.rsplit_once("::").map(|(_, test)| test.split('_'));
        name.chars().all(is_plain) && words.is_some_and(|words| words.count() > 2)
    };
    quoted.filter(is_test).collect()
}

fn exists(test: &str) -> bool {
    let (module, function) = test.rsplit_once("::").expect("named so");
    let path = module.replace("::", "/");
    let (first, rest) = path.split_once('/').unwrap_or((&path, "lib"));
    let stems = [
        format!("judge/tests/program/{path}"),
        format!("judge/src/{path}"),
        format!("judge/{first}/src/{rest}"),
        format!("judge/{first}/tests/it/{rest}"),
        format!("engines/src/{path}"),
        format!("engines/tests/it/{path}"),
    ];
    let ends = [".rs", "/mod.rs", "/tests.rs"].into_iter();
    let mut files = ends.flat_map(|end| stems.iter().map(move |stem| format!("{stem}{end}")));
    files.any(|file| {
        let source = fs::read_to_string(root().join(file)).unwrap_or_default();
        let before = source.split_once(&format!("fn {function}("));
        before.is_some_and(|(before, _)| before.trim_end().ends_with("#[test]"))
    })
}

#[test]
fn every_test_that_a_page_names_exists() {
    let mut count = 0;
    for page in pages() {
        for test in tests_named(&source(&format!("docs/{page}"))) {
            assert!(exists(test), "{page} names {test}");
            count += 1;
        }
    }
    assert!(count > 300, "{count} names");
    assert!(!exists("book::there_is_no_such_test"));
}

#[test]
fn every_course_statement_has_test_or_mark() {
    let page = source("docs/courses.md");
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let no_statements = ["| ---", "| the text says "];
    let is_statement = |row: &&str| !no_statements.iter().any(|begin| row.starts_with(begin));
    let mut statements = 0;
    for row in rows.filter(is_statement) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [_, _, proof] = cells[..] else {
            panic!("three cells: {row}");
        };
        let is_proved = proof.starts_with('✓') && !tests_named(proof).is_empty();
        let is_marked = MARKS.iter().any(|mark| proof.starts_with(mark));
        assert!(is_proved || is_marked, "{row}");
        statements += 1;
    }
    assert!(statements >= STATEMENTS_MIN, "{statements} statements");
}
