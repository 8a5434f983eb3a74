//! What courses test themselves: functions by themselves, and a game against a weak player.

use super::{WRONG, checked};
use crate::support::{Ended, Scene, root};
use serde_json::Value;
use std::fs;

/// A submission for Crazy Camel with functions defined anew.
fn camel(more: &str) -> (Scene, Ended) {
    let path = root().join("examples/crazy-camel/racer/assignment.ml");
    let text = fs::read_to_string(path).expect("a committed example");
    let scene = Scene::new();
    scene.sources("ann", &[("assignment.ml", &format!("{text}\n{more}\n"))]);
    let ended = checked(&scene, "ann", &["--states", "1"]);
    (scene, ended)
}

#[test]
fn the_first_wrong_answer_of_each_function_is_drawn_with_the_right_one() {
    let (_scene, ended) = camel(
        "let camels_intersect _ _ = invalid_arg \"not \\\"yet\\\"\"\n\
         let has_won _ _ = false\n\
         let apply_move _ st _ = st\n\
         let list_valid_moves _ _ = []",
    );
    assert_eq!(ended.code, Some(WRONG), "{ended:?}");
    ended.says(&[
        "  the two camels of the call, on an empty board",
        "camels_intersect): it raises Invalid_argument(\"not \\\"yet\\\"\") (position 1 of 2000)",
        "is_valid_move): it gives true, right is false (player ",
        "list_valid_moves): it leaves out Move ",
        "has_won): it gives false, right is true (asked is whether player ",
        "apply_move): ",
        "the call: apply_move cfg state (",
        "camels in hand: ",
        "  6  ₀   ",
        "{\"move\":{\"",
        "lines between cells block the way, ",
        " more lines; --json has them all",
    ]);
    let boards = ended.stdout.matches("  6  ₀   ").count();
    assert_eq!(boards, 2, "of five that are wrong: {ended:?}");
}

#[test]
fn a_function_that_never_ends_or_crashes_spoils_no_other() {
    let (_scene, ended) = camel(
        "let rec camels_intersect a b = camels_intersect b a\n\
         let has_won _ _ = exit 3",
    );
    ended.says(&[
        "camels_intersect): it does not answer: the CPU time ran out",
        "has_won): it does not answer: exited with code 3",
        "ok       apply_move         right in 2000 of 2000 positions",
        "ok       make_move          won 2 of 2 games against builtin:random",
    ]);
}

#[test]
fn a_strategy_that_loses_to_random_moves_has_not_done_its_homework() {
    // It lays camels as long as it has any, and then steps to and fro.
    let (_scene, ended) = camel(
        "let is_valid_move = is_valid_move\n\
         let make_move_state _ _ cfg moves st =\n\
         \u{20} let st = List.fold_left (apply_move cfg) st moves in\n\
         \u{20} let valid = List.filter (fun m -> List.mem m [Move Left; Move Right]) (list_valid_moves cfg st) in\n\
         \u{20} let mv = List.hd valid in (mv, apply_move cfg st mv)",
    );
    let words = "make_move): won 0 of 2 games against builtin:random";
    assert!(ended.stdout.contains(words), "{ended:?}");
}

#[test]
fn what_a_function_does_wrong_in_a_game_is_told_with_its_name() {
    let rules = "\nlet make_move_state r t cfg moves st =\n\
                 \u{20} let mv, st = make_move_state r t cfg moves st in ignore mv; ";
    for (more, words) in [
        (
            "(Camel (H (9, 9)), st)",
            "moves): make_move_state: an illegal move: ",
        ),
        (
            "(failwith \"lost\", st)",
            "crash): make_move_state: Fatal error: exception Failure(\"lost\"); ends too early: ",
        ),
    ] {
        let (_scene, ended) = camel(&format!("{rules}{more}"));
        for words in [words, "games ended by a fault of its own: "] {
            assert!(ended.stdout.contains(words), "{words:?}: {ended:?}");
        }
    }
    let (_scene, ended) = camel("let get_initial_state _ _ _ = failwith \"never\"");
    let words =
        "start): get_initial_state: Fatal error: exception Failure(\"never\"); ends too early: ";
    assert!(ended.stdout.contains(words), "{words:?}: {ended:?}");
}

#[test]
fn a_traceback_is_shown_to_its_end() {
    let deep = "def down(n):\n    if n == 0:\n        raise ValueError('at the bottom')\n    \
                down(n - 1)\n\nclass Bot:\n    def __init__(self, a, b, c, d):\n        pass\n\n    \
                def step(self, percepts):\n        print('one\\n' * 20)\n        down(1)\n";
    let scene = Scene::new();
    scene.sources("ape", &[("bot.py", deep)]);
    let ended = checked(&scene, "ape", &["--states", "1", "--json"]);
    assert_eq!(ended.code, Some(WRONG), "{ended:?}");
    let report: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let checks = report["checks"].as_array().expect("a list");
    for (name, verdict) in [("output", "wrong"), ("stderr", "ok")] {
        let check = checks.iter().find(|check| check["name"] == name);
        let check = check.expect("it was looked at");
        assert_eq!(check["verdict"], verdict);
        let detail = check["detail"].to_string();
        for words in ["line 3, in down", "ValueError: at the bottom"] {
            assert!(detail.contains(words), "{words:?} is not in {detail}");
        }
    }
    let output = checks.iter().find(|check| check["name"] == "output");
    assert_eq!(
        output.expect("it was looked at")["message"],
        "step: raises ValueError: at the bottom"
    );
}

#[test]
fn reversis_test_is_one_game_with_a_drawn_colour_and_its_rules_are_checked() {
    let scene = Scene::new();
    scene
        .example("reversi", "corner-lover")
        .example("reversi", "no-nickname");
    let ended = checked(&scene, "corner-lover", &["--states", "1", "--json"]).well();
    let report: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let checks = report["checks"].as_array().expect("a list");
    let game = checks.iter().find(|check| check["name"] == "RandomAI");
    let said = game.expect("the course's game")["message"].to_string();
    assert!(
        said.contains("the course's game, as white against builtin:random: "),
        "{said}"
    );
    let nameless = checked(&scene, "no-nickname", &["--states", "1"]);
    assert_eq!(nameless.code, Some(WRONG), "{nameless:?}");
    assert!(nameless.stdout.contains("nickname"), "{nameless:?}");
}

#[test]
fn graders_give_nothing_for_homework_to_a_program_that_it_cannot_ask() {
    let scene = Scene::new();
    scene.first_legal("ann");
    let flags = ["--game", "crazy-camel", "--states", "1"];
    let ended = checked(
        &scene,
        "ann",
        &[&flags[..], &["--format", "gradescope"]].concat(),
    );
    assert_eq!(ended.code, Some(WRONG), "{ended:?}");
    let results: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!(results["score"], 0.0);
    let tests = results["tests"].as_array().expect("a list");
    let asked = tests.iter().find(|test| test["name"] == "make_move");
    let asked = asked.expect("a test");
    assert_eq!(asked["status"], "failed");
    let output = asked["output"].as_str().expect("text");
    assert!(output.contains("in ocaml, by assignment.ml"), "{output}");
    let ended = checked(&scene, "ann", &flags);
    assert!(
        !ended.stdout.contains("the course's test"),
        "no wrong of its author: {ended:?}"
    );
}
