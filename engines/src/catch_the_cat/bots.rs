//! The built-in bots.

use super::{CAT, CatchTheCat, Point, View};
use crate::{Baseline, Seat};
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

pub(super) const BASELINES: &[Baseline<CatchTheCat>] = &[
    Baseline {
        name: "random",
        summary: "plays a uniformly random legal move",
        choose: random,
    },
    Baseline {
        name: "shortest-path",
        summary: "as cat takes the shortest way out, as catcher blocks the way's end",
        choose: shortest_path,
    },
];

fn random(_seat: Seat, _view: &View, legal: &[Point], rng: &mut ChaCha8Rng) -> Point {
    *legal.choose(rng).expect("never empty")
}

/// The cat steps along a shortest way to the border; the catcher blocks the border cell
/// where that way ends, which pushes the cat into the walls that stand already.
fn shortest_path(seat: Seat, view: &View, legal: &[Point], rng: &mut ChaCha8Rng) -> Point {
    if view.check().is_err() {
        return random(seat, view, legal, rng);
    }
    let way = way_out(view);
    let choice = if seat == CAT { way.first() } else { way.last() };
    choice
        .copied()
        .unwrap_or_else(|| random(seat, view, legal, rng))
}

/// Finds a shortest way from the cat to the border, without the cat's own cell; empty if
/// the cat is sealed in.
fn way_out(view: &View) -> Vec<Point> {
    let side = view.side;
    let mut from: Vec<Option<Point>> = vec![None; view.world.len()];
    let mut queue = VecDeque::from([view.cat]);
    while let Some(here) = queue.pop_front() {
        if here.on_border(side) {
            let mut way = vec![here];
            while let Some(previous) = from[way[way.len() - 1].index(side)] {
                way.push(previous);
            }
            way.pop();
            way.reverse();
            return way;
        }
        for next in here.neighbours() {
            if view.is_free(next) && next != view.cat && from[next.index(side)].is_none() {
                from[next.index(side)] = Some(here);
                queue.push_back(next);
            }
        }
    }
    Vec::new()
}
