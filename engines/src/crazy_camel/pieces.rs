//! A board with both masters and their hands. No ply cap, no forfeits; the caller tests for a win.

use super::maze::{Beyond, Maze, Word};
use super::moves::{Camel, Direction, Move, Tile};
use crate::prelude::*;

/// Three plain steps and two diagonals.
const STEPS_MAX: u32 = 5;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pieces<W> {
    maze: Maze<W>,
    masters: [W; 2],
    pub(super) hands: [u32; 2],
}

/// The rule that a step breaks, and why. `{other}` stands for the other master's tile.
pub(super) type NoStep = (&'static str, &'static str);

impl<W: Word> Pieces<W> {
    pub(super) fn new(width: u32, height: u32, masters: [Tile; 2], hands: [u32; 2]) -> Self {
        let mut pieces = Self {
            maze: Maze::new(width, height),
            masters: [W::NONE; 2],
            hands,
        };
        pieces.masters = masters.map(|tile| pieces.bit(tile));
        pieces
    }

    fn bit(&self, Tile(x, y): Tile) -> W {
        let number = |number: i8| u32::try_from(number).expect("a tile of the board");
        W::ONE << (number(y) * self.maze.width() + number(x))
    }

    fn tile(&self, bit: W) -> Tile {
        let (x, y) = self.maze.place(bit);
        let number = |number: u32| i8::try_from(number).expect("at most SIDE_MAX");
        Tile(number(x), number(y))
    }

    fn bits_of(&self, camel: Camel) -> (usize, W) {
        let lie = usize::from(matches!(camel, Camel::V(_)));
        (lie, self.bit(camel.anchor()))
    }

    pub(super) fn master(&self, player: usize) -> Tile {
        self.tile(self.masters[player])
    }

    pub(super) fn arrived(&self, player: usize) -> bool {
        self.masters[player] & self.maze.goal(player) != W::NONE
    }

    /// The masters' bodies are ignored.
    pub(super) fn path_length(&self, player: usize) -> Option<u32> {
        self.maze
            .distance(self.masters[player], self.maze.goal(player))
    }

    pub(super) fn lay(&mut self, camel: Camel) {
        let (lie, anchor) = self.bits_of(camel);
        self.maze.lay(lie, anchor);
    }

    /// Returns for each player whether a camel that fits would cut its last path.
    pub(super) fn shuts_in(&self, camel: Camel) -> [bool; 2] {
        let (lie, anchor) = self.bits_of(camel);
        self.maze.shuts_in(lie, anchor, self.masters)
    }

    pub(super) fn step(&mut self, player: usize, direction: Direction) {
        self.masters[player] = self
            .target(player, direction)
            .expect("checked by Game::check");
    }

    pub(super) fn target(&self, player: usize, direction: Direction) -> Result<W, NoStep> {
        let index = direction as usize;
        match index.checked_sub(4) {
            None => self.straight(player, index),
            Some(diagonal) => self.diagonal(player, diagonal / 2, 2 + diagonal % 2),
        }
    }

    fn straight(&self, player: usize, way: usize) -> Result<W, NoStep> {
        let other = self.masters[1 - player];
        match self.maze.beyond(self.masters[player], way) {
            Beyond::Edge => Err(("off-board", "the board ends there")),
            Beyond::Camel(_) => Err(("camel-between", "a camel lies in the way")),
            Beyond::Open(next) if next != other => Ok(next),
            Beyond::Open(_) => match self.maze.beyond(other, way) {
                Beyond::Edge => Err((
                    "jump-off-board",
                    "the board ends behind the other master at {other}",
                )),
                Beyond::Camel(_) => Err((
                    "jump-onto-camel",
                    "a camel lies behind the other master at {other}, so it cannot be jumped over",
                )),
                Beyond::Open(behind) => Ok(behind),
            },
        }
    }

    /// One way round at most is open: the other master is next in one of the two directions only.
    fn diagonal(&self, player: usize, vertical: usize, sideways: usize) -> Result<W, NoStep> {
        let other = self.masters[1 - player];
        for (first, second) in [(vertical, sideways), (sideways, vertical)] {
            match self.maze.beyond(self.masters[player], first) {
                Beyond::Open(next) if next == other => return self.around(other, first, second),
                Beyond::Camel(next) if next == other => {
                    return Err((
                        "diagonal-camel-between",
                        "a camel lies between it and the other master at {other}",
                    ));
                }
                Beyond::Open(_) | Beyond::Camel(_) | Beyond::Edge => {}
            }
        }
        Err((
            "diagonal-without-master",
            "a diagonal step passes the other master, which at {other} stands next to it in neither \
             of the two directions",
        ))
    }

    /// Passes the other master to one side. A camel or the edge must be behind it: the rules
    /// section of the course text and Quoridor agree, and the task section says only "camel".
    fn around(&self, other: W, first: usize, second: usize) -> Result<W, NoStep> {
        if let Beyond::Open(_) = self.maze.beyond(other, first) {
            return Err((
                "diagonal-straight-open",
                "behind the other master at {other} lies neither a camel nor the edge of the \
                 board, so it can only be jumped over straight",
            ));
        }
        match self.maze.beyond(other, second) {
            Beyond::Open(target) => Ok(target),
            Beyond::Camel(_) => Err((
                "diagonal-camel-beside",
                "a camel lies between the other master at {other} and the target",
            )),
            Beyond::Edge => Err((
                "diagonal-off-board",
                "the board ends beside the other master at {other}",
            )),
        }
    }

    pub(super) fn steps(&self, player: usize) -> impl Iterator<Item = Direction> {
        // The other master matters only if it is next.
        let alone = self.maze.spread(self.masters[player]) & self.masters[1 - player] == W::NONE;
        Direction::ALL[..if alone { 4 } else { 8 }]
            .iter()
            .copied()
            .filter(move |&direction| self.target(player, direction).is_ok())
    }

    fn placements(&self, player: usize) -> [W; 2] {
        match self.hands[player] {
            0 => [W::NONE; 2],
            _ => self.maze.placements(self.masters),
        }
    }

    /// Lists steps, horizontal camels, vertical ones, row by row.
    pub(super) fn moves(&self, player: usize) -> Vec<Move> {
        let [flat, upright] = self.placements(player);
        let count = STEPS_MAX + flat.count() + upright.count();
        let mut moves = Vec::with_capacity(count as usize);
        moves.extend(self.steps(player).map(Move::Step));
        let tiles = |set: W| set.tiles().map(|anchor| self.tile(anchor));
        moves.extend(tiles(flat).map(|tile| Move::Camel(Camel::H(tile))));
        moves.extend(tiles(upright).map(|tile| Move::Camel(Camel::V(tile))));
        moves
    }

    /// Counts the positions `depth` plies ahead. One that is won earlier counts as one.
    pub(super) fn perft(&self, player: usize, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let legal = self.placements(player);
        if depth == 1 {
            let camels: u32 = legal.iter().map(|set| set.count()).sum();
            return self.steps(player).count() as u64 + u64::from(camels);
        }
        let mut leaves = 0;
        for direction in self.steps(player) {
            let mut next = *self;
            next.step(player, direction);
            leaves += if next.arrived(player) {
                1
            } else {
                next.perft(1 - player, depth - 1)
            };
        }
        for lie in [0, 1] {
            for anchor in legal[lie].tiles() {
                let mut next = *self;
                next.hands[player] -= 1;
                next.maze.lay(lie, anchor);
                leaves += next.perft(1 - player, depth - 1);
            }
        }
        leaves
    }
}
