//! A position as a picture for a replay, and the colours of a game, without any rules.

use crate::prelude::*;
use core::fmt;
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
        // A wall is two cells long, and is named by the first.
        let first = if horizontal {
            (x.wrapping_sub(1), y)
        } else {
            (x, y.wrapping_sub(1))
        };
        self.walls.iter().any(|wall| {
            wall.horizontal == horizontal && [(x, y), first].contains(&(wall.x, wall.y))
        })
    }

    /// Returns the part that a seat sees: its own pieces, and everything on its visible cells,
    /// without the marks of other seats, which it did not know. The facts next to the board stay.
    /// Returns the whole picture if everybody sees everything.
    #[must_use]
    pub fn seen_by(&self, seat: usize) -> Self {
        let Some(visible) = self.visible.get(seat) else {
            return self.clone();
        };
        let sees = |x: usize, y: usize| visible.as_bytes()[y * self.width + x] == b'1';
        let mut own = self.clone();
        own.cells = (self.cells.chars().zip(visible.chars()))
            .map(|(cell, bit)| if bit == '1' { cell } else { ' ' })
            .collect();
        own.discs
            .retain(|disc| disc.seat == seat || sees(disc.x, disc.y));
        for mark in &mut own.marks {
            mark.cells.retain(|&(x, y)| sees(x, y));
        }
        own.marks
            .retain(|mark| mark.seat.is_none_or(|of| of == seat) && !mark.cells.is_empty());
        own
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

impl Mark {
    /// Marks cells, if there are any.
    pub(crate) fn of(
        meaning: impl Into<String>,
        seat: Option<usize>,
        cells: Vec<(usize, usize)>,
    ) -> Option<Self> {
        (!cells.is_empty()).then(|| Self {
            meaning: meaning.into(),
            seat,
            cells,
        })
    }
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

/// The colours of a game's pieces and board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    /// The look of each seat's pieces, at least as many as the game has roles.
    pub seats: &'static [Piece],
    /// A free cell.
    pub cell: Tone,
    /// The line between two cells.
    pub line: Tone,
    /// A round hole in each cell, on boards into which discs fall.
    pub hole: Option<Tone>,
}

/// The look of a seat's pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The disc itself, and the seat's colour in tables and charts.
    pub fill: Tone,
    /// A rim, for a disc that would blend into the board or the page without one.
    pub rim: Option<Tone>,
    /// The shape.
    pub shape: Shape,
    /// The colour on a terminal.
    pub ansi: Ansi,
}

/// The shape of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A plain disc.
    Disc,
    /// A disc with a cat's ears and face.
    Cat,
}

/// A colour on a light page and on a dark one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tone {
    /// On a light page.
    pub light: Rgb,
    /// On a dark page.
    pub dark: Rgb,
}

impl Tone {
    /// Makes a tone from two colours, as `0xRRGGBB`.
    pub const fn new(light: u32, dark: u32) -> Self {
        Self {
            light: Rgb(light),
            dark: Rgb(dark),
        }
    }
}

/// A colour, as `0xRRGGBB`. It is displayed in the form of style sheets, `#rrggbb`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(pub u32);

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:06x}", self.0)
    }
}

/// One of the colours that every terminal has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ansi {
    /// 31
    Red = 31,
    /// 32
    Green,
    /// 33
    Yellow,
    /// 34
    Blue,
    /// 35
    Magenta,
    /// 36
    Cyan,
    /// 37
    White,
}

impl Ansi {
    /// Returns the parameter of the escape sequence that sets this text colour.
    pub const fn code(self) -> u8 {
        self as u8
    }
}

impl Piece {
    /// Makes a disc without a rim.
    pub const fn disc(fill: Tone, ansi: Ansi) -> Self {
        Self {
            fill,
            rim: None,
            shape: Shape::Disc,
            ansi,
        }
    }

    #[must_use]
    pub(crate) const fn rimmed(self, rim: Tone) -> Self {
        Self {
            rim: Some(rim),
            ..self
        }
    }
}

impl Palette {
    /// The colours of a game without its own, chosen for people who cannot tell red from green too.
    pub const PLAIN: Self = Self {
        seats: &[
            Piece::disc(Tone::new(0x002f_6fb5, 0x004a_8ad2), Ansi::Cyan),
            Piece::disc(Tone::new(0x00c5_6a17, 0x00d9_8a3d), Ansi::Yellow),
            Piece::disc(Tone::new(0x0035_805a, 0x004e_a276), Ansi::Magenta),
            Piece::disc(Tone::new(0x0084_51ab, 0x00a8_7bcd), Ansi::Green),
            Piece::disc(Tone::new(0x00ad_3f69, 0x00cf_678f), Ansi::Red),
            Piece::disc(Tone::new(0x0057_731f, 0x0086_a344), Ansi::Blue),
            Piece::disc(Tone::new(0x003b_7d8b, 0x005c_a1b0), Ansi::White),
            Piece::disc(Tone::new(0x007d_6744, 0x00ab_9062), Ansi::Cyan),
        ],
        cell: Tone::new(0x00f2_f1ec, 0x0026_2b31),
        line: Tone::new(0x00d8_d5ca, 0x003a_4048),
        hole: None,
    };

    /// The names of the colours of [`Self::PLAIN`], in seat order.
    pub const PLAIN_NAMES: [&'static str; 8] = [
        "blue", "orange", "green", "violet", "pink", "olive", "teal", "brown",
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_is_written_as_css_hex() {
        assert_eq!(Rgb(0x0000_1a2b).to_string(), "#001a2b");
    }
}
