use crate::prelude::*;
use crate::{Disc, Frame, Grid, Notation};

/// A character of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glyph {
    /// The character.
    pub symbol: char,
    /// Its meaning.
    pub ink: Ink,
    /// Whether the last turn added it.
    pub fresh: bool,
}

/// The meaning of a character of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Nothing.
    Blank,
    /// The name of a column or a row.
    Label,
    /// A free cell.
    Floor,
    /// A free cell that is the goal of a seat (its number) or of everybody (none).
    Goal(Option<usize>),
    /// A blocked cell.
    Blocked,
    /// A high cell.
    High,
    /// A wall between cells.
    Wall,
    /// A piece of this seat.
    Seat(usize),
}

const PIECES: [char; 4] = ['●', '○', '◆', '◇'];

const GOALS: [char; 4] = ['₀', '₁', '₂', '₃'];

/// Returns the sign for a seat's piece in a drawing.
pub fn piece(seat: usize) -> char {
    PIECES[seat % PIECES.len()]
}

/// Draws a position with labels in the margins, in lines of the same length. `before` is the
/// position one turn earlier. A piece is a round sign, or its letter, the number of its seat, and
/// an arrow in its direction. In wide cells, brackets mark a piece that the last turn added.
pub fn drawing(frame: &Frame, before: Option<&Frame>, notation: &Notation) -> Vec<Vec<Glyph>> {
    let mut canvas = Canvas::new(frame, notation);
    canvas.margins((frame.width, frame.height), notation);
    for (index, cell) in frame.cells.chars().enumerate() {
        let (x, y) = (index % frame.width, index / frame.width);
        let fresh = before.is_some_and(|old| old.cells.chars().nth(index) != Some(cell));
        canvas.floor(x, y, cell, fresh);
    }
    for wall in &frame.walls {
        let fresh = before.is_some_and(|old| !old.walls.contains(wall));
        canvas.wall(wall.x, wall.y, wall.horizontal, fresh);
    }
    for disc in &frame.discs {
        let fresh = before.is_some_and(|old| has_come(disc, old));
        canvas.disc(disc, fresh);
    }
    canvas.lines
}

