//! A player's view, which is the percepts dictionary of the course text, and the moves that it lists.

use super::action::{ASSASIN_STEPS_MAX, Action, Orders, SPOTTER_STEPS_MAX, Steps};
use super::field::{Direction, Location, SIDE_MAX, SIDE_MIN, Terrain};
use super::position::Piece;
use super::{Kind, PLAYERS_MAX};
use crate::plain;
use crate::prelude::*;
use core::fmt;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// The percepts of one player, with the keys of the course text in its order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// The board as the player's living pieces see it.
    pub board: Board,
    /// The rounds until the next ring collapses, including the present one: 5 to 1.
    pub timer: u8,
    /// The number of rings that have collapsed.
    #[serde(rename = "circles collapsed")]
    pub circles_collapsed: u8,
    /// The tile of the own spotter, or the tile where it died.
    #[serde(rename = "spotter location")]
    pub spotter_location: Location,
    /// The tile of the own assasin, or the tile where it died.
    #[serde(rename = "assasin location")]
    pub assasin_location: Location,
    /// Whether the own spotter lives.
    #[serde(rename = "spotter alive")]
    pub spotter_alive: bool,
    /// Whether the own assasin lives.
    #[serde(rename = "assasin alive")]
    pub assasin_alive: bool,
    /// The direction of the own spotter.
    #[serde(rename = "spotter direction")]
    pub spotter_direction: Direction,
    /// The direction of the own assasin.
    #[serde(rename = "assasin direction")]
    pub assasin_direction: Direction,
}

impl View {
    pub(super) fn piece(&self, kind: Kind) -> Piece {
        match kind {
            Kind::Spotter => Piece {
                at: self.spotter_location,
                facing: self.spotter_direction,
                alive: self.spotter_alive,
            },
            Kind::Assasin => Piece {
                at: self.assasin_location,
                facing: self.assasin_direction,
                alive: self.assasin_alive,
            },
        }
    }

    /// Returns the tile of the living piece that is not of this kind.
    pub(super) fn other_piece(&self, kind: Kind) -> Option<Location> {
        let other = self.piece(kind.other());
        other.alive.then_some(other.at)
    }

