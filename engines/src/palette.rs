//! The colours of a game as data, for a page and a terminal.

use core::fmt;

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
    use alloc::string::ToString;

    #[test]
    fn colour_is_written_as_css_hex() {
        assert_eq!(Rgb(0x0000_1a2b).to_string(), "#001a2b");
    }
}
