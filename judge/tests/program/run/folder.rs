//! The run's folder: who may use it, and what was changed in it.

use super::{EXACT, flags};
use crate::support::snapshot::{self, Session};
use crate::support::{Run, Scene, run_into};
use model::FORMAT;
use std::fs;

#[test]
fn two_runs_on_one_folder_do_not_mix() {
    let scene = Scene::of_three_scripts();
    let mut first = scene.command(&flags("--states 1000")).muted();
    scene.wait_for_lines(1);
    let refusal = ["another judge is working on", "--out"];
    scene.run(&flags("--states 1000")).refused(&refusal);
    first.kill().expect("a running child");
    first.wait().expect("a running child");
}

#[test]
fn the_submissions_folder_is_no_place_for_results() {
    let scene = Scene::of(["ann", "bob"]);
    let class = scene.submissions();
    let mut run = run_into(&class, &class, EXACT);
    snapshot::compare("run__results_among_submissions", &mut run);
}

#[test]
fn a_run_of_another_format_is_left_alone() {
    let scene = Scene::of_three_scripts();
    scene.run(&flags("--states 1")).well();
    changed_run_json_is_damaged_not_another_competition(&scene);
    let path = scene.out().join("run.json");
    let text = scene.read("run.json");
    let other = text.replacen(&format!("\"v\": {FORMAT}"), "\"v\": 2", 1);
    assert_ne!(other, text);
    fs::write(&path, &other).expect("writable");
    let journal = scene.read("journal.jsonl");
    let mut session = Session::default();
    session.run(&mut scene.command(&flags("--states 1")));
    fs::remove_dir_all(scene.out().join("staff")).expect("writable");
    session.run(&mut scene.command(&flags("--states 1")));
    let build = r"judge \d+\.\d+\.\d+ \(.*?\) in format";
    session.redact(build, "judge [build] in format");
    session.compare("run__of_another_format");
    assert_eq!(scene.read("journal.jsonl"), journal);
}

fn changed_run_json_is_damaged_not_another_competition(scene: &Scene) {
    let text = scene.read("run.json");
    for (was, is) in [
        ("\"turn_us\": 2000000", "\"turn_us\": 2000020"),
        ("\"seed\": 1", "\"seed\": 2"),
        ("\"rules\": ", "\"rules\": 1"),
    ] {
        let changed = text.replacen(was, is, 1);
        assert_ne!(changed, text, "{was}");
        fs::write(scene.out().join("run.json"), changed).expect("writable");
        let ended = scene.run(&flags("--states 1"));
        ended.refused(&["run.json is damaged (it was changed after", "restore it"]);
    }
    fs::write(scene.out().join("run.json"), text).expect("writable");
}
