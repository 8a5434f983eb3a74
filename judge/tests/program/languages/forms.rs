//! Forms that the courses' texts allow, beyond one file: projects of several folders, own modules
//! with well-known names, changed copies of the course's files.

use crate::support::{Ended, Has, Scene};

fn starter(game: &str) -> &'static str {
    let entry = engines::game(game).expect("registered");
    entry.kits[0].solved[0].1
}

/// Plays one game of every pair; everybody except those in `broken` must play without a fault.
fn play(scene: &Scene, broken: &[(&str, &str)]) -> Ended {
    let flags = "--states 1 --set clock.backstop_s=60 --set clock.startup_s=120";
    let ended = scene.run(&flags).well();
    for (name, reason) in broken {
        let line = format!("  {name}: does not play: ");
        let line = ended.stdout.lines().find(|said| said.starts_with(&line));
        let line = line.unwrap_or_else(|| panic!("{name} plays: {ended:?}"));
        assert!(line.contains(reason), "{reason:?} is not in {line:?}");
    }
    let reported = ended.stdout.matches(": does not play: ").count();
    assert_eq!(reported, broken.len(), "{ended:?}");
    scene.nobody_has_faults();
    ended
}

#[test]
fn ocaml_project_may_have_libraries_and_standard_names() {
    let scene = Scene::new();
    let rules = starter("crazy-camel");
    let wrapped = format!("open Lib\n{rules}let () = assert (Search.Depth.best = 3)\n");
    scene
        .sources(
            "project",
            &[
                ("dune-project", "(lang dune 2.0)\n"),
                ("types/dune", "(library (name types))\n"),
                ("types/types.ml", "type position = int * int * int\n"),
                ("types/types.mli", "type position = int\n"),
                (
                    "src/dune",
                    "(library (name assignment) (libraries types lib))\n",
                ),
                (
                    "src/assignment.mli",
                    "open Types\nval make_move : move_lister\n",
                ),
                ("src/assignment.ml", &wrapped),
                ("lib/dune", "(library\n (name lib))\n"),
                ("lib/search.ml", "module Depth = struct include Depth end\n"),
                ("lib/depth.ml", "let best = 3\n"),
                ("test/unix.ml", "let this does not compile"),
                ("judge_wire.ml", "let this does not compile"),
            ],
        )
        .sources(
            "shadows",
            &[
                ("assignment.ml", &format!("{rules}let () = Main.check ()\n")),
                (
                    "list.ml",
                    "include Stdlib.List\nlet sum = fold_left ( + ) 0\n",
                ),
                ("random.ml", "let self_init () = ()\n"),
                ("sys.ml", "let time = 0\n"),
                ("string.ml", "let concat = ()\n"),
                (
                    "main.ml",
                    "let check () = assert (List.sum [ Sys.time; 1 ] = 1 && String.concat = ());\n\
                     Random.self_init ()\n",
                ),
            ],
        )
        .sources(
            "links",
            &[
                ("assignment.ml", &format!("{rules}let () = Unix.f ()\n")),
                ("unix.ml", "let f () = ()\n"),
            ],
        )
        .sources(
            "meddles",
            &[
                ("assignment.ml", &format!("{rules}let () = Judge_wire.f\n")),
                ("src/judge_wire.ml", "let f = ()\n"),
            ],
        );
    let broken = [
        (
            "links",
            "unix.ml cannot be linked: Unix is one of OCaml's own modules",
        ),
        ("meddles", "Judge_wire is one of the judge's modules"),
    ];
    play(&scene, &broken).says(&[
        "project: note: types/types.ml differs from the judge's copy, which was used instead (type position)",
        "project: note: types/types.mli differs from the judge's copy, which was used instead (type position)",
        "project: note: src/assignment.mli differs from the judge's copy, which was used instead (val make_move)",
        "project: note: judge_wire.ml was replaced by the judge's copy",
    ]);
}

/// Code that gives the solved starter another state. It checks what the calls pass on.
const OWN_STATE: &str = "
let starts = ref 0 and turns = ref 0
let get_initial_state r t cfg = incr starts; (get_initial_state r t cfg, 0)
let make_move_state r t cfg moves (gst, before) =
  assert (!starts = 1 && before = !turns);
  assert (List.length moves = 1 || (before = 0 && moves = []));
  incr turns;
  let mv, gst = make_move_state r t cfg moves gst in
  (mv, (gst, !turns))
";

#[test]
fn ocaml_state_is_created_once_and_passed_on() {
    let scene = Scene::new();
    let rules = starter("crazy-camel");
    let own = rules.replace("type state = game_state", "type state = game_state * int");
    assert_ne!(own, rules);
    scene
        .sources("own", &[("assignment.ml", &format!("{own}{OWN_STATE}"))])
        .sources("plain", &[("assignment.ml", rules)]);
    play(&scene, &[]);
    assert_eq!(scene.ranked().len(), 2);
}

#[test]
fn ocaml_bot_receives_time_of_its_clock() {
    for (clock, asserted) in [("cpu", "left < 0.05"), ("wall", "left >= 0.1")] {
        let scene = Scene::new();
        let rules = starter("crazy-camel");
        let moves = "let moves = list_valid_moves cfg gst in";
        let slept = format!(
            "let left = _time_supplier () in\n\
             \x20 let () = Unix.sleepf 0.1 in\n\
             \x20 let left = left -. _time_supplier () in\n\
             \x20 let () = assert ({asserted}) in\n  {moves}"
        );
        let own = rules.replacen(moves, &slept, 1);
        assert_ne!(own, rules);
        scene
            .sources("own", &[("assignment.ml", &own)])
            .sources("plain", &[("assignment.ml", rules)]);
        let flags = format!("--states 1 --set clock.counts={clock} --bank-s 600 --set plies_max=8");
        scene.run(&flags).well();
        scene.nobody_has_faults();
    }
}

