//! Examples of each game, one JSON object a line in `testdata/<game>/`: refused configurations,
//! setups and moves, moves as people type them, and marks for spectators.

use crate::support::{lines, testdata};
use judge_engines::connect_four::{Colour, ConnectFour, Move};
use judge_engines::erased::{AnyGame, MoveRefused};
use judge_engines::{Entry, GAMES, Game, Mark, Seat};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::collections::BTreeSet;

fn rows<T: DeserializeOwned>(entry: &Entry, file: &str) -> Vec<T> {
    lines(&testdata(entry, &format!("{file}.jsonl")))
}

/// A position after some moves. A row without a setup has that of the row before it.
fn position(entry: &Entry, setup: &RawValue, played: &[Box<RawValue>]) -> Box<dyn AnyGame> {
    let mut game = entry.start(setup).expect("a valid setup");
    for mv in played {
        let seat = game.to_move().first().expect("not over");
        game.play(seat, mv.get()).expect("a legal move");
    }
    game
}

/// Checks a message against an expected one, which is only a part of it if it ends with "…".
fn says(message: &str, expected: &str) {
    match expected.strip_suffix('…') {
        Some(part) => assert!(message.contains(part), "{message}; expected {part}"),
        None => assert_eq!(message, expected),
    }
}

fn even_null<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::deserialize(value).map(Some)
}

/// The refused input: a configuration, a move or else the setup.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Refused {
    config: Option<Box<RawValue>>,
    setup: Option<Box<RawValue>>,
    #[serde(default)]
    played: Vec<Box<RawValue>>,
    #[serde(default, rename = "move", deserialize_with = "even_null")]
    mv: Option<Box<RawValue>>,
    /// The rule that the move breaks. If there is none, it cannot be read.
    rule: Option<String>,
    says: String,
    /// The spelling of the part of the move that the game carries out.
    carried_out: Option<Box<RawValue>>,
}

/// Checks all refusals. The moves break so many different rules.
fn refuses(slug: &str, rules: usize) {
    let entry = judge_engines::game(slug).expect("registered");
    let mut setup = None;
    let mut broken = BTreeSet::new();
    for row in rows::<Refused>(entry, "refused") {
        println!("{:?} {:?}: {}", row.config, row.mv, row.says);
        setup = row.setup.or(setup);
        if let Some(config) = row.config {
            let refused = entry.configure(config.get()).expect_err("no configuration");
            says(&refused.0, &row.says);
            continue;
        }
        let setup = setup.as_ref().expect("a setup comes first");
        let Some(mv) = row.mv else {
            says(&entry.start(setup).expect_err("no setup").0, &row.says);
            continue;
        };
        let mut game = position(entry, setup, &row.played);
        let seat = game.to_move().first().expect("not over");
        let (rule, message) = match game.play(seat, mv.get()).expect_err("illegal") {
            MoveRefused::Unreadable(message) => (None, message),
            MoveRefused::Broken(broken) => (Some(broken.rule.to_owned()), broken.message),
        };
        assert_eq!(rule, row.rule);
        says(&message, &row.says);
        broken.extend(rule);
        if let Some(expected) = row.carried_out {
            let spelled = game.play_broken(seat, mv.get());
            assert_eq!(spelled.as_deref(), Some(expected.get()));
        }
    }
    assert_eq!(broken.len(), rules, "every rule has a row: {broken:?}");
}

#[test]
fn each_game_refuses_in_words() {
    for (slug, rules) in [
        ("catch-the-cat", 5),
        ("connect-four", 2),
        ("crazy-camel", 17),
        ("monkey-metal-man", 2),
        ("reversi", 5),
    ] {
        refuses(slug, rules);
    }
    let broken =
        Game::play(&mut ConnectFour::default(), Colour::Yellow.seat(), Move(0)).expect_err("red");
    assert_eq!(broken.rule, "not-to-move");
    assert_eq!(broken.message, "seat 1 is not to move");
}

/// A typed text that is read or refused, or a move that is spelled.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Typed {
    setup: Option<Box<RawValue>>,
    /// By default the one to move.
    seat: Option<Seat>,
    text: Option<String>,
    #[serde(rename = "move")]
    mv: Option<Box<RawValue>>,
    spelled: Option<String>,
    #[serde(default)]
    legal: bool,
    refused: Option<String>,
}

#[test]
fn typed_moves_are_read_spelled_or_refused() {
    for entry in GAMES {
        let mut setup = None;
        for row in rows::<Typed>(entry, "typed") {
            println!("{entry:?}: {:?} {:?}", row.text, row.mv);
            setup = row.setup.or(setup);
            let game = position(entry, setup.as_ref().expect("a setup comes first"), &[]);
            let seat = row.seat.or(game.to_move().first()).expect("not over");
            let mut mv = row.mv.map(|mv| mv.get().to_owned());
            assert!(row.text.is_some() || row.refused.is_none(), "no text");
            if let Some(text) = row.text {
                let read = game.read(seat, &text);
                if let Some(expected) = row.refused {
                    says(&read.expect_err("no move").0, &expected);
                    continue;
                }
                let read = read.expect("a move");
                assert_eq!(mv.get_or_insert_with(|| read.clone()), &read);
            }
            let mv = mv.expect("a move");
            if let Some(spelled) = row.spelled {
                assert_eq!(game.spell(seat, &mv), spelled);
            }
            if row.legal {
                game.boxed_clone().play(seat, &mv).expect("legal");
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Marked {
    setup: Box<RawValue>,
    #[serde(default)]
    played: Vec<Box<RawValue>>,
    marks: Vec<Mark>,
    /// The number of marks that each seat sees.
    #[serde(default)]
    seen: Vec<usize>,
}

#[test]
fn spectators_see_marks_on_the_board() {
    for entry in GAMES {
        for row in rows::<Marked>(entry, "marked") {
            let frame = position(entry, &row.setup, &row.played).frame();
            assert_eq!(frame.marks, row.marks, "{}", row.setup);
            for (seat, count) in row.seen.into_iter().enumerate() {
                assert_eq!(frame.seen_by(seat).marks.len(), count, "{}", row.setup);
            }
        }
    }
}
