//! Every test that a page names exists. Each statement of a course has a test or a mark.

use super::{docs, pages, read};
use crate::support::root;
use std::fs;
use std::path::PathBuf;

/// The marks of statements without a ✓.
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

fn files_of(module: &str) -> Vec<PathBuf> {
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
    let ends = [".rs", "/mod.rs", "/tests.rs"];
    let files = stems
        .iter()
        .flat_map(|stem| ends.map(|end| root().join(format!("{stem}{end}"))));
    files.collect()
}

fn exists(test: &str) -> bool {
    let (module, function) = test.rsplit_once("::").expect("named so");
    files_of(module).into_iter().any(|file| {
        let source = fs::read_to_string(file).unwrap_or_default();
        let before = source.split_once(&format!("fn {function}("));
        before.is_some_and(|(before, _)| before.trim_end().ends_with("#[test]"))
    })
}

#[test]
fn every_test_that_a_page_names_exists() {
    let mut count = 0;
    for page in pages() {
        for test in tests_named(&read(&docs().join(&page))) {
            assert!(exists(test), "{page} names {test}");
            count += 1;
        }
    }
    assert!(count > 300, "{count} names");
    assert!(!exists("book::named_tests::there_is_no_such_test"));
}

#[test]
fn every_course_statement_has_test_or_mark() {
    let page = read(&docs().join("courses.md"));
    let rows = page
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| ---"));
    let mut statements = 0;
    for row in rows.filter(|row| !row.starts_with("| the text says ")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [_, _, proof] = cells[..] else {
            panic!("three cells: {row}");
        };
        let is_proved = proof.starts_with('✓') && !tests_named(proof).is_empty();
        assert!(
            is_proved || MARKS.iter().any(|mark| proof.starts_with(mark)),
            "{row}"
        );
        statements += 1;
    }
    assert!(statements >= STATEMENTS_MIN, "{statements} statements");
}
