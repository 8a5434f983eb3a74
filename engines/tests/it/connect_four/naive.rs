//! A second implementation of Connect Four, as simple as possible and without a line of the crate.
//! It walks a grid of characters cell by cell.

use crate::support::compare;

#[derive(Clone, Debug)]
pub(crate) struct Naive {
    /// `grid[row][column]`, the top row first.
    pub(crate) grid: Vec<Vec<char>>,
    pub(crate) turn: char,
    last: [Option<i64>; 2],
    winner: Option<usize>,
}

const DISCS: [char; 2] = ['R', 'Y'];

const NAMES: [&str; 2] = ["red", "yellow"];

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
        let mut new = Self {
            grid,
            turn,
            last: [None; 2],
            winner: None,
        };
        new.find_winner();
        new
    }

    pub(crate) fn height(&self) -> usize {
        self.grid.len()
    }

    pub(crate) fn width(&self) -> usize {
        self.grid[0].len()
    }

    fn board(&self) -> String {
        let column = |x: usize| self.grid.iter().rev().map(|row| row[x]).collect();
        let columns: Vec<String> = (0..self.width()).map(column).collect();
        format!(r#"["{}"]"#, columns.join(r#"",""#))
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
                if at(x, y) != Some(&disc) {
                    continue;
                }
                for (right, down) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
                    if (1..4).all(|step| at(x + right * step, y + down * step) == Some(&disc)) {
                        found.push((right, down));
                    }
                }
            }
        }
        found
    }

    /// Looks at the whole board once a position.
    fn find_winner(&mut self) {
        self.winner = (0..2).find(|&seat| !self.fours(DISCS[seat]).is_empty());
    }

    pub(crate) fn is_full(&self) -> bool {
        self.grid.iter().flatten().all(|&cell| cell != '.')
    }
}

impl compare::Naive for Naive {
    type Move = i64;

    fn setup(&self) -> String {
        format!(r#"{{"board":{}}}"#, self.board())
    }

    fn may_start(&self) -> bool {
        !self.is_over()
    }

    fn turn(&self) -> usize {
        usize::from(self.turn == 'Y')
    }

    fn moves(&self) -> Vec<i64> {
        (-3..30).collect()
    }

    fn fault(&self, column: i64) -> Option<&'static str> {
        if column < 0 || column >= i64::try_from(self.width()).expect("small") {
            return Some("outside");
        }
        let column = usize::try_from(column).expect("not negative");
        (self.grid[0][column] != '.').then_some("full-column")
    }

    fn play(&mut self, column: i64) {
        let x = usize::try_from(column).expect("legal");
        let mut y = 0;
        while y + 1 < self.height() && self.grid[y + 1][x] == '.' {
            y += 1;
        }
        self.grid[y][x] = self.turn;
        let seat = self.turn();
        self.last[seat] = Some(column);
        self.turn = DISCS[1 - seat];
        self.find_winner();
    }

    fn is_over(&self) -> bool {
        self.winner.is_some() || self.is_full()
    }

    fn outcome(&self, forfeited: Option<compare::Forfeited>) -> String {
        let (winner, reason) = match (forfeited, self.winner) {
            (Some((loser, words)), _) => (Some(1 - loser), format!("{}{words}", NAMES[loser])),
            (None, Some(seat)) => (Some(seat), format!("{} has four in a row", NAMES[seat])),
            (None, None) => (None, "the board is full".to_owned()),
        };
        let seats = [0, 1].map(|seat| match winner {
            None => ("drawn", 0),
            Some(winner) if winner == seat => ("won", 1),
            Some(_) => ("lost", -1),
        });
        compare::outcome(seats, &reason)
    }

    fn view(&self, seat: usize) -> String {
        let last = self.last[1 - seat].map_or("null".to_owned(), |column| column.to_string());
        let (board, you) = (self.board(), NAMES[seat]);
        format!(r#"{{"board":{board},"you":"{you}","last":{last}}}"#)
    }
}
