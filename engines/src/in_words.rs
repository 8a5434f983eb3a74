//! A position in words, for people who do not see the board. The page's script writes the same.

use crate::prelude::*;
use crate::{Disc, EdgeWall, Frame, Grid, Notation};

const CELLS_MAX: usize = 80;

type Neighbour = (&'static str, i32, i32);

const SQUARE: [Neighbour; 4] = [
    ("north", 0, -1),
    ("east", 1, 0),
    ("south", 0, 1),
    ("west", -1, 0),
];

/// Describes pieces, blocked cells, walls and marks, or the part of them that one seat sees
/// ([`Frame::seen_by`]). `before` is the position one turn earlier.
pub fn in_words(
    frame: &Frame,
    before: Option<&Frame>,
    notation: &Notation,
    roles: &[&str],
) -> String {
    let board = Board { frame, notation };
    let mut said = board.pieces(roles);
    said.extend(board.blocked(before));
    said.extend(board.walls());
    said.extend(board.marks(roles));
    if said.is_empty() {
        return "no piece on the board.".to_string();
    }
    format!("{}.", said.join("; "))
}

struct Board<'a> {
    frame: &'a Frame,
    notation: &'a Notation,
}

impl Board<'_> {
    fn index(&self, disc: &Disc) -> usize {
        disc.y * self.frame.width + disc.x
    }

    fn name(&self, cell: usize) -> String {
        let (width, height) = (self.frame.width, self.frame.height);
        let column = self.notation.columns.of(cell % width, width);
        let row = self.notation.rows.of(cell / width, height);
        let is_letter = column.starts_with(|c: char| c.is_ascii_lowercase());
        let between = if is_letter { "" } else { "," };
        format!("{column}{between}{row}")
    }

    fn floor(&self, cell: usize) -> char {
        self.frame.cells.chars().nth(cell).unwrap_or(' ')
    }

    fn pieces(&self, roles: &[&str]) -> Vec<String> {
        let mut discs: Vec<&Disc> = self.frame.discs.iter().collect();
        discs.sort_by_key(|disc| self.index(disc));
        let of = |seat| discs.iter().filter(move |disc| disc.seat == seat);
        // Pieces that look alike are not followed one by one: their cells are enough.
        let are_alike = |seat| of(seat).filter(|disc| disc.letter.is_none()).count() > 1;
        if (0..roles.len()).any(are_alike) {
            let placed = |(seat, role)| {
                let cells: Vec<usize> = of(seat).map(|disc| self.index(disc)).collect();
                (!cells.is_empty()).then(|| format!("{role} on {}", self.cells(&cells)))
            };
            return roles.iter().enumerate().filter_map(placed).collect();
        }
        let mut said = Vec::new();
        for disc in discs {
            let role = roles.get(disc.seat).copied().unwrap_or_default();
            let cell = self.index(disc);
            let letter = disc.letter.map_or_else(String::new, |c| format!(" {c}"));
            said.push(format!("{role}{letter} on {}", self.name(cell)));
            if self.floor(cell) != ' ' {
                said.push(format!("free neighbours {}", self.free_around(disc)));
            }
        }
        said
    }

    fn free_around(&self, disc: &Disc) -> String {
        let names: Vec<&str> = self
            .around(disc.y)
            .into_iter()
            .filter(|(_, right, down)| {
                self.neighbour(disc, *right, *down).is_some_and(|(x, y)| {
                    let is_taken = self.frame.discs.iter().any(|one| (one.x, one.y) == (x, y));
                    let is_blocked = self.floor(y * self.frame.width + x) == '#';
                    !is_taken && !is_blocked && !self.is_walled(disc, *right, *down)
                })
            })
            .map(|(name, ..)| name)
            .collect();
        if names.is_empty() {
            return "none".to_string();
        }
        names.join(", ")
    }

    fn around(&self, row: usize) -> Vec<Neighbour> {
        if self.frame.grid == Grid::Square {
            return SQUARE.to_vec();
        }
        let right = i32::from(row % 2 == 1);
        Vec::from([
            ("west", -1, 0),
            ("east", 1, 0),
            ("north-west", right - 1, -1),
            ("north-east", right, -1),
            ("south-west", right - 1, 1),
            ("south-east", right, 1),
        ])
    }

    fn neighbour(&self, disc: &Disc, right: i32, down: i32) -> Option<(usize, usize)> {
        let x = disc.x.checked_add_signed(right as isize)?;
        let y = disc.y.checked_add_signed(down as isize)?;
        (x < self.frame.width && y < self.frame.height).then_some((x, y))
    }

    fn is_walled(&self, disc: &Disc, right: i32, down: i32) -> bool {
        // The upper or left one of the two cells names a wall.
        let x = disc.x.checked_add_signed(right.min(0) as isize);
        let y = disc.y.checked_add_signed(down.min(0) as isize);
        x.zip(y)
            .is_some_and(|cell| self.frame.is_walled(cell, down != 0))
    }

    fn blocked(&self, before: Option<&Frame>) -> Vec<String> {
        let is_blocked = |frame: &Frame, cell| frame.cells.chars().nth(cell) == Some('#');
        let all: Vec<usize> = (self.frame.cells.chars().enumerate())
            .filter_map(|(cell, floor)| (floor == '#').then_some(cell))
            .collect();
        let fresh: Vec<usize> = (all.iter().copied())
            .filter(|&cell| before.is_some_and(|old| !is_blocked(old, cell)))
            .collect();
        let mut said = Vec::new();
        if !fresh.is_empty() {
            said.push(format!("new: {} blocked", self.cells(&fresh)));
        }
        if !all.is_empty() {
            said.push(format!("blocked in all: {}", self.cells(&all)));
        }
        said
    }

    fn walls(&self) -> Option<String> {
        let mut walls: Vec<&EdgeWall> = self.frame.walls.iter().collect();
        walls.sort_by_key(|wall| wall.y * self.frame.width + wall.x);
        let name = |wall: &&EdgeWall| {
            let side = if wall.horizontal { "below" } else { "right of" };
            format!("{side} {}", self.name(wall.y * self.frame.width + wall.x))
        };
        let names: Vec<String> = walls.iter().map(name).collect();
        (!names.is_empty()).then(|| format!("walls {}", listed(&names)))
    }

    fn marks(&self, roles: &[&str]) -> Vec<String> {
        let mut marks: Vec<_> = self.frame.marks.iter().collect();
        marks.sort_by_key(|mark| (mark.seat.unwrap_or(usize::MAX), &mark.meaning));
        let named = |meaning: &str| {
            let numbered = roles.iter().enumerate();
            // The highest number first: "player 1" begins "player 10".
            numbered
                .rev()
                .fold(meaning.to_string(), |text, (seat, role)| {
                    text.replace(&format!("player {seat}"), role)
                })
        };
        marks
            .into_iter()
            .map(|mark| {
                let mut cells: Vec<usize> = mark
                    .cells
                    .iter()
                    .map(|(x, y)| y * self.frame.width + x)
                    .collect();
                cells.sort_unstable();
                format!("{}: {}", named(&mark.meaning), self.cells(&cells))
            })
            .collect()
    }

    fn cells(&self, cells: &[usize]) -> String {
        let names: Vec<String> = cells.iter().map(|&cell| self.name(cell)).collect();
        listed(&names)
    }
}

