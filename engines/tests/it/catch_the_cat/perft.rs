//! Counts the leaves of the table under `testdata/` with the naive rules.

use super::naive::Naive;
use crate::support::perft::Table;
use judge_engines::game;
use serde_json::Value;

/// The maximum number of leaves that the naive rules count for one entry.
const NAIVE_LEAVES_MAX: u64 = 100_000;
#[test]
fn the_naive_rules_count_the_leaves_of_the_table() {
    let count = |setup: &Value, depth| Naive::from_setup(setup).perft(depth);
    Table::of(game("catch-the-cat").expect("registered")).holds_for(NAIVE_LEAVES_MAX, count);
}
