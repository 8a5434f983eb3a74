//! Compares the crate's rules with the naive ones.

use super::naive::{Cell, Naive};
use crate::support::compare::{Compare, Met, Naive as _, agree};
use judge_engines::catch_the_cat::{CatchTheCat, Point};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

const SIDES: [i64; 8] = [5, 9, 13, 17, 21, 25, 29, 33];

impl Compare for Naive {
    type Real = CatchTheCat;

    fn real((x, y): Cell) -> Point {
        let near = |n: i64| i32::try_from(n).expect("drawn as such");
        Point(near(x), near(y))
    }

    /// Draws a position, from empty to crowded. The cat is most often in the middle.
    fn draw(rng: &mut ChaCha8Rng) -> (Self, usize) {
        let side = *SIDES.choose(rng).expect("not empty");
        let density = *[0.0, 0.07, 0.3, 0.45, 0.6, 0.6, 0.75, 0.9]
            .choose(rng)
            .expect("not empty");
        let reach = side / 2;
        let mut cell = || rng.random_range(-reach..=reach);
        let cat = [(0, 0), (cell(), cell()), (cell() / 2, cell() / 2)];
        let cat = *cat.choose(rng).expect("not empty");
        let mut naive = Self::new(side, cat, rng.random());
        for cell in naive.cells() {
            if cell != cat && rng.random_bool(density) {
                naive.block(cell);
            }
        }
        (naive, 10)
    }

    /// Draws all cells around the cat, and some of the others, near and far.
    fn garbage(&self, rng: &mut ChaCha8Rng) -> Vec<Cell> {
        const FAR: [i32; 8] = [
            i32::MIN,
            i32::MIN + 1,
            -1,
            0,
            1,
            1 << 20,
            i32::MAX - 1,
            i32::MAX,
        ];
        let (x, y) = self.cat;
        let around = (-2..=2).flat_map(|down| (-2..=2).map(move |right| (x + right, y + down)));
        let mut cells: Vec<Cell> = around.collect();
        let reach = self.side / 2 + 2;
        let mut near = || rng.random_range(-reach..=reach);
        cells.extend((0..40).map(|_| (near(), near())));
        let mut far = || i64::from(*FAR.choose(rng).expect("not empty"));
        cells.extend((0..6).map(|_| (far(), far())));
        cells.push((rng.random::<i32>().into(), rng.random::<i32>().into()));
        cells
    }

    /// Chooses the moves next to the cat, which may end the game, and some more.
    fn choose(&self, legal: &[Cell], rng: &mut ChaCha8Rng) -> Vec<Cell> {
        let around = self.neighbours(self.cat);
        let beside = legal.iter().copied().filter(|to| around.contains(to));
        let beside: Vec<Cell> = beside.collect();
        let pool: &[Cell] = if rng.random_bool(0.4) { &beside } else { legal };
        let played = *pool.choose(rng).expect("the cat has a free neighbour");
        let more = legal.sample(rng, 2).copied();
        [played]
            .into_iter()
            .chain(beside.iter().copied())
            .chain(more)
            .collect()
    }

    fn note_position(&self, met: &mut Met) {
        met.note(&format!("side {}", self.side));
        if self.sealed_in().is_some_and(|cells| cells > 1) {
            assert!(!self.is_over());
            met.note("sealed in several cells, and plays on");
        }
        if self.cat_moves + self.catcher_moves > 0 {
            return;
        }
        let turn = self.turn();
        if self.escaped() {
            met.note(&format!("at the border at once, {turn} to move"));
        } else if self.trapped() {
            met.note(&format!("trapped at once, {turn} to move"));
        }
    }

    fn note_move(&self, to: Cell, after: &Self, met: &mut Met) {
        let reach = self.side / 2;
        let borders = [
            ("left", to.0 == -reach),
            ("right", to.0 == reach),
            ("top", to.1 == -reach),
            ("bottom", to.1 == reach),
        ];
        let what = if self.cats_turn {
            "won on"
        } else {
            "filled a cell of"
        };
        for (name, _) in borders.iter().filter(|(_, is)| *is) {
            met.note(&format!("{} {what} the {name} border", self.turn()));
        }
        if !self.cats_turn {
            if after.trapped() {
                met.note("the catcher won");
            }
            return;
        }
        let (x, y) = self.cat;
        let row = match (y % 2 == 0, y < 0) {
            (true, _) => "an even row",
            (false, true) => "a negative odd row",
            (false, false) => "a positive odd row",
        };
        met.note(&format!("from {row} by {} {}", to.0 - x, to.1 - y));
    }
}

#[test]
fn cat_naive_rules_agree_on_hundred_thousand_positions() {
    let cases = include_str!("../../../testdata/catch_the_cat/cases.txt");
    let met = agree::<Naive>(5, 120_000, cases);
    assert_eq!(met.kinds("from "), 18, "six steps from each kind of row");
}
