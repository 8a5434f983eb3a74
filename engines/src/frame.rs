//! A position as a picture for a replay, without any rules.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// A position as a picture. Coordinates are (column, row) from the upper left, from 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// The shape of the board.
    pub grid: Grid,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// The floor, one character a cell, row by row. `.` is free, `#` blocked, `^` high, `*` the
    /// goal of everybody, and a digit the goal of that seat. A blank is hidden (only in
    /// [`crate::Game::seen`]).
    pub cells: String,
    /// Walls on the edges between cells, on square grids only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub walls: Vec<EdgeWall>,
    /// The pieces.
    pub discs: Vec<Disc>,
    /// The cells that each seat sees, in games with hidden information: one `1` or `0` a cell, row
    /// by row. Empty if everybody sees everything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub visible: Vec<String>,
    /// Facts next to the board, such as `camels in hand: 7 and 8`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Cells that a spectator should look at, such as the winning four.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
}

impl Frame {
    /// Makes a picture of a floor and nothing else.
    pub fn of_floor(grid: Grid, width: usize, height: usize, cells: String) -> Self {
        Self {
            grid,
            width,
            height,
            cells,
            walls: Vec::new(),
            discs: Vec::new(),
            visible: Vec::new(),
            notes: Vec::new(),
            marks: Vec::new(),
        }
    }

    /// Returns whether a wall is below a cell (`horizontal`) or right of it.
    pub(crate) fn is_walled(&self, (x, y): (usize, usize), horizontal: bool) -> bool {
        let covers = |wall: &EdgeWall| {
            // A wall is two cells long.
            let (along, across) = if horizontal {
                (x.checked_sub(wall.x), wall.y == y)
            } else {
                (y.checked_sub(wall.y), wall.x == x)
            };
            wall.horizontal == horizontal && across && along.is_some_and(|cells| cells < 2)
        };
        self.walls.iter().any(covers)
    }

    /// Returns the part that a seat sees: its own pieces, and everything on its visible cells,
    /// without the marks of other seats, which it did not know. The facts next to the board stay.
    /// Returns the whole picture if everybody sees everything.
    #[must_use]
    pub fn seen_by(&self, seat: usize) -> Self {
        let Some(visible) = self.visible.get(seat) else {
            return self.clone();
        };
        let sees: Vec<bool> = visible.chars().map(|bit| bit == '1').collect();
        let cells = self
            .cells
            .chars()
            .zip(&sees)
            .map(|(cell, &sees)| if sees { cell } else { ' ' });
        let discs = self.discs.iter().copied();
        let kept = discs.filter(|d| d.seat == seat || sees[d.y * self.width + d.x]);
        let marks = self
            .marks
            .iter()
            .filter(|mark| mark.seat.is_none_or(|of| of == seat))
            .map(|mark| Mark {
                cells: (mark.cells.iter().copied())
                    .filter(|&(x, y)| sees[y * self.width + x])
                    .collect(),
                ..mark.clone()
            });
        Self {
            cells: cells.collect(),
            discs: kept.collect(),
            marks: marks.filter(|mark| !mark.cells.is_empty()).collect(),
            ..self.clone()
        }
    }
}

/// Cells with a common meaning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The meaning for people, such as `four in a row`.
    pub meaning: String,
    /// The seat in whose colour they are marked, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<usize>,
    /// The cells, as (column, row).
    pub cells: Vec<(usize, usize)>,
}

/// The shape of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grid {
    /// Square cells.
    Square,
    /// Hexagons with a corner on top; odd rows are shifted half a cell to the right.
    Hex,
}

/// A wall two cells long on the edges between cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeWall {
    /// The column of the upper left of the four cells around the wall's middle.
    pub x: usize,
    /// The row of that cell.
    pub y: usize,
    /// True: below that cell and its right neighbour. False: right of that cell and the one below.
    pub horizontal: bool,
}

/// A round piece on a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disc {
    /// Column.
    pub x: usize,
    /// Row.
    pub y: usize,
    /// The number of the seat that owns it.
    pub seat: usize,
    /// A letter to draw on it, if a seat has several kinds of piece.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub letter: Option<char>,
    /// The direction it faces, as (columns, rows).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facing: Option<(i8, i8)>,
}

impl Disc {
    pub(crate) const fn plain((x, y): (usize, usize), seat: usize) -> Self {
        Self {
            x,
            y,
            seat,
            letter: None,
            facing: None,
        }
    }
}

/// The count of a game for spectators; see [`crate::Game::measure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Measure {
    /// The noun for the count, such as `discs on the board`.
    pub counts: &'static str,
    /// Which of two counts is better.
    pub better: Better,
    /// The least difference that shows who is ahead: a smaller one is noise.
    pub ahead: u32,
}

/// Which of two counts is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// The seat with more is ahead.
    More,
    /// The seat with less is ahead.
    Less,
}
