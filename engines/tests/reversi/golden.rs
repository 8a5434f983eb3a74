//! Recorded games under `testdata/reversi`: they replay to the same outcome, and one of them
//! frame by frame to the same pictures.
//!
//! `UPDATE_GOLDEN=1 cargo test -p engines --test reversi golden` plays them anew and writes
//! both files; look at the difference before committing it.

use engines::erased::AnyGame;
use engines::{Entry, Frame, GameResult, Outcome, Seat};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

/// A finished game, one line of `games.jsonl`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Recorded {
    setup: Box<RawValue>,
    turns: Vec<(Seat, Box<RawValue>)>,
    outcome: Outcome,
}

/// Configuration, the bots by seat, seed: among them a draw, a player without a disc left
/// after 12 plies, a game with 13 passes, and one that ends with empty fields.
const GAMES: [(&str, [&str; 2], u64); 7] = [
    ("{}", ["random", "random"], 8),
    ("{}", ["random", "random"], 1561),
    ("{}", ["mobility", "random"], 5),
    ("{}", ["random", "mobility"], 27),
    ("{}", ["mobility", "mobility"], 5),
    (r#"{"opening_plies":9}"#, ["mobility", "mobility"], 6),
    (r#"{"opening_plies":40}"#, ["random", "mobility"], 7),
];

/// The game whose frames are recorded.
const PICTURED: usize = 2;

fn entry() -> &'static Entry {
    engines::game("reversi").expect("registered")
}

fn path(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata/reversi");
    folder.join(name)
}

fn read(name: &str) -> String {
    fs::read_to_string(path(name)).expect("a file of the test data")
}

fn play((settings, bots, seed): (&str, [&str; 2], u64)) -> Recorded {
    let config = entry().configure(settings).expect("allowed");
    let setup = entry().draw(&config, seed).expect("allowed");
    let mut game = entry().start(&setup).expect("valid");
    let mut turns = Vec::new();
    while let Some(seat) = game.to_move().first() {
        let (mut view, mut legal) = (Vec::new(), Vec::new());
        game.write_view(seat, &mut view);
        game.write_legal_moves(seat, &mut legal);
        let [view, legal] = [view, legal]
            .map(|bytes| serde_json::from_slice::<Box<RawValue>>(&bytes).expect("JSON"));
        let seed = seed * 1000 + turns.len() as u64;
        let mv = entry().choose(bots[seat.index()], seat, &view, &legal, seed);
        let mv = mv.expect("a bot that reads the view");
        game.play(seat, &mv).expect("a legal move");
        turns.push((seat, serde_json::from_str(&mv).expect("JSON")));
    }
    let outcome = game.outcome().expect("over");
    Recorded {
        setup,
        turns,
        outcome,
    }
}

/// Replays a game and hands every position to `see`, the first and the last included.
fn replay(recorded: &Recorded, mut see: impl FnMut(&dyn AnyGame)) {
    let mut game = entry().start(&recorded.setup).expect("a recorded setup");
    see(game.as_ref());
    for (seat, mv) in &recorded.turns {
        assert_eq!(game.to_move().first(), Some(*seat));
        game.play(*seat, mv.get()).expect("a recorded move");
        see(game.as_ref());
    }
    assert_eq!(game.outcome().as_ref(), Some(&recorded.outcome));
}

/// Draws a frame as text: the notes, then the board with the discs of the seats as 0 and 1.
fn picture(frame: &Frame) -> String {
    assert!(frame.walls.is_empty() && frame.visible.is_empty());
    let mut cells: Vec<char> = frame.cells.chars().collect();
    assert_eq!(cells.len(), frame.width * frame.height);
    for disc in &frame.discs {
        assert!(disc.letter.is_none() && disc.facing.is_none());
        let cell = &mut cells[disc.y * frame.width + disc.x];
        assert_eq!(*cell, '.', "one disc a field");
        *cell = if disc.seat == 0 { '0' } else { '1' };
    }
    let mut text = format!("{:?}: {}\n", frame.grid, frame.notes.join("; "));
    for row in cells.chunks(frame.width) {
        writeln!(text, "{}", String::from_iter(row)).expect("writing to memory");
    }
    text
}

fn pictures(recorded: &Recorded) -> String {
    let mut text = String::new();
    replay(recorded, |game| {
        text += &picture(&game.frame());
        text.push('\n');
    });
    text
}

fn update_if_asked() {
    if std::env::var_os("UPDATE_GOLDEN").is_none() {
        return;
    }
    let games = GAMES.map(play);
    let mut lines = String::new();
    for game in &games {
        lines += &serde_json::to_string(game).expect("plain data");
        lines.push('\n');
    }
    fs::write(path("games.jsonl"), lines).expect("writing test data");
    fs::write(path("frames.txt"), pictures(&games[PICTURED])).expect("writing test data");
}

#[test]
fn golden_games_replay_to_the_recorded_outcome_and_pictures() {
    update_if_asked();
    let text = read("games.jsonl");
    let games = text.lines().map(serde_json::from_str::<Recorded>);
    let games: Vec<Recorded> = games.collect::<Result<_, _>>().expect("recorded games");
    assert_eq!(games.len(), GAMES.len());
    for game in &games {
        replay(game, |_| {});
    }
    for reason in [
        "the board is full",
        "neither side can move",
        "black has no disc left",
        "white has no disc left",
    ] {
        assert!(games.iter().any(|g| g.outcome.reason == reason), "{reason}");
    }
    let drawn = |game: &Recorded| game.outcome.seats[0].result == GameResult::Drawn;
    assert!(games.iter().any(drawn), "a draw");
    let is_pass = |(_, mv): &(Seat, Box<RawValue>)| mv.get() == "\"pass\"";
    assert!(games[PICTURED].turns.iter().any(is_pass), "a pass");
    assert_eq!(pictures(&games[PICTURED]), read("frames.txt"));
}
