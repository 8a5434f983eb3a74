use crate::Refused;
use crate::complaint::refuse;
use core::fmt;
use serde::{Deserialize, Serialize};

/// The maximum number of seats in a game.
pub const SEATS_MAX: usize = 8;

/// A place in a game, numbered from 0 in order of play. The default is the first.
#[derive(
    Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize,
)]
#[serde(try_from = "u8")]
pub struct Seat(u8);

impl TryFrom<u8> for Seat {
    type Error = Refused;

    fn try_from(number: u8) -> Result<Self, Refused> {
        if usize::from(number) < SEATS_MAX {
            return Ok(Self(number));
        }
        let last = SEATS_MAX - 1;
        refuse(format!("there is no seat {number}: seats are 0 to {last}"))
    }
}

impl Seat {
    /// Makes the seat with this number.
    ///
    /// # Panics
    /// When `index` is not below [`SEATS_MAX`].
    pub const fn new(index: usize) -> Self {
        assert!(index < SEATS_MAX, "a seat's number is below SEATS_MAX");
        #[expect(clippy::cast_possible_truncation, reason = "checked to be below 8")]
        Self(index as u8)
    }

    /// Returns the seat's number, counted from 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the other seat of a game for two.
    pub(crate) const fn other(self) -> Self {
        Self(self.0 ^ 1)
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seat {}", self.0)
    }
}

/// A set of seats.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Seats(u8);

impl Seats {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// Makes the set of one seat.
    pub const fn one(seat: Seat) -> Self {
        Self(1 << seat.0)
    }

    /// Returns this set with `seat` in it.
    #[must_use]
    pub const fn with(self, seat: Seat) -> Self {
        Self(self.0 | 1 << seat.0)
    }

    /// Returns whether `seat` is in the set.
    pub const fn contains(self, seat: Seat) -> bool {
        self.0 & (1 << seat.0) != 0
    }

    /// Returns whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the lowest seat of the set.
    pub const fn first(self) -> Option<Seat> {
        if self.0 == 0 {
            None
        } else {
            Some(Seat::new(self.0.trailing_zeros() as usize))
        }
    }

    /// Walks through the seats of the set, lowest first.
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        (0..SEATS_MAX)
            .map(Seat::new)
            .filter(move |&seat| self.contains(seat))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn seat_roundtrips_as_number_and_others_are_refused() {
        for index in 0..SEATS_MAX {
            let text = serde_json::to_string(&Seat::new(index)).expect("a number");
            assert_eq!(text, index.to_string());
            let read: Seat = serde_json::from_str(&text).expect("a seat");
            assert_eq!(read, Seat::new(index));
        }
        for text in ["8", "255", "256", "-1", "0.5", "null", "[0]"] {
            assert!(serde_json::from_str::<Seat>(text).is_err(), "{text}");
        }
    }
}
