//! Counting leaves on bare bitboards.

use super::board::Shape;

/// Counts the positions `depth` plies ahead of a game that is not over, in which the owner of `own`
/// is to move. A game that is over earlier counts as one.
///
/// The last ply is counted without being played. It adds one leaf for each move.
pub(super) fn count(shape: &Shape, own: u128, other: u128, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut landings = shape.landings(own | other);
    if landings == 0 {
        return 1;
    }
    if depth == 1 {
        return landings.count_ones().into();
    }
    let mut leaves = 0;
    while landings != 0 {
        let placed = own | landings & landings.wrapping_neg();
        leaves += if shape.has_four(placed) {
            1
        } else {
            count(shape, other, placed, depth - 1)
        };
        landings &= landings - 1;
    }
    leaves
}
