//! A board with both masters and their hands. No ply cap, no forfeits; the caller tests for a win.

use super::maze::{Anchors, Beyond, Maze, Orientation, SIDE_MAX, StepDirection, Word};
use super::moves::{Camel, Direction, Move, Tile};
use alloc::vec::Vec;

/// The tiles of each width by index: a division for each would cost as much as all else.
static TILES: [[Tile; INDICES]; SIDE_MAX as usize + 1] = {
    let mut tiles = [[Tile(0, 0); INDICES]; SIDE_MAX as usize + 1];
    let mut width = 1;
    while width < tiles.len() {
        let mut index = 0;
        while index < INDICES {
            let (x, y) = (index % width, index / width);
            #[expect(clippy::cast_possible_truncation, reason = "below INDICES")]
            let tile = Tile(x as i8, y as i8);
            tiles[width][index] = tile;
            index += 1;
        }
        width += 1;
    }
    tiles
};

/// The bits of the largest word.
const INDICES: usize = 128;

/// Three plain steps and two diagonals.
const STEPS_MAX: usize = 5;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pieces<W> {
    maze: Maze<W>,
    masters: [W; 2],
    hands: [u8; 2],
}

/// Why a step is illegal. "Next" and "behind" are seen from the mover.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoStep {
    OffBoard,
    CamelBetween,
    /// The other master is next, and a camel is behind it.
    JumpOntoCamel,
    /// The other master is next, and the board ends behind it.
    JumpOffBoard,
    DiagonalWithoutMaster,
    DiagonalCamelBetween,
    DiagonalStraightOpen,
    DiagonalOffBoard,
    DiagonalCamelBeside,
}

impl<W: Word> Pieces<W> {
    pub(super) fn new(width: u32, height: u32, masters: [Tile; 2], hands: [u8; 2]) -> Self {
        let mut pieces = Self {
            maze: Maze::new(width, height),
            masters: [W::default(); 2],
            hands,
        };
        pieces.masters = masters.map(|tile| pieces.bit(tile));
        pieces
    }

    fn bit(&self, Tile(x, y): Tile) -> W {
        let number = |number: i8| u32::try_from(number).expect("a tile of the board");
        W::one(number(y) * self.maze.openings().width + number(x))
    }

    fn tile(&self, bit: W) -> Tile {
        self.tiles(bit).next().expect("a master stands somewhere")
    }

    fn bits_of(&self, camel: Camel) -> (Orientation, W) {
        let orientation = match camel {
            Camel::H(_) => Orientation::Horizontal,
            Camel::V(_) => Orientation::Vertical,
        };
        (orientation, self.bit(camel.anchor()))
    }

    pub(super) fn master(&self, player: usize) -> Tile {
        self.tile(self.masters[player])
    }

    pub(super) const fn hand(&self, player: usize) -> u8 {
        self.hands[player]
    }

    pub(super) fn arrived(&self, player: usize) -> bool {
        self.masters[player].meets(self.maze.goal(player))
    }

    /// The masters' bodies are ignored.
    pub(super) fn path_length(&self, player: usize) -> Option<u32> {
        let openings = self.maze.openings();
        openings.distance(self.masters[player], self.maze.goal(player))
    }

    pub(super) fn lay(&mut self, camel: Camel) {
        let (orientation, anchor) = self.bits_of(camel);
        self.maze.lay(orientation, anchor);
    }

    pub(super) fn place(&mut self, player: usize, camel: Camel) {
        self.hands[player] -= 1;
        self.lay(camel);
    }

    /// Returns for each player whether a camel that fits would cut its last path.
    pub(super) fn shuts_in(&self, camel: Camel) -> [bool; 2] {
        let (orientation, anchor) = self.bits_of(camel);
        self.maze.shuts_in(orientation, anchor, self.masters)
    }

    pub(super) fn step(&mut self, player: usize, direction: Direction) {
        self.masters[player] = self
            .target(player, direction)
            .expect("checked by Game::check");
    }

    pub(super) fn check_step(&self, player: usize, direction: Direction) -> Result<(), NoStep> {
        self.target(player, direction).map(|_| ())
    }

    fn target(&self, player: usize, direction: Direction) -> Result<W, NoStep> {
        match direction {
            Direction::Up => self.straight(player, StepDirection::Up),
            Direction::Down => self.straight(player, StepDirection::Down),
            Direction::Left => self.straight(player, StepDirection::Left),
            Direction::Right => self.straight(player, StepDirection::Right),
            Direction::UpLeft => self.diagonal(player, StepDirection::Up, StepDirection::Left),
            Direction::UpRight => self.diagonal(player, StepDirection::Up, StepDirection::Right),
            Direction::DownLeft => self.diagonal(player, StepDirection::Down, StepDirection::Left),
            Direction::DownRight => {
                self.diagonal(player, StepDirection::Down, StepDirection::Right)
            }
        }
    }

