//! Compares the crate's rules with the naive ones, position by position.

use super::naive::Naive;
use judge_engines::connect_four::{Board, ConnectFour, Move, RED, Setup, YELLOW};
use judge_engines::{Forfeit, Game, Seat, Turn};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::Value;
use std::collections::BTreeMap;

/// How often each special case was compared.
#[derive(Default, Debug)]
struct Seen {
    positions: u64,
    /// Ends with a four, by its direction.
    fours: BTreeMap<(i32, i32), u64>,
    /// Ends with more than one four at once.
    several_fours: u64,
    draws: u64,
    /// Fours with the very last disc.
    last_disc_fours: u64,
    /// Setups that are refused because the game is over.
    refused: u64,
    /// Illegal moves by rule.
    faults: BTreeMap<&'static str, u64>,
    sizes: BTreeMap<(usize, usize), u64>,
}

struct Pair {
    real: ConnectFour,
    naive: Naive,
}

fn json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).expect("plain data")
}

impl Pair {
    /// Sets up columns. Returns none unless they are a position that is not over.
    fn new(columns: &[String], seen: &mut Seen) -> Option<Self> {
        let board = Board::parse(columns).expect("a board");
        let naive = Naive::new(columns);
        let over = naive.is_over();
        seen.refused += u64::from(over);
        let real = ConnectFour::start(&Setup { board });
        assert_eq!(real.is_err(), over, "{naive:?}");
        real.ok().map(|real| Self { real, naive })
    }

    fn seat(&self) -> Seat {
        if self.naive.turn == 'R' { RED } else { YELLOW }
    }

    fn play(&self, column: i64) -> Self {
        let mut next = Self {
            real: self.real.clone(),
            naive: self.naive.clone(),
        };
        next.real
            .apply_unchecked(self.seat(), Turn::Played(Move(column)));
        next.naive.play(column);
        next
    }

    /// Compares everything but the moves. Returns whether the game is over.
    fn compare_state(&self) -> bool {
        let Self { real, naive } = self;
        let over = naive.is_over();
        let to_move = (!over).then(|| self.seat());
        assert_eq!(real.to_move().first(), to_move, "{naive:?}");
        assert_eq!(json(real.board()), json(&naive.columns()));
        assert_eq!(json(&real.outcome()), naive.outcome(), "{naive:?}");
        for (seat, disc) in [(RED, 'R'), (YELLOW, 'Y')] {
            assert_eq!(json(&real.view(seat)), naive.view(disc));
        }
        self.compare_picture();
        over
    }

    /// Compares the picture. Its rows count from the top, like those of the naive grid.
    fn compare_picture(&self) {
        let frame = self.real.frame();
        let mut grid = vec![vec!['.'; frame.width]; frame.height];
        for disc in frame.discs {
            grid[disc.y][disc.x] = ['R', 'Y'][disc.seat];
        }
        assert_eq!(grid, self.naive.grid);
    }

    /// Compares the legal moves and the verdict on every column and on garbage.
    fn compare_moves(&self, seen: &mut Seen, rng: &mut ChaCha8Rng) -> Vec<i64> {
        let Self { real, naive } = self;
        let seat = self.seat();
        let legal = naive.legal();
        let listed: Vec<i64> = real.legal_moves(seat).iter().map(|mv| mv.0).collect();
        assert_eq!(listed, legal, "{naive:?}");
        let garbage = [
            i64::MIN,
            i64::MAX,
            rng.random(),
            rng.random_range(0..10) + (1 << 32),
            rng.random_range(0..10) - (1 << 8),
        ];
        for column in (-2..13).chain(garbage) {
            let fault = naive.fault(column);
            let broken = real.check(seat, &Move(column)).err();
            assert_eq!(broken.map(|b| b.rule), fault, "{column} in {naive:?}");
            if let Some(rule) = fault {
                *seen.faults.entry(rule).or_default() += 1;
            }
        }
        legal
    }

    /// Plays a forfeit of each kind by the side to move.
    fn compare_forfeits(&self) {
        let kinds = [
            (Forfeit::Illegal, " moved illegally"),
            (Forfeit::Malformed, " gave no readable move"),
            (Forfeit::Time, " ran out of time"),
            (Forfeit::Gone, "'s program is gone"),
        ];
        for (why, words) in kinds {
            let (mut real, mut naive) = (self.real.clone(), self.naive.clone());
            real.apply_unchecked(self.seat(), Turn::Forfeit(why));
            naive.forfeit(words);
            assert_eq!(json(&real.outcome()), naive.outcome());
            assert!(real.to_move().is_empty());
        }
    }
}

/// Compares a position and the results of its moves. Returns one of the results that is not over.
fn compare(pair: &Pair, seen: &mut Seen, rng: &mut ChaCha8Rng) -> Option<Pair> {
    seen.positions += 1;
    let size = (pair.naive.width(), pair.naive.height());
    *seen.sizes.entry(size).or_default() += 1;
    let legal = pair.compare_moves(seen, rng);
    if seen.positions.is_multiple_of(16) {
        pair.compare_forfeits();
    }
    let nexts = legal.iter().map(|&column| pair.play(column));
    let (mut going_on, mut ended) = (Vec::new(), Vec::new());
    for next in nexts {
        let kind = if next.compare_state() {
            &mut ended
        } else {
            &mut going_on
        };
        kind.push(next);
    }
    for end in &ended {
        note_end(pair, end, seen);
    }
    // Games are kept long if possible, because most random ones end early.
    let at = (!going_on.is_empty()).then(|| rng.random_range(0..going_on.len()))?;
    Some(going_on.swap_remove(at))
}

fn note_end(before: &Pair, end: &Pair, seen: &mut Seen) {
    let fours = end.naive.fours(before.naive.turn);
    seen.several_fours += u64::from(fours.len() > 1);
    seen.draws += u64::from(fours.is_empty());
    seen.last_disc_fours += u64::from(!fours.is_empty() && end.naive.is_full());
    for direction in fours {
        *seen.fours.entry(direction).or_default() += 1;
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
    let mut rng = ChaCha8Rng::seed_from_u64(42);
    let mut seen = Seen::default();
    let empty = |width, height| vec![".".repeat(height); width];
    while seen.positions < 60_000 {
        let mut next = Pair::new(&empty(7, 6), &mut seen);
        while let Some(pair) = next {
            next = compare(&pair, &mut seen, &mut rng);
        }
    }
    while seen.positions < 130_000 {
        let size = (rng.random_range(4..=10), rng.random_range(4..=10));
        let mut next = Pair::new(&scattered(&mut rng, size), &mut seen);
        while let Some(pair) = next {
            next = compare(&pair, &mut seen, &mut rng);
        }
    }
    println!("{seen:?}");
    assert_eq!(seen.fours.len(), 4, "{seen:?}");
    assert!(seen.fours.values().all(|&n| n >= 10_000), "{seen:?}");
    assert!(seen.several_fours >= 1000, "{seen:?}");
    assert!(seen.draws >= 500, "{seen:?}");
    assert!(seen.last_disc_fours >= 100, "{seen:?}");
    assert!(seen.refused >= 1000, "{seen:?}");
    assert_eq!(seen.faults.len(), 2, "{seen:?}");
    assert!(seen.faults.values().all(|&n| n >= 10_000), "{seen:?}");
    assert_eq!(seen.sizes.len(), 7 * 7, "{seen:?}");
    assert!(seen.sizes.values().all(|&n| n >= 50), "{seen:?}");
}
