//! `judge explain` and `judge plan`, as users see them.

use crate::support::snapshot::{self, Session};
use crate::support::{Has, Run, Scene};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{DirEntryExt as _, MetadataExt as _};
use std::path::Path;
use std::process::Command;

const SMALL: &str = "--game catch-the-cat --states 3 --set side=5";

fn plan_command(scene: &Scene, flags: &str) -> Command {
    scene.here(&format!(
        "plan --submissions submissions --out out --seed 1 {flags}"
    ))
}

fn programs_read_what_the_table_has(scene: &Scene) {
    let facts = |words: &str| -> Value {
        let text = scene.does("explain", words).stdout;
        serde_json::from_str(&text).expect("JSON")
    };
    let (facts, one) = (facts("--json"), facts("crasher --json"));
    assert_eq!(facts["played"], facts["scheduled"]);
    let entrants = facts["entrants"].as_array().expect("a list");
    let rows = scene.rows("standings.csv");
    assert_eq!(entrants.len(), rows.len());
    for own in entrants {
        let name = own["entrant"].as_str().expect("a name");
        let row = scene.row("standings.csv", name);
        let columns = "rank total games wins draws losses cpu_us faults";
        for column in columns.split(' ') {
            let cell: f64 = row.get(column).parse().unwrap_or(0.0);
            let value = own[column].as_f64().unwrap_or(0.0);
            let is_equal = (cell - value).abs() < 1e-6;
            assert!(is_equal, "{name} {column}: {cell} {value}");
        }
        let reason = own["not_playing"].as_str().unwrap_or_default();
        assert_eq!(reason, row.get("not_playing"));
        let sum = |part: &str| -> u64 {
            let games = own[part].as_array().expect("a list").iter();
            let games = games.map(|one| one["games"].as_u64());
            games.sum::<Option<u64>>().expect("numbers")
        };
        assert_eq!(own["games"], sum("roles"), "{name}");
        if own["rank"].is_u64() {
            assert_eq!(own["games"], sum("opponents"), "{name}");
        }
    }
    let mut crasher = entrants.iter().filter(|own| own["entrant"] == "crasher");
    assert_eq!(one["entrants"], serde_json::json!([crasher.next()]));
}

#[test]
fn every_number_of_row_is_explained_from_run() {
    let scene = Scene::of(["honest"]);
    scene.script("crasher", "#!/bin/sh\nread -r line\nkill -SEGV $$\n");
    scene.script("broken", "");
    let flags = "--with builtin:random --points-per-cpu-second 0";
    scene.run(&format!("{SMALL} {flags}")).well();
    let mut session = Session::default();
    let reported = session.run(&mut scene.verb("explain", "crasher")).stdout;
    let crasher = scene.row("standings.csv", "crasher");
    reported.has(&[&format!("rank {} of 2, ", crasher.get("rank"))]);
    let total: f64 = crasher.get("total").parse().expect("a number");
    let (_, shown) = reported.split_once("together: ").expect("a sum");
    let shown = shown.lines().next().and_then(|sum| sum.rsplit(": ").next());
    let shown = shown.and_then(|sum| sum.split(' ').next());
    let shown: f64 = shown.and_then(|sum| sum.parse().ok()).expect("a number");
    assert!((shown - total).abs() < 0.01, "{shown} {total}");

    for entrant in ["honest", "broken", "builtin:random"] {
        session.run(&mut scene.verb("explain", entrant));
    }
    // Everybody is listed where no entrant is named.
    session.run(&mut scene.verb("explain", ""));
    session.compare("explain__every_kind_of_entrant");
    programs_read_what_the_table_has(&scene);

    fs::write(scene.out().join("journal.jsonl"), "").expect("writable");
    let mut session = Session::default();
    for entrant in ["honest", "crashr"] {
        session.run(&mut scene.verb("explain", entrant));
    }
    session.compare("explain__without_games");
}

