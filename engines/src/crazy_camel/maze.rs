//! The camels on a board: where another fits, and whom it would shut in. No turns, no hands.
//!
//! A set of tiles is a word: tile (x,y) is bit y·width + x. A way is 0 (up), 1 (down), 2 (left) or 3
//! (right). A camel lies flat (0), between two rows, or upright (1), between two columns.

use core::fmt::Debug;
use core::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not, Shl, Shr};

/// The minimum number of columns and rows. On fewer rows two masters could shut each other in.
pub const SIDE_MIN: u32 = 3;
/// The maximum number of columns and rows. 11·11 tiles fit into 128 bits.
pub const SIDE_MAX: u32 = 11;

/// The neighbour of a tile in one direction, with what lies between.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Beyond<W> {
    Open(W),
    Camel(W),
    Edge,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Maze<W> {
    width: u32,
    /// 2^16 / width, rounded up: a division for each tile would cost as much as all else.
    per_row: u32,
    /// The row or column at the end of each way.
    borders: [W; 4],
    /// All tiles but the last column and the last row.
    anchors: W,
    /// Flat and upright camels.
    camels: [W; 2],
    /// The edges between tiles that flat and that upright camels would close, each named by its upper
    /// or left tile.
    open: [W; 2],
}

impl<W: Word> Maze<W> {
    pub(super) fn new(width: u32, height: u32) -> Self {
        let block = |columns: u32, rows: u32| {
            let tile = |x, y| W::ONE << (y * width + x);
            let tiles = (0..rows).flat_map(|y| (0..columns).map(move |x| tile(x, y)));
            tiles.fold(W::NONE, |set, tile| set | tile)
        };
        let (top, left) = (block(width, 1), block(1, height));
        Self {
            width,
            per_row: (1_u32 << 16).div_ceil(width),
            borders: [
                top,
                top << ((height - 1) * width),
                left,
                left << (width - 1),
            ],
            anchors: block(width - 1, height - 1),
            camels: [W::NONE; 2],
            open: [block(width, height - 1), block(width - 1, height)],
        }
    }

    /// The distance from a camel's first edge to its second.
    const fn along(&self, lie: usize) -> u32 {
        [1, self.width][lie]
    }

    /// The distance from one side of a camel to the other.
    const fn across(&self, lie: usize) -> u32 {
        self.along(1 - lie)
    }

    pub(super) const fn width(&self) -> u32 {
        self.width
    }

    /// Returns the column and the row of a tile.
    pub(super) fn place(&self, tile: W) -> (u32, u32) {
        let index = tile.index();
        let row = (index * self.per_row) >> 16;
        (index - row * self.width, row)
    }

    /// Player 0 walks to the last row, player 1 to the first.
    pub(super) const fn goal(&self, player: usize) -> W {
        self.borders[1 - player]
    }

    /// Lays a camel that intersects none.
    pub(super) fn lay(&mut self, lie: usize, anchor: W) {
        self.camels[lie] |= anchor;
        self.open[lie] &= !(anchor | anchor << self.along(lie));
    }

    fn with(mut self, lie: usize, anchor: W) -> Self {
        self.lay(lie, anchor);
        self
    }

    pub(super) fn beyond(&self, tile: W, way: usize) -> Beyond<W> {
        if tile & self.borders[way] != W::NONE {
            return Beyond::Edge;
        }
        let (lie, across) = (way / 2, self.across(way / 2));
        let (next, edge) = if way.is_multiple_of(2) {
            (tile >> across, tile >> across)
        } else {
            (tile << across, tile)
        };
        if edge & self.open[lie] == W::NONE {
            Beyond::Camel(next)
        } else {
            Beyond::Open(next)
        }
    }

    fn free(&self) -> [W; 2] {
        let [flat, upright] = self.camels;
        // Bits that leave a row arrive in the last column, where no anchor is.
        [
            self.anchors & !(near(flat, 1) | upright),
            self.anchors & !(near(upright, self.width) | flat),
        ]
    }

    /// Returns the camels that could shut somebody in. A camel closes a line only if two of its
    /// three points (ends and middle) touch one group: the border with all camels connected to it,
    /// or the loose camels, which count as one group. A point has the name of the camel with that
    /// middle.
    fn sealing(&self) -> [W; 2] {
        let [up, down, left, right] = self.borders;
        let bound = self.points(self.bound());
        let loose = self.points(self.camels) & !bound;
        let two_of = |a: W, b: W, c: W| (a & (b | c)) | (b & c);
        [(1, left, right), (self.width, up, down)].map(|(along, start, end)| {
            two_of(bound << along | start, bound, (bound | end) >> along)
                | two_of(loose << along, loose, loose >> along)
        })
    }

    fn points(&self, [flat, upright]: [W; 2]) -> W {
        (near(flat, 1) | near(upright, self.width)) & self.anchors
    }

