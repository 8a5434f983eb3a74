//! The camels on a board: where another fits, and whom it would shut in. No turns, no hands.
//!
//! A set of tiles is a word: tile (x,y) is bit y·width + x. A way is 0 (up), 1 (down), 2 (left) or 3
//! (right). A camel lies flat (0), between two rows, or upright (1), between two columns.

/// The minimum number of columns and rows. On fewer rows two masters could shut each other in.
pub const SIDE_MIN: u32 = 3;
/// The maximum number of columns and rows. 11·11 tiles fit into 128 bits.
pub const SIDE_MAX: u32 = 11;

/// The neighbour of a tile in one direction, with what lies between.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Beyond {
    Open(u128),
    Camel(u128),
    Edge,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Maze {
    width: u32,
    /// The row or column at the end of each way.
    borders: [u128; 4],
    /// All tiles but the last column and the last row.
    anchors: u128,
    /// Flat and upright camels.
    camels: [u128; 2],
    /// The edges between tiles that flat and that upright camels would close, each named by its upper
    /// or left tile.
    open: [u128; 2],
}

impl Maze {
    pub(super) fn new(width: u32, height: u32) -> Self {
        let block = |columns: u32, rows: u32| {
            let row = (1 << columns) - 1;
            (0..rows).fold(0, |set, y| set | row << (y * width))
        };
        let (top, left) = (block(width, 1), block(1, height));
        Self {
            width,
            borders: [
                top,
                top << ((height - 1) * width),
                left,
                left << (width - 1),
            ],
            anchors: block(width - 1, height - 1),
            camels: [0; 2],
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

    /// Player 0 walks to the last row, player 1 to the first.
    pub(super) const fn goal(&self, player: usize) -> u128 {
        self.borders[1 - player]
    }

    /// Lays a camel that intersects none.
    pub(super) fn lay(&mut self, lie: usize, anchor: u128) {
        self.camels[lie] |= anchor;
        self.open[lie] &= !(anchor | anchor << self.along(lie));
    }

    fn with(mut self, lie: usize, anchor: u128) -> Self {
        self.lay(lie, anchor);
        self
    }

    pub(super) fn beyond(&self, tile: u128, way: usize) -> Beyond {
        if tile & self.borders[way] != 0 {
            return Beyond::Edge;
        }
        let (lie, across) = (way / 2, self.across(way / 2));
        let (next, edge) = if way.is_multiple_of(2) {
            (tile >> across, tile >> across)
        } else {
            (tile << across, tile)
        };
        if edge & self.open[lie] == 0 {
            Beyond::Camel(next)
        } else {
            Beyond::Open(next)
        }
    }

    fn free(&self) -> [u128; 2] {
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
    fn sealing(&self) -> [u128; 2] {
        let [up, down, left, right] = self.borders;
        let bound = self.points(self.bound());
        let loose = self.points(self.camels) & !bound;
        let two_of = |a, b, c| (a & (b | c)) | (b & c);
        [(1, left, right), (self.width, up, down)].map(|(along, start, end)| {
            two_of(bound << along | start, bound, (bound | end) >> along)
                | two_of(loose << along, loose, loose >> along)
        })
    }

    fn points(&self, [flat, upright]: [u128; 2]) -> u128 {
        (near(flat, 1) | near(upright, self.width)) & self.anchors
    }

    /// Returns the camels that are connected to the border, directly or not.
    fn bound(&self) -> [u128; 2] {
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
    pub(super) fn shuts_in(&self, lie: usize, anchor: u128, masters: [u128; 2]) -> [bool; 2] {
        if anchor & self.sealing()[lie] == 0 {
            return [false; 2];
        }
        let with = self.with(lie, anchor);
        [0, 1].map(|player| !with.connect(masters[player], self.goal(player)))
    }

    /// Returns the camels that intersect none and leave each player a path. Each has one now.
    pub(super) fn placements(&self, masters: [u128; 2]) -> [u128; 2] {
        let (mut legal, sealing) = (self.free(), self.sealing());
        if (0..2).all(|lie| legal[lie] & sealing[lie] == 0) {
            return legal;
        }
        for (player, master) in masters.into_iter().enumerate() {
            let goal = self.goal(player);
            let path = self.crossed(master, goal);
            for lie in [0, 1] {
                let (crossed, along) = (path[lie], self.along(lie));
                // A camel off the path cuts nothing.
                let suspects = legal[lie] & sealing[lie] & (crossed | crossed >> along);
                for anchor in tiles(suspects) {
                    let with = self.with(lie, anchor);
                    let edges = crossed & (anchor | anchor << along);
                    // The path remains if a way round joins the two sides of the one edge that is
                    // closed.
                    let mended =
                        edges.is_power_of_two() && with.connect(edges, edges << self.across(lie));
                    if !mended && !with.connect(master, goal) {
                        legal[lie] &= !anchor;
                    }
                }
            }
        }
        legal
    }

    /// Returns these tiles and all within one step of them.
    pub(super) fn spread(&self, from: u128) -> u128 {
        (0..2).fold(from, |set, lie| {
            let (open, across) = (self.open[lie], self.across(lie));
            set | (from & open) << across | (from >> across) & open
        })
    }

    fn connect(&self, from: u128, goal: u128) -> bool {
        let mut reached = from;
        while reached & goal == 0 {
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

    pub(super) fn distance(&self, from: u128, goal: u128) -> Option<u32> {
        let mut reached = from;
        let mut steps = 0;
        while reached & goal == 0 {
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
    fn crossed(&self, from: u128, goal: u128) -> [u128; 2] {
        let mut layers = [0; u128::BITS as usize];
        let mut reached = from;
        let mut steps = 0;
        while reached & goal == 0 {
            layers[steps] = reached;
            steps += 1;
            reached = self.spread(reached);
        }
        let mut here = 1 << (reached & goal).trailing_zeros();
        let mut passed = [0; 2];
        for &layer in layers[..steps].iter().rev() {
            for lie in [1, 0] {
                let (open, across) = (self.open[lie], self.across(lie));
                let back = (here >> across) & open & layer;
                let ahead = (here & open) << across & layer;
                if back != 0 {
                    passed[lie] |= back;
                    here = back;
                    break;
                } else if ahead != 0 {
                    passed[lie] |= here;
                    here = ahead;
                    break;
                }
            }
        }
        passed
    }
}

const fn near(set: u128, by: u32) -> u128 {
    set | set << by | set >> by
}

/// Iterates over the tiles as sets of one, lowest first.
pub(super) fn tiles(mut set: u128) -> impl Iterator<Item = u128> {
    core::iter::from_fn(move || {
        let tile = set & set.wrapping_neg();
        set ^= tile;
        (tile != 0).then_some(tile)
    })
}
