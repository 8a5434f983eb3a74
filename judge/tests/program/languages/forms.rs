//! Forms that the courses' texts allow, beyond one file: projects of several folders, own modules
//! with well-known names, changed copies of the course's files.

use super::{PATIENTLY, only_these_are_broken};
use crate::support::{Ended, Has, Scene};
use std::collections::BTreeMap;

fn starter(game: &str) -> &'static str {
    let entry = engines::game(game).expect("registered");
    entry.info.kits[0].solved[0].1
}

/// Plays one game of every pair.
fn play(scene: &Scene, broken: &[(&str, &str)]) -> Ended {
    let ended = scene.run(PATIENTLY).well();
    only_these_are_broken(scene, &ended, broken);
    ended
}

/// Submissions, by name, and their files.
type Submissions = BTreeMap<String, BTreeMap<String, String>>;

/// Returns the submissions of a test in `forms.toml`, with this starter.
fn submitted(test: &str, starter: &str) -> Scene {
    let scene = Scene::new();
    let all = include_str!("../../languages/forms.toml");
    let all: BTreeMap<String, Submissions> = toml::from_str(all).expect("TOML");
    for (name, files) in &all[test] {
        for (file, text) in files {
            scene.put(&format!("{name}/{file}"), text.replace("STARTER", starter));
        }
    }
    scene
}

#[test]
fn ocaml_project_may_have_libraries_and_standard_names() {
    let scene = submitted("ocaml", starter("crazy-camel"));
    let own = "unix.ml cannot be linked: Unix is one of OCaml's own modules";
    let judges = "Judge_wire is one of the judge's modules";
    let broken = [("links", own), ("meddles", judges)];
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
    let own = format!("{own}{OWN_STATE}");
    scene.sources("own", &[("assignment.ml", &own)]);
    scene.sources("plain", &[("assignment.ml", rules)]);
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
        scene.sources("own", &[("assignment.ml", &own)]);
        let flags = format!("--set clock.counts={clock} --bank-s 600 --set plies_max=8");
        let flags = format!("--with random --states 1 {flags}");
        scene.run(&flags).well();
        scene.nobody_has_faults();
    }
}

#[test]
fn a_haskell_submission_may_have_modules_beside_it() {
    let imports = "import Board.Rows (rows)\nimport Data.List (tidy)\nimport Reversi";
    let text = starter("reversi").replace("import Reversi", imports);
    let tidied = "field : _ | rows == 8 -> Move (tidy field)";
    let used = text.replace("field : _ -> Move field", tidied);
    let scene = submitted("haskell", &used);
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
    let starter = starter("monkey-metal-man");
    let other = "class Other:\n    def step(self, percepts):\n        raise ValueError\n";
    let own = starter.split("class ").nth(1).expect("a class");
    let own = own.split(['(', ':']).next().expect("a name").trim();
    let (bot, other) = (("bot.py", starter), ("other.py", other));
    let placed = format!("bot.py:{own}");
    for (name, class) in [("named", own), ("placed", &placed), ("missing", "Nobody")] {
        let about = format!("class = \"{class}\"\n");
        scene.sources(name, &[bot, other, ("judge.toml", &about)]);
    }
    scene.sources("silent", &[bot, other, ("judge.toml", "")]);
    scene.sources("single", &[bot, ("judge.toml", "nickname = \"one\"\n")]);
    let ended = scene.run("--states 1 --set clock.startup_s=120").well();
    ended.says(&[
        "missing: does not play: judge.toml: class chooses Nobody, and no such class",
        "silent: does not play: several classes have a method step: ",
        "choose with class = \"bot.py:",
    ]);
    assert_eq!(scene.ranked().len(), 3, "{ended:?}");
    scene.nobody_has_faults();
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
    let importing = |name: &str| {
        let imports = format!("import random\nfrom .tools import {name}\n");
        bot.replace("import random", &imports)
    };
    let (flat, broken) = (importing("Facing"), importing("Nothing"));
    scene.put("package/src/bot.py", of_package);
    scene.put("package/src/__init__.py", "");
    scene.put("package/src/tools.py", tools);
    scene.put("package/data.py", "NAME = 'one'\n");
    scene.put("package/weights.json", "{\"one\": 1}");
    scene.sources("flat", &[("bot.py", &*flat), ("tools.py", tools)]);
    play(&scene, &[]);
    let scene = Scene::new();
    scene.sources("lacks", &[("bot.py", &*broken), ("tools.py", tools)]);
    scene.run("--states 1 --set clock.startup_s=120").well();
    let words = "Traceback (most recent call last):\n  File \"bot.py\", line 4, in <module>";
    scene.read("logs/stderr/lacks.txt").has(&[words]);
}
