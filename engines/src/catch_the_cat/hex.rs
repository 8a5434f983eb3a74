//! Hexagons with a corner on top, the centre at (0,0), odd rows shifted right.

use core::fmt;
use serde::{Deserialize, Serialize};

/// A cell as (x, y) from the centre. x grows to the right and y downwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Point(pub i32, pub i32);

impl Point {
    /// The middle of the board.
    pub const CENTRE: Self = Self(0, 0);

    /// Returns the six neighbours: left, right, upper left, upper right, lower left, lower right.
    /// Some may be off the board.
    pub const fn neighbours(self) -> [Self; 6] {
        let Self(x, y) = self;
        let shift = y & 1;
        [
            Self(x - 1, y),
            Self(x + 1, y),
            Self(x - 1 + shift, y - 1),
            Self(x + shift, y - 1),
            Self(x - 1 + shift, y + 1),
            Self(x + shift, y + 1),
        ]
    }

    /// Returns whether two cells touch. Coordinates may be any integers.
    pub fn touches(self, other: Self) -> bool {
        let shift = i64::from(self.1 & 1);
        let right = i64::from(other.0) - i64::from(self.0);
        let down = i64::from(other.1) - i64::from(self.1);
        match down {
            0 => right == -1 || right == 1,
            -1 | 1 => right == shift || right == shift - 1,
            _ => false,
        }
    }

    /// Returns whether the cell is on a board of this side.
    pub const fn inside(self, side: i32) -> bool {
        let reach = (side / 2).unsigned_abs();
        self.0.unsigned_abs() <= reach && self.1.unsigned_abs() <= reach
    }

    /// Returns whether a cell of the board is on its border.
    pub const fn on_border(self, side: i32) -> bool {
        let reach = (side / 2).unsigned_abs();
        self.0.unsigned_abs() == reach || self.1.unsigned_abs() == reach
    }

    /// Returns the index of a cell of the board in a row-by-row vector.
    #[expect(clippy::cast_sign_loss, reason = "not negative on the board")]
    pub const fn index(self, side: i32) -> usize {
        ((self.1 + side / 2) * side + self.0 + side / 2) as usize
    }

    /// Returns the cell's place in a picture; none left of the board or above it.
    pub(super) fn column_row(self, side: i32) -> Option<(usize, usize)> {
        let place = |number: i32| usize::try_from(i64::from(number) + i64::from(side / 2)).ok();
        place(self.0).zip(place(self.1))
    }

    #[expect(
        clippy::cast_possible_wrap,
        clippy::cast_possible_truncation,
        reason = "a board has at most SIDE_MAX squared cells"
    )]
    pub(super) const fn from_index(index: usize, side: i32) -> Self {
        let index = index as i32;
        Self(index % side - side / 2, index / side - side / 2)
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{})", self.0, self.1)
    }
}
