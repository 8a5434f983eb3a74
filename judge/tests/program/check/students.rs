//! Texts for students of a course: nothing about the protocol, which their kit speaks for them.

use super::checked;
use crate::support::Scene;
use engines::{Entry, Kit};

/// A solved starter of a course with a fault, and the words for its author.
struct Row {
    game: &'static str,
    /// The replaced texts of the starter, in any of its files, with their replacements.
    instead: &'static [(&'static str, &'static str)],
    flags: &'static [&'static str],
    words: &'static [&'static str],
}

/// Words that no student can use.
const FOREIGN: &[&str] = &[
    "`clock`",
    "`seed`",
    "flush",
    "protocol.md",
    "until its input ends",
    "standard output is for answers",
    "for a line",
    "buffer",
    "logs/build",
];

const CAT: &str = "for (auto cell : neighbours(catPos))";
const CATCHER: &str = "int half = sideSize / 2;\n        for";
const CAMEL: &str = "  let mv = make_move random";
const THINK: &str = "think (State me before) theirs _ = ";
const APE: &str = "        spotter_moves = [";

const ROWS: &[Row] = &[
    Row {
        game: "monkey-metal-man",
        instead: &[("\"direction\": spotter_moves[-1]", "\"direction\": \"UP\"")],
        flags: &[],
        words: &[
            "WRONG (6 moves): step: makes an illegal move: the spotter's direction is not a pair of whole numbers; a direction is one of [-1,0] (up), ",
            "    the line: {\"move\": {\"Spotter\": {\"direction\": \"UP\"",
        ],
    },
    // Warnings only: none hides another.
    Row {
        game: "catch-the-cat",
        instead: &[
            (
                CAT,
                "int big = 99999999999; std::thread([] { for (;;); }).detach();
                 for (auto cell : neighbours(catPos)) if (big)",
            ),
            // On the whole board, three equal moves are improbable.
            (
                CATCHER,
                "std::random_device d; int half = sideSize / 2; for (;;) {
                     std::pair<int, int> to(int(d() % sideSize) - half, int(d() % sideSize) - half);
                     if (to != catPos && !blocked(world, to, sideSize)) return to;
                 }
                 for",
            ),
        ],
        flags: &["--set", "side=9", "--seconds", "1"],
        words: &[
            "warning (2 build): builds, but:",
            "the compiler warned:",
            "Woverflow",
            "warning (9 quiet): ",
            "in this game every turn has a new process",
            "warning (12 repeat): ",
            "std::random_device and the time differ",
        ],
    },
    Row {
        game: "catch-the-cat",
        instead: &[
            (CAT, "abort(); for (auto cell : neighbours(catPos))"),
            (CATCHER, "for (;;);\n        int half = sideSize / 2; for"),
        ],
        flags: &["--turn-s", "0.1"],
        words: &[
            "WRONG (7 crash): Cat::move: crashes",
            "the game is lost",
            "WRONG (8 time): Catcher::move: takes too long",
            "compare std::clock()",
        ],
    },
    Row {
        game: "monkey-metal-man",
        instead: &[(APE, "        while True: pass\n        spotter_moves = [")],
        flags: &["--turn-s", "0.1"],
        words: &[
            "WRONG (8 time): ",
            "takes too long",
            "compare time.process_time()",
        ],
    },
    Row {
        game: "monkey-metal-man",
        instead: &[(
            APE,
            "        import time; time.sleep(3)\n        spotter_moves = [",
        )],
        flags: &["--set", "clock.backstop_s=1.5"],
        words: &[
            "WRONG (5 silence): __init__ or step: falls silent: no answer within 1.5 s\n",
            "it neither answered nor computed: does it sleep",
        ],
    },
    Row {
        game: "monkey-metal-man",
        instead: &[(
            "\"moves\": assasin_moves}",
            "\"moves\": assasin_moves * 9000}",
        )],
        flags: &[],
        words: &["WRONG (4 output): ", "step returns {\"Spotter\": "],
    },
    Row {
        game: "monkey-metal-man",
        instead: &[(
            APE,
            "        import os; random.seed(os.urandom(8))\n        spotter_moves = [",
        )],
        flags: &[],
        words: &["warning (12 repeat): ", "random is seeded for every game"],
    },
    Row {
        game: "crazy-camel",
        instead: &[(
            CAMEL,
            "  while true do ignore cfg done;\n  let mv = make_move random",
        )],
        flags: &["--bank-s", "0.1", "--set", "clock.increment_s=0.001"],
        words: &[
            "WRONG (13 time): make_move_state: takes too long",
            "time_supplier () tells",
        ],
    },
    Row {
        game: "reversi",
        instead: &[(
            THINK,
            "think _ _ _ = error \"not yet\"\n\nfirst :: State -> Move -> Double -> (Move, State)\nfirst (State me before) theirs _ = ",
        )],
        flags: &[],
        words: &[
            "WRONG (8 crash): think: ends too early",
            "not yet",
            "the game is lost",
        ],
    },
    Row {
        game: "reversi",
        instead: &[(
            THINK,
            "think _ _ _ = (Move (-3), undefined)\n\nfirst :: State -> Move -> Double -> (Move, State)\nfirst (State me before) theirs _ = ",
        )],
        flags: &[],
        words: &["WRONG (8 crash): think: ends too early"],
    },
];

