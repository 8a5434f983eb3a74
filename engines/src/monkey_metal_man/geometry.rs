//! Tiles and directions.

use core::fmt;
use serde::de::{Deserialize, Deserializer, Error};
use serde::{Serialize, Serializer};

/// A tile as (row, column), with (0,0) at the upper left; a list of two numbers in JSON.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize,
)]
pub struct Location(pub u8, pub u8);

impl Location {
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
        let inside = usize::from(next.0) < side && usize::from(next.1) < side;
        inside.then_some(next)
    }

    /// Returns the neighbouring tile, which may be off the board. The coordinates wrap round.
    pub(super) fn towards(self, direction: Direction) -> Self {
        let (rows, columns) = direction.delta();
        self.shifted(rows, columns)
    }

    /// Returns the tile `rows` down and `columns` to the right. The coordinates wrap round.
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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

    /// Returns the step as (rows, columns).
    pub const fn delta(self) -> (i8, i8) {
        match self {
            Self::Up => (-1, 0),
            Self::Down => (1, 0),
            Self::Left => (0, -1),
            Self::Right => (0, 1),
        }
    }

    /// Returns the direction of a step, if it is one. The step may be any two integers.
    pub const fn from_delta(rows: i64, columns: i64) -> Option<Self> {
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

impl<'de> Deserialize<'de> for Direction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (rows, columns) = <(i64, i64)>::deserialize(deserializer)?;
        Self::from_delta(rows, columns).ok_or_else(|| {
            let message = format!("[{rows},{columns}] is not a direction: {DIRECTIONS}");
            D::Error::custom(message)
        })
    }
}

/// The possible directions, for messages.
pub(super) const DIRECTIONS: &str =
    "one of [-1,0] (up), [1,0] (down), [0,-1] (left) and [0,1] (right)";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_four_unit_steps_are_directions() {
        for rows in -2..=2 {
            for columns in -2..=2 {
                let found = Direction::from_delta(rows, columns);
                let unit = rows.abs() + columns.abs() == 1;
                assert_eq!(found.is_some(), unit, "[{rows},{columns}]");
                let text = format!("[{rows},{columns}]");
                let read = serde_json::from_str::<Direction>(&text);
                assert_eq!(read.ok(), found);
                if let Some(direction) = found {
                    assert_eq!(serde_json::to_string(&direction).expect("data"), text);
                }
            }
        }
        assert_eq!(Direction::from_delta(i64::MIN, i64::MAX), None);
    }

    #[test]
    fn a_step_over_the_edge_leads_nowhere() {
        assert_eq!(Location(0, 0).step(Direction::Up, 19), None);
        assert_eq!(Location(0, 0).step(Direction::Left, 19), None);
        assert_eq!(Location(18, 18).step(Direction::Down, 19), None);
        assert_eq!(Location(18, 18).step(Direction::Right, 19), None);
        let down = Location(17, 3).step(Direction::Down, 19);
        assert_eq!(down, Some(Location(18, 3)));
    }
}