fn listed(names: &[String]) -> String {
    let shown = names[..names.len().min(CELLS_MAX)].join(" ");
    match names.len().saturating_sub(CELLS_MAX) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Labels, Mark};
    use alloc::vec;

    const NOTATION: Notation = Notation {
        columns: Labels::Letters,
        rows: Labels::FromOne,
        help: &[],
        cell: (1, 1),
    };

    fn disc(x: usize, y: usize, seat: usize, letter: Option<char>) -> Disc {
        Disc {
            letter,
            ..Disc::plain((x, y), seat)
        }
    }

    /// A board where seat 0 sees two cells.
    fn open(discs: Vec<Disc>) -> Frame {
        Frame {
            discs,
            visible: vec!["110000".to_string()],
            ..Frame::of_floor(Grid::Square, 3, 2, "......".to_string())
        }
    }

    #[test]
    fn pieces_list_free_neighbours_before_obstacles() {
        let board = open(vec![disc(1, 0, 1, Some('K')), disc(0, 0, 0, None)]);
        let wall = EdgeWall {
            x: 0,
            y: 0,
            horizontal: true,
        };
        let now = Frame {
            walls: vec![wall],
            cells: "..#...".to_string(),
            ..board.clone()
        };
        let before = Frame {
            walls: now.walls.clone(),
            ..board.clone()
        };
        assert_eq!(
            in_words(&now, Some(&before), &NOTATION, &["white", "black"]),
            "white on a1; free neighbours none; black K on b1; free neighbours none; \
             new: c1 blocked; blocked in all: c1; walls below a1."
        );
        let blocked = Frame {
            walls: Vec::new(),
            ..now
        };
        assert_eq!(
            in_words(&blocked.seen_by(0), None, &NOTATION, &["white", "black"]),
            "white on a1; free neighbours south; black K on b1; free neighbours east, south."
        );
    }

    #[test]
    fn identical_pieces_list_only_their_cells() {
        let cells = [(0, 0, 0), (2, 1, 0), (1, 1, 1)];
        let many = open(cells.map(|(x, y, seat)| disc(x, y, seat, None)).into());
        let said = in_words(&many, None, &NOTATION, &["red", "yellow"]);
        assert_eq!(said, "red on a1 c2; yellow on b2.");
    }

    #[test]
    fn marks_state_meaning_and_seat_names() {
        let mark = |meaning: &str, seat, cells| Mark {
            meaning: meaning.to_string(),
            seat,
            cells,
        };
        let marked = Frame {
            marks: vec![
                mark("closes next", None, vec![(2, 1), (0, 1)]),
                mark("player 1's way", Some(1), vec![(1, 0), (1, 1)]),
            ],
            ..open(Vec::new())
        };
        assert_eq!(
            in_words(&marked, None, &NOTATION, &["ann", "bob"]),
            "bob's way: b1 b2; closes next: a2 c2."
        );
        let seen = marked.seen_by(0);
        assert_eq!(
            seen.marks,
            [],
            "another seat's, and cells that it does not see"
        );
        let own = Frame {
            marks: vec![mark("player 0's way", Some(0), vec![(1, 0), (1, 1)])],
            ..marked
        };
        let seen = own.seen_by(0);
        assert_eq!(seen.marks, [mark("player 0's way", Some(0), vec![(1, 0)])]);
    }

    #[test]
    fn an_empty_board_is_reported_too() {
        let said = in_words(&open(Vec::new()), None, &NOTATION, &["white"]);
        assert_eq!(said, "no piece on the board.");
    }
}
