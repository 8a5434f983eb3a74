//! Counts the leaves of the table under `testdata/` with the naive rules. Also checks this game's
//! other published count, which leaves out games that ended earlier.

use super::naive::Naive;
use crate::support::perft::Table;
use judge_engines::connect_four::{ConnectFour, Move};
use judge_engines::{Game, Turn, game};
use serde_json::Value;

/// The maximum number of leaves that the naive rules count for one entry.
const NAIVE_LEAVES_MAX: u64 = 120_000;

/// The number of sequences of 1, 2, … moves from the empty board.
const SEQUENCES: [u64; 10] = [
    7,
    49,
    343,
    2401,
    16807,
    117_649,
    823_536,
    5_673_234,
    39_394_572,
    268_031_646,
];

#[test]
fn the_naive_rules_count_the_leaves_of_the_table() {
    let count = |setup: &Value, depth| {
        let columns = serde_json::from_value::<Vec<String>>(setup["board"].clone());
        Naive::new(&columns.expect("columns")).perft(depth)
    };
    Table::of(game("connect-four").expect("registered")).holds_for(NAIVE_LEAVES_MAX, count);
}

/// The number of entries that are counted. The last ones take seconds without optimization.
const DEPTHS: usize = if cfg!(debug_assertions) { 8 } else { 10 };

#[test]
fn sequences_of_moves_are_as_many_as_others_have_counted() {
    let mut depths = 1..;
    for &expected in &SEQUENCES[..DEPTHS] {
        let depth = depths.next().expect("endless");
        assert_eq!(
            sequences(&ConnectFour::default(), depth),
            expected,
            "{depth}"
        );
    }
}

/// Counts the sequences of `depth` moves. The last moves are counted without being played.
fn sequences(game: &ConnectFour, depth: u32) -> u64 {
    let Some(seat) = game.to_move().first() else {
        return 0;
    };
    let open = (0_i64..)
        .zip(0..7)
        .filter(|&(_, x)| !game.board().is_full(x));
    if depth == 1 {
        return open.count() as u64;
    }
    let after = |(column, _)| {
        let mut next = game.clone();
        next.apply_unchecked(seat, Turn::Played(Move(column)));
        sequences(&next, depth - 1)
    };
    open.map(after).sum()
}
