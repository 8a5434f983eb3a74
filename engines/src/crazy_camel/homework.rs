//! Questions about the functions of the course's interface, with the answers of the rules.

use super::{
    Camel, Config, CrazyCamel, Direction, Move, Player, Setup, Tile, camels_intersect, frame,
};
use crate::prelude::*;
use crate::quote::{quote, safe_sentence};
use crate::{Frame, Function, Game, Question, Seat};
use core::fmt::Display;
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// In the order of the course text.
pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "camels_intersect",
        draw: intersect,
    },
    Function {
        name: "is_valid_move",
        draw: valid,
    },
    Function {
        name: "list_valid_moves",
        draw: list,
    },
    Function {
        name: "has_won",
        draw: won,
    },
    Function {
        name: "apply_move",
        draw: apply,
    },
];

/// The course plays on 7×7 with 8 camels each.
const SIDE: i8 = 7;
const CAMELS: u32 = 8;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    camels: Vec<Camel>,
    players: Vec<Player>,
    next_player: u32,
}

impl State {
    fn of(setup: &Setup) -> Self {
        Self {
            camels: setup.camels.clone(),
            players: setup.players.to_vec(),
            next_player: setup.to_move,
        }
    }
}

fn in_ocaml(mv: Move) -> String {
    match mv {
        Move::Step(direction) => format!("Move {direction:?}"),
        Move::Camel(camel) => format!("Camel ({})", written(camel)),
    }
}

fn written(camel: Camel) -> String {
    let kind = if matches!(camel, Camel::H(_)) {
        'H'
    } else {
        'V'
    };
    let number = |n: i8| match n {
        ..0 => format!("({n})"),
        0.. => n.to_string(),
    };
    let Tile(x, y) = camel.anchor();
    format!("{kind} ({}, {})", number(x), number(y))
}

fn intersect(rng: &mut ChaCha8Rng) -> Question {
    let one = camel(rng);
    let other = camel_near(rng, one.anchor(), 2);
    let setup = Setup {
        camels: vec![one, other],
        ..Setup::fixed(&Config::default())
    };
    let right = camels_intersect(one, other);
    Question {
        arguments: json!({"one": one, "other": other}),
        words: format!("camels_intersect ({}) ({})", written(one), written(other)),
        frame: Frame {
            notes: vec!["the two camels of the call, on an empty board".to_owned()],
            ..frame::of_setup(&setup)
        },
        verdict: Box::new(move |answer| truth(answer, right, None)),
    }
}

fn valid(rng: &mut ChaCha8Rng) -> Question {
    let (setup, game, seat) = position(rng);
    let mv = if rng.random_bool(0.5) {
        Move::Step(*Direction::ALL.choose(rng).expect("there are eight"))
    } else {
        // Also beyond the edges.
        let anchor = Tile(rng.random_range(-1..SIDE), rng.random_range(-1..SIDE));
        Move::Camel(camel_near(rng, anchor, 0))
    };
    let broken = game.check(seat, &mv).err().map(|broken| broken.message);
    Question {
        arguments: json!({"state": State::of(&setup), "move": mv}),
        words: format!("is_valid_move cfg state ({})", in_ocaml(mv)),
        frame: frame::of_setup(&setup),
        verdict: Box::new(move |answer| truth(answer, broken.is_none(), broken.as_deref())),
    }
}

fn list(rng: &mut ChaCha8Rng) -> Question {
    let (setup, game, seat) = position(rng);
    Question {
        arguments: json!({"state": State::of(&setup)}),
        words: "list_valid_moves cfg state".to_owned(),
        frame: frame::of_setup(&setup),
        verdict: Box::new(move |answer| {
            let mut listed: Vec<Move> = read(answer)?;
            listed.sort_unstable();
            let right = game.legal_moves(seat);
            if let Some(twice) = listed.windows(2).find(|two| two[0] == two[1]) {
                return Err(format!("it lists {} twice", in_ocaml(twice[0])));
            }
            for &mv in &listed {
                if let Err(broken) = game.check(seat, &mv) {
                    return Err(format!("it lists {}, but {broken}", in_ocaml(mv)));
                }
            }
            match right.iter().find(|mv| listed.binary_search(mv).is_err()) {
                Some(missing) => Err(format!("it leaves out {}", in_ocaml(*missing))),
                None => Ok(()),
            }
        }),
    }
}

fn won(rng: &mut ChaCha8Rng) -> Question {
    let goal = [SIDE - 1, 0];
    let mut setup = loop {
        let setup = scattered(rng);
        // A next player on its goal row would have ended the game before.
        let next = setup.to_move as usize;
        if setup.players[next].position.1 != goal[next] {
            break setup;
        }
    };
    let mover = 1 - setup.to_move as usize;
    let arrived = Tile(rng.random_range(0..SIDE), goal[mover]);
    if rng.random_bool(0.3) && setup.players[1 - mover].position != arrived {
        setup.players[mover].position = arrived;
    }
    let right = setup.has_won();
    Question {
        arguments: json!({"state": State::of(&setup)}),
        words: "has_won cfg state".to_owned(),
        frame: frame::of_setup(&setup),
        verdict: Box::new(move |answer| {
            let who = format!("asked is whether player {mover}, who has just moved, has won");
            truth(answer, right, Some(&who))
        }),
    }
}

