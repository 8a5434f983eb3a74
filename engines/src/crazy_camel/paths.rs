//! Walks between tiles, many tiles at a time. This module knows no masters and no rules for laying
//! camels.

use super::word::Word;

/// The orientation of a camel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lie {
    /// Between two rows.
    Horizontal,
    /// Between two columns.
    Vertical,
}

/// Two sets of tiles: the anchors of horizontal camels, and those of vertical ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Anchors<W> {
    pub(super) horizontal: W,
    pub(super) vertical: W,
}

/// Edges between tiles, each named by its left or its upper tile.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Edges<W> {
    /// The edges between a tile and the one to its right.
    pub(super) right: W,
    /// The edges between a tile and the one below.
    pub(super) down: W,
}

/// The open edges: for each tile, whether one can pass to its right and to its lower neighbour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Openings<W> {
    /// Tiles per row.
    pub(super) width: u32,
    pub(super) right: W,
    pub(super) down: W,
}

impl<W: Word> Openings<W> {
    /// Closes the two edges under a camel.
    #[must_use]
    pub(super) fn without(mut self, lie: Lie, anchor: W) -> Self {
        match lie {
            Lie::Horizontal => self.down = self.down & !(anchor | anchor << 1),
            Lie::Vertical => self.right = self.right & !(anchor | anchor << self.width),
        }
        self
    }

    /// Returns the tiles of `from` and all neighbours within one step of them.
    pub(super) fn spread(&self, from: W) -> W {
        from | (from & self.right) << 1
            | (from >> 1) & self.right
            | (from & self.down) << self.width
            | (from >> self.width) & self.down
    }

    /// Returns whether a walk leads from a tile to a tile of `goal`.
    pub(super) fn connect(&self, from: W, goal: W) -> bool {
        let mut reached = from;
        while !reached.meets(goal) {
            // All directions in sequence: one pass reaches farther than one step.
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

    /// Counts the steps from a tile to the nearest tile of `goal`, if any can be reached.
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

    /// Finds a shortest walk and returns the edges that it crosses. A walk must exist.
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
        // Walks back from the goal, layer by layer. The left or upper tile of an edge is its name.
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
