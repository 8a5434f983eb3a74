//! Warm cages: a program behaves there exactly as if it had been started by itself.

use crate::off_turn::Pinned;
use crate::support::skip::{sealed, skipped};
use crate::support::{
    self, Ended, LAST_LEGAL, Run, Scene, copy_folder, root, source, without_namespaces,
};
use nix::errno::Errno;
use rulebook::JudgeError;
use sandbox::{BotRights, Cage, Isolation, Launch, Namespaces, Paths};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Command;

/// Returns the same command for a machine that isolates weakly, and so has no warm cages.
fn weakly(mut command: Command) -> Command {
    without_namespaces(command.arg("--weak-isolation"))
}

fn cage(isolation: &Isolation, folder: &Path) -> Cage {
    Cage::for_bots(isolation, folder, 0, BotRights::default()).expect("a cage")
}

fn launch<'a>(program: &'a str, args: &'a [String], cage: &'a Cage) -> Launch<'a> {
    support::launch(Path::new(program), args, Path::new("/usr"), cage)
}

fn said(launch: &Launch<'_>) -> String {
    let mut running = launch.start(b"line\n").expect("it starts");
    let (stdin, mut stdout, mut stderr) = running.take_pipes();
    drop(stdin);
    let mut text = String::new();
    stdout.read_to_string(&mut text).expect("text");
    stderr.read_to_string(&mut text).expect("text");
    running.end().expect("it ends");
    text
}

fn words(words: [&str; 2]) -> [String; 2] {
    words.map(str::to_owned)
}

#[test]
fn every_program_has_same_process_and_own_descriptors() {
    let Some(sealed) = sealed() else { return };
    let cage = cage(&sealed, Path::new("/usr"));
    let script = "read line; echo $$ $line; ulimit -n; pwd; ls /proc/self/fd | tr '\\n' ' '; \
                  ls -d /proc/[0-9]*; ps 2>&1 >/dev/null; trap; cat /proc/self/stat | cut -d ' ' -f 5";
    let args = words(["-c", script]);
    let launch = launch("/bin/bash", &args, &cage);
    let first = said(&launch);
    assert!(first.starts_with("3 line\n64\n/usr\n"), "{first}");
    assert!(!first.contains("/proc/2"), "{first}");
    for _ in 0..3 {
        assert_eq!(said(&launch), first);
    }
}

#[test]
fn unexecutable_program_is_reported_and_next_one_starts() {
    let Some(sealed) = sealed() else { return };
    let scene = Scene::new();
    let path = scene.write("text", "no program");
    let cage = cage(&sealed, Path::new("/usr"));
    let launch = launch(&path, &[], &cage);
    for _ in 0..2 {
        // The program does not see that file.
        let error = launch.start(&[]).expect_err("no program");
        assert!(matches!(error, JudgeError::Execute { .. }), "{error}");
    }
}

/// Plays in warm cages, and again in new sandboxes of a weak machine: the games are the same.
/// Returns the first run.
fn compare(enter: &dyn Fn(&Scene), flags: &str) -> (Scene, Ended) {
    let play = |built: Option<&Scene>| {
        let scene = Scene::new();
        if let Some(built) = built {
            scene.take_programs(built);
        }
        enter(&scene);
        let mut run = scene.command(&format!("{flags} --seed 7 --verbose"));
        if built.is_some() {
            run = weakly(run);
        }
        let ended = run.ended().well();
        (scene, ended)
    };
    let (warm, said) = play(None);
    let (cold, cold_said) = play(Some(&warm));
    said.says(&[
        "starts: in sandboxes that stay ready (warm cages), as copies of a loaded program: ",
    ]);
    cold_said.says(&["starts: each in a new sandbox"]);
    for file in ["games.csv", "faults.csv"] {
        let differs = |scene: &Scene| {
            let rows = scene.rows(file).into_iter();
            let kept = ["game", "winner", "end", "plies", "cause", "detail", "line"];
            rows.map(|row| kept.map(|name| row.has(name).then(|| row.get(name).to_owned())))
                .collect::<Vec<_>>()
        };
        assert_eq!(differs(&warm), differs(&cold), "{file}");
    }
    (warm, said)
}

