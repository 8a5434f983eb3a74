//! The templates for courses, as far as they work without a network. Their scripts run with the
//! program that `JUDGE` or a `file:` URL names.

use crate::support::skip::{has_tool, skipped};
use crate::support::{
    Ended, Has, Run, SYSTEM_PATH, Scene, copy_folder, executable, git, program, root,
};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn template(scene: &Scene, name: &str) -> PathBuf {
    let folder = scene.folder().join(name);
    copy_folder(&root().join("templates").join(name), &folder);
    folder
}

/// Makes a first bot in Python in a folder of the scene.
pub(crate) fn first_bot(scene: &Scene, folder: &str) {
    scene.judge(&format!("new catch-the-cat --lang python {folder}"));
}

pub(crate) fn break_bot(folder: &Path) {
    let path = folder.join("bot.py");
    let text = fs::read_to_string(&path).expect("a bot");
    let broken = text.replace("return rng.choice(turn[\"legal\"])", "return [99, 99]");
    assert_ne!(text, broken);
    fs::write(&path, broken).expect("writable");
}

fn set(env: &Path, name: &str, value: &str) {
    let text = fs::read_to_string(env).expect("settings");
    let mark = format!("{name}=");
    assert!(text.lines().any(|line| line.starts_with(&mark)), "{name}");
    let lines = text.lines().map(|line| match line.strip_prefix(&mark) {
        Some(_) => format!("{mark}{value}\n"),
        None => format!("{line}\n"),
    });
    fs::write(env, lines.collect::<String>()).expect("writable");
}

fn shell(folder: &Path, line: &str) -> Ended {
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(folder);
    shell.env("JUDGE", program()).env("PATH", SYSTEM_PATH);
    shell.ended()
}

pub(crate) const SMALL: &str = "--set side=5 --lifetime game";

/// Flags of a grader, which must name the game.
const SMALL_CAT: &str = "--game catch-the-cat --set side=5 --lifetime game";

#[test]
fn student_repository_check_annotates_for_both_hosts() {
    let scene = Scene::new();
    let folder = template(&scene, "student");
    let workflow = scene.text("student/.github/workflows/check.yml");
    workflow.has(&["\non: [push, ", "ci/check github"]);
    set(&folder.join("ci/judge.env"), "FLAGS", SMALL);
    first_bot(&scene, "student/bot");
    shell(&folder, "ci/toolchain && ci/get-judge").well();
    let ended = shell(&folder, "ci/check github").well();
    ended.says(&["bot is ready"]);
    ended.stdout.lacks(&["\n::error"]);

    break_bot(&folder.join("bot"));
    let ended = shell(&folder, "GITHUB_RUN_NUMBER=7 ci/check github").exits(4);
    ended.says(&["(--seed 7)", "\n::error title=judge check%3A moves::"]);

    let ended = shell(&folder, "CI_PIPELINE_IID=8 ci/check gitlab").exits(4);
    let issues: Value = serde_json::from_str(&ended.stdout).expect("JSON alone");
    assert_eq!(issues[0]["check_name"], "judge-moves");
    let path = issues[0]["location"]["path"].as_str().expect("a path");
    assert!(folder.join(path).is_file(), "{path}");
}

#[test]
fn nightly_output_has_no_github_runner_commands() {
    let scene = Scene::new();
    let folder = template(&scene, "staff");
    executable(
        &folder.join("judge"),
        "#!/bin/sh\nprintf '::error::forged'\nexit 3\n",
    );
    let night = |hosted: &str| {
        shell(&folder, &format!("{hosted} ci/nightly"))
            .exits(3)
            .stdout
    };
    let said = [(); 2].map(|()| night("GITHUB_ACTIONS=true"));
    let marks = said.each_ref().map(|said| {
        let begin = said.strip_prefix("::stop-commands::").expect(said);
        let (mark, rest) = begin.split_once('\n').expect(said);
        assert_eq!(rest, format!("::error::forged\n::{mark}::\n"));
        mark
    });
    assert!(marks[0].len() == 32 && marks[0] != marks[1], "{marks:?}");
    assert_eq!(night("GITHUB_ACTIONS="), "::error::forged");
}

