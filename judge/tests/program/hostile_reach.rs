//! Targets of the catalogue's programs: without the sandbox, the same programs do reach them. With
//! it, they leave nothing behind.

use crate::support::outside::Outside;
use crate::support::skip::skipped;
use crate::support::{Has, Run, Scene, catalogue, cells_of, processes, read_csv};
use nix::sys::signal::Signal;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn table(program: &str, begin: &str) -> Vec<String> {
    let source = fs::read_to_string(catalogue::hostile(program)).expect("readable");
    let (_, table) = source.split_once(begin).expect("the table");
    let (table, _) = table.split_once("\n};").expect("its end");
    let rows = table.split("\n    {\"").skip(1);
    let names = rows.filter_map(|row| row.split_once('"'));
    names.map(|(name, _)| name.to_owned()).collect()
}

#[test]
fn every_attempt_succeeds_where_nobody_is_shut_in() {
    let outside = Outside::new();
    let workshop = Scene::new();
    let bot = workshop.folder().join("reach");
    catalogue::compile("g++", &catalogue::hostile("reach.cpp"), &bot);
    let is_root = nix::unistd::geteuid().is_root();
    let names = table("reach.cpp", "attempts {");
    assert!(names.len() >= 100, "{names:?}");
    let mut rows = catalogue::rows();
    rows.retain(|row| row.get("program") == "reach.cpp");
    let needs = rows.iter().map(|row| (row.get("mode"), row.get("alone")));
    let needs: BTreeMap<&str, &str> = needs.collect();
    if !is_root {
        skipped("root", "attempts that only root gets through prove nothing");
    }
    for name in &names {
        match needs.get(&**name).copied().unwrap_or_default() {
            "" => {}
            "root" if is_root => {}
            _ => continue,
        }
        let said = alone(&bot, name, &outside);
        let done = format!("{name}: done\n");
        assert_eq!(said, done, "the attempt proves nothing");
    }
}

fn alone(bot: &Path, name: &str, outside: &Outside) -> String {
    let here = Scene::new();
    let folder = here.folder();
    fs::hard_link(bot, folder.join("bot")).expect("writable");
    let open = folder.join("open");
    fs::create_dir(&open).expect("writable");
    let journal = PathBuf::from(here.write("journal", "x"));
    let targets = outside.targets([
        ("submission", journal.clone()),
        ("run", folder.to_owned()),
        ("journal", journal.clone()),
        ("secret", journal),
        ("open", open),
    ]);
    here.write("targets.txt", targets);
    // A shell hands down a descriptor and a variable, and has a process group, like the judge.
    let run = Command::new("sh")
        .args(["-c", "exec 7</dev/null; ./bot \"$0\"; exit 0", name])
        .current_dir(folder)
        .env("JUDGE_TEST_SECRET", "1")
        .stdin(Stdio::null())
        .process_group(0)
        .output()
        .expect("it starts");
    for planted in ["/tmp", "/dev/shm"].map(|folder| outside.unique(folder)) {
        let _ = fs::remove_file(planted);
    }
    String::from_utf8(run.stderr).expect("text")
}

/// Places that not every machine has.
const SOME_MACHINES: &[&str] = &[
    "an extended attribute",
    "a file's version",
    "a file's flags",
    "a POSIX queue",
    "a key",
    "a file dropped from memory",
    "in /var/tmp",
];

#[test]
fn messages_are_found_where_nobody_is_shut_in() {
    let workshop = Scene::new();
    let bot = workshop.folder().join("bot");
    catalogue::compile("gcc", &catalogue::hostile("message.c"), &bot);
    workshop.write("token", workshop.name());
    workshop.write("unread/note", "unread");
    let run = |word: &str| {
        let mut command = Command::new(&bot);
        command.arg(word).current_dir(workshop.folder());
        command.env("HOME", workshop.folder()).ended().stderr
    };
    assert_eq!(run("look"), "", "nothing is there at first");
    let found = run("look");
    run("clean");
    let mut places = table("message.c", "} places[]");
    places.retain(|place| !SOME_MACHINES.contains(&&**place));
    for place in &places {
        found.has(&[&format!("found: {place}\n")]);
    }
    let sure = places.len();
    assert!(sure >= 9, "{sure} places");
}

/// Messages of the judge to a bot before its first answer.
const FIRST_TURN: &str = "{\"hello\":{}}\n{\"turn\":{\"legal\":[[0,1]]}}\n";

#[test]
fn refused_actions_succeed_outside_sandbox() {
    let workshop = Scene::new();
    let bot = workshop.folder().join("bot");
    catalogue::compile("gcc", &catalogue::hostile("bot.c"), &bot);
    let modes = table("bot.c", "} attempts[]");
    assert!(modes.len() >= 12, "{modes:?}");
    let token = workshop.name();
    workshop.write("token", &token);
    workshop.write("said", FIRST_TURN);
    for mode in modes {
        workshop.write("mode", &mode);
        // A file, because a child that runs on would hold a pipe open. The limit bounds disk fillers.
        let words = "trap '' XFSZ; ulimit -f 64; exec ./bot < said > answers";
        let mut shell = Command::new("sh");
        shell.args(["-c", words]).current_dir(workshop.folder());
        shell.env("HOME", workshop.folder());
        shell.status().expect("it starts");
        let answers = workshop.text("answers");
        for pid in processes::with(&token) {
            processes::signal(pid, Signal::SIGKILL);
        }
        for folder in ["/tmp", "/var/tmp", "/dev/shm"] {
            let _ = fs::remove_file(Path::new(folder).join(format!("fills-{token}")));
        }
        let is_done = answers.contains("[99,99]");
        assert!(is_done, "{mode} proves nothing: {answers}");
    }
}

#[test]
fn nothing_is_left_for_the_next_turn() {
    let scene = Scene::of(["honest"]);
    catalogue::enter(&scene, "message.c", "message", &scene.name());
    scene.sources("message", &[("unread/note", "unread")]);
    for lifetime in ["turn", "game"] {
        let flags = "--submissions submissions --game catch-the-cat --set side=9 --states 3";
        let run = "run --out";
        scene.judge(&format!("{run} {lifetime} --lifetime {lifetime} {flags}"));
        let log = scene
            .folder()
            .join(format!("{lifetime}/logs/stderr/message.txt"));
        let log = fs::read_to_string(log).unwrap_or_default();
        log.lacks(&["found:"]);
        let games = read_csv(&scene.text(&format!("{lifetime}/games.csv")));
        assert_eq!(cells_of(&games, "end"), ["rules"; 6]);
    }
}
