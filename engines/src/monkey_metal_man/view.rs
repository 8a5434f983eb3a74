//! A player's view: the percepts dictionary of the course text.

use super::field::{Direction, Location, SIDE_MAX, SIDE_MIN, Terrain};
use super::position::Piece;
use super::{Kind, PLAYERS_MAX};
use alloc::vec::Vec;
use core::fmt;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{SerializeSeq, Serializer};

/// The percepts of one player, with the keys of the course text in its order.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
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
        let (at, facing, alive) = match kind {
            Kind::Spotter => (
                self.spotter_location,
                self.spotter_direction,
                self.spotter_alive,
            ),
            Kind::Assasin => (
                self.assasin_location,
                self.assasin_direction,
                self.assasin_alive,
            ),
        };
        Piece { at, facing, alive }
    }
}

/// A square board as one player sees it; a list of rows in JSON.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    side: usize,
    /// Row by row. `None` means hidden.
    terrain: Vec<Option<Terrain>>,
    /// One word a row, with a bit for each visible tile, column 0 the lowest.
    pub(super) seen: Vec<u32>,
    /// Row by row.
    enemies: Vec<(Location, Enemy)>,
}

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
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
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
            terrain: vec![None; side * side],
            seen: vec![0; side],
            enemies: Vec::new(),
        }
    }

    pub(super) fn show(&mut self, at: Location, terrain: Terrain) {
        let index = usize::from(at.0) * self.side + usize::from(at.1);
        self.terrain[index] = Some(terrain);
        self.seen[usize::from(at.0)] |= 1 << at.1;
    }

    /// Reveals an enemy. Its tile must be visible.
    pub(super) fn show_enemy(&mut self, at: Location, enemy: Enemy) {
        let place = self.enemies.partition_point(|&(other, _)| other < at);
        self.enemies.insert(place, (at, enemy));
    }

    /// Returns the number of rows, which is also the number of columns.
    pub fn side(&self) -> usize {
        self.side
    }

    /// Returns the terrain of a tile of the board, if it is visible.
    pub fn terrain(&self, at: Location) -> Option<Terrain> {
        self.terrain[usize::from(at.0) * self.side + usize::from(at.1)]
    }

    pub(super) fn enemies(&self) -> &[(Location, Enemy)] {
        &self.enemies
    }

    /// Returns a tile of the board.
    pub fn at(&self, at: Location) -> Cell {
        let enemy = self.enemies.iter().find(|(place, _)| *place == at);
        match (enemy, self.terrain(at)) {
            (Some((_, enemy)), _) => Cell::Enemy(*enemy),
            (None, Some(terrain)) => Cell::Seen(terrain),
            (None, None) => Cell::Hidden,
        }
    }

    /// Iterates over the tiles, row by row.
    pub fn tiles(&self) -> impl Iterator<Item = Location> {
        let side = u8::try_from(self.side).expect("a side is at most 31");
        (0..side).flat_map(move |row| (0..side).map(move |column| Location(row, column)))
    }

    fn row(&self, row: u8) -> impl Iterator<Item = Cell> {
        let side = u8::try_from(self.side).expect("a side is at most 31");
        (0..side).map(move |column| self.at(Location(row, column)))
    }
}

impl serde::Serialize for Board {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rows = serializer.serialize_seq(Some(self.side))?;
        for (row, _) in (0..).zip(&self.seen) {
            let cells: Vec<Cell> = self.row(row).collect();
            rows.serialize_element(&cells)?;
        }
        rows.end()
    }
}

impl<'de> Deserialize<'de> for Board {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let rows = Vec::<Vec<Cell>>::deserialize(deserializer)?;
        let side = rows.len();
        if !(SIDE_MIN..=SIDE_MAX).contains(&side) || rows.iter().any(|row| row.len() != side) {
            return Err(D::Error::custom("the board is no square of side 5 to 31"));
        }
        let mut board = Self::hidden(side);
        for (row, cells) in (0..).zip(&rows) {
            for (column, &cell) in (0..).zip(cells) {
                let at = Location(row, column);
                match cell {
                    Cell::Hidden => {}
                    Cell::Seen(terrain) => board.show(at, terrain),
                    Cell::Enemy(enemy) => {
                        board.show(at, enemy.square);
                        board.show_enemy(at, enemy);
                    }
                }
            }
        }
        Ok(board)
    }
}

impl serde::Serialize for Cell {
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
