//! Counting leaves on bare bitboards.

use super::board::{fields, flips, moves};

/// Counts the positions `depth` plies ahead of a game that is not over, in which the owner of `own`
/// is to move. A pass is a ply, and a game that is over earlier counts as one.
///
/// The last ply is counted without being played. It adds one leaf for each move, and one for a pass
/// or a finished game.
pub(super) fn count(own: u64, other: u64, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let legal = moves(own, other);
    if depth == 1 {
        return u64::from(legal.count_ones().max(1));
    }
    if legal == 0 {
        return match moves(other, own) {
            0 => 1,
            _ => count(other, own, depth - 1),
        };
    }
    fields(legal)
        .map(|field| {
            let flipped = flips(own, other, field);
            count(other & !flipped, own | flipped | 1 << field, depth - 1)
        })
        .sum()
}
