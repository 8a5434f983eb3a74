//! The camels on a board: where another fits, and whom it would shut in. No turns, no hands.

use core::fmt::Debug;
use core::ops::{BitAnd, BitOr, Not, Shl, Shr};

/// The minimum number of columns and rows. On fewer rows two masters could shut each other in.
pub const SIDE_MIN: u32 = 3;
/// The maximum number of columns and rows. 11·11 tiles fit into 128 bits.
pub const SIDE_MAX: u32 = 11;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StepDirection {
    Up,
    Down,
    Left,
    Right,
}

/// The neighbour of a tile in one direction, with what lies between.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Beyond<W> {
    Open(W),
    Camel(W),
    Edge,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Maze<W> {
    borders: [W; 4],
    /// All tiles but the last column and the last row.
    anchors: W,
    camels: Anchors<W>,
    openings: Openings<W>,
}

impl<W: Word> Maze<W> {
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

    /// Player 0 walks to the last row, player 1 to the first.
    pub(super) const fn goal(&self, player: usize) -> W {
        self.borders[if player == 0 {
            StepDirection::Down
        } else {
            StepDirection::Up
        } as usize]
    }

    pub(super) const fn openings(&self) -> &Openings<W> {
        &self.openings
    }

    /// Lays a camel that intersects none.
    pub(super) fn lay(&mut self, orientation: Orientation, anchor: W) {
        match orientation {
            Orientation::Horizontal => self.camels.horizontal = self.camels.horizontal | anchor,
            Orientation::Vertical => self.camels.vertical = self.camels.vertical | anchor,
        }
        self.openings = self.openings.without(orientation, anchor);
    }

    pub(super) fn beyond(&self, tile: W, way: StepDirection) -> Beyond<W> {
        if tile.meets(self.borders[way as usize]) {
            return Beyond::Edge;
        }
        let Openings { width, right, down } = self.openings;
        let (next, open) = match way {
            StepDirection::Up => (tile >> width, (tile >> width).meets(down)),
            StepDirection::Down => (tile << width, tile.meets(down)),
            StepDirection::Left => (tile >> 1, (tile >> 1).meets(right)),
            StepDirection::Right => (tile << 1, tile.meets(right)),
        };
        if open {
            Beyond::Open(next)
        } else {
            Beyond::Camel(next)
        }
    }

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

    /// Returns the camels that could shut somebody in. A camel closes a line only if two of its
    /// three points (ends and middle) touch one group: the border with all camels connected to it,
    /// or the loose camels, which count as one group. A point has the name of the camel with that
    /// middle.
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

    fn points(&self, camels: Anchors<W>) -> W {
        let Anchors {
            horizontal: h,
            vertical: v,
        } = camels;
        let width = self.openings.width;
        (h | h << 1 | h >> 1 | v | v << width | v >> width) & self.anchors
    }

    /// Returns the camels that are connected to the border, directly or not.
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

    /// Returns whether a camel, which intersects none, would cut each player's last path.
    pub(super) fn shuts_in(
        &self,
        orientation: Orientation,
        anchor: W,
        masters: [W; 2],
    ) -> [bool; 2] {
        let sealing = self.sealing();
        let sealing = match orientation {
            Orientation::Horizontal => sealing.horizontal,
            Orientation::Vertical => sealing.vertical,
        };
        if !anchor.meets(sealing) {
            return [false; 2];
        }
        let openings = self.openings.without(orientation, anchor);
        [0, 1].map(|player| !openings.connect(masters[player], self.goal(player)))
    }

