//! Positions as lines of text.

use engines::erased::AnyGame;
use engines::{Frame, Grid};

/// Draws a position: the facts beside the board, then the board. A blank stands between two
/// cells; odd rows of hexagons begin with one. Discs are `A`, `B`, … by seat; walls are lines
/// between the cells.
pub(crate) fn picture(game: &dyn AnyGame) -> String {
    let frame = game.frame();
    assert!(frame.visible.is_empty(), "for games without hidden cells");
    assert_eq!(frame.cells.chars().count(), frame.width * frame.height);
    let mut canvas = vec![vec![' '; 2 * frame.width]; 2 * frame.height];
    for (index, cell) in frame.cells.chars().enumerate() {
        let (column, row) = place(&frame, index % frame.width, index / frame.width);
        canvas[row][column] = cell;
    }
    for disc in &frame.discs {
        assert!(disc.letter.is_none() && disc.facing.is_none());
        let (column, row) = place(&frame, disc.x, disc.y);
        assert!(!canvas[row][column].is_alphabetic(), "one disc a cell");
        canvas[row][column] = ['A', 'B', 'C', 'D'][disc.seat];
    }
    for wall in &frame.walls {
        let (column, row) = place(&frame, wall.x, wall.y);
        for along in 0..3 {
            if wall.horizontal {
                canvas[row + 1][column + along] = '-';
            } else {
                canvas[row + along][column + 1] = '|';
            }
        }
    }
    let mut text = frame.notes.join("; ") + "\n";
    for (row, line) in canvas.iter().enumerate() {
        let line = String::from_iter(line);
        // Between two rows there is something to see only where a wall is.
        if row % 2 == 0 || !line.trim().is_empty() {
            text += line.trim_end();
            text.push('\n');
        }
    }
    text
}

/// The column and the row of a cell's character.
fn place(frame: &Frame, x: usize, y: usize) -> (usize, usize) {
    let shift = match frame.grid {
        Grid::Square => 0,
        Grid::Hex => y % 2,
    };
    (2 * x + shift, 2 * y)
}
