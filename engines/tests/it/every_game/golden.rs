//! Tests that recorded games replay, in one form for all games. `testdata/<game>/bouts.jsonl` lists
//! the games to play, and `games.jsonl` the games as played. `frames.txt` has the pictures of all
//! positions of one of the games.
//!
//! With `UPDATE_GOLDEN=1` in the environment, the games are played anew and the last two files are
//! written. Look at the difference before you commit it:
//!
//! ```sh
//! UPDATE_GOLDEN=1 cargo test -p judge-engines --test it recorded_games
//! ```

use crate::support::{legal, lines, path, testdata, view};
use judge_engines::erased::AnyGame;
use judge_engines::{Entry, GAMES, Outcome, Seat};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::fmt::Write as _;
use std::fs;

/// A game between built-in bots: one line of `bouts.jsonl`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Bout {
    /// The settings that differ from the defaults.
    config: Box<RawValue>,
    bots: Vec<String>,
    seed: u64,
    #[serde(default)]
    pictured: bool,
}

/// A finished game: one line of `games.jsonl`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    /// The initial state.
    setup: Box<RawValue>,
    turns: Vec<(Seat, Box<RawValue>)>,
    outcome: Outcome,
}

/// Checks that the recorded games replay to their outcomes and pictures, and that the bots
/// still play them.
fn check(entry: &Entry) {
    let bouts: Vec<Bout> = lines(&testdata(entry, "bouts.jsonl"));
    assert!(bouts.len() > 5, "{entry:?}: several games are recorded");
    let played: Vec<Record> = bouts.iter().map(|bout| play(entry, bout)).collect();
    let fresh = played.iter().map(|game| json(game) + "\n").collect();
    let text = recorded(entry, "games.jsonl", &fresh);
    let games: Vec<Record> = lines(&text);
    let stories: Vec<String> = games.iter().map(|game| replay(entry, game)).collect();
    assert!(text == fresh, "{entry:?}: the bots play other games");
    let pictured = bouts.iter().position(|bout| bout.pictured);
    let story = &stories[pictured.expect("one is pictured")];
    let expected = recorded(entry, "frames.txt", story);
    let differs = expected.lines().zip(story.lines()).find(|(a, b)| a != b);
    assert_eq!(differs, None, "{entry:?}: a line of frames.txt");
    assert!(&expected == story, "frames.txt is longer or shorter");
}

/// Reads a file of the test data. Writes it first if the environment asks for it.
fn recorded(entry: &Entry, file: &str, fresh: &String) -> String {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(path(entry, file), fresh).expect("test data can be written");
    }
    testdata(entry, file)
}

fn play(entry: &Entry, bout: &Bout) -> Record {
    let Bout {
        config, bots, seed, ..
    } = bout;
    let config = entry.configure(config.get()).expect("allowed");
    let setup = entry.draw(&config, *seed).expect("allowed");
    let mut game = entry.start(&setup).expect("valid");
    let mut turns = Vec::new();
    while let Some(seat) = game.to_move().first() {
        let (view, legal) = (view(game.as_ref(), seat), legal(game.as_ref(), seat));
        let seed = seed * 1000 + turns.len() as u64;
        let name = &bots[seat.index()];
        let mv = entry.choose(name, seat, &view, &legal, seed);
        let mv = mv.expect("a bot that reads the view");
        game.play(seat, &mv).expect("a legal move");
        turns.push((seat, RawValue::from_string(mv).expect("JSON")));
    }
    Record {
        setup,
        turns,
        outcome: game.outcome().expect("over"),
    }
}

/// Replays a game to its outcome. Returns the pictures of all positions, including the first
/// and the last, with the moves between them.
fn replay(entry: &Entry, record: &Record) -> String {
    let mut game = entry.start(&record.setup).expect("a recorded setup");
    let mut story = picture(entry, game.as_ref());
    for (seat, mv) in &record.turns {
        assert!(game.to_move().contains(*seat), "{seat} is to move");
        let spelling = game.play(*seat, mv.get()).expect("a recorded move");
        assert_eq!(spelling, mv.get());
        let role = entry.info.roles[seat.index()];
        let picture = picture(entry, game.as_ref());
        write!(story, "\n{role}: {mv}\n\n{picture}").expect("writing to memory");
    }
    assert_eq!(game.outcome().as_ref(), Some(&record.outcome));
    story
}

/// Draws a position. If not everybody sees everything, also draws the view of the seat to move.
fn picture(entry: &Entry, game: &dyn AnyGame) -> String {
    let notation = &entry.info.notation;
    let frame = game.frame();
    assert_eq!(frame.cells.chars().count(), frame.width * frame.height);
    let mut text = judge_engines::picture(&frame, notation);
    let hidden = !frame.visible.is_empty();
    if let Some(seat) = game.to_move().first().filter(|_| hidden) {
        let seen = judge_engines::picture(&game.seen(seat), notation);
        write!(text, "{seat} sees:\n{seen}").expect("writing to memory");
    }
    text
}

fn json(record: &Record) -> String {
    serde_json::to_string(record).expect("plain data")
}

#[test]
fn recorded_games_replay_to_same_outcomes_and_pictures() {
    for entry in GAMES {
        check(entry);
    }
}
