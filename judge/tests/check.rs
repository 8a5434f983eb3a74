//! `judge check` from end to end: real submissions with one thing wrong each, and the words
//! that their author reads.

mod support;

use serde_json::Value;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{Ended, FIRST_LEGAL, Scene, judge};

/// How the Python bots begin; `choose` gives the move, and is what most cases replace.
const PYTHON: &str = r#"#!/usr/bin/env python3
import json, os, sys, time
def say(text): print(text, flush=True)
def begin(message): say('{"ready":{"legal_moves":true}}')
def choose(turn): return turn["legal"][0]
def answer(turn): say('{"move":%s}' % json.dumps(choose(turn)))
def end(): sys.exit(0)
"#;

const LOOP: &str = r#"
while True:
    line = sys.stdin.readline()
    if not line: end(); continue
    message = json.loads(line)
    if "turn" in message: answer(message["turn"])
    elif "end" not in message: begin(message)
"#;

/// A bot with something about it, and what its author reads.
struct Case {
    name: &'static str,
    /// What it defines anew.
    program: &'static str,
    /// More flags.
    flags: &'static [&'static str],
    code: i32,
    words: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case {
        name: "good",
        program: "",
        flags: &[],
        code: 0,
        words: &[
            "1  ok       files",
            "becomes ready in",
            "every move is legal, as cat and as catcher",
            "exits when its input ends",
            "answers alike when asked the same twice, and keeps nothing in mind",
            "4 of 4 sample games played",
            "good is ready. To let it play others: judge run --submissions",
        ],
    },
    Case {
        name: "prints",
        program: "def answer(turn): print('thinking about it'); say('{\"move\":%s}' % json.dumps(choose(turn)))",
        flags: &[],
        code: 3,
        words: &[
            "WRONG (4 output): something was printed on standard output that is no answer",
            "the line: thinking about it",
            "print to standard error instead: print(…, file=sys.stderr)",
            "first seen as cat against builtin:random, initial state 1, at ply 0",
            "prints is not ready. Mend it and look again: ",
        ],
    },
    Case {
        name: "prints-at-once",
        program: "print('hello there', flush=True)",
        flags: &[],
        code: 3,
        words: &[
            "WRONG (3 start): something was printed",
            "hello there",
            "when it was greeted",
        ],
    },
    Case {
        name: "forgets-to-flush",
        program: "def say(text): print(text)",
        flags: &["--startup", "2"],
        code: 3,
        words: &[
            "WRONG (3 start): does not become ready",
            "it did answer: when its input was closed, this came out of its buffer: {\"ready\":{\"legal_moves\":true}}",
            "flush after each line: print(…, flush=True)",
        ],
    },
    Case {
        name: "forgets-to-flush-moves",
        program: "def answer(turn): print('{\"move\":%s}' % json.dumps(choose(turn)))",
        flags: &[],
        code: 3,
        words: &[
            "WRONG (5 flush): falls silent: no answer within 1.5 s",
            "this came out of its buffer: {\"move\":",
        ],
    },
    Case {
        name: "never-answers",
        program: "def answer(turn): pass",
        flags: &[],
        code: 3,
        words: &[
            "WRONG (5 flush): falls silent",
            "also when its input was closed, nothing came",
        ],
    },
    Case {
        name: "speaks-after-its-move",
        program: "def answer(turn): say('{\"move\":%s}' % json.dumps(choose(turn))); time.sleep(0.05); say('done')",
        flags: &[],
        code: 3,
        words: &[
            "(9 quiet): something was printed after the answer",
            "as cat, after its answer: done",
        ],
    },
    Case {
        name: "computes-after-its-move",
        program: "def answer(turn):\n    say('{\"move\":%s}' % json.dumps(choose(turn)))\n    while True: pass",
        flags: &[],
        code: 0,
        words: &[
            "warning (9 quiet): goes on computing after its answer",
            "charged to its next turn",
        ],
    },
    Case {
        name: "stays",
        program: "def end(): time.sleep(0.01)",
        flags: &[],
        code: 0,
        words: &[
            "warning (10 end): does not exit when its input ends",
            "leave the loop when there is no next line",
            "stays can play; see the warnings above",
        ],
    },
    Case {
        name: "rather-slow",
        program: "def choose(turn):\n    until = time.process_time() + 0.3\n    while time.process_time() < until: pass\n    return turn['legal'][0]",
        flags: &["--turn-time", "0.5"],
        code: 0,
        words: &["warning (8 time): CPU time a turn: 30", "(limit 500.0 ms)"],
    },
    Case {
        name: "too-slow",
        program: "def choose(turn):\n    while True: pass",
        flags: &["--turn-time", "0.2"],
        code: 3,
        words: &["WRONG (8 time): takes too long: took 2", "of CPU time"],
    },
    Case {
        name: "crashes-as-catcher",
        program: "def choose(turn): return turn['legal'][0 if me == 'cat' else 'first']\ndef begin(message):\n    global me\n    me = message['hello']['role']\n    say('{\"ready\":{\"legal_moves\":true}}')",
        flags: &[],
        code: 3,
        words: &[
            "WRONG (7 crash): ends too early: exited with code 1",
            "first seen as catcher against builtin:random",
            "in 0 of 2 games as cat, 2 of 2 games as catcher",
            "TypeError: list indices must be integers or slices, not str",
        ],
    },
    Case {
        name: "blocks-the-cat",
        program: "def choose(turn): return turn['view']['cat']",
        flags: &[],
        code: 3,
        words: &[
            "WRONG (6 moves): an illegal move: the cat cannot go from (0,0) to (0,0): the cat may not stay",
            "the position (A = cat, B = catcher):",
            "* . A . *",
        ],
    },
    Case {
        name: "remembers",
        program: "asked = 0\ndef choose(turn):\n    global asked\n    asked += 1\n    return turn['legal'][asked % len(turn['legal'])]",
        flags: &[],
        code: 0,
        words: &[
            "warning (12 repeat): seems to rely on memory, which it does not have in games",
            "in this game every turn has a new process",
        ],
    },
    Case {
        name: "throws-dice",
        // On ten thousand cells the same move twice is no worry.
        program: "def choose(turn): return turn['legal'][int.from_bytes(os.urandom(4), 'big') % len(turn['legal'])]",
        flags: &["--side", "101", "--states", "1", "--seconds", "1"],
        code: 0,
        words: &[
            "warning (12 repeat): the same position, asked in two new processes, has different answers",
            "`seed` in `hello` is for that",
        ],
    },
    Case {
        name: "talks-to-its-author",
        program: "def choose(turn): sys.stderr.write('depth 3\\n\\x1b[31m'); return turn['legal'][0]",
        flags: &[],
        code: 0,
        words: &[
            "wrote on standard error in 4 of 4 games; of the first:",
            "depth 3",
            "\\u{1b}[31m",
        ],
    },
];

