//! The board: tiles, directions and terrain.

use crate::Refused;
use crate::complaint::refuse;
use crate::prelude::*;
use core::fmt;
use serde::{Deserialize, Serialize, Serializer};

/// The minimum side of a setup's board.
pub const SIDE_MIN: usize = 5;
/// The maximum side of a board.
pub const SIDE_MAX: usize = 31;

/// The terrain of a tile; 0, 1 or 2 in JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "u64")]
pub enum Terrain {
    /// 0: nothing enters, and nothing looks past it. `W` in a map.
    Wall,
    /// 1: free. `F` in a map.
    Empty,
    /// 2: free, and a spotter on it looks everywhere. `O` in a map.
    Highground,
}

impl Terrain {
    /// By their numbers.
    const ALL: [Self; 3] = [Self::Wall, Self::Empty, Self::Highground];

    pub(super) fn from_number(number: u64) -> Option<Self> {
        Self::ALL.get(usize::try_from(number).ok()?).copied()
    }
}

impl Serialize for Terrain {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(*self as u8)
    }
}

impl TryFrom<u64> for Terrain {
    type Error = String;

    fn try_from(number: u64) -> Result<Self, String> {
        Self::from_number(number).ok_or_else(|| format!("{number} is not a terrain: 0, 1 or 2"))
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Field {
    side: usize,
    tiles: Box<[Terrain]>,
}

impl Field {
    /// Reads a map: rows of `W`, `F` and `O`.
    pub(super) fn parse(map: &[String]) -> Result<Self, Refused> {
        let side = map.len();
        if !(SIDE_MIN..=SIDE_MAX).contains(&side) || side.is_multiple_of(2) {
            return refuse(format!(
                "the map has {side} rows; a side is odd, from {SIDE_MIN} to {SIDE_MAX}"
            ));
        }
        let mut tiles = Vec::with_capacity(side * side);
        for (row, text) in map.iter().enumerate() {
            for letter in text.chars() {
                let index = "WFO".find(letter).ok_or_else(|| {
                    Refused(format!(
                        "row {row} of the map contains {letter:?}; a tile is 'W' (wall), 'F' \
                         (free) or 'O' (highground)"
                    ))
                })?;
                tiles.push(Terrain::ALL[index]);
            }
            if text.len() != side {
                return refuse(format!(
                    "row {row} of the map has {} tiles; the map has {side} rows and must be \
                     square",
                    text.len()
                ));
            }
        }
        Ok(Self {
            side,
            tiles: tiles.into_boxed_slice(),
        })
    }

    pub(super) fn side(&self) -> usize {
        self.side
    }

    pub(super) fn at(&self, at: Location) -> Option<Terrain> {
        (usize::from(at.0.max(at.1)) < self.side).then(|| self.tiles[at.index(self.side)])
    }

    pub(super) fn is_free(&self, at: Location) -> bool {
        matches!(self.at(at), Some(Terrain::Empty | Terrain::Highground))
    }

    /// Turns a ring (0 is the outermost) into wall.
    pub(super) fn collapse(&mut self, ring: u8) {
        for at in Location::all(self.side) {
            if at.ring(self.side) == usize::from(ring) {
                let index = at.index(self.side);
                self.tiles[index] = Terrain::Wall;
            }
        }
    }

    pub(super) fn tiles(&self) -> impl Iterator<Item = Terrain> + '_ {
        self.tiles.iter().copied()
    }

    pub(super) fn is_connected_from(&self, from: Location) -> bool {
        let free = self.tiles().filter(|&tile| tile != Terrain::Wall).count();
        self.reachable(from).len() == free
    }

    /// Lists the tiles that a walk from a free tile, which is the first, can reach.
    pub(super) fn reachable(&self, from: Location) -> Vec<Location> {
        let mut found = vec![false; self.tiles.len()];
        found[from.index(self.side)] = true;
        let mut reachable = vec![from];
        let mut next = 0;
        while let Some(&here) = reachable.get(next) {
            next += 1;
            for direction in Direction::ALL {
                let there = here.towards(direction);
                if self.is_free(there) && !found[there.index(self.side)] {
                    found[there.index(self.side)] = true;
                    reachable.push(there);
                }
            }
        }
        reachable
    }
}

/// A tile as (row, column), with (0,0) at the upper left; a list of two numbers in JSON.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Location(pub u8, pub u8);

impl Location {
    /// Iterates over the tiles of a square board, row by row.
    pub(super) fn all(side: usize) -> impl Iterator<Item = Self> {
        let side = u8::try_from(side).expect("at most SIDE_MAX");
        (0..side).flat_map(move |row| (0..side).map(move |column| Self(row, column)))
    }

    /// Returns the index of a tile of a square board, row by row.
    pub(super) fn index(self, side: usize) -> usize {
        usize::from(self.0) * side + usize::from(self.1)
    }

    /// Returns the number of steps between two tiles if nothing is in the way.
    pub fn distance(self, other: Self) -> u32 {
        u32::from(self.0.abs_diff(other.0)) + u32::from(self.1.abs_diff(other.1))
    }

    /// Returns the number of the tile's ring on a square board, 0 for the outermost.
    pub fn ring(self, side: usize) -> usize {
        let (row, column) = (usize::from(self.0), usize::from(self.1));
        row.min(column).min(side - 1 - row).min(side - 1 - column)
    }

    /// Returns the neighbouring tile if it is on a square board of this side.
    pub fn step(self, direction: Direction, side: usize) -> Option<Self> {
        let next = self.towards(direction);
        (usize::from(next.0.max(next.1)) < side).then_some(next)
    }

    /// Returns the neighbour, on the board or off. The coordinates wrap round.
    pub(super) fn towards(self, direction: Direction) -> Self {
        let (rows, columns) = direction.delta();
        self.shifted(rows, columns)
    }

    /// The coordinates wrap round.
    pub(super) fn shifted(self, rows: i8, columns: i8) -> Self {
        Self(
            self.0.wrapping_add_signed(rows),
            self.1.wrapping_add_signed(columns),
        )
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{})", self.0, self.1)
    }
}

/// One of the four directions; a list `[rows, columns]` in JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "(i64, i64)")]
pub enum Direction {
    /// `[-1,0]`
    Up,
    /// `[1,0]`
    Down,
    /// `[0,-1]`
    Left,
    /// `[0,1]`
    Right,
}

impl Direction {
    /// The four directions, in the order in which moves are listed.
    pub const ALL: [Self; 4] = [Self::Up, Self::Down, Self::Left, Self::Right];

    pub(super) const fn delta(self) -> (i8, i8) {
        [(-1, 0), (1, 0), (0, -1), (0, 1)][self as usize]
    }

    pub(super) const fn from_delta(rows: i64, columns: i64) -> Option<Self> {
        match (rows, columns) {
            (-1, 0) => Some(Self::Up),
            (1, 0) => Some(Self::Down),
            (0, -1) => Some(Self::Left),
            (0, 1) => Some(Self::Right),
            _ => None,
        }
    }
}

impl Serialize for Direction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.delta().serialize(serializer)
    }
}

impl TryFrom<(i64, i64)> for Direction {
    type Error = String;

    fn try_from((rows, columns): (i64, i64)) -> Result<Self, String> {
        Self::from_delta(rows, columns)
            .ok_or_else(|| format!("[{rows},{columns}] is not a direction: {DIRECTIONS}"))
    }
}

pub(super) const DIRECTIONS: &str =
    "one of [-1,0] (up), [1,0] (down), [0,-1] (left) and [0,1] (right)";
