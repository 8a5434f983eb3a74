//! The table of the catalogue: nothing in it leads nowhere.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use support::{catalogue, root};

fn has_mode(program: &str, mode: &str) -> bool {
    let path = catalogue::hostile(program);
    if path.is_dir() {
        return path.join(mode).is_dir();
    }
    let source = fs::read_to_string(path).expect("a program");
    // These have a single mode.
    ["static_array.c", "message.c", "not_executable"].contains(&program)
        || source.contains(&format!("{mode:?}"))
}

#[test]
fn every_row_is_shown_by_a_program_or_by_a_test_that_is_there_or_says_why_not() {
    let mut sections = BTreeSet::new();
    for row in catalogue::rows() {
        sections.insert(row.get("section").to_owned());
        let (program, test) = (row.get("program"), row.get("test"));
        assert!(
            !program.is_empty() || !test.is_empty() || !row.get("note").is_empty(),
            "nothing shows {row:?}"
        );
        if !program.is_empty() {
            assert!(has_mode(program, row.get("mode")), "{row:?}");
        }
        if !test.is_empty() {
            let (file, function) = test.split_once("::").expect("file::function");
            let tests = fs::read_to_string(root().join(Path::new(file))).expect(file);
            assert!(
                tests.contains(&format!("fn {function}()")),
                "no test {test}"
            );
        }
        let runs = [
            "build", "game", "turn", "both", "thousand", "start", "wide", "bank",
        ];
        let run = row.get("run");
        assert!(
            runs.contains(&run) || !test.is_empty() || program.is_empty(),
            "{row:?} is in no run"
        );
    }
    let expected = [
        "answers",
        "time",
        "resources",
        "reaching out",
        "builds",
        "bad days",
    ];
    assert_eq!(sections, expected.map(str::to_owned).into());
}
