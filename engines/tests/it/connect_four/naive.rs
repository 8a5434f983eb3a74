//! A second implementation of Connect Four, as simple as possible and without a line of the crate.
//! It walks a grid of characters cell by cell.

use serde_json::{Value, json};

#[derive(Clone, Debug)]
pub(crate) struct Naive {
    /// `grid[row][column]`, the top row first.
    pub(crate) grid: Vec<Vec<char>>,
    pub(crate) turn: char,
    last: Vec<(char, i64)>,
    /// The seat that forfeited, and the reason in words.
    forfeited: Option<(char, String)>,
}

impl Naive {
    /// Sets up columns in the JSON form.
    pub(crate) fn new(columns: &[String]) -> Self {
        let height = columns[0].len();
        let row = |up: usize| {
            columns
                .iter()
                .map(move |c| c.chars().nth(up).expect("a cell"))
        };
        let grid: Vec<Vec<char>> = (0..height).rev().map(|up| row(up).collect()).collect();
        let count = |disc| grid.iter().flatten().filter(|&&cell| cell == disc).count();
        let turn = if count('R') == count('Y') { 'R' } else { 'Y' };
        Self {
            grid,
            turn,
            last: Vec::new(),
            forfeited: None,
        }
    }

    pub(crate) fn height(&self) -> usize {
        self.grid.len()
    }

    pub(crate) fn width(&self) -> usize {
        self.grid[0].len()
    }

    /// Returns the columns in the JSON form.
    pub(crate) fn columns(&self) -> Vec<String> {
        let column = |x: usize| self.grid.iter().rev().map(|row| row[x]).collect();
        (0..self.width()).map(column).collect()
    }

    /// Returns the rule that a move breaks.
    pub(crate) fn fault(&self, column: i64) -> Option<&'static str> {
        if column < 0 || column >= i64::try_from(self.width()).expect("small") {
            return Some("outside");
        }
        let column = usize::try_from(column).expect("not negative");
        (self.grid[0][column] != '.').then_some("full-column")
    }

    pub(crate) fn legal(&self) -> Vec<i64> {
        (-3..30)
            .filter(|&column| self.fault(column).is_none())
            .collect()
    }

    pub(crate) fn play(&mut self, column: i64) {
        let x = usize::try_from(column).expect("legal");
        let mut y = 0;
        while y + 1 < self.height() && self.grid[y + 1][x] == '.' {
            y += 1;
        }
        self.grid[y][x] = self.turn;
        self.last.push((self.turn, column));
        self.turn = other(self.turn);
    }

    pub(crate) fn forfeit(&mut self, words: &str) {
        let loser = self.turn;
        self.forfeited = Some((loser, format!("{}{words}", name(loser))));
    }

    /// Lists all fours of a colour, each by its direction.
    pub(crate) fn fours(&self, disc: char) -> Vec<(i32, i32)> {
        let at = |x: i32, y: i32| {
            let row = usize::try_from(y).ok().and_then(|y| self.grid.get(y));
            row.and_then(|row| usize::try_from(x).ok().and_then(|x| row.get(x)))
        };
        let mut found = Vec::new();
        for y in 0..i32::try_from(self.height()).expect("small") {
            for x in 0..i32::try_from(self.width()).expect("small") {
                for (right, down) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
                    if (0..4).all(|step| at(x + right * step, y + down * step) == Some(&disc)) {
                        found.push((right, down));
                    }
                }
            }
        }
        found
    }

    fn winner(&self) -> Option<char> {
        ['R', 'Y']
            .into_iter()
            .find(|&disc| !self.fours(disc).is_empty())
    }

    pub(crate) fn is_full(&self) -> bool {
        self.grid.iter().flatten().all(|&cell| cell != '.')
    }

    pub(crate) fn is_over(&self) -> bool {
        self.forfeited.is_some() || self.winner().is_some() || self.is_full()
    }

    /// Returns the outcome in the journal's form, or null.
    pub(crate) fn outcome(&self) -> Value {
        if !self.is_over() {
            return Value::Null;
        }
        let (winner, reason) = match (&self.forfeited, self.winner()) {
            (Some((loser, words)), _) => (Some(other(*loser)), words.clone()),
            (None, Some(disc)) => (Some(disc), format!("{} has four in a row", name(disc))),
            (None, None) => (None, "the board is full".to_owned()),
        };
        let seat = |disc: char| {
            let (result, placement, points) = match winner {
                None => ("drawn", 1, 0),
                Some(winner) if winner == disc => ("won", 1, 1),
                Some(_) => ("lost", 2, -1),
            };
            json!({ "result": result, "placement": placement, "points": points, "tie_break": 0 })
        };
        json!({ "seats": [seat('R'), seat('Y')], "reason": reason })
    }

    /// Returns the view of a colour's player.
    pub(crate) fn view(&self, disc: char) -> Value {
        let of_other = self.last.iter().rev().find(|(by, _)| *by != disc);
        let last = of_other.map(|(_, column)| column);
        json!({ "board": self.columns(), "you": name(disc), "last": last })
    }
}

fn other(disc: char) -> char {
    if disc == 'R' { 'Y' } else { 'R' }
}

fn name(disc: char) -> &'static str {
    if disc == 'R' { "red" } else { "yellow" }
}
