//! Positions as lines of text.

use engines::Notation;
use engines::erased::AnyGame;

/// Draws a position, see [`engines::picture`].
pub(crate) fn picture(game: &dyn AnyGame, notation: &Notation) -> String {
    let frame = game.frame();
    assert!(frame.visible.is_empty(), "for games without hidden cells");
    assert_eq!(frame.cells.chars().count(), frame.width * frame.height);
    engines::picture(&frame, notation)
}
