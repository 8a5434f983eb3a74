//! The board as two sets of cells. This module knows nothing of turns.

use crate::Seat;
use crate::prelude::*;
use core::fmt;
use serde::{Deserialize, Serialize, Serializer};

/// The minimum number of columns, and of rows.
pub const SIDE_MIN: usize = 4;
/// The maximum number of columns, and of rows.
pub const SIDE_MAX: usize = 10;

/// The colour of a player's discs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Colour {
    /// Moves first.
    #[default]
    Red,
    /// Moves second.
    Yellow,
}

impl Colour {
    pub(super) const BOTH: [Self; 2] = [Self::Red, Self::Yellow];

    /// Returns the colour that a seat plays.
    pub fn of(seat: Seat) -> Self {
        Self::BOTH[usize::from(seat != Seat::new(0))]
    }

    /// Returns the seat that plays this colour.
    pub const fn seat(self) -> Seat {
        Seat::new(self as usize)
    }

    /// Returns the opponent's colour.
    #[must_use]
    pub const fn other(self) -> Self {
        Self::BOTH[1 - self as usize]
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["red", "yellow"][*self as usize])
    }
}

/// The discs in the cells. The JSON form is a list of columns from the left, each a string from the
/// bottom up: `.` empty, `R` red, `Y` yellow.
///
/// The cell in column c and row r, both from 0 and rows from the bottom, is bit c · (height + 1) +
/// r. The bit above a column's top row is never set, so that no line continues in the next column.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub struct Board {
    /// The discs of red and of yellow; no cell is in both, and no disc floats.
    discs: [u128; 2],
    width: u8,
    height: u8,
}

impl Board {
    /// Returns an empty board.
    pub fn empty(width: usize, height: usize) -> Result<Self, String> {
        for (name, side) in [("width", width), ("height", height)] {
            if !(SIDE_MIN..=SIDE_MAX).contains(&side) {
                return Err(format!(
                    "{name} {side} is not allowed: it is {SIDE_MIN} to {SIDE_MAX}"
                ));
            }
        }
        let side = |side| u8::try_from(side).expect("at most SIDE_MAX");
        Ok(Self {
            discs: [0; 2],
            width: side(width),
            height: side(height),
        })
    }

    fn fill(&mut self, column: usize, cells: &str) -> Result<(), String> {
        if let Some(other) = cells.chars().find(|c| !matches!(c, '.' | 'R' | 'Y')) {
            return Err(format!(
                "column {column} contains {other:?}; a cell is '.' (empty), 'R' (red) or 'Y' (yellow)"
            ));
        }
        if cells.len() != self.height() {
            return Err(format!(
                "column {column} has {} cells and column 0 has {}",
                cells.len(),
                self.height
            ));
        }
        let discs = cells.trim_end_matches('.');
        if discs.contains('.') {
            return Err(format!("column {column} has a disc above an empty cell"));
        }
        for disc in discs.chars() {
            self.drop_disc(Colour::BOTH[usize::from(disc == 'Y')], column);
        }
        Ok(())
    }

    /// Returns the number of columns.
    pub const fn width(&self) -> usize {
        self.width as usize
    }

    /// Returns the number of rows.
    pub const fn height(&self) -> usize {
        self.height as usize
    }

    /// Returns the set of a colour's discs.
    pub const fn discs(&self, colour: Colour) -> u128 {
        self.discs[colour.seat().index()]
    }

    /// Counts a colour's discs.
    pub const fn count(&self, colour: Colour) -> u32 {
        self.discs(colour).count_ones()
    }

    /// Returns the colour of the disc in a cell of the board, if any. Rows count from the bottom.
    pub fn cell(&self, column: usize, row: usize) -> Option<Colour> {
        let bit = 1 << (column * self.stride() + row);
        Colour::BOTH
            .into_iter()
            .find(|&colour| self.discs(colour) & bit != 0)
    }

    pub(super) fn landings(&self) -> u128 {
        self.shape().landings(self.discs[0] | self.discs[1])
    }

    /// Returns whether a column of the board has no room.
    pub fn is_full(&self, column: usize) -> bool {
        self.landings() & self.shape().column(column) == 0
    }

    /// Drops a disc into a column of the board with room.
    pub(super) fn drop_disc(&mut self, colour: Colour, column: usize) {
        let landing = self.landings() & self.shape().column(column);
        self.discs[colour.seat().index()] |= landing;
    }

    pub(super) fn has_four(&self, colour: Colour) -> bool {
        self.shape().has_four(self.discs(colour))
    }

    /// Counts the lines of four cells without a disc of the other colour.
    pub(super) fn lines_open(&self, colour: Colour) -> u32 {
        let shape = self.shape();
        shape.windows(shape.cells & !self.discs(colour.other()))
    }

    const fn stride(&self) -> usize {
        self.height as usize + 1
    }

    pub(super) fn shape(&self) -> Shape {
        Shape::new(self.width, self.height)
    }

