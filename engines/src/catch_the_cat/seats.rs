//! The two seats.

use crate::Seat;

/// The seat that runs.
pub const CAT: Seat = Seat::new(0);
/// The seat that blocks.
pub const CATCHER: Seat = Seat::new(1);
