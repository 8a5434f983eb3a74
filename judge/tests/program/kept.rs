//! The programs that a run keeps. They are the built ones, or are built again, and stay the same
//! when a newer judge continues the run.

use crate::run::flags;
use crate::support::snapshot::Session;
use crate::support::{FIRST_LEGAL, LAST_LEGAL, QUICK, Run, SYSTEM_PATH, Scene, names_in, program};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

fn of_builtins(scene: &Scene) -> PathBuf {
    let kept = scene.json("artifacts/builtin-random.json");
    let folder = kept["folder"].as_str().expect("a name");
    scene.out().join("artifacts").join(folder)
}

fn copies(scene: &Scene) -> usize {
    let folders = fs::read_dir(scene.out().join("artifacts")).expect("there");
    let programs = folders.flatten().map(|folder| folder.path().join("judge"));
    programs.filter(|program| program.exists()).count()
}

#[test]
fn changed_programs_are_rebuilt_and_nobody_is_blamed() {
    let scene = Scene::of(["emptied"]);
    scene.script("replaced", LAST_LEGAL);
    for name in ["closed", "gone"] {
        scene.script(name, &format!("{FIRST_LEGAL}\n# {name}\n"));
    }
    let with = "--lifetime game --with builtin:random --with builtin:shortest-path";
    scene.run(&flags(&format!("{with} --states 1"))).well();
    assert_eq!(copies(&scene), 1, "one for both");
    // A built-in bot is no program alone.
    let links = names_in(&scene.out().join("executables"));
    assert_eq!(links, ["closed", "emptied", "gone", "replaced"]);
    let games = scene.read("games.csv");

    let artifacts = scene.out().join("artifacts");
    let at = |entrant: &str| artifacts.join(scene.artifact(entrant));
    fs::write(at("emptied").join("bot"), "").expect("writable");
    fs::write(at("replaced").join("bot"), "#!/bin/false\n").expect("writable");
    fs::set_permissions(at("closed").join("bot"), Permissions::from_mode(0o600)).expect("writable");
    fs::remove_dir_all(at("gone")).expect("writable");
    fs::write(of_builtins(&scene).join("judge"), "").expect("writable");
    let mut session = Session::default();
    let again = flags(&format!("{with} --states 2"));
    session.run(&mut scene.command(&again));
    session.compare("run__changed_programs");
    scene.all_end_by_rules();
    let first = |text: &str| text.lines().take(10).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(first(&scene.read("games.csv")), first(&games));
    assert_eq!(copies(&scene), 1);
}

/// Makes a judge with another kit for Catch the Cat, and thus another program.
fn newer_judge(folder: &Path) -> PathBuf {
    let newer = folder.join("newer-judge");
    let words = "main for Catch the Cat: it";
    let change = "sed \"s/$3/$4/\" \"$1\" > \"$2\" && chmod 755 \"$2\"";
    let mut shell = Command::new("/bin/sh");
    shell.env("LC_ALL", "C").args(["-c", change, "sh"]);
    shell.args([program(), &newer]);
    shell.args([words, &words.to_uppercase()]).ended().well();
    let length = |path: &Path| fs::metadata(path).expect("there").len();
    assert_eq!(length(&newer), length(program()));
    newer
}

#[test]
fn newer_judge_continues_run_with_original_programs() {
    let scene = Scene::of(["ann"]);
    scene.example("catch-the-cat", "corner-blocker");
    let newer = newer_judge(scene.folder());
    let with = "--lifetime game --with builtin:random";
    let run = |judge: &Path, states: &str| {
        let command = scene.command(&flags(&format!("{with} --states {states}")));
        let mut other = Command::new(judge);
        other.env("XDG_CACHE_HOME", scene.folder().join("cache"));
        other.env("PATH", SYSTEM_PATH).args(command.get_args());
        other
    };
    let mut session = Session::default();
    let names = ["ann", "corner-blocker", "builtin:random"];
    let all = || names.map(|name| scene.artifact(name));
    run(program(), "1").ended().well();
    let before = all();
    let ended = run(&newer, "2").ended().well();
    ended.says(&["12 games, 6 of them already played"]);
    assert_eq!(all(), before);
    assert_eq!(copies(&scene), 1);

    let journal = scene.read("journal.jsonl");
    let bot = scene.out().join("artifacts").join(&before[1]).join("bot");
    fs::write(&bot, "").expect("writable");
    session.run(&mut run(&newer, "2"));
    assert_eq!(scene.read("journal.jsonl"), journal);
    let ended = run(program(), "2").ended().well();
    ended.says(&["12 games, 12 of them already played"]);

    fs::remove_dir_all(of_builtins(&scene)).expect("writable");
    session.run(&mut run(&newer, "2"));
    session.compare("run__programs_of_an_older_judge");
    assert_eq!(scene.read("journal.jsonl"), journal);

    // A user who wants this follows the messages.
    fs::remove_file(scene.out().join("artifacts/builtin-random.json")).expect("writable");
    let list = scene.out().join("versions/corner-blocker.json");
    fs::rename(&list, scene.folder().join("list")).expect("writable");
    let ended = run(&newer, "2").ended().well();
    ended.says(&["12 games to play"]);
    let after = all();
    assert_eq!(after[0], before[0]);
    assert!(after[1] != before[1] && after[2] != before[2]);
}

#[test]
fn each_program_is_linked_by_entrant_name() {
    let scene = Scene::new();
    scene.script("ann", FIRST_LEGAL).script("bob", LAST_LEGAL);
    let folder = scene.out().join("executables");
    let target = |name: &String| fs::read_link(folder.join(name)).expect("a link");
    let links = || {
        let names = names_in(&folder).into_iter();
        let links = names.map(|name| (name.clone(), target(&name)));
        links.collect::<Vec<(String, PathBuf)>>()
    };
    scene.run(QUICK).well();
    let first = links();
    let names: Vec<&str> = first.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["ann", "bob"]);
    for (name, target) in &first {
        assert!(target.starts_with("../artifacts"), "{target:?}");
        let program = fs::read(folder.join(name)).expect("it leads there");
        assert!(program.starts_with(b"#!"), "{name}");
    }
    scene.script("bob", FIRST_LEGAL);
    scene.run(QUICK).well();
    let again = links();
    assert_eq!(again[0], first[0]);
    assert_eq!(again[1].0, "bob");
    assert_ne!(again[1], first[1], "another program plays");
}
