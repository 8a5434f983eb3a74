//! What courses test themselves: functions by themselves, and a game against a weak player.

use crate::support::{Ended, Scene, root};
use crate::{WRONG, checked};
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
        "let camels_intersect _ _ = failwith \"not yet\"\n\
         let has_won _ _ = false\n\
         let apply_move _ st _ = st\n\
         let list_valid_moves _ _ = []",
    );
    assert_eq!(ended.code, Some(WRONG), "{ended:?}");
    for words in [
        "camels_intersect): it raises Failure(_not yet_) (position 1 of 2000)",
        "is_valid_move): it gives true, right is false (player ",
        "list_valid_moves): it leaves out Move ",
        "has_won): it gives false, right is true (asked is whether player ",
        "apply_move): ",
        "the call: apply_move cfg state (",
        "camels in hand: ",
        "  0 0 0",
        "{\"move\":{\"",
    ] {
        assert!(
            ended.stdout.contains(words),
            "{words:?} is not in {ended:?}"
        );
    }
}

#[test]
fn a_function_that_never_ends_or_crashes_spoils_no_other() {
    let (_scene, ended) = camel(
        "let rec camels_intersect a b = camels_intersect b a\n\
         let has_won _ _ = exit 3",
    );
    for words in [
        "camels_intersect): it does not answer: the CPU time ran out",
        "has_won): it does not answer: exited with code 3",
        "ok       apply_move         right in 2000 of 2000 positions",
        "ok       make_move          won 2 of 2 games against builtin:random",
    ] {
        assert!(
            ended.stdout.contains(words),
            "{words:?} is not in {ended:?}"
        );
    }
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
