//! The recorded games of `testdata/crazy_camel`, replayed.
//!
//! `UPDATE_GOLDEN=1 cargo test -p engines --test crazy_camel records` writes the records
//! anew, after a change that is meant to change them.

use engines::crazy_camel::{Config, CrazyCamel, Move, Setup};
use engines::{Frame, Game, Outcome, Seat, Turn};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::PathBuf;

/// One line of `games.jsonl`.
#[derive(PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    setup: Setup,
    turns: Vec<(Seat, Move)>,
    outcome: Outcome,
}

/// The game whose frames are recorded too, by its line.
const DRAWN: usize = 1;

/// (player 0, player 1, configuration, seed)
const BOUTS: [(&str, &str, &str, u64); 7] = [
    ("random", "random", "{}", 1),
    ("shortest-path", "shortest-path", "{}", 2),
    ("shortest-path", "random", r#"{"opening_plies":6}"#, 3),
    (
        "random",
        "shortest-path",
        r#"{"width":9,"height":9,"camels":10}"#,
        4,
    ),
    (
        "shortest-path",
        "shortest-path",
        r#"{"opening_plies":9}"#,
        5,
    ),
    (
        "random",
        "random",
        r#"{"width":5,"height":4,"camels":3}"#,
        6,
    ),
    (
        "random",
        "random",
        r#"{"width":11,"height":11,"plies_max":40}"#,
        7,
    ),
];

fn path(name: &str) -> PathBuf {
    let testdata = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata/crazy_camel");
    testdata.join(name)
}

/// Gives a golden file; writes it first when told to.
fn golden(name: &str, fresh: &str) -> String {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path(name), fresh).expect("testdata is writable");
    }
    std::fs::read_to_string(path(name)).expect("a golden file")
}

/// Plays one game between two built-in bots.
fn bout((first, second, config, seed): (&str, &str, &str, u64)) -> Record {
    let config: Config = serde_json::from_str(config).expect("a configuration");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let setup = CrazyCamel::draw(&config, &mut rng).expect("an opening is found");
    let mut game = CrazyCamel::start(&setup).expect("valid");
    let mut turns = Vec::new();
    while let Some(seat) = game.to_move().first() {
        let name = [first, second][seat.index()];
        let bot = CrazyCamel::BASELINES.iter().find(|b| b.name == name);
        let choose = bot.expect("a built-in bot").choose;
        let mv = choose(seat, &game.view(seat), &game.legal_moves(seat), &mut rng);
        game.apply(seat, Turn::Played(mv));
        turns.push((seat, mv));
    }
    Record {
        setup,
        turns,
        outcome: game.outcome().expect("over"),
    }
}

/// Replays a record through the checks; gives every position.
fn replay(record: &Record) -> Vec<CrazyCamel> {
    let mut games = vec![CrazyCamel::start(&record.setup).expect("valid")];
    for &(seat, mv) in &record.turns {
        let mut game = games[games.len() - 1].clone();
        assert!(game.to_move().contains(seat));
        game.check(seat, &mv).expect("legal");
        game.apply(seat, Turn::Played(mv));
        games.push(game);
    }
    games
}

/// Draws a frame in letters: `A` and `B` the masters, `-` and `|` the camels.
fn picture(frame: &Frame) -> String {
    let mut rows: Vec<Vec<char>> = vec![vec![' '; 2 * frame.width - 1]; 2 * frame.height - 1];
    for (index, cell) in frame.cells.chars().enumerate() {
        rows[index / frame.width * 2][index % frame.width * 2] = cell;
    }
    for wall in &frame.walls {
        for along in 0..3 {
            if wall.horizontal {
                rows[2 * wall.y + 1][2 * wall.x + along] = '-';
            } else {
                rows[2 * wall.y + along][2 * wall.x + 1] = '|';
            }
        }
    }
    for disc in &frame.discs {
        rows[2 * disc.y][2 * disc.x] = ['A', 'B'][disc.seat];
    }
    let mut text = frame.notes.join("; ");
    for row in rows {
        let row: String = row.into_iter().collect();
        write!(text, "\n{}", row.trim_end()).expect("memory");
    }
    text + "\n\n"
}

#[test]
fn the_recorded_games_replay_to_the_same_outcomes_and_pictures() {
    let played = BOUTS.map(bout);
    let line = |record| serde_json::to_string(record).expect("plain data") + "\n";
    let fresh: String = played.iter().map(line).collect();
    let games = golden("games.jsonl", &fresh);
    let mut records = Vec::new();
    for line in games.lines() {
        let record: Record = serde_json::from_str(line).expect("a record");
        let end = &replay(&record)[record.turns.len()];
        assert_eq!(end.outcome().as_ref(), Some(&record.outcome));
        records.push(record);
    }
    let positions = replay(&records[DRAWN]);
    let pictures: String = positions.iter().map(|g| picture(&g.frame())).collect();
    assert_eq!(golden("frames.txt", &pictures), pictures);
    assert_eq!(games, fresh, "the bots play these games no more");
}