    fn straight(&self, player: usize, way: StepDirection) -> Result<W, NoStep> {
        let other = self.masters[1 - player];
        match self.maze.beyond(self.masters[player], way) {
            Beyond::Edge => Err(NoStep::OffBoard),
            Beyond::Camel(_) => Err(NoStep::CamelBetween),
            Beyond::Open(next) if next != other => Ok(next),
            Beyond::Open(_) => match self.maze.beyond(other, way) {
                Beyond::Edge => Err(NoStep::JumpOffBoard),
                Beyond::Camel(_) => Err(NoStep::JumpOntoCamel),
                Beyond::Open(behind) => Ok(behind),
            },
        }
    }

    /// One way round at most is open: the other master is next in one of the two directions only.
    fn diagonal(&self, player: usize, a: StepDirection, b: StepDirection) -> Result<W, NoStep> {
        let other = self.masters[1 - player];
        for (first, second) in [(a, b), (b, a)] {
            match self.maze.beyond(self.masters[player], first) {
                Beyond::Open(next) if next == other => return self.around(other, first, second),
                Beyond::Camel(next) if next == other => return Err(NoStep::DiagonalCamelBetween),
                Beyond::Open(_) | Beyond::Camel(_) | Beyond::Edge => {}
            }
        }
        Err(NoStep::DiagonalWithoutMaster)
    }

    /// Passes the other master to one side. A camel or the edge must be behind it: the rules
    /// section of the course text and Quoridor agree, and the task section says only "camel".
    fn around(&self, other: W, first: StepDirection, second: StepDirection) -> Result<W, NoStep> {
        if let Beyond::Open(_) = self.maze.beyond(other, first) {
            return Err(NoStep::DiagonalStraightOpen);
        }
        match self.maze.beyond(other, second) {
            Beyond::Open(target) => Ok(target),
            Beyond::Camel(_) => Err(NoStep::DiagonalCamelBeside),
            Beyond::Edge => Err(NoStep::DiagonalOffBoard),
        }
    }

    pub(super) fn steps(&self, player: usize) -> impl Iterator<Item = Direction> {
        let here = self.masters[player];
        // The other master matters only if it is next.
        let alone = !self
            .maze
            .openings()
            .spread(here)
            .meets(self.masters[1 - player]);
        let considered = if alone {
            &Direction::ALL[..4]
        } else {
            &Direction::ALL
        };
        let legal = move |direction: &Direction| self.target(player, *direction).is_ok();
        considered.iter().copied().filter(legal)
    }

    fn placements(&self, player: usize) -> Anchors<W> {
        if self.hands[player] == 0 {
            return Anchors::default();
        }
        self.maze.placements(self.masters)
    }

    /// Lists steps, horizontal camels, vertical ones, row by row.
    pub(super) fn moves(&self, player: usize) -> Vec<Move> {
        let camels = self.placements(player);
        let count = camels.horizontal.count() + camels.vertical.count();
        let mut moves = Vec::with_capacity(STEPS_MAX + count as usize);
        moves.extend(self.steps(player).map(Move::Step));
        let tiles = self.tiles(camels.horizontal);
        moves.extend(tiles.map(|tile| Move::Camel(Camel::H(tile))));
        moves.extend(
            self.tiles(camels.vertical)
                .map(|tile| Move::Camel(Camel::V(tile))),
        );
        moves
    }

    fn tiles(&self, mut set: W) -> impl ExactSizeIterator<Item = Tile> {
        let tiles = &TILES[self.maze.openings().width as usize];
        // A range knows its length: a list need not test each time whether it is full.
        (0..set.count()).map(move |_| {
            let index = set.lowest();
            set = set.without_lowest();
            tiles[index as usize]
        })
    }

    /// Counts the positions `depth` plies ahead. One that is won earlier counts as one.
    pub(super) fn perft(&self, player: usize, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let legal = self.placements(player);
        if depth == 1 {
            let camels = legal.horizontal.count() + legal.vertical.count();
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
        let flat = legal
            .horizontal
            .tiles()
            .map(|a| (Orientation::Horizontal, a));
        let upright = legal.vertical.tiles().map(|a| (Orientation::Vertical, a));
        for (orientation, anchor) in flat.chain(upright) {
            let mut next = *self;
            next.hands[player] -= 1;
            next.maze.lay(orientation, anchor);
            leaves += next.perft(1 - player, depth - 1);
        }
        leaves
    }
}
