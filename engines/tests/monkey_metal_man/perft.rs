//! Counted positions: the table, the engine and the naive implementation agree.

use super::naive::{Cover, Naive};
use engines::erased::AnyGame;
use serde_json::Value;
use serde_json::value::RawValue;

/// The deepest rows that a debug build counts, in positions.
const POSITIONS_MAX_DEBUG: u64 = 3_000_000;
/// The deepest rows that the naive implementation counts, in positions.
const POSITIONS_MAX_NAIVE: u64 = 40_000;

const TABLE: &str = include_str!("../../testdata/monkey_metal_man/perft.txt");

/// One position of the table: its name, its setup, and the counts from depth 1.
struct Row {
    name: &'static str,
    setup: Box<RawValue>,
    counts: Vec<u64>,
}

fn rows() -> Vec<Row> {
    let lines = TABLE
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    let row = |line: &'static str| {
        let mut parts = line.splitn(3, " | ");
        let mut part = || parts.next().expect("name | counts | setup");
        let name = part();
        let counts = part()
            .split(' ')
            .map(|count| count.parse().unwrap())
            .collect();
        let setup = serde_json::from_str(part()).unwrap();
        Row {
            name,
            setup,
            counts,
        }
    };
    lines.map(row).collect()
}

#[test]
fn perft_counts_are_those_of_the_table() {
    let entry = engines::game("monkey-metal-man").unwrap();
    for row in rows() {
        let game: Box<dyn AnyGame> = entry.start(&row.setup).unwrap();
        for (depth, &count) in (1..).zip(&row.counts) {
            if count <= POSITIONS_MAX_DEBUG || !cfg!(debug_assertions) {
                assert_eq!(game.perft(depth), count, "{}, depth {depth}", row.name);
            }
        }
    }
}

#[test]
fn the_naive_implementation_counts_the_same() {
    for row in rows() {
        let setup: Value = serde_json::from_str(row.setup.get()).unwrap();
        let naive = Naive::new(&setup);
        for (depth, &count) in (1..).zip(&row.counts) {
            if count <= POSITIONS_MAX_NAIVE {
                assert_eq!(perft(&naive, depth), count, "{}, depth {depth}", row.name);
            }
        }
    }
}

fn perft(naive: &Naive, depth: u32) -> u64 {
    let Some(seat) = naive.to_move().filter(|_| depth > 0) else {
        return 1;
    };
    let answers = naive.selection(seat).into_iter();
    let counts = answers.map(|answer| {
        let mut next = naive.clone();
        next.play(&answer, &mut Cover::new());
        perft(&next, depth - 1)
    });
    counts.sum()
}
