//! A second, slow implementation of Reversi, straight from the rules page. It walks rows and
//! columns one field at a time and shares no code with the crate.

use serde_json::{Value, json};

/// The directions as (rows, columns), clockwise from up.
pub(crate) const DIRECTIONS: [(i64, i64); 8] = [
    (-1, 0),
    (-1, 1),
    (0, 1),
    (1, 1),
    (1, 0),
    (1, -1),
    (0, -1),
    (-1, -1),
];

/// A move. A field may be any number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NaiveMove {
    Pass,
    Field(i64),
}

/// A game. Colours are the characters 'B' and 'W'.
#[derive(Clone, Debug)]
pub(crate) struct Naive {
    rows: Vec<Vec<char>>,
    pub(crate) turn: char,
    last_of_black: Option<NaiveMove>,
    last_of_white: Option<NaiveMove>,
    /// The colour that gave no legal move, and the reason in words.
    forfeited: Option<(char, String)>,
}

fn opponent(colour: char) -> char {
    if colour == 'B' { 'W' } else { 'B' }
}

fn name(colour: char) -> &'static str {
    if colour == 'B' { "black" } else { "white" }
}

impl Naive {
    pub(crate) fn new(board: &str, turn: char) -> Self {
        let fields: Vec<char> = board.chars().collect();
        assert_eq!(fields.len(), 64);
        Self {
            rows: fields.chunks(8).map(<[char]>::to_vec).collect(),
            turn,
            last_of_black: None,
            last_of_white: None,
            forfeited: None,
        }
    }

    pub(crate) fn board(&self) -> String {
        self.rows.iter().flatten().collect()
    }

    fn at(&self, row: i64, column: i64) -> Option<char> {
        let row = self.rows.get(usize::try_from(row).ok()?)?;
        row.get(usize::try_from(column).ok()?).copied()
    }

    /// Returns the fields between this one and the next of `colour` in one direction. The list is
    /// empty unless that one exists and everything between is the opponent's.
    fn line(&self, colour: char, field: i64, (down, right): (i64, i64)) -> Vec<(i64, i64)> {
        let mut between = Vec::new();
        let (mut row, mut column) = (field / 8 + down, field % 8 + right);
        while self.at(row, column) == Some(opponent(colour)) {
            between.push((row, column));
            row += down;
            column += right;
        }
        if self.at(row, column) == Some(colour) {
            between
        } else {
            Vec::new()
        }
    }

    /// Returns the discs that change colour, direction by direction (in the order of
    /// [`DIRECTIONS`]).
    pub(crate) fn lines(&self, colour: char, field: i64) -> Vec<Vec<(i64, i64)>> {
        let lines = DIRECTIONS.iter();
        lines.map(|&step| self.line(colour, field, step)).collect()
    }

    fn is_valid(&self, colour: char, field: i64) -> bool {
        let flips = |&step: &_| !self.line(colour, field, step).is_empty();
        self.at(field / 8, field % 8) == Some('.') && DIRECTIONS.iter().any(flips)
    }

    fn is_stuck(&self, colour: char) -> bool {
        (0..64).all(|field| !self.is_valid(colour, field))
    }

    /// Returns the legal moves of the player to move.
    pub(crate) fn legal(&self) -> Vec<NaiveMove> {
        if self.is_stuck(self.turn) {
            return vec![NaiveMove::Pass];
        }
        let valid = (0..64).filter(|&field| self.is_valid(self.turn, field));
        valid.map(NaiveMove::Field).collect()
    }

    /// Returns the name of the rule that a move breaks.
    pub(crate) fn fault(&self, mv: NaiveMove) -> Option<&'static str> {
        let stuck = self.is_stuck(self.turn);
        match mv {
            NaiveMove::Pass if stuck => None,
            NaiveMove::Pass => Some("may-not-pass"),
            NaiveMove::Field(field) if !(0..=63).contains(&field) => Some("outside"),
            NaiveMove::Field(_) if stuck => Some("must-pass"),
            NaiveMove::Field(field) if self.at(field / 8, field % 8) != Some('.') => {
                Some("occupied")
            }
            NaiveMove::Field(field) if !self.is_valid(self.turn, field) => Some("flips-nothing"),
            NaiveMove::Field(_) => None,
        }
    }

    pub(crate) fn play(&mut self, mv: NaiveMove) {
        let colour = self.turn;
        if let NaiveMove::Field(field) = mv {
            let mut marked = self.lines(colour, field).concat();
            marked.push((field / 8, field % 8));
            for (row, column) in marked {
                self.rows[usize::try_from(row).expect("on the board")]
                    [usize::try_from(column).expect("on the board")] = colour;
            }
        }
        if colour == 'B' {
            self.last_of_black = Some(mv);
        } else {
            self.last_of_white = Some(mv);
        }
        self.turn = opponent(colour);
    }

    pub(crate) fn forfeit(&mut self, what: &str) {
        let words = format!("{}{what}", name(self.turn));
        self.forfeited = Some((self.turn, words));
    }

    pub(crate) fn is_over(&self) -> bool {
        self.forfeited.is_some() || self.is_stuck('B') && self.is_stuck('W')
    }

    pub(crate) fn count(&self, what: char) -> i64 {
        let found = self.rows.iter().flatten().filter(|&&c| c == what);
        i64::try_from(found.count()).expect("at most 64")
    }

    /// Returns the points of black and of white.
    fn points(&self) -> (i64, i64) {
        match self.forfeited {
            Some(('B', _)) => return (-64, 64),
            Some(_) => return (64, -64),
            None => {}
        }
        let (mut black, mut white) = (self.count('B'), self.count('W'));
        if black > white {
            black += self.count('.');
        } else if white > black {
            white += self.count('.');
        }
        (black - white, white - black)
    }

    fn reason(&self) -> String {
        if let Some((_, words)) = &self.forfeited {
            return words.clone();
        }
        let (black, white) = (self.count('B'), self.count('W'));
        if black == 0 && white > 0 {
            "black has no disc left".to_owned()
        } else if white == 0 && black > 0 {
            "white has no disc left".to_owned()
        } else if self.count('.') == 0 {
            "the board is full".to_owned()
        } else {
            "neither side can move".to_owned()
        }
    }

    /// Returns the outcome in the journal's form, or null.
    pub(crate) fn outcome(&self) -> Value {
        if !self.is_over() {
            return Value::Null;
        }
        let (black, white) = self.points();
        let seat = |own: i64, other: i64| {
            let result = match own - other {
                0 => "drawn",
                1.. => "won",
                _ => "lost",
            };
            let placement = if own < other { 2 } else { 1 };
            json!({ "result": result, "placement": placement, "points": own, "tie_break": 0 })
        };
        json!({ "seats": [seat(black, white), seat(white, black)], "reason": self.reason() })
    }

    /// Returns the view of a colour's player.
    pub(crate) fn view(&self, colour: char) -> Value {
        let last = if colour == 'B' {
            self.last_of_white
        } else {
            self.last_of_black
        };
        let last = match last {
            None => Value::Null,
            Some(NaiveMove::Pass) => json!("pass"),
            Some(NaiveMove::Field(field)) => json!(field),
        };
        json!({ "board": self.board(), "you": name(colour), "last": last })
    }
}