    /// Writes what `serde_json` would, which takes ten times as long.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(br#"{"board":"#);
        self.board.write(out);
        out.extend_from_slice(br#","timer":"#);
        write_number(self.timer, out);
        out.extend_from_slice(br#","circles collapsed":"#);
        write_number(self.circles_collapsed, out);
        for (key, Location(row, column)) in [
            (r#","spotter location":["#, self.spotter_location),
            (r#","assasin location":["#, self.assasin_location),
        ] {
            out.extend_from_slice(key.as_bytes());
            write_number(row, out);
            out.push(b',');
            write_number(column, out);
            out.push(b']');
        }
        for (key, alive) in [
            (r#","spotter alive":"#, self.spotter_alive),
            (r#","assasin alive":"#, self.assasin_alive),
        ] {
            out.extend_from_slice(key.as_bytes());
            out.extend_from_slice(if alive { &b"true"[..] } else { b"false" });
        }
        for (key, direction) in [
            (r#","spotter direction":"#, self.spotter_direction),
            (r#","assasin direction":"#, self.assasin_direction),
        ] {
            out.extend_from_slice(key.as_bytes());
            let text = ["[-1,0]", "[1,0]", "[0,-1]", "[0,1]"][direction as usize];
            out.extend_from_slice(text.as_bytes());
        }
        out.push(b'}');
    }

    /// Hidden tiles count as free, except in the rings that have collapsed.
    pub(super) fn may_be_free(&self, at: Location) -> bool {
        let standing = at.ring(self.board.side) >= usize::from(self.circles_collapsed);
        standing && self.board.terrain(at) != Some(Terrain::Wall)
    }
}

/// All numbers of a view are below 100.
fn write_number(number: u8, out: &mut Vec<u8>) {
    if number >= 10 {
        out.push(b'0' + number / 10);
    }
    out.push(b'0' + number % 10);
}

/// A square board as one player sees it; a list of rows in JSON.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "Vec<Vec<Cell>>")]
pub struct Board {
    side: usize,
    /// Row by row.
    cells: Vec<Cell>,
}

/// As many hidden tiles as a row can have.
const HIDDEN: &[u8; 3 * SIDE_MAX] =
    b"-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,";

/// A tile as one player sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    /// Not visible; −1 in JSON.
    Hidden,
    /// Visible, maybe with an own piece, which is not shown; the terrain's number in JSON.
    Seen(Terrain),
    /// Visible with an enemy's living piece on it; a dictionary in JSON.
    Enemy(Enemy),
}

/// An enemy's piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Enemy {
    /// The owner of the piece.
    #[serde(rename = "playerId")]
    pub player: u8,
    /// The direction of the piece.
    pub direction: Direction,
    /// Whether it is a spotter or an assasin.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The terrain under the piece.
    pub square: Terrain,
}

impl Board {
    pub(super) fn hidden(side: usize) -> Self {
        Self {
            side,
            cells: vec![Cell::Hidden; side * side],
        }
    }

    pub(super) fn show(&mut self, at: Location, cell: Cell) {
        self.cells[at.index(self.side)] = cell;
    }

    /// Returns the number of rows, which is also the number of columns.
    pub fn side(&self) -> usize {
        self.side
    }

    /// Returns a tile of the board.
    pub fn at(&self, at: Location) -> Cell {
        self.cells[at.index(self.side)]
    }

    /// Returns the terrain of a tile of the board, if it is visible.
    pub fn terrain(&self, at: Location) -> Option<Terrain> {
        match self.at(at) {
            Cell::Hidden => None,
            Cell::Seen(terrain) => Some(terrain),
            Cell::Enemy(enemy) => Some(enemy.square),
        }
    }

    pub(super) fn enemies(&self) -> impl Iterator<Item = (Location, Enemy)> {
        self.tiles().filter_map(|at| match self.at(at) {
            Cell::Enemy(enemy) => Some((at, enemy)),
            Cell::Hidden | Cell::Seen(_) => None,
        })
    }

    fn write(&self, out: &mut Vec<u8>) {
        let mut before = b'[';
        for mut row in self.cells.chunks(self.side) {
            out.extend_from_slice(&[before, b'[']);
            while let Some(&cell) = row.first() {
                match cell {
                    Cell::Hidden => {
                        let is_hidden = |cell: &&Cell| matches!(cell, Cell::Hidden);
                        let run = row.iter().take_while(is_hidden).count();
                        out.extend_from_slice(&HIDDEN[..3 * run]);
                        row = &row[run..];
                        continue;
                    }
                    Cell::Seen(terrain) => out.extend_from_slice(&[b'0' + terrain as u8, b',']),
                    Cell::Enemy(enemy) => {
                        plain::write(&enemy, out);
                        out.push(b',');
                    }
                }
                row = &row[1..];
            }
            // In place of the comma after the last tile.
            out.pop();
            out.push(b']');
            before = b',';
        }
        out.push(b']');
    }

    /// Iterates over the tiles, row by row.
    pub fn tiles(&self) -> impl Iterator<Item = Location> + use<> {
        Location::all(self.side)
    }
}

impl Serialize for Board {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.cells.chunks(self.side))
    }
}

impl TryFrom<Vec<Vec<Cell>>> for Board {
    type Error = &'static str;

    fn try_from(rows: Vec<Vec<Cell>>) -> Result<Self, &'static str> {
        let side = rows.len();
        if !(SIDE_MIN..=SIDE_MAX).contains(&side) || rows.iter().any(|row| row.len() != side) {
            return Err("the board is no square of side 5 to 31");
        }
        let cells = rows.concat();
        Ok(Self { side, cells })
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Hidden => serializer.serialize_i8(-1),
            Self::Seen(terrain) => terrain.serialize(serializer),
            Self::Enemy(enemy) => enemy.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CellReader)
    }
}

struct CellReader;

impl<'de> Visitor<'de> for CellReader {
    type Value = Cell;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("-1, 0, 1, 2 or an enemy's piece")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Cell, E> {
        match u64::try_from(number) {
            Ok(number) => self.visit_u64(number),
            Err(_) if number == -1 => Ok(Cell::Hidden),
            Err(_) => Err(E::custom(format!("{number} is not a tile"))),
        }
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Cell, E> {
        let terrain = Terrain::from_number(number)
            .ok_or_else(|| E::custom(format!("{number} is not a tile")))?;
        Ok(Cell::Seen(terrain))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Cell, A::Error> {
        let enemy = Enemy::deserialize(MapAccessDeserializer::new(map))?;
        if usize::from(enemy.player) >= PLAYERS_MAX {
            return Err(A::Error::custom("a playerId is below 4"));
        }
        Ok(Cell::Enemy(enemy))
    }
}

#[derive(Clone, Copy)]
pub(super) struct Route<const STEPS_MAX: usize> {
    pub(super) to: Location,
    pub(super) moves: Steps<STEPS_MAX>,
}

/// Finds the tiles on which a piece can end: its own, then the others, the nearest first.
pub(super) fn routes<const STEPS_MAX: usize>(
    side: usize,
    from: Location,
    is_open: impl Fn(Location) -> bool,
) -> Vec<Route<STEPS_MAX>> {
    let mut routes = Vec::with_capacity(1 + 2 * STEPS_MAX * (STEPS_MAX + 1));
    routes.push(Route {
        to: from,
        moves: Steps::default(),
    });
    let mut next = 0;
    while let Some(&Route { to: here, moves }) = routes.get(next) {
        next += 1;
        if moves.iter().count() == STEPS_MAX {
            break;
        }
        for direction in Direction::ALL {
            let Some(to) = here.step(direction, side) else {
                continue;
            };
            let found = routes.iter().any(|route| route.to == to);
            if !found && is_open(to) {
                let mut moves = moves;
                moves.push(direction.into());
                routes.push(Route { to, moves });
            }
        }
    }
    routes
}

/// Nothing, three turns for each piece, and the ways of the spotter and of the assasin.
const SELECTION_MAX: usize = 1 + 3 + 12 + 3 + 40;

pub(super) fn selection(view: &View) -> Vec<Action> {
    let spotter = Orders::new(view.spotter_direction, &[]);
    let assasin = Orders::new(view.assasin_direction, &[]);
    let mut actions = Vec::with_capacity(SELECTION_MAX);
    actions.push(Action { spotter, assasin });
    actions.extend(orders(view, Kind::Spotter).map(|spotter| Action { spotter, assasin }));
    actions.extend(orders(view, Kind::Assasin).map(|assasin| Action { spotter, assasin }));
    actions
}

/// Counts [`selection`].
pub(super) fn count(view: &View) -> usize {
    let spotter = orders::<SPOTTER_STEPS_MAX>(view, Kind::Spotter).count();
    1 + spotter + orders::<ASSASIN_STEPS_MAX>(view, Kind::Assasin).count()
}

/// Lists the orders that change anything. A dead piece has none.
fn orders<const STEPS_MAX: usize>(
    view: &View,
    kind: Kind,
) -> impl Iterator<Item = Orders<STEPS_MAX>> {
    let Piece { at, facing, alive } = view.piece(kind);
    let in_the_way = view.other_piece(kind);
    let is_open = |to| Some(to) != in_the_way && view.may_be_free(to);
    let turns = Direction::ALL
        .into_iter()
        .filter(move |&direction| direction != facing)
        .map(|direction| Orders::new(direction, &[]));
    let ways = routes(view.board.side(), at, is_open)
        .into_iter()
        .skip(1)
        .map(move |Route { moves, .. }| Orders {
            direction: moves.iter().last().unwrap_or(facing.into()),
            moves,
        });
    turns.chain(ways).filter(move |_| alive)
}

#[cfg(test)]
mod tests {
    use super::super::{Config, MapKind, MonkeyMetalMan, bots};
    use super::*;
    use crate::Game;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    #[test]
    fn json_text_equals_serde_json_text() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut with_enemies = 0;
        for side in [11, 15, 19, 31] {
            let config = Config {
                map: MapKind::Symmetric,
                side,
                highground_groups: 3,
                ..Config::default()
            };
            let setup = MonkeyMetalMan::draw(&config, &mut rng).expect("allowed");
            let mut game = MonkeyMetalMan::start(&setup).expect("valid");
            while let Some(to_move) = game.mover() {
                for seat in (0..4).map(crate::Seat::new) {
                    let view = game.view(seat);
                    let mut text = Vec::new();
                    game.write_view(seat, &mut text);
                    assert_eq!(text, serde_json::to_vec(&view).expect("data"));
                    let read: View = serde_json::from_slice(&text).expect("readable");
                    assert_eq!(read, view);
                    with_enemies += usize::from(view.board.enemies().next().is_some());
                }
                let view = game.view(to_move);
                let hunter = bots::BASELINES[1].choose;
                let action = hunter(to_move, &view, &[], &mut rng);
                game.apply_unchecked(to_move, action);
            }
        }
        assert!(with_enemies > 20, "{with_enemies}");
    }

    #[test]
    fn board_other_than_known_square_is_refused() {
        let read = |text: &str| serde_json::from_str::<Board>(text).map_err(|e| e.to_string());
        let row = "[-1,0,1,2,-1]";
        let board = |first: &str| format!("[{first},{row},{row},{row},{row}]");
        assert!(read(&board(row)).is_ok());
        for (text, complaint) in [
            ("[]".to_owned(), "no square"),
            (board("[1]"), "no square"),
            (board("[-2,1,1,1,1]"), "-2 is not a tile"),
            (board("[3,1,1,1,1]"), "3 is not a tile"),
            (board("[null,1,1,1,1]"), "invalid type: null"),
            (
                board(r#"[{"playerId":4,"direction":[1,0],"type":"spotter","square":1},1,1,1,1]"#),
                "a playerId is below 4",
            ),
        ] {
            let error = read(&text).expect_err("refused");
            assert!(error.contains(complaint), "{text}: {error}");
        }
    }
}