/// Draws a position as plain text, below the facts next to the board.
pub fn picture(frame: &Frame, notation: &Notation) -> String {
    let mut text = frame.notes.join("; ") + "\n";
    for line in drawing(frame, None, notation) {
        let line: String = line.iter().map(|glyph| glyph.symbol).collect();
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// A piece without a letter that changed its seat was turned over, and is not new.
fn has_come(disc: &Disc, before: &Frame) -> bool {
    let mut there = before
        .discs
        .iter()
        .filter(|old| (old.x, old.y) == (disc.x, disc.y));
    match disc.letter {
        None => there.next().is_none(),
        Some(_) => there.all(|old| (old.seat, old.letter) != (disc.seat, disc.letter)),
    }
}

fn cell_size(frame: &Frame, notation: &Notation) -> (usize, usize) {
    let (width, height) = notation.cell;
    let has_letters = frame.discs.iter().any(|disc| disc.letter.is_some());
    let (least_width, least_height) = match (has_letters, frame.walls.is_empty()) {
        (_, false) => (4, 2),
        (true, true) => (3, 1),
        (false, true) => (1, 1),
    };
    (width.max(least_width), height.max(least_height))
}

struct Canvas {
    lines: Vec<Vec<Glyph>>,
    cell: (usize, usize),
    /// In columns.
    margin: usize,
    /// Of odd rows.
    shift: usize,
}

const BLANK: Glyph = Glyph {
    symbol: ' ',
    ink: Ink::Blank,
    fresh: false,
};

impl Canvas {
    fn new(frame: &Frame, notation: &Notation) -> Self {
        let (width, height) = cell_size(frame, notation);
        let margin = (0..frame.height)
            .map(|row| notation.rows.of(row, frame.height).len())
            .max()
            .unwrap_or(0)
            + 1;
        let shift = match frame.grid {
            Grid::Square => 0,
            Grid::Hex => width / 2,
        };
        let columns = margin + frame.width * width + shift;
        // The last row has no wall line below it.
        let lines = 1 + (frame.height * height).saturating_sub(height - 1);
        Self {
            lines: vec![vec![BLANK; columns]; lines],
            cell: (width, height),
            margin,
            shift,
        }
    }

    fn place(&self, x: usize, y: usize) -> (usize, usize) {
        let (width, height) = self.cell;
        let shift = y % 2 * self.shift;
        (self.margin + x * width + shift, 1 + y * height)
    }

    /// Counted within the cell.
    fn middle(&self) -> usize {
        (self.cell.0 - 1) / 2
    }

    fn put(&mut self, column: usize, line: usize, symbol: char, ink: Ink, fresh: bool) {
        let glyph = self.lines.get_mut(line).and_then(|l| l.get_mut(column));
        if let Some(glyph) = glyph {
            *glyph = Glyph { symbol, ink, fresh };
        }
    }

    fn write(&mut self, column: usize, line: usize, text: &str) {
        for (offset, symbol) in text.chars().enumerate() {
            self.put(column + offset, line, symbol, Ink::Label, false);
        }
    }

    fn margins(&mut self, (width, height): (usize, usize), notation: &Notation) {
        for y in 0..height {
            let name = notation.rows.of(y, height);
            let line = self.place(0, y).1;
            self.write(self.margin - 1 - name.len(), line, &name);
        }
        let names: Vec<String> = (0..width).map(|x| notation.columns.of(x, width)).collect();
        let longest = names.iter().map(String::len).max().unwrap_or(0);
        // If the names are too long, only every second or third column has one, and the middle one
        // does.
        let every = (longest + 1).div_ceil(self.cell.0);
        for (x, name) in names.iter().enumerate() {
            if x % every == width / 2 % every {
                let column = self.margin + x * self.cell.0 + self.middle();
                let ahead = name.len().saturating_sub(1) / 2;
                self.write(column.saturating_sub(ahead), 0, name);
            }
        }
    }

    fn floor(&mut self, x: usize, y: usize, cell: char, fresh: bool) {
        let (column, line) = self.place(x, y);
        let goal = cell.to_digit(10).map(|seat| seat as usize);
        let (symbol, ink) = match (cell, goal) {
            ('#', _) => {
                for column in column..column + self.cell.0 {
                    self.put(column, line, '█', Ink::Blocked, fresh);
                }
                return;
            }
            (' ', _) => return,
            ('^', _) => ('▲', Ink::High),
            ('*', _) => ('∘', Ink::Goal(None)),
            (_, Some(seat)) => (GOALS[seat % GOALS.len()], Ink::Goal(goal)),
            _ => ('·', Ink::Floor),
        };
        self.put(column + self.middle(), line, symbol, ink, false);
    }

    /// Draws a wall on the last column or line of its cells, which is free in big enough ones.
    fn wall(&mut self, x: usize, y: usize, horizontal: bool, fresh: bool) {
        let (width, height) = self.cell;
        let (column, line) = self.place(x, y);
        if horizontal {
            for along in 0..2 * width - 1 {
                self.put(column + along, line + height - 1, '━', Ink::Wall, fresh);
            }
        } else {
            for along in 0..=height {
                self.put(column + width - 1, line + along, '┃', Ink::Wall, fresh);
            }
        }
    }

    fn disc(&mut self, disc: &Disc, fresh: bool) {
        let (column, line) = self.place(disc.x, disc.y);
        let (column, ink) = (column + self.middle(), Ink::Seat(disc.seat));
        let (symbol, around) = match disc.letter {
            Some(letter) => {
                let number = (u32::try_from(disc.seat).ok())
                    .and_then(|seat| char::from_digit(seat, 10))
                    .unwrap_or('?');
                (number, Some([letter, arrow(disc.facing)]))
            }
            None => (piece(disc.seat), fresh.then_some(['[', ']'])),
        };
        self.put(column, line, symbol, ink, fresh);
        if let Some([left, right]) = around.filter(|_| self.cell.0 > 2) {
            self.put(column - 1, line, left, ink, fresh);
            self.put(column + 1, line, right, ink, fresh);
        }
    }
}

fn arrow(facing: Option<(i8, i8)>) -> char {
    match facing {
        Some((0, -1)) => '↑',
        Some((0, 1)) => '↓',
        Some((-1, 0)) => '←',
        Some((1, 0)) => '→',
        _ => ' ',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EdgeWall, Labels};

    const WIDE: Notation = Notation {
        help: &[],
        columns: Labels::Letters,
        rows: Labels::FromOne,
        cell: (4, 2),
    };

    fn frame(grid: Grid, width: usize, cells: &str) -> Frame {
        Frame {
            notes: vec!["a note".to_owned(), "another".to_owned()],
            ..Frame::of_floor(grid, width, cells.len() / width, cells.to_owned())
        }
    }

    fn disc(x: usize, y: usize, seat: usize) -> Disc {
        Disc::plain((x, y), seat)
    }

    fn text(lines: &[Vec<Glyph>]) -> Vec<String> {
        let line = |line: &Vec<Glyph>| line.iter().map(|g| g.symbol).collect::<String>();
        lines
            .iter()
            .map(|l| line(l).trim_end().to_owned())
            .collect()
    }

    #[test]
    fn narrow_cells_widen_for_letters_or_walls() {
        let narrow = Notation {
            cell: (2, 1),
            ..WIDE
        };
        let mut board = frame(Grid::Square, 2, "....");
        board.discs = vec![Disc {
            letter: Some('K'),
            ..disc(1, 0, 0)
        }];
        assert_eq!(
            text(&drawing(&board, None, &narrow)),
            ["   a  b", "1  · K0", "2  ·  ·"]
        );
        board.walls = vec![EdgeWall {
            x: 0,
            y: 0,
            horizontal: true,
        }];
        assert_eq!(text(&drawing(&board, None, &narrow))[2], "  ━━━━━━━");
    }

    #[test]
    fn new_pieces_are_fresh_and_flipped_are_not() {
        let before = frame(Grid::Square, 3, "......");
        let mut before = Frame {
            discs: vec![disc(0, 0, 0), disc(1, 0, 1)],
            ..before
        };
        let mut after = before.clone();
        after.discs = vec![disc(0, 0, 0), disc(1, 0, 0), disc(2, 0, 0)];
        let lines = drawing(&after, Some(&before), &WIDE);
        assert_eq!(text(&lines)[1], "1  ●   ●  [●]");
        let fresh = lines.iter().flatten().filter(|glyph| glyph.fresh);
        assert_eq!(fresh.count(), 3);
        // A piece with a letter that has taken another's place has come.
        let lettered = |seat| Disc {
            letter: Some('A'),
            ..disc(0, 0, seat)
        };
        before.discs = vec![lettered(1)];
        after.discs = vec![lettered(0)];
        assert!(has_come(&after.discs[0], &before));
        assert!(!has_come(&before.discs[0], &before));
    }
}
