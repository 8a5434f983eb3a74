//! Leftovers of refused and killed commands: they are removed, and nothing else is.

use crate::support::groups::owner;
use crate::support::{FIRST_LEGAL, QUICK, Run, Scene, Words, eventually, judge_at};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the part of temporary names that tells of a process that has ended.
fn dead_owner() -> String {
    let mut child = Command::new("sleep").arg("1000").spawn().expect("sleep");
    let name = owner(child.id());
    child.kill().expect("it runs");
    child.wait().expect("a running child");
    bare(&name)
}

fn bare(name: &str) -> String {
    name.strip_prefix("judge-").expect("a prefix").to_owned()
}

fn file(path: PathBuf) -> PathBuf {
    fs::create_dir_all(path.parent().expect("below a folder")).expect("writable");
    fs::write(&path, "").expect("writable");
    path
}

#[test]
fn refused_run_leaves_only_foreign_and_referenced_files() {
    let scene = Scene::of(["ann"]);
    let out = scene.out();
    let twice = "--with builtin:random --with builtin:random";
    for (flags, words) in [
        ("--with builtin:nope", "has no built-in bot \"nope\""),
        (twice, "--with builtin:random appears twice"),
        ("--roster nowhere", "nowhere"),
        ("--game chess", "chess"),
        ("", "a tournament needs 2"),
    ] {
        let mut command = scene.here("run --submissions submissions --out out/below");
        command.args(flags.words());
        if !flags.contains("--game") {
            command.args(["--game", "catch-the-cat"]);
        }
        let ended = command.ended();
        assert_ne!(ended.code, Some(0), "{ended:?}");
        ended.warns(&[words]);
        assert!(!out.exists(), "{flags:?}");
    }
    let command = "run --submissions nowhere --out out/below";
    scene.here(command).ended().refused(&["nowhere"]);
    assert!(!out.exists());

    let own = file(out.join("artifacts/own"));
    scene.run(QUICK).refused(&["a tournament needs 2"]);
    assert!(own.exists());
    fs::remove_dir_all(out).expect("writable");

    let broken = "build = \"echo too bad; exit 1\"\nrun = \"./bot\"\n";
    scene.sources("eve", &[("judge.toml", broken)]);
    let refused = scene.run(QUICK).refused(&["a tournament needs 2"]);
    refused.says(&["logs/build/eve.txt"]);
    assert_eq!(scene.read("logs/build/eve.txt"), "too bad\n");
}

fn has_started(artifacts: &Path) -> bool {
    let mut folders = fs::read_dir(artifacts).into_iter().flatten().flatten();
    folders.any(|folder| folder.path().join("started").exists())
}

#[test]
fn partial_files_of_killed_judge_are_removed_later() {
    let scene = Scene::of(["ann"]);
    scene.script("bob", FIRST_LEGAL);
    scene.run(QUICK).well();
    let (dead, living) = (dead_owner(), bare(&owner(std::process::id())));
    let places = [
        "",
        "artifacts",
        "logs",
        "logs/build",
        "logs/stderr",
        "staff",
        "versions",
    ];
    let stale = places.map(|place| scene.out().join(place).join(format!(".new-{dead}-aB3xYz")));
    let program = fs::read_dir(scene.out().join("versions/content")).expect("there");
    let program = program.flatten().next().expect("one").path();
    let stay = [
        file(scene.out().join(format!(".new-{living}-aB3xYz"))),
        file(scene.out().join(".new-aB3xYz")),
        file(program.join(format!(".new-{dead}-aB3xYz"))),
        file(scene.submissions().join(format!("ann/.new-{dead}-aB3xYz"))),
        file(scene.folder().join(format!(".new-{dead}-aB3xYz"))),
    ];
    let stale = stale.map(file);
    scene.run(QUICK).well();
    for path in stale {
        assert!(!path.exists(), "{}", path.display());
    }
    for path in stay {
        assert!(path.exists(), "{}", path.display());
    }
}

#[test]
fn leftovers_of_killed_check_are_removed_next_check() {
    let scene = Scene::of(["ann"]);
    let slow = "build = \"touch started; sleep 1000\"\nrun = \"./made\"\n";
    scene.sources("slow", &[("judge.toml", slow)]);
    let temporary = scene.folder().join("temporary");
    let check = |name: &str| {
        let place = scene.submissions().join(name);
        let flags = "--game catch-the-cat --set side=5 --seconds 1 --states 1";
        let mut command = judge_at("check", &[&place], flags);
        command.env("TMPDIR", &temporary);
        command
    };
    let living = format!("judge-check-{}-aB3xYz/a", bare(&owner(std::process::id())));
    let dead = format!("judge-{}", dead_owner());
    let stay = [&*living, &dead, "judge-check-1-2"];
    let stay = stay.map(|name| file(temporary.join(name)));
    let mut killed = check("slow").muted();
    let ours = format!("judge-check-{}-", killed.id());
    let folders = || {
        let entries = fs::read_dir(&temporary).expect("there").flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.retain(|path| path.to_string_lossy().contains(&ours));
        paths
    };
    let is_building = |folder: &PathBuf| has_started(&folder.join("artifacts"));
    let building = || folders().iter().any(is_building);
    eventually("the build begins", building);
    let left = folders();
    killed.kill().expect("it runs");
    killed.wait().expect("a running child");
    assert!(left[0].exists());
    check("ann").ended().well();
    assert!(!left[0].exists());
    for path in &stay {
        assert!(path.exists(), "{}", path.display());
    }
    let there = fs::read_dir(&temporary).expect("there").count();
    assert_eq!(there, stay.len(), "nothing of the check itself stays");
}