#[test]
fn a_program_with_another_checksum_is_not_used() {
    let scene = Scene::new();
    let folder = template(&scene, "student");
    let release = scene.write("release", "#!/bin/sh\necho it runs\n");
    let env = folder.join("ci/judge.env");
    set(&env, "JUDGE_URL", &format!("file://{release}"));
    let get = || {
        let mut command = Command::new("ci/get-judge");
        command.current_dir(&folder).env_remove("JUDGE").ended()
    };
    set(&env, "JUDGE_SHA256", &"0".repeat(64));
    get()
        .exits(1)
        .warns(&["is not the program with the checksum 00"]);
    let left = fs::read_dir(&folder).expect("readable").flatten();
    let left = left.filter(|entry| entry.file_name().to_string_lossy().starts_with("judge"));
    assert_eq!(left.count(), 0, "nothing of it stays");

    let content = fs::read(&release).expect("readable");
    let sum = model::draw::hexadecimal(&Sha256::digest(content));
    set(&env, "JUDGE_SHA256", &sum);
    get().well();
    assert_eq!(shell(&folder, "./judge").well().stdout, "it runs\n");

    set(&env, "JUDGE_URL", "");
    get().exits(2).warns(&["fill in JUDGE_URL"]);
}

#[test]
fn staff_repository_plays_and_writes_publishable_page() {
    let scene = Scene::new();
    let folder = template(&scene, "staff");
    let env = folder.join("ci/judge.env");
    set(&env, "COMPETITION", "catch-the-cat");
    set(&env, "FLAGS", &format!("{SMALL} --states 1"));
    let mut list = String::new();
    for name in ["ann", "bob"] {
        let repository = scene.folder().join(name);
        first_bot(&scene, &format!("{name}/bot"));
        git(&repository, &["init", "-q"]);
        git(&repository, &["add", "-A"]);
        git(&repository, &["commit", "-q", "-m", "a bot"]);
        writeln!(list, "{name} {} main bot", repository.display()).expect("in memory");
    }
    fs::write(folder.join("submissions.txt"), list).expect("writable");
    shell(&folder, "ci/nightly").well();
    scene.text("staff/public/index.html").has(&["ann", "bob"]);
    assert!(!folder.join("public/staff").exists());
    // The next night starts afresh.
    shell(&folder, "SEED=2 ci/nightly").well();
}

#[test]
fn gradescope_gets_results_only_if_something_was_checked() {
    let scene = Scene::new();
    let source = scene.folder().join("source");
    copy_folder(&root().join("templates/gradescope"), &source);
    let flags = format!("{SMALL_CAT} --states 1");
    set(&source.join("judge.env"), "FLAGS", &flags);
    set(&source.join("judge.env"), "POINTS", "20");
    let submission = scene.folder().join("submission");
    first_bot(&scene, "submission");
    let run = |line: &str| shell(scene.folder(), &format!("export AUTOGRADER=$PWD; {line}"));
    run("sh source/setup.sh && source/run_autograder").well();
    let results =
        || -> Value { serde_json::from_str(&scene.text("results/results.json")).expect("JSON") };
    assert_eq!(results()["score"], 20.0);
    break_bot(&submission);
    run("source/run_autograder").well();
    assert_eq!(results()["score"], 0.0);
    let results = results();
    let mut tests = results["tests"].as_array().expect("a list").iter();
    let moves = tests.find(|test| test["name"] == "moves");
    assert_eq!(moves.expect("a test")["status"], "failed");

    fs::remove_dir_all(scene.folder().join("results")).expect("writable");
    set(
        &source.join("judge.env"),
        "FLAGS",
        "--competition nobody.toml",
    );
    let ended = run("source/run_autograder").exits(1);
    ended.says(&["this says nothing about it"]);
    assert!(!scene.folder().join("results").exists());
}

#[test]
fn graders_are_packed_with_competitions_and_need_game() {
    let scene = Scene::new();
    let folder = template(&scene, "gradescope");
    let env = folder.join("judge.env");
    let refused = |flags: &str, words: &str| {
        set(&env, "FLAGS", flags);
        shell(&folder, "./pack").exits(2).warns(&[words]);
        assert!(!folder.join("autograder.zip").exists());
    };
    refused("", "which game is played");
    refused("--set side=5 --competition my.toml", "my.toml is not here");
    refused("--competition=../my.toml", "beside judge.env");
    set(&env, "FLAGS", "--competition my.toml");
    fs::write(folder.join("my.toml"), "").expect("writable");
    shell(&folder, "./pack").well();
    let listed = shell(&folder, "python3 -m zipfile -l autograder.zip");
    listed.well().says(&["my.toml"]);
    let ended = shell(&folder, "unset JUDGE; ./pack").exits(2);
    ended.warns(&["fill in JUDGE_URL"]);
}

