//! Positions as lines of text.

use judge_engines::Notation;
use judge_engines::erased::AnyGame;

/// Draws a position, see [`judge_engines::picture`].
pub(crate) fn picture(game: &dyn AnyGame, notation: &Notation) -> String {
    let frame = game.frame();
    assert!(frame.visible.is_empty(), "for games without hidden cells");
    assert_eq!(frame.cells.chars().count(), frame.width * frame.height);
    judge_engines::picture(&frame, notation)
}