/// The smallest board; short limits, so that waiting bots do not wait long.
const FLAGS: &[&str] = &["--game", "catch-the-cat", "--backstop", "1.5"];

/// How many cases are tried at a time; most of them wait.
const AT_ONCE: usize = 3;

fn check(scene: &Scene, name: &str, flags: &[&str]) -> Command {
    let mut command = judge();
    command
        .arg("check")
        .arg(scene.submissions().join(name))
        .args(flags);
    command
}

fn checked(scene: &Scene, name: &str, flags: &[&str]) -> Ended {
    Ended::of(
        check(scene, name, flags)
            .output()
            .expect("the program starts"),
    )
}

#[test]
fn every_author_reads_what_is_wrong_and_what_to_do() {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(case) = CASES.get(next.fetch_add(1, Ordering::Relaxed)) {
                    try_out(case);
                }
            });
        }
    });
}

fn try_out(case: &Case) {
    let scene = Scene::new();
    scene.script(case.name, &format!("{PYTHON}{}\n{LOOP}", case.program));
    let own = |flag: &str| case.flags.contains(&flag);
    let mut flags = [FLAGS, case.flags].concat();
    if !own("--states") {
        flags.extend(["--states", "1", "--side", "5"]);
    }
    let ended = checked(&scene, case.name, &flags);
    for word in case.words {
        let name = case.name;
        assert!(
            ended.stdout.contains(word),
            "{name}: {word:?} is not in {ended:?}"
        );
    }
    assert_eq!(ended.code, Some(case.code), "{}: {ended:?}", case.name);
    assert!(
        ended.stdout.lines().count() < 60,
        "{}: it fits on a screen or two",
        case.name
    );
}

