//! Sets of tiles as the bits of one machine word: `u64` for boards of up to 64 tiles,
//! `u128` for larger ones.

use core::fmt::Debug;
use core::ops::{BitAnd, BitOr, Not, Shl, Shr};

/// A set of tiles. Tile (x,y) is bit y·width + x.
pub(super) trait Word:
    Copy
    + Debug
    + Default
    + Eq
    + Send
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// A list of sets, as long as a word has bits.
    type Layers: AsMut<[Self]>;

    /// Makes a list of empty sets.
    fn layers() -> Self::Layers;

    /// Makes the set of one tile.
    fn one(index: u32) -> Self;

    /// Counts the tiles.
    fn count(self) -> u32;

    /// Returns the index of the lowest tile. The set must not be empty.
    fn lowest(self) -> u32;

    /// Returns whether the set is empty.
    fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// Returns whether two sets have a tile in common.
    fn meets(self, other: Self) -> bool {
        !(self & other).is_empty()
    }

    /// Returns the set without its lowest tile. The set must not be empty.
    #[must_use]
    fn without_lowest(self) -> Self;

    /// Iterates over the tiles as sets of one, lowest first.
    fn tiles(self) -> impl Iterator<Item = Self> {
        let mut rest = self;
        core::iter::from_fn(move || {
            let tile = (!rest.is_empty()).then(|| Self::one(rest.lowest()))?;
            rest = rest & !tile;
            Some(tile)
        })
    }
}

macro_rules! word {
    ($($uint:ty),*) => {$(
        impl Word for $uint {
            type Layers = [Self; Self::BITS as usize];

            fn layers() -> Self::Layers {
                [0; Self::BITS as usize]
            }

            fn one(index: u32) -> Self {
                1 << index
            }

            fn count(self) -> u32 {
                self.count_ones()
            }

            fn lowest(self) -> u32 {
                self.trailing_zeros()
            }

            fn without_lowest(self) -> Self {
                self & (self - 1)
            }
        }
    )*};
}

word!(u64, u128);