fn apply(rng: &mut ChaCha8Rng) -> Question {
    let (setup, mut game, seat) = position(rng);
    let legal = game.legal_moves(seat);
    let (steps, camels): (Vec<Move>, Vec<Move>) = legal
        .into_iter()
        .partition(|mv| matches!(mv, Move::Step(_)));
    let is_step = rng.random_bool(0.5) || camels.is_empty();
    let mv = *if is_step { &steps } else { &camels }
        .choose(rng)
        .or(camels.first())
        .expect("a legal move always exists");
    game.apply_unchecked(seat, mv);
    let right = State::of(&game.setup());
    Question {
        arguments: json!({"state": State::of(&setup), "move": mv}),
        words: format!("apply_move cfg state ({})", in_ocaml(mv)),
        frame: frame::of_setup(&setup),
        verdict: Box::new(move |answer| same_state(&read(answer)?, &right)),
    }
}

/// Compares states; the order of the camels on the board is the author's own.
fn same_state(given: &State, right: &State) -> Result<(), String> {
    let camels = |state: &State| {
        let mut camels = state.camels.clone();
        camels.sort_unstable();
        let all: Vec<String> = camels.into_iter().map(written).collect();
        safe_sentence(&format!("[{}]", all.join("; ")))
    };
    same("camels is", &camels(given), &camels(right))?;
    if given.players.len() != right.players.len() {
        return Err(format!("there are {} players", given.players.len()));
    }
    for (player, (given, right)) in given.players.iter().zip(&right.players).enumerate() {
        let what = format!("player {player} stands at");
        same(&what, &given.position, &right.position)?;
        let what = format!("current_camels of player {player} is");
        same(&what, &given.camels, &right.camels)?;
    }
    same("next_player is", &given.next_player, &right.next_player)
}

fn same<T: PartialEq + Display>(what: &str, given: &T, right: &T) -> Result<(), String> {
    if given == right {
        return Ok(());
    }
    Err(format!("{what} {given}, right is {right}"))
}

fn truth(answer: &Value, right: bool, why: Option<&str>) -> Result<(), String> {
    let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
    same("it gives", &read(answer)?, &right).map_err(|words| words + &why)
}

fn read<T: for<'de> Deserialize<'de>>(answer: &Value) -> Result<T, String> {
    let quoted = || quote(answer.to_string().as_bytes());
    let unread = |error| safe_sentence(&format!("its answer {} cannot be read: {error}", quoted()));
    T::deserialize(answer).map_err(unread)
}

fn camel(rng: &mut ChaCha8Rng) -> Camel {
    let anchor = Tile(rng.random_range(0..SIDE - 1), rng.random_range(0..SIDE - 1));
    camel_near(rng, anchor, 0)
}

/// Draws a camel not farther than `distance` from an anchor, and on the board where that is.
fn camel_near(rng: &mut ChaCha8Rng, anchor: Tile, distance: i8) -> Camel {
    let mut near = |n: i8| {
        if distance == 0 {
            return n;
        }
        (n + rng.random_range(-distance..=distance)).clamp(0, SIDE - 2)
    };
    let anchor = Tile(near(anchor.0), near(anchor.1));
    if rng.random_bool(0.5) {
        Camel::H(anchor)
    } else {
        Camel::V(anchor)
    }
}

fn position(rng: &mut ChaCha8Rng) -> (Setup, CrazyCamel, Seat) {
    loop {
        let setup = scattered(rng);
        if let Ok(game) = CrazyCamel::start(&setup) {
            let seat = game.to_move().first().expect("it is not over");
            return (setup, game, seat);
        }
    }
}

/// Scatters camels and masters, who meet more often than in games. Paths may be cut, masters home.
fn scattered(rng: &mut ChaCha8Rng) -> Setup {
    let mut setup = Setup::fixed(&Config::default());
    for _ in 0..rng.random_range(0..=2 * CAMELS) {
        let camel = camel(rng);
        if !setup
            .camels
            .iter()
            .any(|&other| camels_intersect(camel, other))
        {
            setup.camels.push(camel);
        }
    }
    let laid = u32::try_from(setup.camels.len()).expect("at most sixteen");
    let first = rng.random_range(laid.saturating_sub(CAMELS)..=laid.min(CAMELS));
    let hands = [CAMELS - first, CAMELS - (laid - first)];
    let tile = |rng: &mut ChaCha8Rng| Tile(rng.random_range(0..SIDE), rng.random_range(0..SIDE));
    let masters = loop {
        let a = tile(rng);
        let b = match rng.random_range(0..6) {
            0 => Tile(a.0, a.1 - 1),
            1 => Tile(a.0, a.1 + 1),
            2 => Tile(a.0 - 1, a.1),
            3 => Tile(a.0 + 1, a.1),
            _ => tile(rng),
        };
        let inside = |Tile(x, y): Tile| (0..SIDE).contains(&x) && (0..SIDE).contains(&y);
        if inside(b) && a != b {
            break [a, b];
        }
    };
    setup.players = [0, 1].map(|player| Player {
        position: masters[player],
        camels: hands[player],
    });
    setup.to_move = rng.random_range(0..2);
    setup
}

#[cfg(test)]
mod tests {
    use super::*;
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
                let accepted =
                    questions(name, 1000).filter(|q| (q.verdict)(&json!(answer)).is_ok());
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
}
