use super::*;
use alloc::vec::Vec;
use rand_chacha::rand_core::SeedableRng;

fn questions(name: &str, count: u64) -> impl Iterator<Item = Question> {
    let function = FUNCTIONS.iter().find(|function| function.name == name);
    let function = function.expect("it is in the table");
    (0..count).map(|seed| (function.draw)(&mut ChaCha8Rng::seed_from_u64(seed)))
}

#[test]
fn predicate_questions_cover_true_and_false() {
    for name in ["camels_intersect", "is_valid_move", "has_won"] {
        let right = |answer: bool| {
            let accepted = questions(name, 1000).filter(|q| (q.verdict)(&json!(answer)).is_ok());
            accepted.count()
        };
        let (yes, no) = (right(true), right(false));
        assert_eq!(yes + no, 1000, "{name}");
        assert!(yes > 100 && no > 100, "{name}: {yes} and {no}");
    }
}

#[test]
fn questions_cover_diagonals_outside_camels_and_empty_hands() {
    let asked: Vec<Question> = questions("is_valid_move", 1000).collect();
    let is_right = |q: &&Question, answer: bool| (q.verdict)(&json!(answer)).is_ok();
    for direction in ["UpLeft", "UpRight", "DownLeft", "DownRight"] {
        let mut here = asked.iter().filter(|q| q.words.contains(direction));
        assert!(here.any(|q| is_right(&q, true)), "{direction}");
    }
    assert!(asked.iter().any(|q| q.words.contains("H (6, ")));
    assert!(asked.iter().any(|q| q.words.contains("V ((-1), ")));
    let empty = |q: &Question| {
        let state = &q.arguments["state"];
        let next = usize::try_from(state["next_player"].as_u64().expect("a number"));
        state["players"][next.expect("0 or 1")]["camels"] == 0
    };
    assert!(asked.iter().any(empty));
}

#[test]
fn what_is_wrong_with_a_list_is_said() {
    let question = questions("list_valid_moves", 1).next().expect("one");
    let verdict = |answer: Value| (question.verdict)(&answer).expect_err("wrong");
    let far = json!([{"camel": {"h": [6, 6]}}]);
    assert!(verdict(far).starts_with("it lists Camel (H (6, 6)), but player"));
    let twice = json!([{"step": "up"}, {"step": "up"}]);
    assert_eq!(verdict(twice), "it lists Move Up twice");
    assert!(verdict(json!(7)).contains("cannot be read"));
}

#[test]
fn what_is_wrong_with_a_state_is_said() {
    let question = questions("apply_move", 1).next().expect("one");
    let mut state: State = read(&question.arguments["state"]).expect("readable");
    let same = (question.verdict)(&json!(state)).expect_err("a move changes something");
    assert!(same.contains("right is"), "{same}");
    state.players.pop();
    assert!((question.verdict)(&json!(state)).is_err());
}