#[test]
fn forked_and_executed_programs_play_same_games() {
    if sealed().is_none() {
        return;
    }
    let monkeys = |scene: &Scene| {
        scene.example("monkey-metal-man", "hunter");
        scene.example("monkey-metal-man", "shell-still");
    };
    compare(&monkeys, "--states 1");
}

/// A catcher that counts its questions by every trace that earlier turns could leave.
const COUNTER: &str = include_str!("../bots/counter.h");

#[test]
fn fork_source_keeps_nothing_of_previous_turn() {
    if sealed().is_none() {
        return;
    }
    let helpers = source("examples/catch-the-cat/drifter/Helpers.h");
    let cats = |scene: &Scene| {
        for name in ["Cat.h", "Catcher.h"] {
            let text = source(&format!("examples/catch-the-cat/drifter/{name}"));
            let counts = text.replacen("sideSize) {", "sideSize) { count();", 1);
            assert_ne!(counts, text, "{name} has a move");
            let counts = format!("#include \"Counter.h\"\n{counts}");
            scene.sources("counter", &[(name, &counts)]);
        }
        let files = [("Counter.h", COUNTER), ("Helpers.h", &helpers)];
        scene.sources("counter", &files).script("other", LAST_LEGAL);
    };
    let flags = "--game catch-the-cat --set side=9 --states 2 --points-per-cpu-second 0";
    let (scene, ended) = compare(&cats, flags);
    ended.says(&["as copies of a loaded program: counter; from their files: other"]);
    let reported = scene.read("logs/stderr/counter.txt");
    let mut lines: Vec<&str> = reported.lines().collect();
    lines.retain(|line| line.contains("never"));
    assert!(lines.len() > 3, "{reported}");
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines, ["11 1 1 never 3 3"], "{reported}");
    assert!(!reported.contains("again"), "{reported}");
}

/// Compiles a module that Python then loads without looking at any source.
const COMPILE: &str = "import importlib.util, py_compile, sys
mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
py_compile.compile(sys.argv[1], importlib.util.cache_from_source('judge_cage.py'), invalidation_mode=mode)";

#[test]
fn no_submitted_python_runs_in_fork_source() {
    if sealed().is_none() {
        return;
    }
    let scene = Scene::new();
    let example = root().join("examples/monkey-metal-man/hermit");
    let folder = scene.submissions().join("evil");
    // If a submission has nothing but such folders, they are used.
    copy_folder(&example, &folder.join("build"));
    let source = scene.write(
        "evil.py",
        "import sys\nsys.stderr.write('in the cage\\n')\n",
    );
    let compiled = Command::new("/usr/bin/python3")
        .args(["-c", COMPILE])
        .arg(source)
        .current_dir(&folder)
        .status();
    assert!(compiled.expect("it starts").success());
    let flags = "--states 1 --game monkey-metal-man --verbose";
    let ended = scene.command(&flags).ended().well();
    ended.says(&["as copies of a loaded program: evil"]);
    let reported = fs::read_to_string(scene.out().join("logs/stderr/evil.txt"));
    assert!(!reported.is_ok_and(|reported| reported.contains("in the cage")));
    let standings = scene.ranked();
    assert_ne!(standings[0].get("cpu_us"), "0", "{standings:?}");
}

/// Where `caches.h` leaves bits for the next turn, how many, and how far from 500 ‰ may arrive.
const PLACES: [(&str, usize, usize); 4] = [
    ("constants", 8, 50),
    ("data given back", 8, 50),
    ("zeros", 1, 100),
    ("huge zeros", 8, 50),
];

