//! Counted leaves against the table under `testdata/catch_the_cat/perft.txt`.

use super::naive::Naive;
use crate::support::perft::Table;
use serde_json::Value;

/// Most leaves that the naive rules count for one entry.
const NAIVE_LEAVES_MAX: u64 = 100_000;
/// Most leaves that are reached one by one through the public interface for one entry.
const PLAYED_LEAVES_MAX: u64 = 1_000_000;

#[test]
fn perft_gives_the_leaves_of_the_table() {
    Table::of("catch-the-cat").holds();
}

#[test]
fn playing_every_move_reaches_the_leaves_of_the_table() {
    Table::of("catch-the-cat").holds_by_playing(PLAYED_LEAVES_MAX);
}

#[test]
fn the_naive_rules_count_the_leaves_of_the_table() {
    let count = |setup: &Value, depth| Naive::from_setup(setup).perft(depth);
    Table::of("catch-the-cat").holds_for(NAIVE_LEAVES_MAX, count);
}
