//! Support for the tests of all games.

pub(crate) mod compare;
pub(crate) mod wire;

use judge_engines::erased::AnyGame;
use judge_engines::{Entry, Seat};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use std::fs;
use std::path::PathBuf;

/// The path of a file of a game's test data.
pub(crate) fn path(entry: &Entry, file: &str) -> PathBuf {
    let folder = entry.info.slug.replace('-', "_");
    let path = [env!("CARGO_MANIFEST_DIR"), "testdata", &folder, file];
    path.iter().collect()
}

pub(crate) fn testdata(entry: &Entry, file: &str) -> String {
    fs::read_to_string(path(entry, file))
        .unwrap_or_else(|error| panic!("{entry:?}: {file}: {error}"))
}

/// Reads a text with one JSON value a line.
pub(crate) fn lines<T: DeserializeOwned>(text: &str) -> Vec<T> {
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .collect()
}

pub(crate) fn view(game: &dyn AnyGame, seat: Seat) -> Box<RawValue> {
    let mut view = Vec::new();
    game.write_view(seat, &mut view);
    serde_json::from_slice(&view).expect("a view is JSON")
}

pub(crate) fn legal(game: &dyn AnyGame, seat: Seat) -> Box<RawValue> {
    let mut moves = Vec::new();
    game.write_legal_moves(seat, &mut moves);
    serde_json::from_slice(&moves).expect("moves are JSON")
}

/// Acts on a value and then on its parts, outermost first.
pub(crate) fn each(value: &mut Value, act: &mut dyn FnMut(&mut Value)) {
    act(value);
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| each(item, act)),
        Value::Object(fields) => fields.values_mut().for_each(|item| each(item, act)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
