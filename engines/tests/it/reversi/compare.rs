//! Compares the crate's rules with the naive ones.

use super::naive::{DIRECTIONS, Naive, NaiveMove};
use crate::support::compare::{Compare, Met, Naive as _, agree};
use judge_engines::reversi::{Board, Move, Reversi};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

impl Compare for Naive {
    type Real = Reversi;

    fn real(mv: NaiveMove) -> Move {
        match mv {
            NaiveMove::Pass => Move::Pass,
            NaiveMove::Field(field) => Move::Place(field),
        }
    }

    /// Draws a whole game, or a board and few plies, so that many boards are drawn.
    fn draw(rng: &mut ChaCha8Rng) -> (Self, usize) {
        if rng.random_ratio(1, 40) {
            let board: Vec<char> = Board::START.to_string().chars().collect();
            return (Self::new(&board, 'B'), usize::MAX);
        }
        let board = match rng.random_range(0..5) {
            0 => scattered(rng),
            1 => star(rng),
            _ => huddled(rng),
        };
        (Self::new(&board, chosen(&['B', 'W'], rng)), 4)
    }

    fn garbage(&self, rng: &mut ChaCha8Rng) -> Vec<NaiveMove> {
        let fields = [
            -1,
            64,
            i64::MIN,
            i64::MAX,
            rng.random(),
            rng.random_range(-300..300),
            rng.random_range(0..64) + (1 << 32),
        ];
        fields.map(NaiveMove::Field).to_vec()
    }

    fn note_move(&self, mv: NaiveMove, after: &Self, met: &mut Met) {
        if let NaiveMove::Field(field) = mv {
            let lines = self.lines(self.turn, field);
            let flipping: Vec<usize> = (0..8).filter(|&way| !lines[way].is_empty()).collect();
            assert!(!flipping.is_empty(), "a move flips something");
            met.note(&format!("flips in {} directions", flipping.len()));
            for way in flipping {
                met.note(&format!("flips in direction {way}"));
            }
        } else {
            met.note("a forced pass");
        }
        if !after.is_over() {
            return;
        }
        let [black, white, empty] = ['B', 'W', '.'].map(|what| after.count(what));
        let ends = [
            (black == 0 || white == 0, "a wipe-out"),
            (empty > 0, "an end with empty fields"),
            (
                empty > 0 && black > 0 && white > 0,
                "an end where both would have to pass",
            ),
            (black == white, "a draw"),
            (empty == 0, "a full board"),
        ];
        for (_, end) in ends.iter().filter(|(is, _)| *is) {
            met.note(end);
        }
    }
}

fn chosen<T: Copy>(from: &[T], rng: &mut ChaCha8Rng) -> T {
    *from.choose(rng).expect("something to choose from")
}

/// Draws any board: from nearly empty to nearly full, from even to one-sided.
fn scattered(rng: &mut ChaCha8Rng) -> Vec<char> {
    let empty = chosen(&[0.02, 0.02, 0.05, 0.1, 0.3, 0.6], rng);
    let black = chosen(&[0.05, 0.4, 0.5, 0.5, 0.6, 0.95], rng);
    let field = |_| match (rng.random_bool(empty), rng.random_bool(black)) {
        (true, _) => '.',
        (false, true) => 'B',
        (false, false) => 'W',
    };
    (0..64).map(field).collect()
}

/// Draws a few discs close together. Such games end early.
fn huddled(rng: &mut ChaCha8Rng) -> Vec<char> {
    let (row, column) = (rng.random_range(0..6), rng.random_range(0..6));
    let mut board = vec!['.'; 64];
    for field in (0..3).flat_map(|r| (0..3).map(move |c| (row + r) * 8 + column + c)) {
        board[field] = chosen(&['.', '.', 'B', 'W'], rng);
    }
    board
}

/// Draws lines of one colour from a free field to the other colour, in all directions with room.
fn star(rng: &mut ChaCha8Rng) -> Vec<char> {
    let mut board = scattered(rng);
    let centre = (rng.random_range(2..6), rng.random_range(2..6));
    let ends = chosen(&[('B', 'W'), ('W', 'B')], rng);
    for (down, right) in DIRECTIONS {
        let length = rng.random_range(2..=3);
        for step in 0..=length {
            let (row, column) = (centre.0 + down * step, centre.1 + right * step);
            if (0..8).contains(&row) && (0..8).contains(&column) {
                let field = usize::try_from(row * 8 + column).expect("on the board");
                board[field] = match step {
                    0 => '.',
                    _ if step == length => ends.0,
                    _ => ends.1,
                };
            }
        }
    }
    board
}

#[test]
fn reversi_naive_rules_agree_on_hundred_thousand_positions() {
    let cases = include_str!("../../../testdata/reversi/cases.txt");
    agree::<Naive>(64, 140_000, cases);
}
