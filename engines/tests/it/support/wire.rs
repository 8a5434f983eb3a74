//! Hostile input for all games: any line is read or refused, and never panics. The texts start from
//! those of a game's folder and test data.
//!
//! Each test is a fuzz target, on stable Rust. A normal run tries [`CASES`] texts. A run with
//! another number lasts as long as you like, and shrinks any failure:
//!
//! ```sh
//! PROPTEST_CASES=100000000 cargo test --release -p judge-engines --test it wire::any_setup
//! ```
//!
//! The targets are `any_config`, `any_setup`, `any_move`, `any_typed_move` and `any_view` (in
//! `every_game/wire.rs`). `FUZZ_GAME=reversi` selects one game.

use super::each;
use crate::every_game::perft::Table;
use judge_engines::Entry;
use judge_engines::erased::{AnyGame, MoveRefused};
use judge_engines::{Forfeit, SEATS_MAX, Seat};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::TestRunner;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeSet;
use std::fmt::Debug;

pub(crate) struct Wire {
    entry: &'static Entry,
    /// Valid setups of games that are not over.
    pub(crate) setups: Vec<String>,
    moves: Vec<String>,
    configs: Vec<String>,
    /// Moves as people type them.
    typed: Vec<String>,
    /// Names and words that occur in all of these.
    words: Vec<String>,
}

/// The number of texts per test and game, unless the environment sets another.
const CASES: u32 = 2000;

/// The number of plies played from a setup.
const PLIES: usize = 6;

/// The number of setups drawn from each configuration.
const DRAWN: u64 = 3;

/// The maximum length of a text that counts as a word.
const WORD_CHARACTERS_MAX: usize = 20;

impl Wire {
    /// Collects the texts of a game from its section of the protocol, its perft table, its
    /// variants, and drawn setups.
    pub(crate) fn of(entry: &'static Entry) -> Self {
        let block = |kind: &str| {
            let begin = format!("```json {} {kind}\n", entry.info.slug);
            let parts = entry.info.protocol.split(&begin).skip(1);
            let texts = parts.map(|part| part.split("\n```").next().expect("a part").to_owned());
            texts.collect::<Vec<String>>()
        };
        let variants = entry.info.variants.iter().map(ToString::to_string);
        let configs: Vec<String> = block("config").into_iter().chain(variants).collect();
        let mut setups = block("setup");
        setups.extend(Table::of(entry).setups());
        for config in &configs {
            let config = entry.configure(config).expect("allowed");
            let drawn = (0..DRAWN).map(|seed| entry.draw(&config, seed).expect("allowed"));
            setups.extend(drawn.map(|setup| setup.to_string()));
        }
        let mut wire = Self {
            entry,
            setups: Vec::new(),
            moves: block("move"),
            configs,
            typed: Vec::new(),
            words: Vec::new(),
        };
        for setup in setups {
            wire.add(setup);
        }
        let texts = [&wire.setups, &wire.moves, &wire.configs]
            .into_iter()
            .flatten();
        let views = block("view");
        let mut words = BTreeSet::new();
        for text in texts.chain(&views) {
            collect_words(&serde_json::from_str(text).expect("JSON"), &mut words);
        }
        wire.words = words.into_iter().collect();
        wire
    }

    /// Adds a setup and a few of its legal moves, unless the game is over.
    pub(crate) fn add(&mut self, setup: String) {
        let game = self.start(&setup).expect("a valid setup");
        let Some(seat) = game.to_move().first() else {
            return;
        };
        let legal = game.legal_moves(seat);
        for mv in legal.iter().step_by(legal.len().div_ceil(3)) {
            self.typed.push(game.spell(seat, mv));
            self.moves.push(mv.clone());
        }
        self.setups.push(setup);
    }

    /// Tests any move. Either it is played, and then it was listed; or it is refused in few words,
    /// and then changes nothing. If the game carries out a part of a refused move, its spelling can
    /// be played again.
    pub(crate) fn survives_moves(&self) {
        let setup = select(self.setups.clone());
        run(&(setup, self.texts(&self.moves)), |(setup, text)| {
            let mut game = self.start(&setup).expect("valid");
            let seat = game.to_move().first().expect("not over");
            let before = format!("{game:?}");
            let listed = game.legal_moves(seat);
            match game.play(seat, &text) {
                Ok(spelled) => {
                    prop_assert!(!self.lists_all() || listed.contains(&spelled));
                    return Ok(());
                }
                Err(refused) => {
                    let reported = match refused {
                        MoveRefused::Unreadable(complaint) => complaint,
                        MoveRefused::Broken(broken) => broken.message,
                    };
                    prop_assert!(reported.chars().count() < 600, "{}", reported);
                    prop_assert!(!reported.contains(char::is_control), "{:?}", reported);
                }
            }
            prop_assert_eq!(format!("{game:?}"), before.clone());
            match game.play_broken(seat, &text) {
                None => prop_assert_eq!(format!("{game:?}"), before),
                Some(spelled) => {
                    let mut again = self.start(&setup).expect("valid");
                    let recorded = again.play_recorded(seat, &spelled);
                    prop_assert_eq!(recorded, Ok(spelled));
                    prop_assert_eq!(format!("{again:?}"), format!("{game:?}"));
                }
            }
            Ok(())
        });
    }

