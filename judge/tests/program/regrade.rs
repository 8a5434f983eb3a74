//! `judge regrade`: one entrant's games again after a correction, next to the run.

use crate::support::snapshot::Session;
use crate::support::{
    Ended, FIRST_LEGAL, Has, Row, Run, Scene, Words, cells_of, executable, judge_at, read_csv,
    text_below,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const FAULTY: &str = r#"#!/bin/sh
while read -r line; do
  case $line in '{"turn"'*) echo no ;; *) echo '{"ready":{}}' ;; esac
done
"#;

fn competition(scene: &Scene, more: &str) -> PathBuf {
    let text = format!(
        "game = \"catch-the-cat\"\nstates = 2\n{more}[bots]\nlifetime = \"game\"\n[config]\nside = 5\n[scoring]\nties = [\"tokens\"]\n\
         [[scoring.prizes]]\nto_rank = 1\npoints = 20\n"
    );
    let path = scene.submissions().join("competition.toml");
    fs::write(&path, text).expect("writable");
    path
}

fn regrade(scene: &Scene, entrant: &str, flags: &(impl Words + ?Sized)) -> Command {
    let mut command = scene.verb("regrade", entrant);
    command.args(flags.words());
    command
}

/// Hides the parts that depend on the run's secret: the results, and the names of regrades.
fn redact(session: &mut Session) {
    session.hide_results();
    session.redact(r"total 0 → [\d.]+ \(\+[\d.]+\)", "total 0 → [points]");
    session.redact(r"-regrade-eve-[0-9a-f]{8}", "-regrade-eve-[id]");
}

fn verify(folder: &Path) -> Ended {
    judge_at("verify", &[folder], "").ended()
}

fn regrades(scene: &Scene) -> Vec<PathBuf> {
    let beside = fs::read_dir(scene.folder()).expect("a folder");
    let beside = beside.map(|entry| entry.expect("readable").path());
    let is_regrade = |path: &PathBuf| path.display().to_string().contains("-regrade-");
    beside.filter(is_regrade).collect()
}

fn rows(folder: &Path, name: &str) -> Vec<Row> {
    read_csv(&fs::read_to_string(folder.join(name)).expect("there"))
}

fn others(folder: &Path) -> Vec<String> {
    let games = rows(folder, "games.csv");
    let games = games.iter();
    let games = games.filter(|row| ["cat", "catcher"].iter().all(|role| row.get(role) != "eve"));
    games.map(|row| row.cells("fixture,cat_cpu_us")).collect()
}

#[test]
fn corrected_version_plays_same_draw_and_keeps_result() {
    let scene = Scene::of(["ann", "bob"]);
    scene.script("eve", FAULTY);
    competition(&scene, "");
    scene.run_as_is().well();
    let before = ["journal.jsonl", "standings.csv", "run.json"].map(|name| scene.read(name));
    let fixed = scene.folder().join("fixed");
    executable(&fixed.join("bot"), &format!("{FIRST_LEGAL}# fixed\n"));
    let flags = ["--submission", fixed.to_str().expect("UTF-8")];
    let mut session = Session::default();
    session.run(&mut regrade(&scene, "eve", &flags));
    let after = ["journal.jsonl", "standings.csv", "run.json"].map(|name| scene.read(name));
    assert_eq!(before, after, "the old result stays");
    let [new] = regrades(&scene).try_into().expect("one");
    assert_eq!(others(&new), others(&scene.out()), "not played again");
    let changed = rows(&new, "changes.csv");
    assert_eq!(changed[0].cells("entrant,rank_before"), "eve,3");
    let states = |folder: &Path| cells_of(&rows(folder, "games.csv"), "state");
    assert_eq!(states(&scene.out()), states(&new));
    let keys = |folder: &Path| fs::read(folder.join("staff/keys.json")).expect("there");
    assert_eq!(keys(&new), keys(&scene.out()), "the same draw");
    verify(&new).well();
    verify(&scene.out()).well();
    session.run(&mut regrade(&scene, "eve", &flags));
    assert_eq!(regrades(&scene).len(), 1, "the same command continues it");

    // It overwrites nothing else, and is not played inside the run.
    let into = |name: &str| {
        let out = scene.folder().join(name).display().to_string();
        regrade(&scene, "eve", &[flags[0], flags[1], "--out", &out]).ended()
    };
    into("submissions").refused(&["holds something other than a regrade of eve"]);
    for name in ["out", "out/new"] {
        into(name).refused(&["is the run itself, or in it"]);
    }
    fs::create_dir(scene.folder().join("again")).expect("new");
    into("again").well();

    // Without a correction, the same version plays again, in a folder of its own.
    session.run(&mut regrade(&scene, "eve", &[]));
    assert_eq!(regrades(&scene).len(), 2);
    session.run(&mut regrade(&scene, "eva", &[]));
    scene.write("broken/notes.txt", "none");
    let broken = scene.folder().join("broken").display().to_string();
    let flags = ["--submission", &broken];
    session.run(&mut regrade(&scene, "eve", &flags));
    let all = scene.submissions();
    let flags = ["--submission", all.to_str().expect("UTF-8")];
    session.run(&mut regrade(&scene, "eve", &flags));
    assert_eq!(regrades(&scene).len(), 2, "nothing is left of it");
    session.run(&mut regrade(&scene, "eve", &["--version", "7"]));
    redact(&mut session);
    session.compare("regrade__submission");
    corrected_key_replays_only_dependent_games(&scene);
}

