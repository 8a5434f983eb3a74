//! A second implementation of Crazy Camel, straight from the rules page. It is slow and obvious,
//! and shares nothing with the real one. A look at the list of camels answers every question.

use crate::support::compare;

pub(crate) type Tile = (i64, i64);

/// `('h', x, y)` or `('v', x, y)`.
pub(crate) type Camel = (char, i64, i64);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Move {
    Step(&'static str),
    Camel(Camel),
}

pub(crate) const DIRECTIONS: [&str; 8] = [
    "up",
    "down",
    "left",
    "right",
    "up-left",
    "up-right",
    "down-left",
    "down-right",
];

#[derive(Clone, Debug)]
pub(crate) struct Naive {
    pub(crate) width: i64,
    pub(crate) height: i64,
    pub(crate) masters: [Tile; 2],
    pub(crate) hands: [i64; 2],
    pub(crate) camels: Vec<Camel>,
    pub(crate) to_move: usize,
    pub(crate) ply: i64,
    pub(crate) plies_max: i64,
    pub(crate) winner: Option<usize>,
}

/// Returns the two edges under a camel. The two tiles of an edge are its name.
fn edges((lie, x, y): Camel) -> [(Tile, Tile); 2] {
    match lie {
        'h' => [((x, y), (x, y + 1)), ((x + 1, y), (x + 1, y + 1))],
        _ => [((x, y), (x + 1, y)), ((x, y + 1), (x + 1, y + 1))],
    }
}

pub(crate) fn intersection(a: Camel, b: Camel) -> Option<&'static str> {
    let (own, other) = (edges(a), edges(b));
    match own.iter().filter(|edge| other.contains(edge)).count() {
        2 => Some("camel-there-already"),
        1 => Some("camel-overlaps"),
        _ if (a.1, a.2) == (b.1, b.2) => Some("camel-crosses"),
        _ => None,
    }
}

fn one_step((x, y): Tile, direction: &str) -> Tile {
    match direction {
        "up" => (x, y - 1),
        "down" => (x, y + 1),
        "left" => (x - 1, y),
        "right" => (x + 1, y),
        other => panic!("{other} is not one step"),
    }
}

impl Naive {
    pub(crate) fn inside(&self, (x, y): Tile) -> bool {
        x >= 0 && y >= 0 && x < self.width && y < self.height
    }

    fn goal_row(&self, player: usize) -> i64 {
        [self.height - 1, 0][player]
    }

    fn camel_between(camels: &[Camel], a: Tile, b: Tile) -> bool {
        let edge = (a.min(b), a.max(b));
        camels.iter().any(|&camel| edges(camel).contains(&edge))
    }

    pub(crate) fn camel_on_board(&self, (_, x, y): Camel) -> bool {
        x >= 0 && y >= 0 && x <= self.width - 2 && y <= self.height - 2
    }

    /// Returns a tile as one bit of a board of up to 128 tiles.
    fn place(&self, (x, y): Tile) -> u128 {
        1 << (y * self.width + x)
    }

    /// Returns whether each player's master, alone on the board, can reach its goal row. One more
    /// camel may be added.
    fn have_paths(&self, added: Option<Camel>) -> [bool; 2] {
        // Edges by their upper or left tile: those below tiles and those right of tiles.
        let mut closed = [0; 2];
        for camel in self.camels.iter().copied().chain(added) {
            for (tile, _) in edges(camel) {
                closed[usize::from(camel.0 == 'v')] |= self.place(tile);
            }
        }
        [0, 1].map(|player| {
            let (from, goal_row) = (self.masters[player], self.goal_row(player));
            self.walks(from, goal_row, closed, &mut 0)
        })
    }

    /// Tries all ways, those towards the goal row first.
    fn walks(&self, from: Tile, goal: i64, closed: [u128; 2], seen: &mut u128) -> bool {
        *seen |= self.place(from);
        let ahead = (goal - from.1).signum();
        let mut steps = [(0, ahead), (1, 0), (-1, 0), (0, -ahead)].into_iter();
        ahead == 0
            || steps.any(|(right, down)| {
                let next = (from.0 + right, from.1 + down);
                let sideways = usize::from(down == 0);
                self.inside(next)
                    && *seen & self.place(next) == 0
                    && closed[sideways] & self.place(from.min(next)) == 0
                    && self.walks(next, goal, closed, seen)
            })
    }

