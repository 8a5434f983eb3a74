//! Bots in Python with one fault each, and the words that the check must say about them.

/// Start of each Python bot; `choose` returns the move, and most cases replace it.
pub(crate) const PYTHON: &str = r#"#!/usr/bin/env python3
import json, os, sys, time
def say(text): print(text, flush=True)
def begin(message): say('{"ready":{"legal_moves":true}}')
def choose(turn): return turn["legal"][0]
def answer(turn): say('{"move":%s}' % json.dumps(choose(turn)))
def end(): sys.exit(0)
"#;

pub(crate) const LOOP: &str = r#"
while True:
    line = sys.stdin.readline()
    if not line: end(); continue
    message = json.loads(line)
    if "turn" in message: answer(message["turn"])
    elif "end" not in message: begin(message)
"#;

/// A bot with a fault, and the words for its author.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// The code that replaces parts of the common bot.
    pub(crate) program: &'static str,
    /// Further flags.
    pub(crate) flags: &'static [&'static str],
    pub(crate) words: &'static [&'static str],
}

pub(crate) const CASES: &[Case] = &[
    Case {
        name: "good",
        program: "",
        flags: &["--lifetime", "turn"],
        words: &[
            "1  ok       files",
            "becomes ready in",
            "every move is legal, as cat and as catcher",
            "exits when its input ends",
            "gives the same answer to the same question, and does not depend on earlier turns",
            "4 of 4 sample games played",
            "good is ready. To watch it play: ",
            " --with random",
        ],
    },
    Case {
        name: "prints",
        program: "def answer(turn): print('thinking about it'); say('{\"move\":%s}' % json.dumps(choose(turn)))",
        flags: &[],
        words: &[
            "WRONG (4 output): gives an unreadable answer: not a \"move\" message: it is no answer, and standard output is for answers only",
            "the line: thinking about it",
            "print to standard error instead: print(…, file=sys.stderr)",
            "first seen as cat against builtin:random, initial state 0, at ply 0",
            "prints is not ready. Fix it and check again: ",
        ],
    },
    Case {
        name: "prints-at-once",
        program: "print('hello there', flush=True)",
        flags: &[],
        words: &[
            "WRONG (3 start): gives an unreadable answer: not a \"ready\" message: it is no answer, and standard output is for answers only",
            "hello there",
            "while starting (at `hello`)",
        ],
    },
    Case {
        name: "forgets-to-flush",
        program: "def say(text): print(text)",
        flags: &["--set", "clock.startup_s=2"],
        words: &[
            "WRONG (3 start): does not become ready",
            "it did answer, but kept the answer in its buffer until its input was closed: {\"ready\":{\"legal_moves\":true}}\n",
            "flush after each line: print(…, flush=True)",
        ],
    },
    Case {
        name: "forgets-to-flush-moves",
        program: "def answer(turn): print('{\"move\":%s}' % json.dumps(choose(turn)))",
        flags: &[],
        words: &[
            "WRONG (5 silence): falls silent: no answer within 1.5 s",
            "kept the answer in its buffer until its input was closed: {\"move\":",
        ],
    },
    Case {
        name: "never-answers",
        program: "def answer(turn): pass",
        flags: &[],
        words: &[
            "4  -        output             not checked: it gave no readable answer",
            "6  -        moves              not checked: ",
            "7  ok       crash ",
            "WRONG (5 silence): falls silent",
        ],
    },
    Case {
        name: "sleeps",
        // As long as the second wait of the judge, which puts the answer right after that.
        program: "def choose(turn): time.sleep(3); return turn['legal'][0]",
        flags: &[],
        words: &["WRONG (5 silence): falls silent"],
    },
    Case {
        name: "speaks-after-its-move",
        program: "def answer(turn): say('{\"move\":%s}' % json.dumps(choose(turn))); time.sleep(0.05); say('done')",
        flags: &["--lifetime", "turn"],
        words: &[
            "(9 quiet): prints something after its answer",
            ", after its answer: done",
        ],
    },
    Case {
        name: "computes-after-its-move",
        // The judge watches for 0.3 s.
        program: "def answer(turn):\n    say('{\"move\":%s}' % json.dumps(choose(turn)))\n    until = time.process_time() + 0.3\n    while time.process_time() < until: pass",
        flags: &["--lifetime", "turn"],
        words: &[
            "warning (9 quiet): keeps computing after its answer",
            "in this game every turn has a new process: work after the answer is lost",
        ],
    },
    Case {
        name: "starts-threads",
        program: "import _thread\n_thread.stack_size(65536)\ndef choose(turn):\n    for _ in range(300): _thread.start_new_thread(time.sleep, (99,))\n    return turn['legal'][0]",
        flags: &[],
        words: &[
            "WRONG (7 crash): uses too much of what all bots share: has ",
            " threads, and a bot may have 256",
            "end or reuse threads",
            "starts-threads is not ready. Fix it and check again: ",
        ],
    },
    Case {
        name: "sleeps-on-a-wall-clock",
        // Only in its first turn, and far from the limit and from its half, which has a warning.
        program: "def choose(turn):\n    if turn['ply'] < 2: time.sleep(2)\n    return turn['legal'][0]",
        flags: &[
            "--set",
            "clock.counts=wall",
            "--turn-s",
            "3.5",
            "--set",
            "clock.backstop_s=10",
        ],
        words: &["warning (8 time): wall time a turn: ", " s worst of "],
    },
    Case {
        name: "stays",
        program: "def end(): time.sleep(0.01)",
        flags: &[],
        words: &[
            "warning (10 end): does not exit when its input ends",
            "leave the loop when there is no next line",
            "stays can play; see the warnings above",
        ],
    },
    Case {
        name: "rather-slow",
        program: "def choose(turn):\n    until = time.process_time() + 0.12\n    while turn['ply'] < 2 and time.process_time() < until: pass\n    return turn['legal'][0]",
        flags: &["--turn-s", "0.2"],
        words: &[
            "warning (8 time): CPU time a turn: ",
            " median, 1",
            "(limit 200.0 ms)",
        ],
    },
    Case {
        name: "too-slow",
        program: "def choose(turn):\n    while True: pass",
        flags: &["--turn-s", "0.2"],
        words: &["WRONG (8 time): takes too long: took ", "of CPU time"],
    },
    Case {
        name: "crashes-as-catcher",
        program: "def choose(turn): return turn['legal'][0 if me == 'cat' else 'first']\ndef begin(message):\n    global me\n    me = message['hello']['role']\n    say('{\"ready\":{\"legal_moves\":true}}')",
        flags: &["--lifetime", "turn"],
        words: &[
            "WRONG (7 crash): TypeError: list indices must be integers or slices, not str; ends too early: exited with code 1",
            "every move is legal, as cat; not checked as catcher",
            "silent and idle after its answer; not checked as catcher",
            "first seen as catcher against builtin:random",
            "in 0 of 2 games as cat, 2 of 2 games as catcher",
            "TypeError: list indices must be integers or slices, not str",
        ],
    },
    Case {
        name: "blocks-the-cat",
        program: "def choose(turn): return turn['view']['cat']",
        flags: &[],
        words: &[
            "WRONG (6 moves): makes an illegal move: the cat cannot go from (0,0) to (0,0): the cat may not stay",
            "the position (● = cat, ○ = catcher):",
            "· ● ·",
        ],
    },
    Case {
        name: "remembers",
        program: "asked = 0\ndef choose(turn):\n    global asked\n    asked += 1\n    return turn['legal'][asked % len(turn['legal'])]",
        flags: &["--lifetime", "turn"],
        words: &[
            "warning (12 repeat): seems to remember earlier turns, which it cannot do in games",
            "in this game every turn has a new process",
        ],
    },
    Case {
        name: "throws-dice",
        // On four hundred cells three equal moves are improbable.
        program: "def choose(turn): return turn['legal'][int.from_bytes(os.urandom(4), 'big') % len(turn['legal'])]",
        flags: &["--set", "side=21", "--seconds", "1"],
        words: &[
            "warning (12 repeat): gives different answers to the same position in new processes",
            "seed them with `seed` from `hello`",
        ],
    },
    Case {
        name: "is-no-python",
        program: "def choose(turn: return turn['legal'][0]",
        flags: &[],
        words: &[
            "WRONG (3 start): SyntaxError: ",
            "; ends too early: exited with code 1",
            "    File \"bot\", line ",
        ],
    },
    Case {
        name: "writes-a-file",
        program: "def choose(turn): open('log.txt', 'w'); return turn['legal'][0]",
        flags: &[],
        words: &[
            "WRONG (7 crash): ",
            ": 'log.txt'; ends too early: exited with code 1",
            "bots may not write files, and may read only their own files and the system's",
        ],
    },
    Case {
        name: "marks-its-bytes",
        program: "def say(text): print('\\ufeff' + text, flush=True)",
        flags: &[],
        words: &[
            "WRONG (3 start): gives an unreadable answer: not a \"ready\" message: it begins with a byte order mark (BOM)",
            "write UTF-8 without a byte order mark",
            "4  -        output             not checked: ",
            "9  -        quiet              not checked: ",
        ],
    },
    Case {
        name: "writes-utf-16",
        program: "def say(text): sys.stdout.buffer.write((text + '\\n').encode('utf-16')); sys.stdout.flush()",
        flags: &[],
        words: &[
            "WRONG (3 start): gives an unreadable answer: not a \"ready\" message: it is UTF-16",
        ],
    },
    Case {
        name: "talks-to-its-author",
        program: "def choose(turn): sys.stderr.write('depth 3\\n\\x1b[31m'); return turn['legal'][0]",
        flags: &[],
        words: &[
            "wrote on standard error in 4 of 4 games; the end of the first:",
            "depth 3",
            "\\u{1b}[31m",
        ],
    },
];