    /// Returns the camels that intersect none and leave each player a path. Each has one now.
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
            let sieve = |orientation, legal: W, sealing: W, crossed: W| {
                self.cutting(orientation, legal & sealing, crossed, [master, goal])
                    .fold(legal, |legal, anchor| legal & !anchor)
            };
            let (h, v) = (legal.horizontal, legal.vertical);
            legal = Anchors {
                horizontal: sieve(Orientation::Horizontal, h, sealing.horizontal, path.down),
                vertical: sieve(Orientation::Vertical, v, sealing.vertical, path.right),
            };
        }
        legal
    }

    /// Finds the camels that cut the last path. `crossed` has the edges under one path.
    fn cutting(
        &self,
        orientation: Orientation,
        camels: W,
        crossed: W,
        [from, goal]: [W; 2],
    ) -> impl Iterator<Item = W> {
        let width = self.openings.width;
        // From a camel's first edge to its second, and from one side of an edge to the other.
        let (along, across) = match orientation {
            Orientation::Horizontal => (1, width),
            Orientation::Vertical => (width, 1),
        };
        // A camel off the path cuts nothing.
        let suspects = camels & (crossed | crossed >> along);
        suspects.tiles().filter(move |&anchor| {
            let openings = self.openings.without(orientation, anchor);
            let edges = crossed & (anchor | anchor << along);
            // The path remains if a way round joins the two sides of the one edge that is closed.
            let once = edges.without_lowest().is_empty();
            let mended = once && openings.connect(edges, edges << across);
            !mended && !openings.connect(from, goal)
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Orientation {
    Horizontal,
    Vertical,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Anchors<W> {
    pub(super) horizontal: W,
    pub(super) vertical: W,
}

/// Edges between tiles, each named by its left or upper tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Edges<W> {
    pub(super) right: W,
    pub(super) down: W,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Openings<W> {
    pub(super) width: u32,
    pub(super) right: W,
    pub(super) down: W,
}

impl<W: Word> Openings<W> {
    #[must_use]
    pub(super) fn without(mut self, orientation: Orientation, anchor: W) -> Self {
        match orientation {
            Orientation::Horizontal => self.down = self.down & !(anchor | anchor << 1),
            Orientation::Vertical => self.right = self.right & !(anchor | anchor << self.width),
        }
        self
    }

    /// Returns these tiles and all within one step of them.
    pub(super) fn spread(&self, from: W) -> W {
        from | (from & self.right) << 1
            | (from >> 1) & self.right
            | (from & self.down) << self.width
            | (from >> self.width) & self.down
    }

    pub(super) fn connect(&self, from: W, goal: W) -> bool {
        let mut reached = from;
        while !reached.meets(goal) {
            // One pass in all directions reaches farther than one step.
            let mut next = reached | (reached & self.right) << 1;
            next = next | (next >> 1) & self.right;
            next = next | (next & self.down) << self.width;
            next = next | (next >> self.width) & self.down;
            if next == reached {
                return false;
            }
            reached = next;
        }
        true
    }

    pub(super) fn distance(&self, from: W, goal: W) -> Option<u32> {
        let mut reached = from;
        let mut steps = 0;
        while !reached.meets(goal) {
            let next = self.spread(reached);
            if next == reached {
                return None;
            }
            reached = next;
            steps += 1;
        }
        Some(steps)
    }

    /// Returns the edges that a shortest walk, which must exist, crosses.
    pub(super) fn crossed(&self, from: W, goal: W) -> Edges<W> {
        let mut layers = W::layers();
        let layers = layers.as_mut();
        let mut reached = from;
        let mut steps = 0;
        while !reached.meets(goal) {
            layers[steps] = reached;
            steps += 1;
            reached = self.spread(reached);
        }
        let mut here = W::one((reached & goal).lowest());
        let mut passed = Edges::<W>::default();
        for &layer in layers[..steps].iter().rev() {
            let to_left = (here >> 1) & self.right & layer;
            let to_right = (here & self.right) << 1 & layer;
            let to_up = (here >> self.width) & self.down & layer;
            if !to_left.is_empty() {
                passed.right = passed.right | to_left;
                here = to_left;
            } else if !to_right.is_empty() {
                passed.right = passed.right | here;
                here = to_right;
            } else if !to_up.is_empty() {
                passed.down = passed.down | to_up;
                here = to_up;
            } else {
                passed.down = passed.down | here;
                here = here << self.width;
            }
        }
        passed
    }
}

/// A set of tiles. Tile (x,y) is bit y·width + x.
pub(super) trait Word:
    Copy
    + Debug
    + Default
    + Eq
    + Send
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// As long as a word has bits.
    type Layers: AsMut<[Self]>;

    fn layers() -> Self::Layers;

    fn one(index: u32) -> Self;

    fn count(self) -> u32;

    /// The set must not be empty.
    fn lowest(self) -> u32;

    fn is_empty(self) -> bool {
        self == Self::default()
    }

    fn meets(self, other: Self) -> bool {
        !(self & other).is_empty()
    }

    /// The set must not be empty.
    #[must_use]
    fn without_lowest(self) -> Self;

    /// Iterates over the tiles as sets of one, lowest first.
    fn tiles(self) -> impl Iterator<Item = Self> {
        let mut rest = self;
        core::iter::from_fn(move || {
            let tile = (!rest.is_empty()).then(|| Self::one(rest.lowest()))?;
            rest = rest & !tile;
            Some(tile)
        })
    }
}

macro_rules! word {
    ($($uint:ty),*) => {$(
        impl Word for $uint {
            type Layers = [Self; Self::BITS as usize];

            fn layers() -> Self::Layers {
                [0; Self::BITS as usize]
            }

            fn one(index: u32) -> Self {
                1 << index
            }

            fn count(self) -> u32 {
                self.count_ones()
            }

            fn lowest(self) -> u32 {
                self.trailing_zeros()
            }

            fn without_lowest(self) -> Self {
                self & (self - 1)
            }
        }
    )*};
}

word!(u64, u128);
