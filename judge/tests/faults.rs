//! Bots that misbehave: each is a real program that plays a real game, and the verdict on
//! it is a row of a table.

mod support;

use std::sync::atomic::{AtomicUsize, Ordering};
use support::Scene;

/// A bot, and what must be said of it.
struct Case {
    name: &'static str,
    program: &'static str,
    /// The end cause of its games; `rules` for bots that must not be punished.
    end: &'static str,
    /// Words that the record's explanation must hold.
    detail: &'static str,
}

const fn case(
    name: &'static str,
    program: &'static str,
    end: &'static str,
    detail: &'static str,
) -> Case {
    Case {
        name,
        program,
        end,
        detail,
    }
}

/// How the Python bots begin; `ask` gives the next message, `move` plays the first legal move.
const PYTHON: &str = r#"#!/usr/bin/env python3
import json, os, signal, sys, time
def ask():
    line = sys.stdin.readline()
    if not line: sys.exit(0)
    return json.loads(line)
def say(text):
    sys.stdout.write(text + "\n"); sys.stdout.flush()
def ready(): say('{"ready":{"legal_moves":true}}')
def first(turn): return '{"move":%s}' % json.dumps(turn["turn"]["legal"][0])
"#;

/// Every Python case plays on after `hello`; `turn` is the message with the first turn.
const CASES: &[Case] = &[
    // Answers.
    case(
        "empty-line",
        "ready(); ask(); say('')",
        "malformed",
        "the line is empty",
    ),
    case(
        "garbage",
        "ready(); ask(); say('hello')",
        "malformed",
        "not a \\\"move\\\" message",
    ),
    case(
        "wrong-shape",
        "ready(); ask(); say('{\"move\":\"north\"}')",
        "malformed",
        "not a move of this game",
    ),
    case(
        "unknown-field",
        "ready(); ask(); say('{\"move\":[0,1],\"comment\":1}')",
        "malformed",
        "not a",
    ),
    case(
        "huge-number",
        "ready(); ask(); say('{\"move\":[99999999999999999999,0]}')",
        "malformed",
        "not a move of this game",
    ),
    case(
        "not-a-number",
        "ready(); ask(); say('{\"move\":[NaN,0]}')",
        "malformed",
        "not a",
    ),
    case(
        "deep",
        "ready(); ask(); say('{\"move\":' + '[' * 30000 + ']' * 30000 + '}')",
        "malformed",
        "not a",
    ),
    case(
        "invalid-utf8",
        "ready(); ask(); sys.stdout.buffer.write(b'{\"move\":\"\\xff\"}\\n'); sys.stdout.flush(); ask()",
        "malformed",
        "not UTF-8",
    ),
    case(
        "nul-byte",
        "ready(); ask(); say('\\0')",
        "malformed",
        "not a",
    ),
    case(
        "byte-order-mark",
        "ready(); t = ask(); say('\\ufeff' + first(t))",
        "malformed",
        "not a",
    ),
    case(
        "ready-again",
        "ready(); ask(); ready(); ask()",
        "malformed",
        "where a move was due",
    ),
    case(
        "two-answers",
        "ready(); t = ask(); say(first(t) + '\\n' + first(t)); ask()",
        "unasked",
        "more output after the answer's newline",
    ),
    case(
        "move-for-ready",
        "say('{\"move\":[0,1]}'); ask()",
        "malformed",
        "where \\\"ready\\\" was due",
    ),
    case(
        "move-before-the-turn",
        "os.write(1, b'{\"ready\":{}}\\n{\"move\":[0,1]}\\n'); ask()",
        "unasked",
        "more output",
    ),
    case(
        "half-a-line",
        "ready(); ask(); sys.stdout.write('{\"mo'); sys.stdout.flush(); time.sleep(99)",
        "silence",
        "did you flush",
    ),
    case(
        "not-flushed",
        "ready(); t = ask(); print(first(t)); time.sleep(99)",
        "silence",
        "did you flush",
    ),
    case(
        "a-byte-a-while",
        "ready(); ask()\nwhile True: os.write(1, b'x'); time.sleep(0.001)",
        "silence",
        "",
    ),
    case(
        "a-line-a-while",
        "ready(); ask()\nwhile True: os.write(1, b'thinking\\n'); time.sleep(0.001)",
        "malformed",
        "",
    ),
    case(
        "long-line",
        "ready(); ask(); os.write(1, b'x' * 10_000_000)",
        "flood",
        "65536",
    ),
    case(
        "endless",
        "ready(); ask()\nwhile True: os.write(1, b'x' * 65536)",
        "flood",
        "65536",
    ),
    case(
        "never-ready",
        "ask(); say('{}')",
        "malformed",
        "not a \\\"ready\\\" message",
    ),
    case("silent-start", "time.sleep(99)", "silence", "did you flush"),
    case(
        "illegal",
        "ready(); ask(); say('{\"move\":[9,9]}')",
        "illegal-move",
        "(9,9)",
    ),
    // Ends.
    case("exits-early", "sys.exit(0)", "exit", "exited with code 0"),
    case(
        "exits-in-turn",
        "ready(); ask(); sys.exit(3)",
        "exit",
        "exited with code 3",
    ),
    case(
        "raises",
        "ready(); ask(); raise ValueError('no idea')",
        "exit",
        "exited with code 1",
    ),
    case("aborts", "ready(); ask(); os.abort()", "crash", "SIGABRT"),
    case(
        "segfaults",
        "ready(); ask(); os.kill(os.getpid(), signal.SIGSEGV)",
        "crash",
        "SIGSEGV",
    ),
    case(
        "real-time-signal",
        "ready(); ask(); os.kill(os.getpid(), 40)",
        "crash",
        "signal 40",
    ),
    case(
        "closes-stdout",
        "ready(); ask(); os.close(1); time.sleep(99)",
        "closed",
        "closed its output",
    ),
    case(
        "stops-itself",
        "ready(); ask(); os.kill(os.getpid(), signal.SIGSTOP)",
        "silence",
        "",
    ),
    case(
        "ignores-sigterm-and-sleeps",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); ready(); ask(); time.sleep(99)",
        "silence",
        "",
    ),
    // Time.
    case(
        "busy",
        "ready(); ask()\nwhile True: pass",
        "time",
        "CPU time",
    ),
    case(
        "busy-and-chatty",
        "ready(); ask(); sys.stderr.write('x' * 100000)\nwhile True: sys.stderr.write(str(sum(range(50000))))",
        "time",
        "CPU time",
    ),
    // Honest.
    case(
        "blanks-and-crlf",
        "ready()\nwhile True: say('  ' + first(ask()) + ' \\r')",
        "rules",
        "",
    ),
    case(
        "two-halves",
        "ready()\nwhile True:\n    m = first(ask()); os.write(1, m[:4].encode()); time.sleep(0.01); os.write(1, m[4:].encode() + b'\\n')",
        "rules",
        "",
    ),
    case(
        "closes-stdin",
        "ready(); m = first(ask()); os.close(0); say(m)",
        "rules",
        "",
    ),
    case(
        "answers-and-exits",
        "ready(); say(first(ask())); sys.exit(1)",
        "rules",
        "",
    ),
    case(
        "answers-and-aborts",
        "ready(); say(first(ask())); os.abort()",
        "rules",
        "",
    ),
    case(
        "noisy-stderr",
        "sys.stderr.buffer.write(b'\\xff\\x1b[31m' * 5_000_000); ready()\nwhile True: say(first(ask()))",
        "rules",
        "",
    ),
    case(
        "stderr-like-the-protocol",
        "sys.stderr.write('{\"move\":[9,9]}\\n' * 9); ready()\nwhile True: say(first(ask()))",
        "rules",
        "",
    ),
    case(
        "sleeps-a-little",
        "time.sleep(0.2); ready()\nwhile True: m = first(ask()); time.sleep(0.05); say(m)",
        "rules",
        "",
    ),
];

