//! Counted leaves against the table under `testdata/monkey_metal_man/perft.txt`.

use super::naive::{Cover, Naive};
use crate::support::perft::Table;
use serde_json::Value;

/// The naive rules count rows of up to this many leaves.
const NAIVE_LEAVES_MAX: u64 = 40_000;
/// Leaves are reached one by one in rows of up to this many.
const PLAYED_LEAVES_MAX: u64 = 500_000;

#[test]
fn perft_gives_the_leaves_of_the_table() {
    Table::of("monkey-metal-man").holds();
}

#[test]
fn playing_every_move_reaches_the_leaves_of_the_table() {
    Table::of("monkey-metal-man").holds_by_playing(PLAYED_LEAVES_MAX);
}

#[test]
fn the_naive_rules_count_the_leaves_of_the_table() {
    let count = |setup: &Value, depth| perft(&Naive::new(setup), depth);
    Table::of("monkey-metal-man").holds_for(NAIVE_LEAVES_MAX, count);
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