fn kit(game: &str) -> (&'static Entry, &'static Kit) {
    let mut games = engines::GAMES.iter();
    let entry = games.find(|entry| entry.info.slug == game).expect("a game");
    (entry, &entry.kits[0])
}

#[test]
fn no_student_is_told_of_the_protocol() {
    for row in ROWS {
        let (entry, kit) = kit(row.game);
        let files = kit.solved.iter().map(|&(path, text)| {
            let instead = row
                .instead
                .iter()
                .fold(text.to_owned(), |text, (old, new)| {
                    text.replacen(old, new, 1)
                });
            let include = if row.game == "catch-the-cat" {
                "#include <ctime>\n#include <random>\n#include <thread>\n"
            } else {
                ""
            };
            (path, format!("{include}{instead}"))
        });
        let files: Vec<(&str, String)> = files.collect();
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(path, text)| (*path, text.as_str()))
            .collect();
        for (old, _) in row.instead {
            let is_there = kit.solved.iter().any(|(_, text)| text.contains(old));
            assert!(is_there, "{old}");
        }
        let scene = Scene::new();
        scene.sources("ann", &files);
        let flags = [&["--states", "1"], row.flags].concat();
        let ended = checked(&scene, "ann", &flags);
        for words in row.words {
            assert!(ended.stdout.contains(words), "{words:?}: {ended:?}");
        }
        for words in FOREIGN {
            assert!(
                !ended.stdout.contains(words),
                "{}: {words:?}: {ended:?}",
                entry.info.slug
            );
        }
    }
}

#[test]
fn the_same_is_not_told_twice() {
    let scene = Scene::new();
    let odd = "class Bot:\n    def __init__(self, a, b, c, d): pass\n    def step(self): pass\n";
    let lost = "class Bot:\n    def __init__(self, a, b, c, d): pass\n    def step(self, percepts): raise ValueError('lost')\n";
    scene
        .sources("odd", &[("bot.py", odd)])
        .sources("lost", &[("bot.py", lost)]);
    let told = |name: &str, words: &str| {
        let ended = checked(&scene, name, &["--states", "1"]);
        (ended.stdout.matches(words).count(), ended)
    };
    let (times, ended) = told("odd", "Bot.step(self) cannot be called");
    assert_eq!(times, 1, "{ended:?}");
    // Once in the headline, and once at the end of the traceback.
    let (times, ended) = told("lost", "ValueError: lost");
    assert_eq!(times, 2, "{ended:?}");
    ended.says(&["step: raises ValueError: lost", "games, see above"]);
}