#[test]
fn a_haskell_submission_may_have_modules_beside_it() {
    let scene = Scene::new();
    let text = starter("reversi").replace(
        "import Reversi",
        "import Board.Rows (rows)\nimport Data.List (tidy)\nimport Reversi",
    );
    let used = text.replace(
        "field : _ -> Move field",
        "field : _ | rows == 8 -> Move (tidy field)",
    );
    let main = ("src/ReversiAI.hs", &*used);
    let hijack = "module Data.List (tidy) where\ntidy :: Int -> Int\ntidy = id\n";
    let rows = (
        "src/Board/Rows.hs",
        "module Board.Rows where\nrows :: Int\nrows = 8\n",
    );
    let given = "module Reversi where\n\n-- The course's.\ndata Player = Black | White\n  deriving (Eq, Show)\n\
                 data Move = Pass | Move Int -- 0 ... 63\n  deriving (Eq, Show)\n";
    let other = given.replace("Black | White", "White | Black");
    scene
        .sources(
            "tidy",
            &[
                main,
                rows,
                ("src/Data/List.hs", hijack),
                ("src/Reversi.hs", given),
                ("test/Main.hs", "{-# LANGUAGE CPP #-}\nmodule Main where"),
                ("src/Script.hs", "{-# LANGUAGE CPP #-}\nmodule Script where"),
            ],
        )
        .sources(
            "other",
            &[main, rows, ("src/Data/List.hs", hijack), ("src/Reversi.hs", &other)],
        )
        .sources(
            "unsafe",
            &[
                main,
                ("src/Data/List.hs", hijack),
                (
                    "src/Board/Rows.hs",
                    "module Board.Rows where\nimport System.IO.Unsafe\nrows :: Int\nrows = unsafePerformIO (return 8)\n",
                ),
            ],
        );
    let broken = [("unsafe", "it imports a module with unsafe functions")];
    let ended = play(&scene, &broken);
    ended.says(&[
        "tidy: note: left out src/Script.hs: it uses the extension CPP",
        "other: note: Reversi.hs differs from the judge's copy, which was used instead",
    ]);
    ended.stdout.lacks(&["tidy: note: src/Reversi.hs"]);
}

#[test]
fn judge_toml_chooses_among_several_python_classes() {
    let scene = Scene::new();
    let ape = engines::game("monkey-metal-man").expect("registered");
    let (_, starter) = ape.kits[0].solved[0];
    let other = "class Other:\n    def step(self, percepts):\n        raise ValueError\n";
    let own = starter.split("class ").nth(1).expect("a class");
    let own = own.split(['(', ':']).next().expect("a name").trim();
    let add = |name: &str, class: Option<&str>| {
        let class = class.map_or_else(String::new, |class| format!("class = \"{class}\"\n"));
        let files = [
            ("bot.py", starter),
            ("other.py", other),
            ("judge.toml", &*class),
        ];
        scene.sources(name, &files);
    };
    add("named", Some(own));
    add("placed", Some(&format!("bot.py:{own}")));
    add("missing", Some("Nobody"));
    add("silent", None);
    scene.sources(
        "single",
        &[("bot.py", starter), ("judge.toml", "nickname = \"one\"\n")],
    );
    let ended = scene.run("--states 1 --set clock.startup_s=120").well();
    ended.says(&[
        "missing: does not play: judge.toml: class chooses Nobody, and no such class",
        "silent: does not play: several classes have a method step: ",
        "choose with class = \"bot.py:",
    ]);
    let rows = scene.ranked();
    assert_eq!(rows.len(), 3, "{ended:?}");
    for row in rows {
        assert_eq!(row.get("faults"), "0", "{row:?}");
    }
}

#[test]
fn python_submission_may_be_package_with_data() {
    let scene = Scene::new();
    let bot = starter("monkey-metal-man");
    let of_package = bot.replace(
        "import random",
        "import json\nimport random\nfrom . import tools\nfrom ..data import NAME\n\
         from .tools import Facing\n\nassert json.load(open('weights.json'))[NAME] == 1\n\
         assert Facing(tools.UP) is Facing.NORTH\n",
    );
    let tools = "from enum import Enum\n\nUP = (-1, 0)\n\n\nclass Facing(Enum):\n    NORTH = UP\n";
    let flat = bot.replace(
        "import random",
        "import random\nfrom .tools import Facing\n",
    );
    let broken = bot.replace(
        "import random",
        "import random\nfrom .tools import Nothing\n",
    );
    scene
        .sources(
            "package",
            &[
                ("src/bot.py", &*of_package),
                ("src/__init__.py", ""),
                ("src/tools.py", tools),
                ("data.py", "NAME = 'one'\n"),
                ("weights.json", "{\"one\": 1}"),
            ],
        )
        .sources("flat", &[("bot.py", &*flat), ("tools.py", tools)]);
    play(&scene, &[]);
    let scene = Scene::new();
    scene.sources("lacks", &[("bot.py", &*broken), ("tools.py", tools)]);
    let flags = "--states 1 --set clock.startup_s=120";
    scene.run(&flags).well();
    let said = scene.read("logs/stderr/lacks.txt");
    let words = "Traceback (most recent call last):\n  File \"bot.py\", line 4, in <module>";
    assert!(said.contains(words), "{said}");
}
