//! Counts the leaves of the table under `testdata/` with the naive rules.

use super::naive::Naive;
use crate::support::perft::Table;
use judge_engines::game;
use serde_json::Value;

/// The maximum number of leaves that the naive rules count for one entry.
const NAIVE_LEAVES_MAX: u64 = 20_000;
fn naive(setup: &Value) -> Naive {
    let board = setup["board"].as_str().expect("a board");
    Naive::new(
        board,
        if setup["to_move"] == "black" {
            'B'
        } else {
            'W'
        },
    )
}

#[test]
fn the_naive_rules_count_the_leaves_of_the_table() {
    let count = |setup: &Value, depth| naive(setup).perft(depth);
    Table::of(game("reversi").expect("registered")).holds_for(NAIVE_LEAVES_MAX, count);
}
