//! Counted leaves against the table under `testdata/reversi/perft.txt`.

use super::naive::Naive;
use crate::support::perft::Table;
use serde_json::Value;

/// Most leaves that the naive rules count for one entry.
const NAIVE_LEAVES_MAX: u64 = 20_000;
/// Most leaves that are reached one by one through the public interface for one entry.
const PLAYED_LEAVES_MAX: u64 = 400_000;

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
fn perft_gives_the_leaves_of_the_table() {
    Table::of("reversi").holds();
}

#[test]
fn playing_every_move_reaches_the_leaves_of_the_table() {
    Table::of("reversi").holds_by_playing(PLAYED_LEAVES_MAX);
}

#[test]
fn the_naive_rules_count_the_leaves_of_the_table() {
    let count = |setup: &Value, depth| naive(setup).perft(depth);
    Table::of("reversi").holds_for(NAIVE_LEAVES_MAX, count);
}
