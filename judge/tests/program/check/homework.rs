//! The courses' own tests: single functions, and a game against a weak player.

use super::{WRONG, check, checked};
use crate::support::snapshot::Session;
use crate::support::{Ended, Has, Run, Scene, root};
use serde_json::Value;
use std::fs;

fn camel(session: &mut Session, more: &str) -> Ended {
    let path = root().join("examples/crazy-camel/racer/assignment.ml");
    let text = fs::read_to_string(path).expect("a committed example");
    let scene = Scene::new();
    scene.sources("ann", &[("assignment.ml", &format!("{text}\n{more}\n"))]);
    session.run(&mut check(&scene, "ann", &["--states", "1"]))
}

#[test]
fn first_wrong_answer_is_drawn_with_right_one() {
    let mut session = Session::default();
    let ended = camel(
        &mut session,
        "let camels_intersect _ _ = invalid_arg \"not \\\"yet\\\"\"\n\
         let has_won _ _ = false\n\
         let apply_move _ st _ = st\n\
         let list_valid_moves _ _ = []",
    );
    session.compare("check__wrong_functions");
    let boards = ended.stdout.matches("  6  ₀   ").count();
    assert_eq!(boards, 2, "of five that are wrong: {ended:?}");
}

#[test]
fn hanging_or_crashing_function_spoils_no_other() {
    let mut session = Session::default();
    camel(
        &mut session,
        "let rec camels_intersect a b = camels_intersect b a\n\
         let has_won _ _ = exit 3",
    );
    session.compare("check__functions_without_an_end");
}

#[test]
fn strategy_losing_to_random_fails_homework() {
    // This strategy lays camels as long as it has any, and then steps to and fro.
    let mut session = Session::default();
    camel(
        &mut session,
        "let is_valid_move = is_valid_move\n\
         let make_move_state _ _ cfg moves st =\n\
         \u{20} let st = List.fold_left (apply_move cfg) st moves in\n\
         \u{20} let valid = List.filter (fun m -> List.mem m [Move Left; Move Right]) (list_valid_moves cfg st) in\n\
         \u{20} let mv = List.hd valid in (mv, apply_move cfg st mv)",
    );
    session.compare("check__weak_strategy");
}

#[test]
fn functions_mistake_in_game_is_reported_by_name() {
    let rules = "\nlet make_move_state r t cfg moves st =\n\
                 \u{20} let mv, st = make_move_state r t cfg moves st in ignore mv; ";
    let mut session = Session::default();
    for more in ["(Camel (H (9, 9)), st)", "(failwith \"lost\", st)"] {
        camel(&mut session, &format!("{rules}{more}"));
    }
    let never = "let get_initial_state _ _ _ = failwith \"never\"";
    camel(&mut session, never);
    let trace = r"(?m)^ +Raised at .*\n( +Called from .*\n)*";
    session.redact(trace, "      [the compiler's trace]\n");
    session.compare("check__functions_in_a_game");
}

#[test]
fn reversi_check_plays_one_game_that_repeats() {
    let scene = Scene::new();
    scene.example("reversi", "corner-lover");
    let cache = scene.folder().join("cache");
    let checked_once_built = |flags: &str| {
        let flags = format!("--states 1 --json {flags}");
        let mut command = check(&scene, "corner-lover", &flags);
        command.env("XDG_CACHE_HOME", &cache).ended().well()
    };
    let ended = checked_once_built("");
    let report: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    let checks = report["checks"].as_array().expect("a list");
    let game = checks.iter().find(|check| check["name"] == "RandomAI");
    let said = game.expect("the course's game")["message"].to_string();
    let begin = "the course's game (--seed ";
    let (_, seed) = said.split_once(begin).expect("shown");
    let (seed, _) = seed.split_once(')').expect("shown");
    assert_ne!(seed, "1", "the sample games' own");
    let again = checked_once_built(&format!("--seed {seed}"));
    again.says(&[said.trim_matches('"')]);
}

#[test]
fn graders_score_zero_homework_for_protocol_program() {
    let scene = Scene::of(["ann"]);
    let flags = "--game crazy-camel --states 1";
    let ended = checked(&scene, "ann", &format!("{flags} --format gradescope")).exits(WRONG);
    let results: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    assert_eq!(results["score"], 0.0);
    let tests = results["tests"].as_array().expect("a list");
    let asked = tests.iter().find(|test| test["name"] == "make_move");
    let asked = asked.expect("a test");
    assert_eq!(asked["status"], "failed");
    let output = asked["output"].to_string();
    output.has(&["in ocaml, with assignment.ml"]);
    let ended = checked(&scene, "ann", &flags);
    // No wrong of its author.
    ended.stdout.lacks(&["the course's test"]);
}