    fn columns(&self) -> impl Iterator<Item = String> {
        let letter = |cell: Option<Colour>| cell.map_or('.', |colour| ['R', 'Y'][colour as usize]);
        (0..self.width()).map(move |column| {
            (0..self.height())
                .map(|row| letter(self.cell(column, row)))
                .collect()
        })
    }
}

#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) cells: u128,
    bottom: u128,
    /// The distance between neighbours in a row.
    stride: u32,
}

impl Shape {
    fn new(width: u8, height: u8) -> Self {
        let stride = u32::from(height) + 1;
        let bottom = (0..width).fold(0, |set, column| set | 1 << (u32::from(column) * stride));
        Self {
            cells: bottom * ((1 << height) - 1),
            bottom,
            stride,
        }
    }

    pub(super) fn column(&self, column: usize) -> u128 {
        let cells = (1 << (self.stride - 1)) - 1;
        cells << (column * self.stride as usize)
    }

    /// Returns the lowest empty cell of each column with room.
    #[inline]
    pub(super) fn landings(&self, discs: u128) -> u128 {
        (discs + self.bottom) & self.cells
    }

    /// Returns the cells, occupied or not, that make a four with three of these discs.
    pub(super) fn completing(&self, discs: u128) -> u128 {
        let along = |axis: u32| {
            // Two are next to the cell on one side; the third is beyond them or on the other side.
            let before = discs << axis & discs << (2 * axis);
            let after = discs >> axis & discs >> (2 * axis);
            before & (discs << (3 * axis) | discs >> axis)
                | after & (discs >> (3 * axis) | discs << axis)
        };
        self.over_axes(along) & self.cells
    }

    pub(super) fn windows(&self, cells: u128) -> u32 {
        let along = |axis: u32| {
            let pairs = cells & (cells >> axis);
            (pairs & (pairs >> (2 * axis))).count_ones()
        };
        self.axes().into_iter().map(along).sum()
    }

    /// Returns the distances along a column, a row and the two diagonals.
    const fn axes(&self) -> [u32; 4] {
        [1, self.stride, self.stride - 1, self.stride + 1]
    }

    pub(super) fn lines_of_four(&self, discs: u128) -> u128 {
        let along = |axis: u32| {
            let pairs = discs & (discs >> axis);
            let firsts = pairs & (pairs >> (2 * axis));
            (0..4).fold(0, |set, place| set | firsts << (place * axis))
        };
        self.over_axes(along)
    }

    fn over_axes(&self, along: impl Fn(u32) -> u128) -> u128 {
        self.axes()
            .into_iter()
            .map(along)
            .fold(0, |set, cells| set | cells)
    }

    #[inline]
    pub(super) fn has_four(&self, discs: u128) -> bool {
        self.axes().into_iter().any(|axis| {
            let pairs = discs & (discs >> axis);
            pairs & (pairs >> (2 * axis)) != 0
        })
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.columns().collect::<Vec<_>>().join(" "))
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({self})")
    }
}

impl Serialize for Board {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.columns())
    }
}

impl TryFrom<Vec<String>> for Board {
    type Error = String;

    /// Reads the columns of the JSON form.
    fn try_from(columns: Vec<String>) -> Result<Self, String> {
        let height = columns.first().map_or(0, String::len);
        let mut board = Self::empty(columns.len(), height)?;
        for (column, cells) in columns.iter().enumerate() {
            board.fill(column, cells)?;
        }
        Ok(board)
    }
}

impl Default for Board {
    fn default() -> Self {
        Self::empty(7, 6).expect("the usual size")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    #[test]
    fn winning_cells_complete_four_when_filled() {
        let mut rng = ChaCha8Rng::seed_from_u64(44);
        for (width, height) in [(4, 4), (7, 6), (10, 10), (4, 10), (10, 4)] {
            let shape = Board::empty(width, height).expect("allowed").shape();
            let all: Vec<u128> = (0..110).map(|bit| 1 << bit).collect();
            for _ in 0..300 {
                let kept = all.iter().filter(|_| rng.random_bool(0.4));
                let discs = kept.sum::<u128>() & shape.cells;
                if shape.has_four(discs) {
                    continue;
                }
                let fills = all.iter().filter(|&&cell| cell & shape.cells != 0);
                let fills = fills.filter(|&&cell| shape.has_four(discs | cell));
                assert_eq!(shape.completing(discs) & !discs, fills.sum::<u128>());
            }
            assert_eq!(shape.windows(shape.cells) as usize, {
                let (w, h) = (width - 3, height - 3);
                w * height + width * h + 2 * w * h
            });
        }
    }

    #[test]
    fn line_is_open_until_other_colour_enters() {
        let mut board = Board::empty(7, 6).expect("allowed");
        assert_eq!(board.lines_open(Colour::Red), 69);
        board.drop_disc(Colour::Yellow, 0);
        assert_eq!(board.lines_open(Colour::Red), 69 - 3);
        assert_eq!(board.lines_open(Colour::Yellow), 69);
    }
}
