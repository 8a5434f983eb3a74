//! Positions as lines of text.

use crate::{Frame, Grid};

/// Draws a position: the facts beside the board, then the board. A blank stands between two
/// cells; odd rows of hexagons begin with one. A disc is `A`, `B`, … by seat, or its letter
/// and the seat's number; walls are lines between the cells.
pub fn picture(frame: &Frame) -> String {
    let mut canvas = vec![vec![' '; 2 * frame.width + 1]; 2 * frame.height];
    for (index, cell) in frame.cells.chars().enumerate() {
        let (column, row) = place(frame, index % frame.width, index / frame.width);
        canvas[row][column] = cell;
    }
    for wall in &frame.walls {
        let (column, row) = place(frame, wall.x, wall.y);
        for along in 0..3 {
            if wall.horizontal {
                canvas[row + 1][column + along] = '-';
            } else {
                canvas[row + along][column + 1] = '|';
            }
        }
    }
    for disc in &frame.discs {
        let (column, row) = place(frame, disc.x, disc.y);
        if let Some(letter) = disc.letter {
            let seat = u32::try_from(disc.seat).ok();
            canvas[row][column] = letter;
            canvas[row][column + 1] = seat.and_then(|s| char::from_digit(s, 10)).unwrap_or('?');
        } else {
            let seat = u8::try_from(disc.seat).expect("seats are few");
            canvas[row][column] = char::from(b'A' + seat);
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
