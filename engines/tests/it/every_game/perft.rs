//! Compares counted leaves with perft tables: `testdata/<game>/perft.txt`, in one form for all games.
//!
//! A line `setup JSON` names a position. Each line `depth leaves` below it gives the number of
//! leaves at that depth in plies. A game that is over earlier is one leaf. Empty lines and lines
//! that begin with `#` are ignored.

use crate::support::testdata;
use judge_engines::erased::AnyGame;
use judge_engines::{Entry, GAMES};
use serde_json::value::RawValue;

pub(crate) struct Table {
    entry: &'static Entry,
    rows: Vec<Row>,
}

struct Row {
    setup: Box<RawValue>,
    depth: u32,
    leaves: u64,
}

impl Table {
    pub(crate) fn of(entry: &'static Entry) -> Self {
        let rows = rows(&testdata(entry, "perft.txt"));
        assert!(rows.len() >= 10, "the table is there");
        Self { entry, rows }
    }

    pub(crate) fn setups(&self) -> impl Iterator<Item = String> {
        self.rows.iter().map(|row| row.setup.to_string())
    }

    fn start(&self, setup: &RawValue) -> Box<dyn AnyGame> {
        let started = self.entry.start(setup);
        started.unwrap_or_else(|error| panic!("{setup}: {error}"))
    }

    fn holds(&self, leaves_max: u64, count: impl Fn(&dyn AnyGame, u32) -> u64) {
        for row in self.rows.iter().filter(|row| row.leaves <= leaves_max) {
            let Row { setup, depth, .. } = row;
            let counted = count(self.start(setup).as_ref(), *depth);
            assert_eq!(counted, row.leaves, "depth {depth} of {setup}");
        }
    }
}

fn rows(text: &str) -> Vec<Row> {
    let says_something = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let mut setup: Option<Box<RawValue>> = None;
    let mut rows = Vec::new();
    for line in text.lines().filter(says_something) {
        if let Some(json) = line.strip_prefix("setup ") {
            setup = Some(serde_json::from_str(json).expect("a setup"));
            continue;
        }
        let (depth, leaves) = line.split_once(' ').expect("depth and leaves");
        rows.push(Row {
            setup: setup.clone().expect("a setup comes first"),
            depth: depth.parse().expect("a depth"),
            leaves: leaves.parse().expect("a number of leaves"),
        });
    }
    rows
}

/// Counts by playing every move, including those of the last ply.
fn played(game: &dyn AnyGame, depth: u32) -> u64 {
    let Some(seat) = game.to_move().first().filter(|_| depth > 0) else {
        return 1;
    };
    let moves = game.legal_moves(seat).into_iter();
    moves
        .map(|mv| {
            let mut next = game.boxed_clone();
            next.play(seat, &mv).expect("a listed move is legal");
            played(next.as_ref(), depth - 1)
        })
        .sum()
}

const PLAYED_LEAVES_MAX: u64 = 1_000_000;

#[test]
fn perft_gives_the_leaves_of_the_tables() {
    for entry in GAMES {
        Table::of(entry).holds(u64::MAX, |game, depth| game.perft(depth));
    }
}

#[test]
fn playing_every_move_matches_perft_table_leaves() {
    for entry in GAMES {
        Table::of(entry).holds(PLAYED_LEAVES_MAX, played);
    }
}
