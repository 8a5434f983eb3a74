//! A second, slow implementation of Catch the Cat. Cells touch if they touch in the course text's
//! picture, and every position is searched anew. It shares no code with the crate.

use crate::support::compare;

/// A cell as (x, y).
pub(crate) type Cell = (i64, i64);

#[derive(Clone, Debug)]
pub(crate) struct Naive {
    pub(crate) side: i64,
    /// Row by row.
    blocked: Vec<bool>,
    pub(crate) cat: Cell,
    pub(crate) cats_turn: bool,
    pub(crate) cat_moves: i64,
    pub(crate) catcher_moves: i64,
}

const CAT: usize = 0;
const CATCHER: usize = 1;

/// Returns where the middle of a cell is drawn, in units of half a cell's width. Rows of odd y are
/// half a cell to the right.
fn drawn_at((x, y): Cell) -> (i64, i64) {
    let shift = i64::from(y % 2 != 0);
    (2 * x + shift, y)
}

/// Returns whether two cells share an edge: side by side in a row, or half a cell apart in
/// neighbouring rows.
pub(crate) fn touch(a: Cell, b: Cell) -> bool {
    let (a, b) = (drawn_at(a), drawn_at(b));
    let aside = (a.0 - b.0).abs();
    match (a.1 - b.1).abs() {
        0 => aside == 2,
        1 => aside == 1,
        _ => false,
    }
}

impl Naive {
    pub(crate) fn new(side: i64, cat: Cell, cats_turn: bool) -> Self {
        let cells = usize::try_from(side * side).expect("a number of cells");
        Self {
            side,
            blocked: vec![false; cells],
            cat,
            cats_turn,
            cat_moves: 0,
            catcher_moves: 0,
        }
    }

    fn index(&self, (x, y): Cell) -> usize {
        let reach = self.side / 2;
        usize::try_from((y + reach) * self.side + x + reach).expect("on the board")
    }

    pub(crate) fn block(&mut self, cell: Cell) {
        let index = self.index(cell);
        self.blocked[index] = true;
    }

    fn is_blocked(&self, cell: Cell) -> bool {
        self.blocked[self.index(cell)]
    }

    pub(crate) fn cells(&self) -> Vec<Cell> {
        let reach = self.side / 2;
        let mut cells = Vec::new();
        for y in -reach..=reach {
            for x in -reach..=reach {
                cells.push((x, y));
            }
        }
        cells
    }

    fn inside(&self, (x, y): Cell) -> bool {
        let reach = self.side / 2;
        (-reach..=reach).contains(&x) && (-reach..=reach).contains(&y)
    }

    fn on_border(&self, (x, y): Cell) -> bool {
        let reach = self.side / 2;
        x == -reach || x == reach || y == -reach || y == reach
    }

    pub(crate) fn neighbours(&self, cell: Cell) -> Vec<Cell> {
        let mut found = Vec::new();
        for y in cell.1 - 1..=cell.1 + 1 {
            for x in cell.0 - 1..=cell.0 + 1 {
                if touch(cell, (x, y)) && self.inside((x, y)) {
                    found.push((x, y));
                }
            }
        }
        found
    }

    pub(crate) fn escaped(&self) -> bool {
        self.on_border(self.cat)
    }

    pub(crate) fn trapped(&self) -> bool {
        let around = self.neighbours(self.cat);
        around.iter().all(|&cell| self.is_blocked(cell))
    }

    /// Counts the cells that the cat can reach, including its own. Returns none if a border cell is
    /// among them.
    pub(crate) fn sealed_in(&self) -> Option<usize> {
        let mut rest = self.clone();
        rest.block(self.cat);
        let mut new = vec![self.cat];
        let mut reached = 0;
        while let Some(cell) = new.pop() {
            if self.on_border(cell) {
                return None;
            }
            reached += 1;
            for next in self.neighbours(cell) {
                if !rest.is_blocked(next) {
                    rest.block(next);
                    new.push(next);
                }
            }
        }
        Some(reached)
    }

    /// Writes the fields that a setup and a view have in common.
    fn board(&self) -> String {
        let (side, (x, y), cells) = (self.side, self.cat, self.blocked.iter());
        let world: String = cells
            .map(|&blocked| ['0', '1'][usize::from(blocked)])
            .collect();
        format!(r#""side":{side},"cat":[{x},{y}],"world":"{world}""#)
    }
}

impl compare::Naive for Naive {
    type Move = Cell;

    const TIME: &'static str = " gave no move in time";

    fn setup(&self) -> String {
        format!(r#"{{{},"to_move":{}}}"#, self.board(), self.turn())
    }

    fn turn(&self) -> usize {
        if self.cats_turn { CAT } else { CATCHER }
    }

    /// The cat's ways in its own row come first.
    fn moves(&self) -> Vec<Cell> {
        if !self.cats_turn {
            return self.cells();
        }
        let mut cells = self.neighbours(self.cat);
        cells.sort_by_key(|cell| cell.1 != self.cat.1);
        cells
    }

    fn fault(&self, to: Cell) -> Option<&'static str> {
        if self.cats_turn {
            return match () {
                () if to == self.cat => Some("cat-stays"),
                () if !touch(self.cat, to) || !self.inside(to) => Some("not-a-neighbour"),
                () if self.is_blocked(to) => Some("blocked-cell"),
                () => None,
            };
        }
        match () {
            () if !self.inside(to) => Some("outside"),
            () if to == self.cat => Some("cat-cell"),
            () if self.is_blocked(to) => Some("blocked-cell"),
            () => None,
        }
    }

    fn play(&mut self, to: Cell) {
        if self.cats_turn {
            self.cat = to;
            self.cat_moves += 1;
        } else {
            self.block(to);
            self.catcher_moves += 1;
        }
        self.cats_turn = !self.cats_turn;
    }

    fn is_over(&self) -> bool {
        self.escaped() || self.trapped()
    }

    fn outcome(&self, forfeited: Option<compare::Forfeited>) -> String {
        let (winner, reason) = match forfeited {
            Some((loser, words)) => (
                1 - loser,
                ["the cat", "the catcher"][loser].to_owned() + words,
            ),
            None if self.escaped() => (CAT, "the cat reached the border".to_owned()),
            None => (CATCHER, "the cat is trapped".to_owned()),
        };
        let base = self.side * self.side / 2;
        let won = |moves| ("won", base - moves);
        let lost = |moves| ("lost", moves);
        let seats = if winner == CAT {
            [won(self.cat_moves), lost(self.catcher_moves)]
        } else {
            [lost(self.cat_moves), won(self.catcher_moves)]
        };
        compare::outcome(seats, &reason)
    }

    fn view(&self, _seat: usize) -> String {
        format!("{{{}}}", self.board())
    }
}
