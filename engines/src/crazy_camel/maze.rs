//! The camels on a board: where another fits, and whom it would shut in.
//!
//! This module knows no turns and no hands. A set of tiles is one machine word, so a question about
//! all tiles or all camels takes a handful of shifts.

use super::paths::{Anchors, Lie, Openings};
use super::word::Word;

/// The minimum number of columns and rows. On fewer rows two masters could shut each other in.
pub const SIDE_MIN: u32 = 3;
/// The maximum number of columns and rows. 11·11 tiles fit into 128 bits.
pub const SIDE_MAX: u32 = 11;

/// One of the four directions of a plain step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    Up,
    Down,
    Left,
    Right,
}

/// The neighbour of a tile in one direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Beyond<W> {
    /// This tile, with nothing between.
    Open(W),
    /// A camel, with this tile behind it.
    Camel(W),
    /// The end of the board.
    Edge,
}

/// A board with its camels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Maze<W> {
    /// The tiles at the end of the board in each direction.
    borders: [W; 4],
    /// The tiles that can name a camel: all but the last column and the last row.
    anchors: W,
    camels: Anchors<W>,
    openings: Openings<W>,
}

impl<W: Word> Maze<W> {
    /// Makes a board without camels. A word has at least width · height bits.
    pub(super) fn new(width: u32, height: u32) -> Self {
        let block = |columns: u32, rows: u32| {
            let row = (0..columns).fold(W::default(), |set, x| set | W::one(x));
            (0..rows).fold(W::default(), |set, y| set | row << (y * width))
        };
        let (top, left) = (block(width, 1), block(1, height));
        Self {
            borders: [
                top,
                top << ((height - 1) * width),
                left,
                left << (width - 1),
            ],
            anchors: block(width - 1, height - 1),
            camels: Anchors::default(),
            openings: Openings {
                width,
                right: block(width - 1, height),
                down: block(width, height - 1),
            },
        }
    }

    /// Returns the goal row of a player: player 0 the last, player 1 the first.
    pub(super) const fn goal(&self, player: usize) -> W {
        self.borders[if player == 0 { Way::Down } else { Way::Up } as usize]
    }

    /// Returns the ways that the camels leave open.
    pub(super) const fn openings(&self) -> &Openings<W> {
        &self.openings
    }

    /// Lays a camel that intersects none on the board.
    pub(super) fn lay(&mut self, lie: Lie, anchor: W) {
        match lie {
            Lie::Horizontal => self.camels.horizontal = self.camels.horizontal | anchor,
            Lie::Vertical => self.camels.vertical = self.camels.vertical | anchor,
        }
        self.openings = self.openings.without(lie, anchor);
    }

    /// Looks one step from a tile in a direction.
    pub(super) fn beyond(&self, tile: W, way: Way) -> Beyond<W> {
        if tile.meets(self.borders[way as usize]) {
            return Beyond::Edge;
        }
        let Openings { width, right, down } = self.openings;
        let (next, open) = match way {
            Way::Up => (tile >> width, (tile >> width).meets(down)),
            Way::Down => (tile << width, tile.meets(down)),
            Way::Left => (tile >> 1, (tile >> 1).meets(right)),
            Way::Right => (tile << 1, tile.meets(right)),
        };
        if open {
            Beyond::Open(next)
        } else {
            Beyond::Camel(next)
        }
    }

    /// Returns the camels that intersect none of those on the board.
    fn free(&self) -> Anchors<W> {
        let Anchors {
            horizontal: h,
            vertical: v,
        } = self.camels;
        let width = self.openings.width;
        // Bits that leave a row arrive in the last column, where no anchor is.
        Anchors {
            horizontal: self.anchors & !(h | h << 1 | h >> 1 | v),
            vertical: self.anchors & !(v | v << width | v >> width | h),
        }
    }

