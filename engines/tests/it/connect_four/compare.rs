//! Compares the crate's rules with the naive ones.

use super::naive::Naive;
use crate::support::compare::{Compare, Met, Naive as _, agree};
use judge_engines::Game;
use judge_engines::connect_four::{ConnectFour, Move};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

impl Compare for Naive {
    type Real = ConnectFour;
    /// Most random games end early.
    const LASTS: bool = true;

    fn real(column: i64) -> Move {
        Move(column)
    }

    fn draw(rng: &mut ChaCha8Rng) -> (Self, usize) {
        let columns = if rng.random_ratio(1, 8) {
            vec![".".repeat(6); 7]
        } else {
            let size = (rng.random_range(4..=10), rng.random_range(4..=10));
            scattered(rng, size)
        };
        (Self::new(&columns), usize::MAX)
    }

    fn garbage(&self, rng: &mut ChaCha8Rng) -> Vec<i64> {
        vec![
            i64::MIN,
            i64::MAX,
            rng.random(),
            rng.random_range(0..10) + (1 << 32),
            rng.random_range(0..10) - (1 << 8),
        ]
    }

    /// Compares the picture, whose rows count from the top, like those of the grid.
    fn compare_more(&self, real: &ConnectFour) {
        let frame = real.frame();
        let mut grid = vec![vec!['.'; frame.width]; frame.height];
        for disc in frame.discs {
            grid[disc.y][disc.x] = ['R', 'Y'][disc.seat];
        }
        assert_eq!(grid, self.grid);
    }

    fn note_position(&self, met: &mut Met) {
        met.note(&format!("{} by {}", self.width(), self.height()));
    }

    fn note_move(&self, _column: i64, after: &Self, met: &mut Met) {
        if !after.is_over() {
            return;
        }
        let fours = after.fours(self.turn);
        for (right, down) in &fours {
            met.note(&format!("a four to {right},{down}"));
        }
        match fours.len() {
            0 => met.note("a draw"),
            1 => {}
            _ => met.note("several fours"),
        }
        if after.is_full() && !fours.is_empty() {
            met.note("a four with the last disc");
        }
    }
}

/// Fills a board at random with a random number of discs, red and yellow in turn. The result may be
/// no valid position.
fn scattered(rng: &mut ChaCha8Rng, (width, height): (usize, usize)) -> Vec<String> {
    let mut columns = vec![String::new(); width];
    let discs = rng.random_range(0..=width * height);
    for disc in 0..discs {
        let open: Vec<usize> = (0..width).filter(|&x| columns[x].len() < height).collect();
        let column = *open.choose(rng).expect("not full");
        columns[column].push(if disc % 2 == 0 { 'R' } else { 'Y' });
    }
    let padded = columns
        .into_iter()
        .map(|column| format!("{column:.<height$}"));
    padded.collect()
}

#[test]
fn connect_four_naive_rules_agree_on_100000_positions() {
    let cases = include_str!("../../../testdata/connect_four/cases.txt");
    agree::<Naive>(42, 130_000, cases);
}
