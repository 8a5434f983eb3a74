//! Counted leaves against the table under `testdata/reversi/perft.txt`.

use super::naive::Naive;
use engines::reversi::{Board, Colour, Reversi, Setup};
use engines::{Game, Turn};

/// Most leaves that the naive rules count for one entry.
const NAIVE_LEAVES_MAX: u64 = 20_000;
/// Most leaves that are reached one by one through the public interface for one entry.
const PLAYED_LEAVES_MAX: u64 = 400_000;

struct Row {
    board: String,
    turn: char,
    /// The number of leaves after 1, 2, 3, … plies.
    leaves: Vec<u64>,
}

fn table() -> Vec<Row> {
    let text = include_str!("../../testdata/reversi/perft.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(row).collect()
}

fn row(line: &str) -> Row {
    let (position, leaves) = line.split_once(':').expect("position: leaves");
    let (board, turn) = position.split_once(' ').expect("board and side to move");
    Row {
        board: board.to_owned(),
        turn: turn.parse().expect("B or W"),
        leaves: leaves
            .split_whitespace()
            .map(|count| count.parse().expect("a number of leaves"))
            .collect(),
    }
}

fn start(row: &Row) -> Reversi {
    let setup = Setup {
        board: Board::parse(&row.board).expect("a board"),
        to_move: match row.turn {
            'B' => Colour::Black,
            _ => Colour::White,
        },
    };
    Reversi::start(&setup).expect("every board is allowed")
}

/// Counts as the trait does by default.
fn played(game: &Reversi, depth: u32) -> u64 {
    let Some(seat) = game.to_move().first().filter(|_| depth > 0) else {
        return 1;
    };
    let moves = game.legal_moves(seat).into_iter();
    moves
        .map(|mv| {
            let mut next = game.clone();
            next.apply(seat, Turn::Played(mv));
            played(&next, depth - 1)
        })
        .sum()
}

#[test]
fn perft_gives_the_leaves_of_the_table() {
    let rows = table();
    assert!(rows.len() >= 8, "the table is there");
    for row in &rows {
        let game = start(row);
        assert_eq!(game.perft(0), 1);
        for (depth, &leaves) in (1..).zip(&row.leaves) {
            assert_eq!(game.perft(depth), leaves, "{} {depth}", row.board);
        }
    }
}

#[test]
fn playing_every_move_reaches_the_leaves_of_the_table() {
    for row in table() {
        let game = start(&row);
        let few = |&(_, leaves): &(u32, u64)| leaves <= PLAYED_LEAVES_MAX;
        for (depth, leaves) in (1..).zip(row.leaves.iter().copied()).filter(few) {
            assert_eq!(played(&game, depth), leaves, "{} {depth}", row.board);
        }
    }
}

#[test]
fn the_naive_rules_count_the_leaves_of_the_table() {
    for row in table() {
        let naive = Naive::new(&row.board, row.turn);
        let few = |&(_, leaves): &(u32, u64)| leaves <= NAIVE_LEAVES_MAX;
        for (depth, leaves) in (1..).zip(row.leaves.iter().copied()).filter(few) {
            assert_eq!(naive.perft(depth), leaves, "{} {depth}", row.board);
        }
    }
}