    /// Returns the camels that could shut somebody in.
    ///
    /// A camel has three points: its two ends and its middle. It can close a line only if two of
    /// them touch one group: the border with all camels connected to it, or the loose camels, which
    /// count as one group. A point has the name of the camel with that middle.
    fn sealing(&self) -> Anchors<W> {
        let width = self.openings.width;
        let [up, down, left, right] = self.borders;
        let bound = self.points(self.bound());
        let loose = self.points(self.camels) & !bound;
        let two_of = |a: W, b: W, c: W| (a & (b | c)) | (b & c);
        Anchors {
            horizontal: two_of(bound << 1 | left, bound, (bound | right) >> 1)
                | two_of(loose << 1, loose, loose >> 1),
            vertical: two_of(bound << width | up, bound, (bound | down) >> width)
                | two_of(loose << width, loose, loose >> width),
        }
    }

    /// Returns the points that the ends and middles of camels touch.
    fn points(&self, camels: Anchors<W>) -> W {
        let Anchors {
            horizontal: h,
            vertical: v,
        } = camels;
        let width = self.openings.width;
        (h | h << 1 | h >> 1 | v | v << width | v >> width) & self.anchors
    }

    /// Returns the camels that are connected to the border, directly or through other camels.
    fn bound(&self) -> Anchors<W> {
        let Anchors {
            horizontal: h,
            vertical: v,
        } = self.camels;
        let width = self.openings.width;
        let [up, down, left, right] = self.borders;
        let mut bound = Anchors {
            horizontal: h & (left | right >> 1),
            vertical: v & (up | down >> width),
        };
        loop {
            let points = self.points(bound);
            let next = Anchors {
                horizontal: h & (points | points << 1 | points >> 1),
                vertical: v & (points | points << width | points >> width),
            };
            if next == bound {
                return bound;
            }
            bound = next;
        }
    }

    /// Returns for each player whether a camel would cut the last path of its master. The camel
    /// intersects none.
    pub(super) fn shuts_in(&self, lie: Lie, anchor: W, masters: [W; 2]) -> [bool; 2] {
        let sealing = self.sealing();
        let sealing = match lie {
            Lie::Horizontal => sealing.horizontal,
            Lie::Vertical => sealing.vertical,
        };
        if !anchor.meets(sealing) {
            return [false; 2];
        }
        let openings = self.openings.without(lie, anchor);
        [0, 1].map(|player| !openings.connect(masters[player], self.goal(player)))
    }

    /// Returns the legal camels: they intersect none and leave both players a path. Both players
    /// have one now.
    pub(super) fn placements(&self, masters: [W; 2]) -> Anchors<W> {
        let mut legal = self.free();
        let sealing = self.sealing();
        let none = W::default();
        if legal.horizontal & sealing.horizontal == none
            && legal.vertical & sealing.vertical == none
        {
            return legal;
        }
        for (player, &master) in masters.iter().enumerate() {
            let goal = self.goal(player);
            let path = self.openings.crossed(master, goal);
            let sieve = |lie, legal: W, sealing: W, crossed: W| {
                self.cutting(lie, legal & sealing, crossed, [master, goal])
                    .fold(legal, |legal, anchor| legal & !anchor)
            };
            let (h, v) = (legal.horizontal, legal.vertical);
            legal = Anchors {
                horizontal: sieve(Lie::Horizontal, h, sealing.horizontal, path.down),
                vertical: sieve(Lie::Vertical, v, sealing.vertical, path.right),
            };
        }
        legal
    }

    /// Finds the camels of one orientation that would cut the last path between two places.
    /// `crossed` holds the edges of that orientation on an existing path.
    fn cutting(
        &self,
        lie: Lie,
        camels: W,
        crossed: W,
        [from, goal]: [W; 2],
    ) -> impl Iterator<Item = W> {
        let width = self.openings.width;
        // From a camel's first edge to its second, and from one side of an edge to the other.
        let (along, across) = match lie {
            Lie::Horizontal => (1, width),
            Lie::Vertical => (width, 1),
        };
        // A camel off the path cuts nothing.
        let suspects = camels & (crossed | crossed >> along);
        suspects.tiles().filter(move |&anchor| {
            let openings = self.openings.without(lie, anchor);
            let edges = crossed & (anchor | anchor << along);
            // The path remains if a way round joins the two sides of the one edge that the camel
            // closes.
            let once = edges.without_lowest().is_empty();
            let mended = once && openings.connect(edges, edges << across);
            !mended && !openings.connect(from, goal)
        })
    }
}
