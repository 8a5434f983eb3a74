//! Compares the real rules with the naive ones.

use super::naive::{self, DIRECTIONS, Move as NaiveMove, Naive, Tile};
use crate::support::compare::{Compare, Met, agree};
use judge_engines::crazy_camel::{self as real, CrazyCamel, Direction, Move};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

const SIZES: [&str; 13] = [
    "3×3", "3×7", "7×3", "4×4", "5×5", "6×4", "7×7", "8×8", "9×9", "11×3", "3×11", "10×10", "11×11",
];

impl Compare for Naive {
    type Real = CrazyCamel;

    fn real(mv: NaiveMove) -> Move {
        match mv {
            NaiveMove::Step(name) => {
                let index = DIRECTIONS.iter().position(|&d| d == name);
                Move::Step(Direction::ALL[index.expect("a direction")])
            }
            NaiveMove::Camel((lie, x, y)) => {
                let number = |number: i64| i8::try_from(number).expect("one that can be read");
                let anchor = real::Tile(number(x), number(y));
                Move::Camel(match lie {
                    'h' => real::Camel::H(anchor),
                    _ => real::Camel::V(anchor),
                })
            }
        }
    }

    /// Draws a position, often crowded, often with the masters side by side. It may be invalid.
    fn draw(rng: &mut ChaCha8Rng) -> (Self, usize) {
        let size = SIZES.choose(rng).expect("not empty").split_once('×');
        let (width, height) = size.expect("two numbers");
        let [width, height] = [width, height].map(|side| side.parse().expect("a number"));
        let hand = rng.random_range(0..=8);
        let mut drawn = Self {
            width,
            height,
            masters: [(width / 2, 0), (width / 2, height - 1)],
            hands: [hand, hand],
            camels: Vec::new(),
            to_move: rng.random_range(0..2),
            ply: 0,
            plies_max: rng.random_range(1..40),
            winner: None,
        };
        if rng.random_bool(0.2) {
            drawn.to_move = 0;
            return (drawn, usize::MAX);
        }
        let a: Tile = (rng.random_range(0..width), rng.random_range(0..height));
        let (dx, dy) = *[(0, 1), (1, 0), (0, -1), (-1, 0), (2, 1)]
            .choose(rng)
            .expect("not empty");
        drawn.masters = [a, (a.0 + dx, a.1 + dy)];
        for _ in 0..rng.random_range(0..=(width * height / 3)) {
            let lie = if rng.random() { 'h' } else { 'v' };
            let (x, y) = (
                rng.random_range(0..width - 1),
                rng.random_range(0..height - 1),
            );
            let clashes = |&c: &naive::Camel| naive::intersection(c, (lie, x, y)).is_some();
            // Now and then a camel that intersects another stays, because the setup's check must
            // refuse it.
            if !drawn.camels.iter().any(clashes) || rng.random_bool(0.005) {
                drawn.camels.push((lie, x, y));
            }
        }
        (drawn, usize::MAX)
    }

    /// Draws camels with the most distant numbers that can be read.
    fn garbage(&self, rng: &mut ChaCha8Rng) -> Vec<NaiveMove> {
        const FAR: [i64; 9] = [-128, -127, -64, -1, 0, 64, 120, 126, 127];
        let mut camel = || {
            let mut number = || *FAR.choose(rng).expect("not empty");
            let (x, y) = (number(), number());
            NaiveMove::Camel((if rng.random() { 'h' } else { 'v' }, x, y))
        };
        vec![camel(), camel(), camel()]
    }

    /// Chooses one move, with a preference for jumps and then for steps. A uniform choice would
    /// only lay camels at first.
    fn choose(&self, legal: &[NaiveMove], rng: &mut ChaCha8Rng) -> Vec<NaiveMove> {
        let only = |is: fn(&Self, NaiveMove) -> bool| -> Vec<NaiveMove> {
            legal.iter().copied().filter(|&mv| is(self, mv)).collect()
        };
        let jumps = only(|naive, mv| naive.special(mv).is_some());
        let pool = match rng.random_range(0..4) {
            0 if !jumps.is_empty() => jumps,
            1 | 2 => only(|_, mv| matches!(mv, NaiveMove::Step(_))),
            _ => legal.to_vec(),
        };
        vec![*pool.choose(rng).expect("there is always a step")]
    }

    fn note_position(&self, met: &mut Met) {
        met.note(&format!("{} by {}", self.width, self.height));
    }

    fn note_move(&self, mv: NaiveMove, after: &Self, met: &mut Met) {
        let jump = self.special(mv);
        if let Some(jump) = jump {
            met.note(jump);
        }
        let end = match (after.winner.is_some(), after.ply == after.plies_max) {
            (false, false) => return,
            (false, true) => "draw at the cap",
            (true, true) => "win at the cap",
            (true, false) if jump.is_some() => "win by a jump",
            (true, false) => "win by a step",
        };
        met.note(end);
    }
}

impl Naive {
    fn special(&self, mv: NaiveMove) -> Option<&'static str> {
        let NaiveMove::Step(direction) = mv else {
            return None;
        };
        let me = self.masters[self.to_move];
        let other = self.masters[1 - self.to_move];
        let target = self.target(direction).expect("legal");
        if (target.0 - me.0).abs() + (target.1 - me.1).abs() == 1 {
            return None;
        }
        if !direction.contains('-') {
            return Some("straight jump");
        }
        let behind = (2 * other.0 - me.0, 2 * other.1 - me.1);
        Some(if self.inside(behind) {
            "diagonal jump, a camel behind"
        } else {
            "diagonal jump, the edge behind"
        })
    }
}

/// The number of positions to compare. The deep comparison is for optimised builds.
const POSITIONS: u64 = if cfg!(debug_assertions) {
    100_000
} else {
    400_000
};

#[test]
fn rules_agree_with_naive_rules_on_random_positions() {
    let cases = include_str!("../../../testdata/crazy_camel/cases.txt");
    agree::<Naive>(7, POSITIONS, cases);
}