#[test]
fn explain_lists_placements_in_four_seat_games() {
    let scene = Scene::of(["one", "two", "three"]);
    let flags = "--game monkey-metal-man --states 2";
    scene.run(&format!("{flags} --with builtin:random")).well();
    snapshot::compare("explain__games_for_four", &mut scene.verb("explain", "one"));
}

#[test]
fn every_command_that_is_printed_runs() {
    let scene = Scene::of(["one"]);
    scene.script("two", "#!/bin/sh\nexit 3\n");
    let flags = format!("{SMALL} --set schedule.self_play=true");
    scene.run(&flags).well();
    for entrant in ["one", "two"] {
        let reported = scene.does("explain", entrant).stdout;
        let starts = ["to play it again: ", "to watch it: ", "to watch a game: "];
        let lines = reported.lines().map(str::trim);
        let commands =
            lines.filter_map(|line| starts.iter().find_map(|start| line.strip_prefix(start)));
        let commands: Vec<&str> = commands.collect();
        assert!(commands.len() > 1, "{reported}");
        for command in commands {
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", command]).ended().well();
        }
    }
}

/// Lists the programs that a plan has left, with their inodes. Its folder has nothing else.
fn programs(scene: &Scene) -> BTreeMap<String, u64> {
    let names = |folder: &Path| {
        let entries = fs::read_dir(folder).expect("there").flatten();
        entries.map(|entry| (entry.file_name().into_string().expect("text"), entry.ino()))
    };
    let all: Vec<(String, u64)> = names(&scene.out()).collect();
    assert_eq!(all.len(), 1, "{all:?}");
    let programs = names(&scene.out().join("artifacts"));
    programs.filter(|(name, _)| !name.contains('.')).collect()
}

#[test]
fn plan_keeps_no_game_and_estimates_run() {
    let scene = Scene::of(["one", "two"]);
    let flags = format!("{SMALL} --jobs 1");
    let mut session = Session::default();
    session.run(&mut plan_command(&scene, &flags));
    let built = programs(&scene);
    assert_eq!(built.len(), 1, "both are the same program");
    plan_command(&scene, &flags).ended().well();
    assert_eq!(programs(&scene), built, "it is taken again");
    let (own, aside) = (scene.submissions().join("two"), scene.folder().join("two"));
    fs::rename(&own, &aside).expect("writable");
    session.run(&mut scene.command(&flags));
    assert_eq!(programs(&scene), built, "a refused run leaves it alone");
    fs::rename(&aside, &own).expect("writable");

    scene.run(&flags).well();
    for (program, inode) in built {
        let now = fs::metadata(scene.out().join("artifacts").join(&program));
        let now = now.expect("it is there").ino();
        assert_eq!(now, inode, "{program} was built again");
    }
    let more = flags.replace("--states 3", "--states 4");
    session.run(&mut plan_command(&scene, &more));
    session.run(&mut plan_command(&scene, &flags));
    // Both play the same games, which leaves it to chance who is slower.
    let slower = r"\b(one|two), about \[time\] a game";
    session.redact(slower, "[entrant], about [time] a game");
    session.redact(r"turn of (one|two)\b", "turn of [entrant]");
    session.compare("plan");
}

const SLEEPER: &str = include_str!("../bots/sleeper.sh");

#[test]
fn unfinished_trial_is_stopped_and_states_clock_limits() {
    let scene = Scene::new();
    scene.script("one", SLEEPER).script("two", SLEEPER);
    let flags = "--game reversi --bank-s 90 --set clock.backstop_s=600";
    let flags = format!("{flags} --seconds 1 --jobs 1");
    let reported = plan_command(&scene, &flags).ended().well().stdout;
    // Two games, two clocks of 90 s each.
    reported.has(&[
        "played 0 trial games",
        "no game ended within 1.00 s",
        "the clocks allow up to 6 min",
    ]);
    assert_eq!(programs(&scene).len(), 1, "they are the same program");
}
