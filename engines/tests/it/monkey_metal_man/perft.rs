//! Counts the leaves of the table under `testdata/` with the naive rules.

use super::naive::{Cover, Naive};
use crate::support::perft::Table;
use judge_engines::game;
use serde_json::Value;

/// The maximum number of leaves of a row that the naive rules count.
const NAIVE_LEAVES_MAX: u64 = 40_000;
#[test]
fn the_naive_rules_count_the_leaves_of_the_table() {
    let count = |setup: &Value, depth| perft(&Naive::new(setup), depth);
    Table::of(game("monkey-metal-man").expect("registered")).holds_for(NAIVE_LEAVES_MAX, count);
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
