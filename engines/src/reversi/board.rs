//! The board as two sets of fields. This module knows nothing of turns.

use crate::Seat;
use crate::prelude::*;
use core::fmt;
use serde::{Deserialize, Serialize, Serializer};

/// The number of fields on the board.
pub const FIELDS: usize = 64;

/// The colour of a player's discs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Colour {
    /// Moves first on the course's board.
    Black,
    /// Moves second on the course's board.
    White,
}

impl Colour {
    pub(super) const BOTH: [Self; 2] = [Self::Black, Self::White];

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
        f.write_str(["black", "white"][*self as usize])
    }
}

/// The discs on the 64 fields; in JSON, row by row: `.` empty, `B` black, `W` white. Bit i of a set
/// is field i, counted from the upper left, row by row.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Board {
    /// The discs of black and of white; no field is in both.
    discs: [u64; 2],
}

impl Board {
    /// The course's first position: black on 28 and 35, white on 27 and 36.
    pub const START: Self = Self {
        discs: [1 << 28 | 1 << 35, 1 << 27 | 1 << 36],
    };

    /// Returns the set of a colour's discs.
    pub const fn discs(&self, colour: Colour) -> u64 {
        self.discs[colour.seat().index()]
    }

    /// Returns the set of empty fields.
    pub const fn empty(&self) -> u64 {
        !(self.discs[0] | self.discs[1])
    }

    /// Counts a colour's discs.
    pub const fn count(&self, colour: Colour) -> u32 {
        self.discs(colour).count_ones()
    }

    /// Returns the set of fields on which a colour may place a disc.
    pub fn moves(&self, colour: Colour) -> u64 {
        moves(self.discs(colour), self.discs(colour.other()))
    }

    /// Returns the set of discs that change colour when `colour` marks `field`. The field must be
    /// below [`FIELDS`] and empty. The set is empty exactly when the move is illegal.
    pub fn flips(&self, colour: Colour, field: u32) -> u64 {
        flips(self.discs(colour), self.discs(colour.other()), field)
    }

    /// Returns the board after a legal move.
    #[must_use]
    pub fn after(&self, colour: Colour, field: u32) -> Self {
        let flipped = self.flips(colour, field);
        let mut next = *self;
        next.discs[colour.seat().index()] |= flipped | 1 << field;
        next.discs[colour.other().seat().index()] &= !flipped;
        next
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [black, white] = self.discs;
        let text: [u8; FIELDS] =
            core::array::from_fn(|field| match (black >> field & 1, white >> field & 1) {
                (0, 0) => b'.',
                (_, 0) => b'B',
                _ => b'W',
            });
        f.write_str(str::from_utf8(&text).expect("ASCII"))
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Board({self})")
    }
}

impl Serialize for Board {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl TryFrom<String> for Board {
    type Error = String;

    /// Reads the 64 characters of the JSON form.
    fn try_from(text: String) -> Result<Self, String> {
        let wrong = text.chars().find(|c| !matches!(c, '.' | 'B' | 'W'));
        if let Some(other) = wrong {
            return Err(format!(
                "the board contains {other:?}; a field is '.' (empty), 'B' (black) or 'W' (white)"
            ));
        }
        if text.len() != FIELDS {
            let length = text.len();
            return Err(format!(
                "the board has {length} characters; it needs {FIELDS}, one a field, row by row"
            ));
        }
        let of = |disc| {
            text.bytes()
                .enumerate()
                .filter(|&(_, c)| c == disc)
                .fold(0, |set, (field, _)| set | 1 << field)
        };
        Ok(Self {
            discs: [of(b'B'), of(b'W')],
        })
    }
}

pub(super) fn fields(mut set: u64) -> impl Iterator<Item = u32> {
    core::iter::from_fn(move || {
        let field = (set != 0).then(|| set.trailing_zeros());
        set &= set.wrapping_sub(1);
        field
    })
}

/// Distances along a row, a column and the two diagonals.
const AXES: [u32; 4] = [1, 8, 7, 9];

/// Columns 1 to 6: a line through these cannot continue in the next row, unless it is vertical.
const INNER_COLUMNS: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// The fields of `other` through which a line of `step` may run.
const fn inside(other: u64, step: u32) -> u64 {
    if step == 8 {
        other
    } else {
        other & INNER_COLUMNS
    }
}

/// Moves fields along a line, towards higher numbers (`up`) or lower ones.
#[inline]
const fn shifted(fields: u64, by: u32, up: bool) -> u64 {
    if up { fields << by } else { fields >> by }
}

/// Returns the fields of `through` on unbroken lines that begin next to `from`. Runs of two are
/// doubled (Kogge–Stone): four steps reach the six fields that can be between two ends.
#[inline]
const fn line(from: u64, through: u64, step: u32, up: bool) -> u64 {
    let mut line = through & shifted(from, step, up);
    line |= through & shifted(line, step, up);
    let pairs = through & shifted(through, step, up);
    line |= pairs & shifted(line, 2 * step, up);
    line | pairs & shifted(line, 2 * step, up)
}

#[inline]
pub(super) fn moves(own: u64, other: u64) -> u64 {
    let mut ends = 0;
    for step in AXES {
        let through = inside(other, step);
        for up in [true, false] {
            ends |= shifted(line(own, through, step, up), step, up);
        }
    }
    ends & !(own | other)
}

#[inline]
pub(super) fn flips(own: u64, other: u64, field: u32) -> u64 {
    let mut flipped = 0;
    for step in AXES {
        let through = inside(other, step);
        for up in [true, false] {
            let line = line(1 << field, through, step, up);
            if shifted(line, step, up) & own != 0 {
                flipped |= line;
            }
        }
    }
    flipped
}