    /// Returns the target of a step, or the rule that it breaks.
    pub(crate) fn target(&self, direction: &str) -> Result<Tile, &'static str> {
        let me = self.masters[self.to_move];
        let other = self.masters[1 - self.to_move];
        let between = |a, b| Self::camel_between(&self.camels, a, b);
        let Some((vertical, sideways)) = direction.split_once('-') else {
            let next = one_step(me, direction);
            if !self.inside(next) {
                return Err("off-board");
            }
            if between(me, next) {
                return Err("camel-between");
            }
            if next != other {
                return Ok(next);
            }
            let behind = one_step(next, direction);
            if !self.inside(behind) {
                return Err("jump-off-board");
            }
            if between(next, behind) {
                return Err("jump-onto-camel");
            }
            return Ok(behind);
        };
        for (first, second) in [(vertical, sideways), (sideways, vertical)] {
            if one_step(me, first) != other {
                continue;
            }
            if between(me, other) {
                return Err("diagonal-camel-between");
            }
            let behind = one_step(other, first);
            if self.inside(behind) && !between(other, behind) {
                return Err("diagonal-straight-open");
            }
            let target = one_step(other, second);
            if !self.inside(target) {
                return Err("diagonal-off-board");
            }
            if between(other, target) {
                return Err("diagonal-camel-beside");
            }
            return Ok(target);
        }
        Err("diagonal-without-master")
    }

    fn reason(&self, forfeited: Option<compare::Forfeited>) -> String {
        match (forfeited, self.winner) {
            (Some((player, words)), _) => format!("player {player}{words}"),
            (None, Some(0)) => "player 0 reached the bottom row".to_owned(),
            (None, Some(_)) => "player 1 reached the top row".to_owned(),
            (None, None) => format!("nobody arrived by ply {}", self.plies_max),
        }
    }

    /// Writes the fields that a setup and a view have in common.
    fn board(&self) -> String {
        let player = |p: usize| {
            let ((x, y), camels) = (self.masters[p], self.hands[p]);
            format!(r#"{{"position":[{x},{y}],"camels":{camels}}}"#)
        };
        let players = [player(0), player(1)].join(",");
        let camel = |(lie, x, y): &Camel| format!(r#"{{"{lie}":[{x},{y}]}}"#);
        let camels = self.camels.iter().map(camel).collect::<Vec<_>>().join(",");
        let (width, height) = (self.width, self.height);
        format!(r#""width":{width},"height":{height},"players":[{players}],"camels":[{camels}]"#)
    }
}

impl compare::Naive for Naive {
    type Move = Move;

    fn setup(&self) -> String {
        let plies_max = self.plies_max - self.ply;
        let (board, to_move) = (self.board(), self.to_move);
        format!(r#"{{{board},"plies_max":{plies_max},"to_move":{to_move}}}"#)
    }

    fn may_start(&self) -> bool {
        let side = |n: i64| (3..=11).contains(&n);
        let home = |p: usize| self.masters[p].1 == self.goal_row(p);
        side(self.width)
            && side(self.height)
            && self.masters.iter().all(|&m| self.inside(m))
            && self.masters[0] != self.masters[1]
            && !home(0)
            && !home(1)
            && self.camels.iter().all(|&c| self.camel_on_board(c))
            && (0..self.camels.len()).all(|i| {
                let clash = |&c: &Camel| intersection(c, self.camels[i]).is_some();
                !self.camels[..i].iter().any(clash)
            })
            && self.have_paths(None) == [true; 2]
    }

    fn turn(&self) -> usize {
        self.to_move
    }

    /// Lists every move that can be written down, on the board and one line beyond it.
    fn moves(&self) -> Vec<Move> {
        let mut all: Vec<Move> = DIRECTIONS.into_iter().map(Move::Step).collect();
        for lie in ['h', 'v'] {
            for y in -1..self.height {
                for x in -1..self.width {
                    all.push(Move::Camel((lie, x, y)));
                }
            }
        }
        all
    }

    fn fault(&self, mv: Move) -> Option<&'static str> {
        let camel = match mv {
            Move::Step(direction) => return self.target(direction).err(),
            Move::Camel(camel) => camel,
        };
        if self.hands[self.to_move] == 0 {
            return Some("no-camel-in-hand");
        }
        if !self.camel_on_board(camel) {
            return Some("camel-out-of-range");
        }
        if let Some(rule) = self.camels.iter().find_map(|&c| intersection(camel, c)) {
            return Some(rule);
        }
        match self.have_paths(Some(camel)) {
            [true, true] => None,
            [false, true] => Some("blocks-player-0"),
            [true, false] => Some("blocks-player-1"),
            [false, false] => Some("blocks-both-players"),
        }
    }

    fn play(&mut self, mv: Move) {
        let mover = self.to_move;
        match mv {
            Move::Step(direction) => {
                self.masters[mover] = self.target(direction).expect("legal");
                if self.masters[mover].1 == self.goal_row(mover) {
                    self.winner = Some(mover);
                }
            }
            Move::Camel(camel) => {
                self.hands[mover] -= 1;
                self.camels.push(camel);
            }
        }
        self.ply += 1;
        self.to_move = 1 - mover;
    }

    fn is_over(&self) -> bool {
        self.winner.is_some() || self.ply == self.plies_max
    }

    fn outcome(&self, forfeited: Option<compare::Forfeited>) -> String {
        let winner = forfeited.map_or(self.winner, |(loser, _)| Some(1 - loser));
        let seats = [0, 1].map(|player| match winner {
            None => ("drawn", 0),
            Some(winner) if winner == player => ("won", 1),
            Some(_) => ("lost", 0),
        });
        compare::outcome(seats, &self.reason(forfeited))
    }

    fn view(&self, player: usize) -> String {
        let (board, ply, plies_max) = (self.board(), self.ply, self.plies_max);
        format!(r#"{{"you":{player},{board},"ply":{ply},"plies_max":{plies_max}}}"#)
    }
}