    /// Tests any setup. It is refused, or starts a game that can be played and shown.
    pub(crate) fn survives_setups(&self) {
        let choices = vec(any::<Index>(), PLIES);
        run(&(self.texts(&self.setups), choices), |(text, choices)| {
            let Some(mut game) = self.start(&text) else {
                return Ok(());
            };
            for choice in choices {
                prop_assert_eq!(game.to_move().is_empty(), game.outcome().is_some());
                game.frame();
                let Some(seat) = game.to_move().first() else {
                    break;
                };
                game.write_view(seat, &mut Vec::new());
                let listed = game.legal_moves(seat);
                let mv = choice.get(&listed);
                prop_assert_eq!(game.play(seat, mv), Ok(mv.clone()));
            }
            for number in 0..game.seats() {
                game.forfeit(Seat::new(number), Forfeit::Gone);
                game.frame();
            }
            prop_assert!(game.to_move().is_empty() && game.outcome().is_some());
            Ok(())
        });
    }

    /// Tests any configuration. It is refused or completed, and then gives valid setups.
    pub(crate) fn survives_configurations(&self) {
        run(&(self.texts(&self.configs), 0..100u64), |(text, seed)| {
            let Ok(full) = self.entry.configure(&text) else {
                return Ok(());
            };
            let again = self.entry.configure(full.get()).expect("allowed before");
            prop_assert_eq!(full.get(), again.get());
            if let Ok(setup) = self.entry.draw(&full, seed) {
                prop_assert!(self.entry.start(&setup).is_ok(), "{}", setup);
            }
            Ok(())
        });
    }

    /// Tests any typed text. It is refused, or it is a move whose spelling reads back as the same
    /// move.
    pub(crate) fn survives_typing(&self) {
        let setup = select(self.setups.clone());
        let edited = (select(self.typed.clone()), vec(edit(), 0..3)).prop_map(with_edits);
        let text = prop_oneof![3 => edited, 1 => "\\PC{0,30}"];
        run(&(setup, text), |(setup, text)| {
            let game = self.start(&setup).expect("valid");
            let seat = game.to_move().first().expect("not over");
            if let Ok(mv) = game.read(seat, &text) {
                let spelled = game.spell(seat, &mv);
                if game.boxed_clone().play(seat, &mv).is_ok() {
                    prop_assert_eq!(game.read(seat, &spelled), Ok(mv));
                }
            }
            Ok(())
        });
    }

    /// Tests that the built-in bots survive any view and any list of moves.
    pub(crate) fn survives_views(&self) {
        let views = self.setups.iter().map(|setup| {
            let game = self.start(setup).expect("valid");
            let seat = game.to_move().first().expect("not over");
            super::view(game.as_ref(), seat).to_string()
        });
        let lists = self.moves.iter().map(|mv| format!("[{mv}]"));
        let (views, lists): (Vec<_>, Vec<_>) = (views.collect(), lists.collect());
        let (views, lists) = (self.texts(&views), self.texts(&lists));
        let all = (views, lists, 0..SEATS_MAX, any::<u64>());
        run(&all, |(view, legal, seat, seed)| {
            let [Some(view), Some(legal)] = [view, legal].map(|text| raw(&text)) else {
                return Ok(());
            };
            let seat = Seat::new(seat);
            for (name, _) in self.entry.baselines() {
                if let Ok(mv) = self.entry.choose(name, seat, &view, &legal, seed) {
                    prop_assert!(raw(&mv).is_some(), "{} is no JSON", mv);
                }
            }
            Ok(())
        });
    }

    fn lists_all(&self) -> bool {
        self.entry.info.moves_listed
    }

    fn start(&self, setup: &str) -> Option<Box<dyn AnyGame>> {
        self.entry.start(&raw(setup)?).ok()
    }

    /// Makes any text, mostly one of `valid` with a few changes, so that many are still valid.
    fn texts(&self, valid: &[String]) -> BoxedStrategy<String> {
        let valid = valid.to_vec();
        let json = any_json(&self.words);
        let any_part = vec((any::<Index>(), prop_oneof![number(), json.clone()]), 1..3);
        let any_part = (select(valid.clone()), any_part)
            .prop_map(|(text, changes)| with_replaced(&text, |_| true, &changes));
        let small = (-2_i64..14).prop_map(|n| n.to_string());
        let numbers = vec((any::<Index>(), small), 1..3);
        let numbers = (select(valid.clone()), numbers)
            .prop_map(|(text, changes)| with_replaced(&text, Value::is_number, &changes));
        let characters = (select(valid), vec(edit(), 0..4)).prop_map(with_edits);
        prop_oneof![
            2 => any_part,
            4 => numbers,
            4 => characters,
            1 => json,
            1 => "\\PC{0,60}",
        ]
        .boxed()
    }
}

fn cases() -> u32 {
    let reported = std::env::var("PROPTEST_CASES").ok();
    reported.map_or(CASES, |text| text.parse().expect("a number of cases"))
}