/// Sends bits from each process to the next one, in a place and so many in each. Returns how many
/// of a thousand arrive.
fn arriving(launch: &Launch<'_>, [place, bits]: [usize; 2], huge_pages: Errno) -> usize {
    let mut message = u16::MAX;
    let mut right = 0;
    let messages = BITS_SENT / bits;
    for number in 0..=messages {
        let before = message;
        // A xorshift that visits all numbers but 0.
        message ^= message << 7;
        message ^= message >> 9;
        message ^= message << 8;
        // The lowest bit comes first.
        let world = message.reverse_bits();
        let lines = format!(
            "{{\"hello\":{{\"role\":\"cat\"}}}}\n\
             {{\"turn\":{{\"view\":{{\"side\":4,\"cat\":[{place},0],\"world\":\"{world:016b}\"}}}}}}\n"
        );
        let mut running = launch.start(lines.as_bytes()).expect("it starts");
        let (_stdin, stdout, _stderr) = running.take_pipes();
        let answer = BufReader::new(stdout).lines().nth(1);
        let answer = answer.expect("two answers").expect("text");
        running.end().expect("it ends");
        let answer: serde_json::Value = serde_json::from_str(&answer).expect("a move");
        let [received, refused] = [0, 1].map(|at| answer["move"][at].as_u64());
        assert_eq!(refused, u64::try_from(huge_pages as i32).ok(), "{answer}");
        if number > 0 {
            let wrong = (received.expect("a number") ^ u64::from(before)) & ((1 << bits) - 1);
            right += bits - usize::try_from(wrong.count_ones()).expect("few");
        }
    }
    right * 1000 / (messages * bits)
}

/// Number of bits. By chance, fewer than 45 % or more than 55 % arrive once in 10,000 times.
const BITS_SENT: usize = 1600;

#[test]
fn flush_leaves_no_bit_for_next_cpp_turn() {
    if !cfg!(target_arch = "x86_64") {
        return skipped("x86-64", "the attack needs its clock and its clflush");
    }
    let scene = Scene::new();
    let kit = &engines::game("catch-the-cat")
        .expect("registered")
        .info
        .kits[0];
    let attack = ("Cat.h", include_str!("../hostile/caches.h"));
    let sources = [&kit.solved[1..], &[attack]].concat();
    let built = super::languages::built(&scene, "catch-the-cat", &sources);
    let folder = Path::new(&built.directory);
    let huge_pages = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled");
    let has_huge_pages = huge_pages.is_ok_and(|enabled| !enabled.contains("[never]"));
    // As the worker of a run.
    let _pinned = Pinned::to(0);
    for is_weak in [false, true] {
        let mut isolation = Isolation::find();
        if is_weak {
            isolation.namespaces = Namespaces::Missing("not asked for".to_owned());
        }
        let attack = |places, paths, huge_pages| {
            let rights = BotRights {
                paths,
                ..BotRights::default()
            };
            let cage = Cage::for_bots(&isolation, folder, 0, rights).expect("a cage");
            let launch = Launch {
                forks: true,
                directory: folder,
                ..launch(&built.program, &[], &cage)
            };
            arriving(&launch, places, huge_pages)
        };
        for (place, (name, bits, most)) in PLACES.into_iter().enumerate() {
            if name == "huge zeros" && !has_huge_pages {
                skipped("huge-pages", "there are none on this machine");
                continue;
            }
            let without = attack([place, bits], Paths::None, Errno::UnknownErrno);
            if without <= 950 {
                let what = format!(
                    "machine too busy: of bits in {name}, {without} ‰ arrive without the flush (weak: {is_weak})"
                );
                skipped("machine-too-busy", &what);
                continue;
            }
            let with = attack([place, bits], Paths::NoneFlushed, Errno::EINVAL);
            let arrive = format!("{name}, weak: {is_weak}: {with} ‰ arrive");
            assert!(with.abs_diff(500) <= most, "{arrive}");
        }
    }
}