#[test]
fn autolab_reads_the_score_in_the_last_line() {
    if !has_tool("make") {
        return;
    }
    let scene = Scene::new();
    let folder = template(&scene, "autolab");
    fs::write(folder.join("course.toml"), "game = \"catch-the-cat\"\n").expect("writable");
    let flags = "--competition course.toml --set side=5 --states 1 --lifetime game";
    set(&folder.join("judge.env"), "FLAGS", flags);
    shell(&folder, "make").well();
    let job = scene.folder().join("job");
    fs::create_dir(&job).expect("a new folder");
    first_bot(&scene, "bot");
    let copied = "cp autolab/autograde.tar job/ && cp autolab/autograde-Makefile job/Makefile";
    shell(scene.folder(), copied).well();
    let graded = || {
        shell(scene.folder(), "python3 -m zipfile -c job/handin.zip bot").well();
        shell(&job, "make 2>&1").well().stdout
    };
    assert_eq!(
        graded().lines().last(),
        Some(r#"{"scores":{"check":100.0}}"#)
    );
    break_bot(&scene.folder().join("bot"));
    let broken = graded();
    broken.has(&["WRONG"]);
    assert_eq!(broken.lines().last(), Some(r#"{"scores":{"check":0.0}}"#));
}

#[test]
fn artemis_gets_a_test_case_for_each_check() {
    let scene = Scene::new();
    let folder = template(&scene, "artemis");
    set(&folder.join("judge.env"), "FLAGS", SMALL_CAT);
    first_bot(&scene, "artemis/assignment");
    break_bot(&folder.join("assignment"));
    shell(&folder, "sh ./check").well();
    let xml = scene.text("artemis/results/judge.xml");
    for (name, inside) in [("moves", "failure "), ("build", "system-out>")] {
        let case = format!(
            "<testcase name=\"{name}\" classname=\"judge\">\n{:12}<{inside}",
            ""
        );
        xml.has(&[&case]);
    }
    let parse = "import sys, xml.dom.minidom as m; m.parse('results/judge.xml')";
    let mut parser = Command::new("/usr/bin/python3");
    parser
        .args(["-c", parse])
        .current_dir(&folder)
        .ended()
        .well();
}

#[test]
fn wrong_hand_in_is_finding_and_scores_zero() {
    let scene = Scene::of(["ann", "bob"]);
    let graded = |words: &str| -> Value {
        let check = format!("check {words} --format gradescope");
        let ended = scene.here(&check).ended().exits(4);
        let results: Value = serde_json::from_str(&ended.stdout).expect("JSON");
        assert_eq!(results["score"], 0.0);
        results["tests"][0].clone()
    };
    let several = graded("submissions --game catch-the-cat");
    assert_eq!(several["name"], "files");
    let words = "holds several submissions (ann, bob); submit one of them";
    assert_eq!(several["output"], words);
    let untold = graded("submissions/ann");
    untold["output"]
        .as_str()
        .expect("text")
        .has(&["which game it plays"]);
    let check = "check submissions --game catch-the-cat --format github";
    scene
        .here(check)
        .ended()
        .refused(&["this format is for one submission"]);
}

#[track_caller]
pub(crate) fn knows_yaml() -> bool {
    let import = Command::new("/usr/bin/python3")
        .args(["-c", "import yaml"])
        .output();
    let knows = import.expect("it starts").status.success();
    if !knows {
        let what = "Python's yaml is not installed, and workflows not parsed";
        skipped("python-yaml", what);
    }
    knows
}

pub(crate) fn yaml(path: &Path) -> Value {
    let program =
        "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin), default=str))";
    let text = fs::File::open(path).expect("text");
    let json = Command::new("/usr/bin/python3")
        .args(["-c", program])
        .stdin(text)
        .ended()
        .well()
        .stdout;
    serde_json::from_str(&json).expect("JSON")
}