    /// Returns the camels that are connected to the border, directly or not.
    fn bound(&self) -> [W; 2] {
        let ([flat, upright], width) = (self.camels, self.width);
        let [up, down, left, right] = self.borders;
        let mut bound = [flat & (left | right >> 1), upright & (up | down >> width)];
        loop {
            let points = self.points(bound);
            let next = [flat & near(points, 1), upright & near(points, width)];
            if next == bound {
                return bound;
            }
            bound = next;
        }
    }

    /// Returns whether a camel, which intersects none, would cut each player's last path.
    pub(super) fn shuts_in(&self, lie: usize, anchor: W, masters: [W; 2]) -> [bool; 2] {
        if anchor & self.sealing()[lie] == W::NONE {
            return [false; 2];
        }
        let with = self.with(lie, anchor);
        [0, 1].map(|player| !with.connect(masters[player], self.goal(player)))
    }

    /// Returns the camels that intersect none and leave each player a path. Each has one now.
    pub(super) fn placements(&self, masters: [W; 2]) -> [W; 2] {
        let (mut legal, sealing) = (self.free(), self.sealing());
        if (0..2).all(|lie| legal[lie] & sealing[lie] == W::NONE) {
            return legal;
        }
        for (player, master) in masters.into_iter().enumerate() {
            let goal = self.goal(player);
            let path = self.crossed(master, goal);
            for lie in [0, 1] {
                let (crossed, along) = (path[lie], self.along(lie));
                // A camel off the path cuts nothing.
                let suspects = legal[lie] & sealing[lie] & (crossed | crossed >> along);
                for anchor in suspects.tiles() {
                    let with = self.with(lie, anchor);
                    let edges = crossed & (anchor | anchor << along);
                    // The path remains if a way round joins the two sides of the one edge that is
                    // closed.
                    let mended =
                        edges == edges.lowest() && with.connect(edges, edges << self.across(lie));
                    if !mended && !with.connect(master, goal) {
                        legal[lie] &= !anchor;
                    }
                }
            }
        }
        legal
    }

    /// Returns these tiles and all within one step of them.
    pub(super) fn spread(&self, from: W) -> W {
        (0..2).fold(from, |set, lie| {
            let (open, across) = (self.open[lie], self.across(lie));
            set | (from & open) << across | (from >> across) & open
        })
    }

    fn connect(&self, from: W, goal: W) -> bool {
        let mut reached = from;
        while reached & goal == W::NONE {
            // One pass in all directions reaches farther than one step.
            let mut next = reached;
            for lie in [1, 0] {
                let (open, across) = (self.open[lie], self.across(lie));
                next |= (next & open) << across;
                next |= (next >> across) & open;
            }
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
        while reached & goal == W::NONE {
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
    fn crossed(&self, from: W, goal: W) -> [W; 2] {
        let mut layers = W::LAYERS;
        let layers = layers.as_mut();
        let mut reached = from;
        let mut steps = 0;
        while reached & goal == W::NONE {
            layers[steps] = reached;
            steps += 1;
            reached = self.spread(reached);
        }
        let mut here = (reached & goal).lowest();
        let mut passed = [W::NONE; 2];
        for &layer in layers[..steps].iter().rev() {
            for lie in [1, 0] {
                let (open, across) = (self.open[lie], self.across(lie));
                let back = (here >> across) & open & layer;
                let ahead = (here & open) << across & layer;
                if back != W::NONE {
                    passed[lie] |= back;
                    here = back;
                    break;
                } else if ahead != W::NONE {
                    passed[lie] |= here;
                    here = ahead;
                    break;
                }
            }
        }
        passed
    }
}

fn near<W: Word>(set: W, by: u32) -> W {
    set | set << by | set >> by
}

/// A set of tiles in the shortest word that holds a board.
pub(super) trait Word:
    Copy
    + Debug
    + Eq
    + Send
    + 'static
    + BitAnd<Output = Self>
    + BitAndAssign
    + BitOr<Output = Self>
    + BitOrAssign
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    const NONE: Self;
    const ONE: Self;
    /// One set for each bit.
    const LAYERS: Self::Layers;
    type Layers: AsMut<[Self]>;

    fn count(self) -> u32;

    /// Returns the index of the lowest tile.
    fn index(self) -> u32;

    fn lowest(self) -> Self;

    /// Iterates over the tiles as sets of one, lowest first.
    fn tiles(mut self) -> impl Iterator<Item = Self> {
        core::iter::from_fn(move || {
            let tile = self.lowest();
            self &= !tile;
            (tile != Self::NONE).then_some(tile)
        })
    }
}

macro_rules! word {
    ($($uint:ty),*) => {$(
        impl Word for $uint {
            const NONE: Self = 0;
            const ONE: Self = 1;
            const LAYERS: Self::Layers = [0; Self::BITS as usize];
            type Layers = [Self; Self::BITS as usize];

            fn count(self) -> u32 {
                self.count_ones()
            }

            fn index(self) -> u32 {
                self.trailing_zeros()
            }

            fn lowest(self) -> Self {
                self & self.wrapping_neg()
            }
        }
    )*};
}

word!(u64, u128);
