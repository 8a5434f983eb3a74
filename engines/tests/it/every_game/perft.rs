//! Compares counted leaves with the tables under `testdata/`; see `support/perft.rs`.

use crate::support::perft::Table;
use judge_engines::GAMES;

const PLAYED_LEAVES_MAX: u64 = 1_000_000;

#[test]
fn perft_gives_the_leaves_of_the_tables() {
    for entry in GAMES {
        Table::of(entry).holds();
    }
}

#[test]
fn playing_every_move_matches_perft_table_leaves() {
    for entry in GAMES {
        Table::of(entry).holds_by_playing(PLAYED_LEAVES_MAX);
    }
}