/// One state on the smallest board; short limits, so that waiting bots do not wait long.
const FLAGS: &[&str] = &[
    "--game",
    "catch-the-cat",
    "--states",
    "1",
    "--side",
    "5",
    "--backstop",
    "3",
    "--turn-time",
    "0.5",
];

/// How many cases are tried at a time; most of them wait.
const AT_ONCE: usize = 4;

#[test]
fn every_misbehaving_bot_gets_its_verdict_and_every_honest_one_is_spared() {
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

/// Lets a bot play an honest one in both roles.
fn try_out(case: &Case) {
    let scene = Scene::new();
    scene
        .first_legal("honest")
        .script(case.name, &program(case));
    let startup = if case.name == "silent-start" {
        "2"
    } else {
        "20"
    };
    scene.run(&[FLAGS, &["--startup", startup]].concat()).well();
    let games = scene.rows("games.csv");
    assert_eq!(games.len(), 2);
    for game in games {
        assert_eq!(game.get("end"), case.end, "{}: {game:?}", case.name);
        let charged = if case.end == "rules" { "" } else { case.name };
        assert_eq!(game.get("charged"), charged, "{}: {game:?}", case.name);
    }
    let journal = scene.read("journal.jsonl");
    for line in journal.lines() {
        assert!(
            line.contains(case.detail),
            "{}: {:?} is not in {line}",
            case.name,
            case.detail
        );
        assert!(
            line.len() < 10_000,
            "{}: what a bot writes does not fill the journal",
            case.name
        );
    }
}

fn program(case: &Case) -> String {
    let hears_hello = ![
        "move-before-hello",
        "exits-early",
        "silent-start",
        "never-ready",
    ]
    .contains(&case.name);
    let hello = if hears_hello { "ask(); " } else { "" };
    format!("{PYTHON}{hello}{}\n", case.program)
}