fn corrected_key_replays_only_dependent_games(scene: &Scene) {
    let path = competition(scene, "");
    let corrected = scene.folder().join("corrected.toml");
    let text = fs::read_to_string(&path).expect("there");
    let flags = ["--competition", corrected.to_str().expect("UTF-8")];
    let prizes = text.replace("to_rank = 1\n", "to_rank = 3\n");
    fs::write(&corrected, prizes).expect("writable");
    let mut session = Session::default();
    session.run(&mut regrade(scene, "eve", &flags));
    let memory = text.replace("[bots]\n", "[bots]\nmemory_mib = 512\n");
    fs::write(&corrected, memory).expect("writable");
    session.run(&mut regrade(scene, "eve", &flags));
    fs::write(&corrected, text.replace("states", "seed = 7\nstates")).expect("writable");
    session.run(&mut regrade(scene, "eve", &flags));
    fs::write(&corrected, format!("{text}[kit]\nlibraries = []\n")).expect("writable");
    session.run(&mut regrade(scene, "eve", &flags));
    // A withdrawn entrant stays withdrawn.
    fs::remove_dir_all(scene.submissions().join("bob")).expect("there");
    scene.run_as_is().well();
    fs::write(&corrected, text.replace("to_rank = 1\n", "to_rank = 2\n")).expect("writable");
    session.run(&mut regrade(scene, "eve", &flags));
    redact(&mut session);
    session.compare("regrade__competition");
    for folder in regrades(scene) {
        verify(&folder).well();
    }
}

#[test]
fn chosen_earlier_version_plays_with_its_own_penalty() {
    let scene = Scene::of(["ann", "bob", "eve"]);
    let late = "deadline = 2020-01-01T00:00:00Z\nlate = [{ within_h = 24, penalty = 4 }]\n";
    competition(&scene, late);
    let roster = |received: &str| {
        let others = "ann,1,2020-01-01T00:00:00Z\nbob,2,2020-01-01T00:00:00Z\n";
        let text = format!("submission,id,received\n{others}eve,3,{received}\n");
        scene.put("roster.csv", text);
    };
    roster("2020-01-01T00:00:00Z");
    scene.run_as_is().well();
    scene.script("eve", &format!("{FIRST_LEGAL}# late\n"));
    roster("2020-01-01T12:00:00Z");
    let ended = scene.run_as_is().well();
    ended.says(&["eve: version 2 of 2020-01-01T12:00:00Z does not play"]);
    regrade(&scene, "eve", &["--version", "2"]).ended().well();
    let [new] = regrades(&scene).try_into().expect("one");
    let submissions = rows(&new, "submissions.csv");
    let eve = submissions.iter().find(|row| row.get("entrant") == "eve");
    let eve = eve.expect("there");
    let cells = eve.cells("received,received_by,timing,penalty");
    assert_eq!(cells, "2020-01-01T12:00:00Z,staff,late,4");
    verify(&new).well();
}

#[test]
fn who_was_anonymous_stays_so_in_regrades() {
    let scene = Scene::of(["ann", "bob"]);
    scene.sources("ann", &[("anonymous", "")]);
    let roster = "submission,id,name,email\nann,mat-7001,Ann Wonderful,ann.x@example.org\nbob,1,Bob,b@example.org\n";
    scene.put("roster.csv", roster);
    competition(&scene, "[names]\npublic = \"roster\"\n");
    scene.run_as_is().well();
    let shown = |run: &Path, name: &str| {
        let out = scene.folder().join(name);
        let mut report = judge_at("report", &[run], "--out");
        report.arg(&out).ended().well();
        text_below(&out).lacks(&["Wonderful", "ann.x", "mat-7001"]);
        verify(&out).well();
        let numbers = rows(run, "staff/public-games.csv").len();
        assert_eq!(numbers, rows(run, "games.csv").len());
    };
    shown(&scene.out(), "www");
    let new = scene.folder().join("new");
    executable(&new.join("bot"), FIRST_LEGAL);
    let flags = ["--submission", new.to_str().expect("UTF-8")];
    regrade(&scene, "ann", &flags).ended().well();
    let [first] = &*regrades(&scene) else {
        panic!("one regrade");
    };
    shown(first, "www-1");
    let mut again = judge_at("regrade", &[first], "bob");
    again.args(flags).ended().well();
    let all = regrades(&scene);
    let second = all.iter().find(|path| *path != first).expect("another");
    let name = second.file_name().expect("it has one").to_string_lossy();
    assert_eq!(name.matches("-regrade-").count(), 1, "{name}");
    assert!(name.contains("-regrade-bob-"), "{name}");
    shown(second, "www-2");
}
