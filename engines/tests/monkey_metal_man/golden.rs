//! Recorded games play out the same, and one of them looks the same.
//!
//! `UPDATE_GOLDEN=1 cargo test -p engines --test monkey_metal_man golden` plays the games
//! afresh and writes both files.

use super::seeded;
use engines::erased::AnyGame;
use engines::{Frame, Outcome, Seat};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

/// Configuration and the bot of each seat; the second game's frames are kept.
const GAMES: [(&str, &[&str]); 6] = [
    ("{}", &["hunter"; 4]),
    (
        r#"{"map":"symmetric","side":11,"players":2}"#,
        &["hunter", "random"],
    ),
    ("{}", &["random"; 4]),
    (r#"{"players":2}"#, &["random", "hunter"]),
    (
        r#"{"map":"symmetric","side":15,"players":3,"highground_groups":3}"#,
        &["hunter"; 3],
    ),
    (
        r#"{"map":"symmetric","side":13,"dead_pieces_block":true}"#,
        &["hunter", "random", "hunter", "random"],
    ),
];
const FRAMES_OF: usize = 1;

/// One line of `games.jsonl`.
#[derive(Serialize, Deserialize)]
struct Recorded {
    setup: Box<RawValue>,
    turns: Vec<(Seat, Box<RawValue>)>,
    outcome: Outcome,
}

fn path(file: &str) -> PathBuf {
    let folder = "testdata/monkey_metal_man";
    [env!("CARGO_MANIFEST_DIR"), folder, file].iter().collect()
}

fn start(setup: &RawValue) -> Box<dyn AnyGame> {
    let entry = engines::game("monkey-metal-man").unwrap();
    entry.start(setup).unwrap()
}

fn play(config: &str, bots: &[&str], seed: u64) -> Recorded {
    let entry = engines::game("monkey-metal-man").unwrap();
    let mut rng = seeded(seed);
    let setup = entry.draw(&entry.configure(config).unwrap(), seed).unwrap();
    let mut game = start(&setup);
    let mut turns = Vec::new();
    while let Some(seat) = game.to_move().first() {
        let (mut view, mut listed) = (Vec::new(), Vec::new());
        game.write_view(seat, &mut view);
        game.write_legal_moves(seat, &mut listed);
        let raw = |json: &[u8]| serde_json::from_slice::<Box<RawValue>>(json).unwrap();
        let answer = entry
            .choose(
                bots[seat.index()],
                seat,
                &raw(&view),
                &raw(&listed),
                rng.random(),
            )
            .unwrap();
        game.play(seat, &answer).unwrap();
        turns.push((seat, RawValue::from_string(answer).unwrap()));
    }
    Recorded {
        setup,
        turns,
        outcome: game.outcome().unwrap(),
    }
}

/// Draws the truth and, beside it, what the seat to move sees of it: `0` to `3` the spotters,
/// `a` to `d` the assasins, `?` not seen.
fn draw(frame: &Frame, seat: Option<Seat>) -> String {
    let mut cells: Vec<char> = frame.cells.chars().collect();
    for disc in &frame.discs {
        let first = if disc.letter == Some('S') { b'0' } else { b'a' };
        let player = u8::try_from(disc.seat).unwrap();
        cells[disc.y * frame.width + disc.x] = char::from(first + player);
    }
    let seen = seat.map(|seat| {
        let visible = frame.visible[seat.index()].chars();
        let cells = visible.zip(&cells);
        cells
            .map(|(bit, &c)| if bit == '1' { c } else { '?' })
            .collect::<Vec<_>>()
    });
    let mut text = String::new();
    for row in 0..frame.height {
        let row = row * frame.width..(row + 1) * frame.width;
        text.extend(&cells[row.clone()]);
        if let Some(seen) = &seen {
            text.push_str("   ");
            text.extend(&seen[row]);
        }
        text.push('\n');
    }
    for disc in &frame.discs {
        let facing = disc.facing.unwrap();
        writeln!(
            text,
            "{:?} of player {} looks {facing:?}",
            disc.letter.unwrap(),
            disc.seat
        )
        .unwrap();
    }
    text + &frame.notes.join("\n") + "\n"
}

/// Replays a game; gives its frames as text.
fn replay(game: &Recorded) -> String {
    let mut position = start(&game.setup);
    let mut text = String::new();
    for (seat, answer) in &game.turns {
        assert_eq!(position.to_move().first(), Some(*seat));
        text += &draw(&position.frame(), Some(*seat));
        writeln!(text, "player {}: {answer}\n", seat.index()).unwrap();
        let spelling = position.play(*seat, answer.get()).unwrap();
        assert_eq!(spelling, answer.get());
    }
    assert_eq!(position.outcome().as_ref(), Some(&game.outcome));
    text + &draw(&position.frame(), None) + &game.outcome.reason + "\n"
}

#[test]
fn golden_games_play_out_as_recorded() {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        update();
    }
    let games = fs::read_to_string(path("games.jsonl")).unwrap();
    let games: Vec<Recorded> = games
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(games.len(), GAMES.len());
    let frames: Vec<String> = games.iter().map(replay).collect();
    let expected = fs::read_to_string(path("frames.txt")).unwrap();
    for (line, (new, old)) in frames[FRAMES_OF].lines().zip(expected.lines()).enumerate() {
        assert_eq!(new, old, "line {} of frames.txt", line + 1);
    }
    assert_eq!(frames[FRAMES_OF], expected);
}

fn update() {
    let seeds = 1..;
    let games: Vec<Recorded> = (GAMES.iter().zip(seeds))
        .map(|((config, bots), seed)| play(config, bots, seed))
        .collect();
    let lines = games.iter().map(|game| {
        let line = to_raw_value(game).unwrap();
        format!("{line}\n")
    });
    fs::write(path("games.jsonl"), lines.collect::<String>()).unwrap();
    fs::write(path("frames.txt"), replay(&games[FRAMES_OF])).unwrap();
}
