//! A second, slow implementation of Catch the Cat. Cells touch if they touch in the course text's
//! picture, and every position is searched anew. It shares no code with the crate.

use crate::support::compare;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A cell as (x, y).
pub(crate) type Cell = (i64, i64);

#[derive(Clone, Debug)]
pub(crate) struct Naive {
    pub(crate) side: i64,
    rows: Vec<Vec<bool>>,
    pub(crate) cat: Cell,
    pub(crate) cats_turn: bool,
    pub(crate) cat_moves: i64,
    pub(crate) catcher_moves: i64,
    /// The first seat that gave no legal move, and what it did.
    forfeited: Option<(usize, &'static str)>,
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
        let length = usize::try_from(side).expect("a length");
        Self {
            side,
            rows: vec![vec![false; length]; length],
            cat,
            cats_turn,
            cat_moves: 0,
            catcher_moves: 0,
            forfeited: None,
        }
    }

    /// Returns the row and the column of a cell of the board, from 0.
    fn place(&self, (x, y): Cell) -> (usize, usize) {
        let from_0 = |n: i64| usize::try_from(n + self.side / 2).expect("on the board");
        (from_0(y), from_0(x))
    }

    pub(crate) fn block(&mut self, cell: Cell) {
        let (row, column) = self.place(cell);
        self.rows[row][column] = true;
    }

    fn is_blocked(&self, cell: Cell) -> bool {
        let (row, column) = self.place(cell);
        self.rows[row][column]
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
        let mut reached = BTreeSet::from([self.cat]);
        let mut new = vec![self.cat];
        while let Some(cell) = new.pop() {
            if self.on_border(cell) {
                return None;
            }
            for next in self.neighbours(cell) {
                if !self.is_blocked(next) && reached.insert(next) {
                    new.push(next);
                }
            }
        }
        Some(reached.len())
    }

    fn winner(&self) -> Option<(usize, String)> {
        if let Some((loser, words)) = self.forfeited {
            let name = ["the cat", "the catcher"][loser];
            return Some((1 - loser, format!("{name}{words}")));
        }
        if self.escaped() {
            return Some((CAT, "the cat reached the border".to_owned()));
        }
        if self.trapped() {
            return Some((CATCHER, "the cat is trapped".to_owned()));
        }
        None
    }

    fn world(&self) -> String {
        let cells = self.cells().into_iter();
        let digit = |cell| {
            if self.is_blocked(cell) { '1' } else { '0' }
        };
        cells.map(digit).collect()
    }

    /// Returns the view in the order and spelling of the protocol.
    pub(crate) fn written(&self) -> String {
        let (x, y) = self.cat;
        let (side, world) = (self.side, self.world());
        format!(r#"{{"side":{side},"cat":[{x},{y}],"world":"{world}"}}"#)
    }
}

impl compare::Naive for Naive {
    type Move = Cell;

    const TIME: &'static str = " gave no move in time";

    fn setup(&self) -> Value {
        json!({
            "side": self.side,
            "world": self.world(),
            "cat": [self.cat.0, self.cat.1],
            "to_move": self.turn(),
        })
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
                () if !self.neighbours(self.cat).contains(&to) => Some("not-a-neighbour"),
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

    fn forfeit(&mut self, seat: usize, words: &'static str) {
        if !self.is_over() {
            self.forfeited = Some((seat, words));
        }
    }

    fn is_over(&self) -> bool {
        self.winner().is_some()
    }

    fn outcome(&self) -> Value {
        let Some((winner, reason)) = self.winner() else {
            return Value::Null;
        };
        let base = self.side * self.side / 2;
        let won = |moves| compare::seat_outcome("won", base - moves);
        let lost = |moves| compare::seat_outcome("lost", moves);
        let seats = if winner == CAT {
            [won(self.cat_moves), lost(self.catcher_moves)]
        } else {
            [lost(self.cat_moves), won(self.catcher_moves)]
        };
        json!({ "seats": seats, "reason": reason })
    }

    fn view(&self, _seat: usize) -> Value {
        serde_json::from_str(&self.written()).expect("JSON")
    }
}
