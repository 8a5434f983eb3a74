//! Output of `judge run` while it runs: events for programs and plain lines for people. Also a test
//! of standard output that fails.

use crate::support::culprits::{CRASH, FLAGS, python};
use crate::support::page::texts;
use crate::support::pty::Pty;
use crate::support::{Ended, LAST_LEGAL, Run, Scene, judge};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;
use std::process::Stdio;

fn scene() -> Scene {
    let scene = Scene::of(["ann"]);
    scene.script("zoe", LAST_LEGAL);
    scene.script("crash", &python(CRASH)).put("empty.zip", "");
    scene
}

fn events(ended: &Ended) -> Vec<Value> {
    let lines = ended.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).expect(line))
        .collect()
}

fn fields(line: &str) -> (String, BTreeSet<String>) {
    fn gather(path: &str, value: &Value, into: &mut BTreeSet<String>) {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    let path = format!("{path}.{key}");
                    gather(&path, value, into);
                    into.insert(path);
                }
            }
            Value::Array(list) => list.iter().for_each(|value| gather(path, value, into)),
            _ => {}
        }
    }
    let value: Value = serde_json::from_str(line).expect("JSON");
    let fields = value.as_object().and_then(|map| map.iter().next());
    let (name, value) = fields.expect("one key");
    let mut into = BTreeSet::new();
    gather("", value, &mut into);
    (name.clone(), into)
}

#[test]
fn events_match_documentation_and_cover_whole_run() {
    let scene = scene();
    let ended = scene.run(&format!("{FLAGS} --json-events")).well();
    let events = events(&ended);
    let documented = texts("json event");
    let documented = documented.iter().map(|text| fields(text.trim()));
    let documented: BTreeMap<String, BTreeSet<String>> = documented.collect();
    let reported: BTreeMap<String, BTreeSet<String>> = ended.stdout.lines().map(fields).collect();
    for (name, fields) in &reported {
        assert_eq!(documented.get(name), Some(fields), "{name}");
    }
    // A test cannot cause an overload on demand; all other events must have come.
    let missing = documented
        .keys()
        .filter(|name| !reported.contains_key(*name));
    assert_eq!(missing.collect::<Vec<_>>(), ["again"]);

    let of_kind = |kind: &'static str| events.iter().map(move |event| &event[kind]);
    let all = |kind| of_kind(kind).filter(|event| !event.is_null());
    let started = ["entrants", "games", "played"].map(|key| events[0]["started"][key].clone());
    assert_eq!(json!(started), json!([["ann", "crash", "zoe"], 6, 0]));
    assert_eq!(events[1]["refused"]["entrant"], "empty");
    let numbers: BTreeSet<u64> = all("game")
        .filter_map(|game| game["game"].as_u64())
        .collect();
    assert_eq!(numbers, (1..=6).collect());
    assert_eq!(all("fault").count(), scene.rows("faults.csv").len());
    let last = all("standings").next_back().expect("standings");
    assert_eq!(last["finished"], true);
    let rows = last["rows"].as_array().expect("a list");
    let table = scene.rows("standings.csv");
    for (row, line) in rows.iter().zip(&table) {
        assert_eq!(row["entrant"], line.get("entrant"));
        assert_eq!(row["rank"].to_string(), line.get("rank"));
    }
    let done = &events.last().expect("events")["done"];
    assert_eq!(done["missing"], 0);
    let next = done["next"].as_str().expect("a command");
    assert!(next.contains(" repro "), "{done}");
    let files = done["files"].as_array().expect("a list");
    let mut files = files.iter().filter_map(Value::as_str).map(Path::new);
    assert!(files.all(Path::is_file), "{done}");
    ended.warns(&["6 games to play"]);
}

fn full() -> File {
    let file = File::options().write(true).open("/dev/full");
    file.expect("Linux has one")
}

#[test]
fn run_with_full_stdout_fails() {
    let scene = Scene::of_three_scripts();
    let mut run = scene.command(FLAGS);
    let ended = run.stdout(full()).stderr(Stdio::piped()).ended().exits(1);
    ended.warns(&["cannot write to standard output: No space left"]);
    assert_eq!(scene.rows("games.csv").len(), 6);
}

#[test]
fn program_with_full_outputs_keeps_its_exit_code() {
    for (words, code) in [
        (&["perft", "chess"][..], 2),
        (&["competition"], 1),
        (&["competition", "reversi"], 1),
        (&["no-such-verb"], 2),
        (&["--help"], 1),
    ] {
        let mut command = judge();
        let status = command.args(words).stdout(full()).stderr(full()).status();
        let status = status.expect("it starts");
        assert_eq!(status.code(), Some(code), "{words:?}");
    }
}

#[test]
fn terminal_shows_table_during_run() {
    let scene = scene();
    let slow = LAST_LEGAL.replace(
        "'{\"turn\"'*)",
        "'{\"turn\"'*) i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done;",
    );
    scene.script("slow", &slow);
    let flags = format!("{FLAGS} --turn-s 60");
    let mut pty = Pty::start(&mut scene.command(&flags));
    for words in [
        "12 games to play",
        " of 12 games, ",
        "entrant",
        "faults: ",
        "crash",
    ] {
        pty.wait_for(words);
    }
    assert_eq!(pty.end().code(), Some(0));
    assert!(pty.is_as_before());
}
