//! The table of the catalogue: every reference in it is valid.

use crate::support::{Run, catalogue, source};
use sandbox::{CHANNELS, CHANNELS_OF_WEAK, Channel};
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

fn has_mode(program: &str, mode: &str) -> bool {
    let path = catalogue::hostile(program);
    if path.is_dir() {
        return path.join(mode).is_dir();
    }
    let source = fs::read_to_string(path).expect("a program");
    // These have a single mode.
    ["static_array.c", "message.c"].contains(&program) || source.contains(&format!("{mode:?}"))
}

fn tests() -> BTreeSet<String> {
    let program = std::env::current_exe().expect("it has a path");
    let mut list = Command::new(program);
    let text = list.args(["--list", "--format", "terse"]).ended().stdout;
    let names = text.lines().filter_map(|line| line.strip_suffix(": test"));
    names.map(str::to_owned).collect()
}

const RUNS: &str = "build game burns pair turn both thousand start idle wide bank early";

#[test]
fn every_hostile_row_has_program_test_or_reason() {
    let tests = tests();
    let mut sections = BTreeSet::new();
    for row in catalogue::rows() {
        sections.insert(row.get("section").to_owned());
        let (program, test) = (row.get("program"), row.get("test"));
        let shown = [program, test, row.get("note")].concat();
        assert!(!shown.is_empty(), "nothing shows {row:?}");
        if !program.is_empty() {
            assert!(has_mode(program, row.get("mode")), "{row:?}");
        }
        if !test.is_empty() {
            assert!(tests.contains(test), "no test {test}");
        }
        let mut runs = RUNS.split(' ');
        let is_run =
            runs.any(|run| run == row.get("run")) || !test.is_empty() || program.is_empty();
        assert!(is_run, "{row:?} is in no run");
    }
    let expected = "answers|bad days|builds|reaching out|resources|submitting|time";
    assert_eq!(Vec::from_iter(sections).join("|"), expected);
}

/// Least number of rows.
const ROWS_MIN: usize = 220;

#[test]
fn every_row_has_a_verdict_for_each_level() {
    let rows = catalogue::rows();
    assert!(rows.len() >= ROWS_MIN, "{} rows", rows.len());
    for row in rows {
        let claims = catalogue::LEVELS.map(|level| row.get(level.name()));
        let valid = |claim: &str| ["closed", "bounded", "told"].contains(&claim);
        assert!(claims.into_iter().all(valid), "{row:?}");
        let note = row.get("note");
        if claims.contains(&"bounded") {
            let shown = [row.get("end"), row.get("test"), note];
            assert!(shown.iter().any(|words| !words.is_empty()), "{row:?}");
        }
        // A verdict in a game is the same at both levels.
        let is_of_game = row.get("run") != "isolation" && !row.get("program").is_empty();
        assert!(!is_of_game || claims[0] == claims[1], "{row:?}");
    }
}

#[test]
fn side_channels_match_in_table_book_and_program() {
    let said = |channels: &[Channel]| -> BTreeSet<String> {
        let briefs = channels.iter().map(|channel| channel.brief.to_owned());
        briefs.collect()
    };
    let mut reported = [BTreeSet::new(), BTreeSet::new()];
    for row in catalogue::rows() {
        let places = match catalogue::LEVELS.map(|level| row.get(level.name()) == "told") {
            [false, false] => continue,
            [true, true] => &mut reported[0],
            [false, true] => &mut reported[1],
            [true, false] => panic!("weak isolation is weaker: {row:?}"),
        };
        places.insert(row.get("note").to_owned());
    }
    assert_eq!(reported, [said(&CHANNELS), said(&CHANNELS_OF_WEAK)]);
    let page = source("docs/side-channels.md");
    let listed = page.split("**").skip(1).step_by(2);
    let channels = CHANNELS.iter().chain(&CHANNELS_OF_WEAK);
    let known = channels.map(|channel| channel.brief);
    let listed: BTreeSet<&str> = listed.collect();
    assert_eq!(listed, known.collect());
}
