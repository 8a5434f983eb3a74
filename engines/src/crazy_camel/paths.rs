//! Walks between tiles, many tiles at a time. Knows no masters and no rules of laying.

use super::word::Word;

/// Which way a camel lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lie {
    /// Between two rows.
    Horizontal,
    /// Between two columns.
    Vertical,
}

/// Two sets of tiles: one for the horizontal camels that they name, one for the vertical.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Anchors<W> {
    pub(super) horizontal: W,
    pub(super) vertical: W,
}

/// Edges between tiles, each named by its left or its upper tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Edges<W> {
    /// Those between a tile and the one to its right.
    pub(super) right: W,
    /// Those between a tile and the one below.
    pub(super) down: W,
}

/// For each tile whether one can pass to its right and to its lower neighbour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Openings<W> {
    /// Tiles per row.
    pub(super) width: u32,
    pub(super) right: W,
    pub(super) down: W,
}

impl<W: Word> Openings<W> {
    /// Closes the two edges that a camel lies on.
    #[must_use]
    pub(super) fn without(mut self, lie: Lie, anchor: W) -> Self {
        match lie {
            Lie::Horizontal => self.down = self.down & !(anchor | anchor << 1),
            Lie::Vertical => self.right = self.right & !(anchor | anchor << self.width),
        }
        self
    }

    /// Returns the tiles of `from` and all their neighbours that a step leads to.
    pub(super) fn spread(&self, from: W) -> W {
        from | (from & self.right) << 1
            | (from >> 1) & self.right
            | (from & self.down) << self.width
            | (from >> self.width) & self.down
    }

    /// Tells whether a walk leads from a tile to one of `goal`.
    pub(super) fn connect(&self, from: W, goal: W) -> bool {
        let mut reached = from;
        while !reached.meets(goal) {
            // One direction after the other: a pass gets farther than one step.
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

    /// Counts the steps from a tile to the nearest of `goal`.
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

    /// Finds a shortest walk, which exists, and returns the edges that it crosses.
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
        // Back from the goal, from layer to layer; an edge is named by its left or upper tile.
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
