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
    positions: Vec<Position>,
}

struct Position {
    setup: Box<RawValue>,
    /// Depths, each with its leaves.
    rows: Vec<(usize, u64)>,
}

impl Table {
    pub(crate) fn of(entry: &'static Entry) -> Self {
        let positions = positions(&testdata(entry, "perft.txt"));
        let rows = positions.iter().map(|position| position.rows.len());
        assert!(rows.sum::<usize>() >= 10, "the table is there");
        Self { entry, positions }
    }

    pub(crate) fn setups(&self) -> impl Iterator<Item = String> {
        self.positions.iter().map(|one| one.setup.to_string())
    }

    /// Compares the rows with up to so many leaves. `count` returns the leaves at these depths.
    fn holds(&self, leaves_max: u64, count: impl Fn(&dyn AnyGame, &[usize]) -> Vec<u64>) {
        for Position { setup, rows } in &self.positions {
            let game = self.entry.start(setup);
            let game = game.unwrap_or_else(|error| panic!("{setup}: {error}"));
            let rows = rows.iter().filter(|(_, leaves)| *leaves <= leaves_max);
            let (depths, leaves): (Vec<usize>, Vec<u64>) = rows.copied().unzip();
            let counted = count(game.as_ref(), &depths);
            assert_eq!(counted, leaves, "{depths:?} of {setup}");
        }
    }
}

fn positions(text: &str) -> Vec<Position> {
    let says_something = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let mut positions: Vec<Position> = Vec::new();
    for line in text.lines().filter(says_something) {
        if let Some(json) = line.strip_prefix("setup ") {
            let setup = serde_json::from_str(json).expect("a setup");
            let rows = Vec::new();
            positions.push(Position { setup, rows });
            continue;
        }
        let (depth, leaves) = line.split_once(' ').expect("depth and leaves");
        let depth = depth.parse().expect("a depth");
        let last = positions.last_mut().expect("a setup comes first");
        last.rows.push((depth, leaves.parse().expect("leaves")));
    }
    positions
}

/// Plays every move down to the last depth, and counts the leaves at each depth on the way.
fn played(game: &dyn AnyGame, leaves: &mut [u64]) {
    let (here, below) = leaves.split_first_mut().expect("a depth");
    *here += 1;
    let Some(seat) = game.to_move().first() else {
        for leaves in below {
            *leaves += 1;
        }
        return;
    };
    if below.is_empty() {
        return;
    }
    for mv in game.legal_moves(seat) {
        let mut next = game.boxed_clone();
        next.play(seat, &mv).expect("a listed move is legal");
        played(next.as_ref(), below);
    }
}

const PLAYED_LEAVES_MAX: u64 = 1_000_000;

#[test]
fn perft_gives_the_leaves_of_the_tables() {
    for entry in GAMES {
        Table::of(entry).holds(u64::MAX, |game, depths| {
            let count = |&depth: &usize| game.perft(u32::try_from(depth).expect("small"));
            depths.iter().map(count).collect()
        });
    }
}

#[test]
fn playing_every_move_matches_perft_table_leaves() {
    for entry in GAMES {
        Table::of(entry).holds(PLAYED_LEAVES_MAX, |game, depths| {
            let mut leaves = vec![0; 1 + depths.iter().max().unwrap_or(&0)];
            played(game, &mut leaves);
            depths.iter().map(|&depth| leaves[depth]).collect()
        });
    }
}
