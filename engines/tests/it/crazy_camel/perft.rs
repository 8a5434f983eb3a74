//! Counts the leaves of the table under `testdata/` with the naive rules.

use super::naive::Naive;
use crate::support::perft::Table;
use judge_engines::crazy_camel::{Camel, Setup};
use judge_engines::game;
use serde_json::Value;

/// The maximum number of leaves of a row that the naive rules count.
const NAIVE_LEAVES_MAX: u64 = 50_000;

fn naive(setup: &Value) -> Naive {
    let setup: Setup = serde_json::from_value(setup.clone()).expect("a setup");
    let camel = |camel: &Camel| match *camel {
        Camel::H(at) => ('h', at.0.into(), at.1.into()),
        Camel::V(at) => ('v', at.0.into(), at.1.into()),
    };
    Naive {
        width: setup.width.into(),
        height: setup.height.into(),
        masters: setup
            .players
            .map(|p| (p.position.0.into(), p.position.1.into())),
        hands: setup.players.map(|p| p.camels.into()),
        camels: setup.camels.iter().map(camel).collect(),
        to_move: setup.to_move as usize,
        ply: 0,
        plies_max: setup.plies_max.into(),
        winner: None,
        forfeited: None,
    }
}

#[test]
fn the_naive_rules_count_alike() {
    let count = |setup: &Value, depth| naive(setup).perft(depth);
    Table::of(game("crazy-camel").expect("registered")).holds_for(NAIVE_LEAVES_MAX, count);
}