#[test]
fn sources_that_do_not_compile_are_shown_with_the_compilers_lines_and_what_they_mean() {
    let scene = Scene::new();
    scene.example("catch-the-cat", "forgot-const");
    let ended = checked(&scene, "forgot-const", &[]);
    assert_eq!(ended.code, Some(3), "{ended:?}");
    for words in [
        "WRONG (2 build): g++ exited with 1",
        "this usually means: a class does not override",
        "abstract class type",
        "not looked at, because of the above: start, output",
    ] {
        assert!(ended.stdout.contains(words), "{words:?}: {ended:?}");
    }
}

#[test]
fn a_misspelled_file_name_is_named_also_where_nothing_tells_the_game() {
    let scene = Scene::new();
    scene.sources(
        "ann",
        &[
            ("cat.h", "class Cat {};"),
            ("Catcher.h", "class Catcher {};"),
        ],
    );
    let ended = checked(&scene, "ann", &[]);
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert!(
        ended.stdout.contains(
            "WRONG (1 files): looks like Catch the Cat in cpp, but cat.h must be spelled Cat.h"
        ),
        "{ended:?}"
    );
}

#[test]
fn json_is_one_object_and_nothing_else() {
    let scene = Scene::new();
    scene
        .first_legal("good")
        .script("broken", "#!/bin/sh\nexit 3\n");
    let flags = ["--json", "--states", "1", "--side", "5"];
    let flags = [FLAGS, &flags].concat();
    let read = |ended: &Ended| -> Value { serde_json::from_str(&ended.stdout).expect("JSON") };

    let good = checked(&scene, "good", &flags).well();
    let report = read(&good);
    assert_eq!(good.stdout.lines().count(), 1);
    assert_eq!(report["game"], "catch-the-cat");
    assert_eq!(report["language"], "executable");
    assert_eq!(report["ok"], true);
    assert_eq!(report["games"]["played"], 4);
    assert!(report["cpu"]["turns"].as_u64() > Some(0), "{report}");
    assert_eq!(report["cpu"]["turn_limit_us"], 2_000_000);
    let checks = report["checks"].as_array().expect("a list");
    assert!(checks.iter().all(|c| c["verdict"] == "ok"), "{report}");

    let broken = checked(&scene, "broken", &flags);
    assert_eq!(broken.code, Some(3), "{broken:?}");
    let report = read(&broken);
    assert_eq!(report["ok"], false);
    let checks = report["checks"].as_array().expect("a list");
    let wrong = checks
        .iter()
        .find(|c| c["verdict"] == "wrong")
        .expect("one is wrong");
    assert_eq!(wrong["name"], "start");
    assert_eq!(
        wrong["message"],
        "ends too early: exited with code 3 without an answer"
    );
}

#[test]
fn wrong_commands_are_refused_with_the_next_step() {
    let scene = Scene::new();
    scene.first_legal("ann").first_legal("bob");
    checked(&scene, "nobody", &[]).refused(&["cannot read the submission", "name the folder"]);
    checked(&scene, "ann", &[]).refused(&["--game", "catch-the-cat"]);
    checked(&scene, "ann", &["--game", "chess"]).refused(&["unknown game", "reversi"]);
    checked(&scene, "", FLAGS).refused(&["several submissions", "ann"]);
}

#[test]
fn a_bot_in_a_game_with_a_bank_and_one_for_four_are_checked_in_every_seat() {
    let scene = Scene::new();
    scene.script("any", &format!("{PYTHON}{LOOP}"));
    for (game, words) in [
        (
            "crazy-camel",
            "every move is legal, as player 0 and as player 1",
        ),
        ("reversi", "every move is legal, as black and as white"),
        (
            "monkey-metal-man",
            "as player 0 and as player 1 and as player 2 and as player 3",
        ),
    ] {
        let ended = checked(&scene, "any", &["--game", game, "--states", "1"]).well();
        assert!(ended.stdout.contains(words), "{words:?}: {ended:?}");
        assert!(ended.stdout.contains("% of the clock"), "{ended:?}");
    }
}

#[test]
fn nothing_stays_behind() {
    let scene = Scene::new();
    scene.script("bot", FIRST_LEGAL);
    let temporary = scene.out();
    std::fs::create_dir(&temporary).expect("a new folder");
    let flags = [FLAGS, &["--states", "1", "--side", "5"]].concat();
    let mut command = check(&scene, "bot", &flags);
    let ended = Ended::of(command.env("TMPDIR", &temporary).output().expect("starts"));
    ended.well();
    let left = std::fs::read_dir(&temporary).expect("there").count();
    assert_eq!(left, 0, "the temporary folder is empty again");
}
