//! The tables of `testdata/crazy_camel/perft.txt`.

use crate::naive::Naive;
use engines::Game;
use engines::crazy_camel::{Camel, CrazyCamel, Setup};

const TABLE: &str = include_str!("../../testdata/crazy_camel/perft.txt");

/// Rows with more leaves are left to optimised builds.
const LEAVES_MAX: u64 = if cfg!(debug_assertions) {
    100_000_000
} else {
    u64::MAX
};

/// The naive rules count rows of up to this many leaves.
const NAIVE_LEAVES_MAX: u64 = 50_000;

/// The trait's own counting, ply by ply, is compared on rows of up to this many leaves.
const PLAIN_LEAVES_MAX: u64 = 2_500_000;

/// Reads the table into (setup, depth, leaves).
fn rows() -> Vec<(Setup, u32, u64)> {
    let mut setup = None;
    let mut rows = Vec::new();
    for line in TABLE
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
    {
        if let Some(json) = line.strip_prefix("setup ") {
            setup = Some(serde_json::from_str::<Setup>(json).expect("a setup"));
            continue;
        }
        let (depth, leaves) = line.split_once(' ').expect("depth and leaves");
        rows.push((
            setup.clone().expect("a setup comes first"),
            depth.parse().expect("a depth"),
            leaves.parse().expect("a count"),
        ));
    }
    assert!(rows.len() > 10, "the table is there");
    rows
}

/// Counts by playing every move through the trait.
fn plain(game: &CrazyCamel, depth: u32) -> u64 {
    let Some(seat) = game.to_move().first().filter(|_| depth > 0) else {
        return 1;
    };
    let moves = game.legal_moves(seat).into_iter();
    moves
        .map(|mv| {
            let mut next = game.clone();
            next.apply(seat, engines::Turn::Played(mv));
            plain(&next, depth - 1)
        })
        .sum()
}

fn naive(setup: &Setup) -> Naive {
    let camel = |camel: &Camel| match *camel {
        Camel::H(at) => ('h', at.0, at.1),
        Camel::V(at) => ('v', at.0, at.1),
    };
    Naive {
        width: setup.width.into(),
        height: setup.height.into(),
        masters: setup.players.map(|p| (p.position.0, p.position.1)),
        hands: setup.players.map(|p| p.camels.into()),
        camels: setup.camels.iter().map(camel).collect(),
        to_move: setup.to_move as usize,
        ply: 0,
        plies_max: setup.plies_max.into(),
        winner: None,
    }
}

#[test]
fn perft_gives_the_counts_of_the_table() {
    for (setup, depth, leaves) in rows().into_iter().filter(|row| row.2 <= LEAVES_MAX) {
        let game = CrazyCamel::start(&setup).expect("a valid setup");
        assert_eq!(game.perft(depth), leaves, "depth {depth} of {setup:?}");
    }
}

#[test]
fn counting_the_last_ply_without_playing_it_changes_no_count() {
    for (setup, depth, leaves) in rows().into_iter().filter(|row| row.2 <= PLAIN_LEAVES_MAX) {
        let game = CrazyCamel::start(&setup).expect("a valid setup");
        assert_eq!(plain(&game, depth), leaves, "depth {depth} of {setup:?}");
    }
}

#[test]
fn the_naive_rules_count_alike() {
    for (setup, depth, leaves) in rows().into_iter().filter(|row| row.2 <= NAIVE_LEAVES_MAX) {
        assert_eq!(
            naive(&setup).perft(depth),
            leaves,
            "depth {depth} of {setup:?}"
        );
    }
}
