//! The ways of a piece as far as its player can know.

use super::Kind;
use super::action::{Action, Orders, Step, Steps};
use super::field::{Direction, Location, Terrain};
use super::position::Piece;
use super::view::View;
use alloc::vec::Vec;

#[derive(Clone, Copy)]
pub(super) struct Route<const STEPS_MAX: usize> {
    pub(super) to: Location,
    pub(super) moves: Steps<STEPS_MAX>,
}

/// Hidden tiles count as free, except in the rings that have collapsed.
pub(super) fn may_be_free(view: &View, at: Location) -> bool {
    let standing = at.ring(view.board.side()) >= usize::from(view.circles_collapsed);
    standing && view.board.terrain(at) != Some(Terrain::Wall)
}

/// Finds the tiles on which a piece can end: its own, then the others, the nearest first.
pub(super) fn routes<const STEPS_MAX: usize>(
    side: usize,
    from: Location,
    is_open: impl Fn(Location) -> bool,
) -> Vec<Route<STEPS_MAX>> {
    let mut routes = vec![Route {
        to: from,
        moves: Steps::default(),
    }];
    let mut next = 0;
    while let Some(&Route { to: here, moves }) = routes.get(next) {
        next += 1;
        if moves.iter().count() == STEPS_MAX {
            break;
        }
        for direction in Direction::ALL {
            let Some(to) = here.step(direction, side) else {
                continue;
            };
            let found = routes.iter().any(|route| route.to == to);
            if !found && is_open(to) {
                let mut moves = moves;
                moves.push(direction.into());
                routes.push(Route { to, moves });
            }
        }
    }
    routes
}

pub(super) fn other_piece(view: &View, kind: Kind) -> Option<Location> {
    let other = match kind {
        Kind::Spotter => Kind::Assasin,
        Kind::Assasin => Kind::Spotter,
    };
    let other = view.piece(other);
    other.alive.then_some(other.at)
}

pub(super) fn selection(view: &View) -> Vec<Action> {
    let spotter = Orders::new(view.spotter_direction, &[]);
    let assasin = Orders::new(view.assasin_direction, &[]);
    let mut actions = vec![Action { spotter, assasin }];
    let changed = orders(view, Kind::Spotter).map(|spotter| Action { spotter, assasin });
    actions.extend(changed);
    let changed = orders(view, Kind::Assasin).map(|assasin| Action { spotter, assasin });
    actions.extend(changed);
    actions
}

/// Lists the orders that change anything. A dead piece has none.
fn orders<const STEPS_MAX: usize>(
    view: &View,
    kind: Kind,
) -> impl Iterator<Item = Orders<STEPS_MAX>> {
    let Piece { at, facing, alive } = view.piece(kind);
    let routes = if alive {
        let in_the_way = other_piece(view, kind);
        let is_open = |to| Some(to) != in_the_way && may_be_free(view, to);
        routes(view.board.side(), at, is_open)
    } else {
        Vec::new()
    };
    let turns = Direction::ALL
        .into_iter()
        .filter(move |&d| d != facing)
        .filter(move |_| alive)
        .map(|direction| Orders::new(direction, &[]));
    let ways = routes.into_iter().skip(1).map(move |route| {
        let last = route.moves.iter().last().and_then(Step::direction);
        Orders {
            direction: last.unwrap_or(facing).into(),
            moves: route.moves,
        }
    });
    turns.chain(ways)
}