/// Collects the keys of objects, and strings that are short.
fn collect_words(value: &Value, words: &mut BTreeSet<String>) {
    let mut add = |text: &str| {
        if text.chars().count() <= WORD_CHARACTERS_MAX {
            words.insert(text.to_owned());
        }
    };
    match value {
        Value::String(text) => add(text),
        Value::Object(map) => {
            map.keys().for_each(|key| add(key));
            map.values().for_each(|item| collect_words(item, words));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_words(item, words)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn run<S: Strategy<Value: Debug>>(
    strategy: &S,
    test: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    let config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases())
    };
    let outcome = TestRunner::new(config).run(strategy, test);
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

fn raw(text: &str) -> Option<Box<RawValue>> {
    serde_json::from_str(text).ok()
}

/// Makes a number: often near the board, often far from it, often too large for a machine word.
fn number() -> BoxedStrategy<String> {
    prop_oneof![
        4 => (-12_i64..70).prop_map(|n| n.to_string()),
        1 => Just("-0".to_owned()),
        1 => any::<i64>().prop_map(|n| n.to_string()),
        1 => select(vec![i64::MIN, i64::MAX, i32::MIN.into(), i32::MAX.into()])
            .prop_map(|n| n.to_string()),
        1 => any::<u64>().prop_map(|n| n.to_string()),
        1 => any::<f64>().prop_map(|n| format!("{n:e}")),
        1 => "[0-9]{1,60}",
    ]
    .boxed()
}

/// Makes any JSON (and a little that is none), with a preference for these words.
fn any_json(words: &[String]) -> BoxedStrategy<String> {
    let words = words.to_vec();
    let leaf = prop_oneof![
        1 => Just("null".to_owned()),
        1 => any::<bool>().prop_map(|b| b.to_string()),
        3 => number(),
        2 => select(words.clone()).prop_map(|word| format!("{word:?}")),
        1 => "\\PC{0,70}".prop_map(|s| serde_json::to_string(&s).expect("a string")),
        1 => select(words.clone()).prop_map(|word| format!("{{{word:?}:null}}")),
    ];
    leaf.prop_recursive(3, 30, 6, move |inner| {
        let name = prop_oneof![
            6 => select(words.clone()),
            2 => "[a-z]{0,8}",
            1 => "\\PC{0,900}",
        ];
        let field = (name, inner.clone())
            .prop_map(|(name, value)| format!("{}:{value}", Value::from(name)));
        prop_oneof![
            vec(inner, 0..6).prop_map(|list| format!("[{}]", list.join(","))),
            vec(field, 0..6).prop_map(|fields| format!("{{{}}}", fields.join(","))),
        ]
    })
    .boxed()
}

#[derive(Clone, Debug)]
enum Edit {
    Remove(Index),
    Insert(Index, char),
    Set(Index, char),
    /// Sets the first character to the second one.
    Copy(Index, Index),
}

fn edit() -> impl Strategy<Value = Edit> {
    let index = any::<Index>;
    let new = || prop_oneof![select(vec!['"', '-', '.', '0', '1', ']']), any::<char>()];
    prop_oneof![
        1 => index().prop_map(Edit::Remove),
        1 => (index(), new()).prop_map(|(at, new)| Edit::Insert(at, new)),
        1 => (index(), new()).prop_map(|(at, new)| Edit::Set(at, new)),
        4 => (index(), index()).prop_map(|(at, from)| Edit::Copy(at, from)),
    ]
}

fn with_edits((text, edits): (String, Vec<Edit>)) -> String {
    let mut text: Vec<char> = text.chars().collect();
    for edit in edits {
        edit.make(&mut text);
    }
    text.into_iter().collect()
}

impl Edit {
    fn make(&self, text: &mut Vec<char>) {
        if text.is_empty() {
            return;
        }
        let place = |index: &Index| index.index(text.len());
        match self {
            Self::Remove(at) => drop(text.remove(place(at))),
            Self::Insert(at, new) => text.insert(place(at), *new),
            Self::Set(at, new) => {
                let at = place(at);
                text[at] = *new;
            }
            Self::Copy(at, from) => {
                let (at, from) = (place(at), place(from));
                text[at] = text[from];
            }
        }
    }
}

/// Replaces values of a kind in a text that is JSON. A text that cannot be read as a value (too
/// large a number) replaces nothing.
fn with_replaced(text: &str, of_kind: fn(&Value) -> bool, changes: &[(Index, String)]) -> String {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    let Some(mut value) = read(text) else {
        return text.to_owned();
    };
    for (place, by) in changes {
        let mut places = 0;
        each(&mut value, &mut |part| places += usize::from(of_kind(part)));
        if let (1.., Some(by)) = (places, read(by)) {
            let (chosen, mut at) = (place.index(places), 0);
            each(&mut value, &mut |part| {
                let is_place = of_kind(part);
                if is_place && at == chosen {
                    part.clone_from(&by);
                }
                at += usize::from(is_place);
            });
        }
    }
    value.to_string()
}
