//! A second, slow implementation of Reversi, straight from the rules page. It walks rows and
//! columns one field at a time and shares no code with the crate.

use crate::support::compare;

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

/// A game. Colours are the characters 'B' and 'W', in the order of the seats.
#[derive(Clone, Debug)]
pub(crate) struct Naive {
    /// Row by row.
    board: Vec<char>,
    pub(crate) turn: char,
    last: [Option<NaiveMove>; 2],
    /// The colours without a valid field.
    stuck: Vec<char>,
}

fn opponent(colour: char) -> char {
    if colour == 'B' { 'W' } else { 'B' }
}

const NAMES: [&str; 2] = ["black", "white"];

impl Naive {
    pub(crate) fn new(board: &[char], turn: char) -> Self {
        let mut new = Self {
            board: board.to_vec(),
            turn,
            last: [None; 2],
            stuck: Vec::new(),
        };
        new.find_stuck();
        new
    }

    /// Looks at the whole board once a position, and not once a move.
    fn find_stuck(&mut self) {
        let has_no_field = |&colour: &char| (0..64).all(|field| !self.is_valid(colour, field));
        self.stuck = ['B', 'W'].into_iter().filter(has_no_field).collect();
    }

    fn index(row: i64, column: i64) -> Option<usize> {
        let inside = (0..8).contains(&row) && (0..8).contains(&column);
        inside.then(|| usize::try_from(row * 8 + column).expect("not negative"))
    }

    fn at(&self, row: i64, column: i64) -> Option<char> {
        Self::index(row, column).map(|index| self.board[index])
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

    pub(crate) fn lines(&self, colour: char, field: i64) -> Vec<Vec<(i64, i64)>> {
        let lines = DIRECTIONS.iter();
        lines.map(|&step| self.line(colour, field, step)).collect()
    }

    fn is_valid(&self, colour: char, field: i64) -> bool {
        let flips = |&step: &_| !self.line(colour, field, step).is_empty();
        self.at(field / 8, field % 8) == Some('.') && DIRECTIONS.iter().any(flips)
    }

    fn is_stuck(&self, colour: char) -> bool {
        self.stuck.contains(&colour)
    }

    pub(crate) fn count(&self, what: char) -> i64 {
        let found = self.board.iter().filter(|&&c| c == what);
        i64::try_from(found.count()).expect("at most 64")
    }

    fn points(&self) -> [i64; 2] {
        let (mut black, mut white) = (self.count('B'), self.count('W'));
        if black > white {
            black += self.count('.');
        } else if white > black {
            white += self.count('.');
        }
        [black - white, white - black]
    }

    fn reason(&self) -> &'static str {
        let (black, white) = (self.count('B'), self.count('W'));
        if black == 0 && white > 0 {
            "black has no disc left"
        } else if white == 0 && black > 0 {
            "white has no disc left"
        } else if self.count('.') == 0 {
            "the board is full"
        } else {
            "neither side can move"
        }
    }
}

impl compare::Naive for Naive {
    type Move = NaiveMove;

    fn setup(&self) -> String {
        let board: String = self.board.iter().collect();
        format!(
            r#"{{"board":"{board}","to_move":"{}"}}"#,
            NAMES[self.turn()]
        )
    }

    fn turn(&self) -> usize {
        usize::from(self.turn == 'W')
    }

    fn moves(&self) -> Vec<NaiveMove> {
        let fields = (0..64).map(NaiveMove::Field);
        fields.chain([NaiveMove::Pass]).collect()
    }

    fn fault(&self, mv: NaiveMove) -> Option<&'static str> {
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

    fn play(&mut self, mv: NaiveMove) {
        let colour = self.turn;
        if let NaiveMove::Field(field) = mv {
            let mut marked = self.lines(colour, field).concat();
            marked.push((field / 8, field % 8));
            for (row, column) in marked {
                self.board[Self::index(row, column).expect("on the board")] = colour;
            }
        }
        self.last[self.turn()] = Some(mv);
        self.turn = opponent(colour);
        self.find_stuck();
    }

    fn is_over(&self) -> bool {
        self.is_stuck('B') && self.is_stuck('W')
    }

    fn outcome(&self, forfeited: Option<compare::Forfeited>) -> String {
        let (points, reason) = match forfeited {
            Some((0, words)) => ([-64, 64], format!("black{words}")),
            Some((_, words)) => ([64, -64], format!("white{words}")),
            None => (self.points(), self.reason().to_owned()),
        };
        let seats = points.map(|own| {
            let result = match own {
                0 => "drawn",
                1.. => "won",
                _ => "lost",
            };
            (result, own)
        });
        compare::outcome(seats, &reason)
    }

    fn view(&self, seat: usize) -> String {
        let board: String = self.board.iter().collect();
        let last = match self.last[1 - seat] {
            None => "null".to_owned(),
            Some(NaiveMove::Pass) => r#""pass""#.to_owned(),
            Some(NaiveMove::Field(field)) => field.to_string(),
        };
        let you = NAMES[seat];
        format!(r#"{{"board":"{board}","you":"{you}","last":{last}}}"#)
    }
}
