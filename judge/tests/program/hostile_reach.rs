//! Targets of the catalogue's programs: without the sandbox, the same programs do reach them. With
//! it, they leave nothing behind.

use crate::support::outside::Outside;
use crate::support::skip::skipped;
use crate::support::{Run, Scene, catalogue, processes};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

fn table(program: &str, begin: &str) -> Vec<String> {
    let source = fs::read_to_string(catalogue::hostile(program)).expect("readable");
    let (_, table) = source.split_once(begin).expect("the table");
    let (table, _) = table.split_once("\n};").expect("its end");
    let lines = table
        .lines()
        .filter_map(|line| line.strip_prefix("    {\""));
    let names = lines.filter_map(|line| line.split_once('"'));
    names.map(|(name, _)| name.to_owned()).collect()
}

#[test]
fn every_attempt_succeeds_where_nobody_is_shut_in() {
    let outside = Outside::new();
    let workshop = tempfile::tempdir().expect("a temporary folder");
    let bot = workshop.path().join("reach");
    catalogue::compile("g++", &catalogue::hostile("reach.cpp"), &bot);
    let is_root = nix::unistd::geteuid().is_root();
    let names = table("reach.cpp", "attempts {");
    assert!(names.len() >= 100, "{names:?}");
    let needs: BTreeMap<String, String> = catalogue::rows()
        .into_iter()
        .filter(|row| row.get("program") == "reach.cpp")
        .map(|row| (row.get("mode").to_owned(), row.get("alone").to_owned()))
        .collect();
    if !is_root {
        skipped("root", "attempts that only root gets through prove nothing");
    }
    for name in &names {
        match needs.get(name).map_or("", String::as_str) {
            "" => {}
            "root" if is_root => {}
            _ => continue,
        }
        let said = alone(&bot, name, &outside);
        assert_eq!(
            said,
            format!("{name}: done\n"),
            "the attempt proves nothing"
        );
    }
}

fn alone(bot: &Path, name: &str, outside: &Outside) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::hard_link(bot, folder.path().join("bot")).expect("writable");
    let open = folder.path().join("open");
    fs::create_dir(&open).expect("writable");
    let journal = folder.path().join("journal");
    fs::write(&journal, "x").expect("writable");
    let (tmp, shm) = (outside.unique("/tmp"), outside.unique("/dev/shm"));
    let lines = [
        ("submission", journal.clone()),
        ("run", folder.path().to_owned()),
        ("journal", journal.clone()),
        ("secret", journal.clone()),
        ("open", open.clone()),
        ("tmp", tmp.clone()),
        ("shm", shm.clone()),
        ("name", outside.unique("/")),
        ("closed", outside.closed()),
        // A process that is older than the program.
        ("outsider", std::process::id().to_string().into()),
    ];
    let lines = lines.map(|(name, path)| format!("{name} {}\n", path.display()));
    fs::write(folder.path().join("targets.txt"), lines.concat()).expect("writable");
    // A shell hands down a descriptor and a variable, and has a process group, like the judge.
    let run = Command::new("sh")
        .args(["-c", "exec 7</dev/null; ./bot \"$0\"; exit 0", name])
        .current_dir(folder.path())
        .env("JUDGE_TEST_SECRET", "1")
        .stdin(Stdio::null())
        .process_group(0)
        .output()
        .expect("it starts");
    for planted in [tmp, shm] {
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
    let workshop = tempfile::tempdir().expect("a temporary folder");
    let bot = workshop.path().join("bot");
    catalogue::compile("gcc", &catalogue::hostile("message.c"), &bot);
    let name = workshop
        .path()
        .file_name()
        .expect("it has one")
        .to_string_lossy()
        .into_owned();
    fs::write(workshop.path().join("token"), &name).expect("writable");
    fs::create_dir(workshop.path().join("unread")).expect("writable");
    fs::write(workshop.path().join("unread/note"), "unread").expect("writable");
    let run = |word: &str| {
        let mut command = Command::new(&bot);
        command
            .arg(word)
            .current_dir(workshop.path())
            .env("HOME", workshop.path());
        let output = command.output().expect("it starts");
        String::from_utf8(output.stderr).expect("text")
    };
    assert_eq!(run("look"), "", "nothing is there at first");
    let found = run("look");
    run("clean");
    let places = table("message.c", "} places[]");
    let mut sure = 0;
    for place in places
        .iter()
        .filter(|place| !SOME_MACHINES.contains(&place.as_str()))
    {
        assert!(
            found.contains(&format!("found: {place}\n")),
            "{place}: {found}"
        );
        sure += 1;
    }
    assert!(sure >= 9, "{sure} places");
}

/// Messages of the judge to a bot before its first answer.
const FIRST_TURN: &str = "{\"hello\":{}}\n{\"turn\":{\"legal\":[[0,1]]}}\n";

#[test]
fn refused_actions_succeed_outside_sandbox() {
    let workshop = tempfile::tempdir().expect("a temporary folder");
    let bot = workshop.path().join("bot");
    catalogue::compile("gcc", &catalogue::hostile("bot.c"), &bot);
    let modes = table("bot.c", "} attempts[]");
    assert!(modes.len() >= 12, "{modes:?}");
    let token = workshop
        .path()
        .file_name()
        .expect("it has one")
        .to_string_lossy();
    fs::write(workshop.path().join("token"), &*token).expect("writable");
    fs::write(workshop.path().join("said"), FIRST_TURN).expect("writable");
    for mode in modes {
        fs::write(workshop.path().join("mode"), &mode).expect("writable");
        // A file, because a child that runs on would hold a pipe open. The limit bounds disk fillers.
        let words = "trap '' XFSZ; ulimit -f 64; exec ./bot < said > answers";
        let mut shell = Command::new("sh");
        shell.args(["-c", words]).current_dir(workshop.path());
        shell
            .env("HOME", workshop.path())
            .status()
            .expect("it starts");
        let answers = fs::read_to_string(workshop.path().join("answers")).expect("readable");
        for pid in processes::with(&token) {
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
        for folder in ["/tmp", "/var/tmp", "/dev/shm"] {
            let _ = fs::remove_file(Path::new(folder).join(format!("fills-{token}")));
        }
        assert!(
            answers.contains("[99,99]"),
            "{mode} proves nothing: {answers}"
        );
    }
}

#[test]
fn nothing_is_left_for_the_next_turn() {
    let scene = Scene::new();
    scene.first_legal("honest");
    catalogue::enter(&scene, "message.c", "message", &scene.name());
    scene.sources("message", &[("unread/note", "unread")]);
    for lifetime in ["turn", "game"] {
        let out = scene.folder().join(lifetime);
        let mut run = crate::support::judge();
        run.args(["run", "--submissions"])
            .arg(scene.submissions())
            .arg("--out")
            .arg(&out);
        run.args([
            "--game",
            "catch-the-cat",
            "--set",
            "side=9",
            "--states",
            "3",
            "--lifetime",
            lifetime,
        ]);
        run.ended().well();
        let log = fs::read_to_string(out.join("logs/stderr/message.txt")).unwrap_or_default();
        assert!(!log.contains("found:"), "{log}");
        let games = fs::read_to_string(out.join("games.csv")).expect("readable");
        let games = crate::support::read_csv(&games);
        assert_eq!(games.len(), 6);
        assert!(
            games.iter().all(|game| game.get("end") == "rules"),
            "{games:?}"
        );
    }
}
