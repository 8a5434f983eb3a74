use crate::prelude::*;
use core::fmt;
use serde::{Deserialize, Serialize};

/// A tile as (x, y) from the upper left; y grows downwards. It may be off any board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Tile(pub i8, pub i8);

impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{})", self.0, self.1)
    }
}

/// A camel, named by the upper-left tile of the 2×2 square around its middle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Camel {
    /// A horizontal camel: separates row y from row y+1 at columns x and x+1.
    H(Tile),
    /// A vertical camel: separates column x from column x+1 at rows y and y+1.
    V(Tile),
}

impl Camel {
    /// Returns the tile that names the camel.
    pub const fn anchor(self) -> Tile {
        match self {
            Self::H(anchor) | Self::V(anchor) => anchor,
        }
    }
}

impl fmt::Display for Camel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::H(anchor) => write!(f, "H{anchor}"),
            Self::V(anchor) => write!(f, "V{anchor}"),
        }
    }
}

/// Returns the rule by which two camels, which may be off the board, cannot lie together, and why.
/// `{other}` stands for the second.
fn intersection(a: Camel, b: Camel) -> Option<(&'static str, &'static str)> {
    let shared = |line_a: i8, line_b: i8, along_a: i8, along_b: i8| {
        match (line_a == line_b, along_a.abs_diff(along_b)) {
            (true, 0) => Some(("camel-there-already", "{other} lies there already")),
            // They share one edge of a line.
            (true, 1) => Some(("camel-overlaps", "it would overlap {other}")),
            _ => None,
        }
    };
    match (a, b) {
        (Camel::H(Tile(ax, ay)), Camel::H(Tile(bx, by))) => shared(ay, by, ax, bx),
        (Camel::V(Tile(ax, ay)), Camel::V(Tile(bx, by))) => shared(ax, bx, ay, by),
        (Camel::H(a), Camel::V(b)) | (Camel::V(a), Camel::H(b)) => {
            (a == b).then_some(("camel-crosses", "it would cross {other}"))
        }
    }
}

/// Returns the rule by which a camel cannot lie on a board with others, and why.
pub(super) fn misplaced(
    camel: Camel,
    camels: &[Camel],
    (width, height): (u32, u32),
) -> Option<(&'static str, String)> {
    let Tile(x, y) = camel.anchor();
    let (last_x, last_y) = (width - 2, height - 2);
    let within = |number: i8, last| u32::try_from(number).is_ok_and(|number| number <= last);
    if !within(x, last_x) || !within(y, last_y) {
        let reason = format!(
            "it does not lie inside the board (x goes from 0 to {last_x} and y from 0 to {last_y})"
        );
        return Some(("camel-out-of-range", reason));
    }
    camels.iter().find_map(|&other| {
        let (rule, reason) = intersection(camel, other)?;
        Some((rule, reason.replace("{other}", &other.to_string())))
    })
}

/// Returns whether two camels, which may be off any board, overlap or cross (the course's
/// `camels_intersect`). Touching is neither.
pub fn camels_intersect(a: Camel, b: Camel) -> bool {
    intersection(a, b).is_some()
}

/// The direction of a master's step or straight jump. A diagonal covers both ways round.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// y − 1.
    Up,
    /// y + 1.
    Down,
    /// x − 1.
    Left,
    /// x + 1.
    Right,
    /// x − 1, y − 1.
    UpLeft,
    /// x + 1, y − 1.
    UpRight,
    /// x − 1, y + 1.
    DownLeft,
    /// x + 1, y + 1.
    DownRight,
}

impl Direction {
    /// Every direction, in the order in which legal moves are listed.
    pub const ALL: [Self; 8] = [
        Self::Up,
        Self::Down,
        Self::Left,
        Self::Right,
        Self::UpLeft,
        Self::UpRight,
        Self::DownLeft,
        Self::DownRight,
    ];
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = "up down left right up-left up-right down-left down-right";
        f.write_str(names.split(' ').nth(*self as usize).unwrap_or_default())
    }
}

/// One turn: `{"step":"up"}` or `{"camel":{"h":[3,4]}}`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Move {
    /// The master steps or jumps.
    Step(Direction),
    /// A player takes a camel from its hand and lays it down.
    Camel(Camel),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn camels_intersect_only_when_sharing_edge_or_crossing() {
        let h = |x, y| Camel::H(Tile(x, y));
        let v = |x, y| Camel::V(Tile(x, y));
        // (first, second, intersect)
        let rows = [
            (h(2, 2), h(2, 2), true),
            (h(2, 2), h(3, 2), true),
            (h(2, 2), h(1, 2), true),
            (h(2, 2), h(4, 2), false), // end to end
            (h(2, 2), h(2, 3), false),
            (h(2, 2), h(3, 3), false),
            (v(2, 2), v(2, 2), true),
            (v(2, 2), v(2, 3), true),
            (v(2, 2), v(2, 1), true),
            (v(2, 2), v(2, 4), false), // end to end
            (v(2, 2), v(3, 2), false),
            (h(2, 2), v(2, 2), true),
            (h(2, 2), v(1, 2), false), // T
            (h(2, 2), v(3, 2), false), // T
            (h(2, 2), v(2, 1), false), // T
            (h(2, 2), v(2, 3), false), // T
            (h(2, 2), v(3, 3), false),
            (h(i8::MIN, 0), h(i8::MAX, 0), false),
            (v(0, i8::MIN), v(0, i8::MIN + 1), true),
        ];
        for (a, b, expected) in rows {
            assert_eq!(camels_intersect(a, b), expected, "{a} and {b}");
            assert_eq!(camels_intersect(b, a), expected, "{b} and {a}");
        }
    }

    #[test]
    fn direction_is_spelled_as_it_is_shown() {
        for direction in Direction::ALL {
            let json = serde_json::to_string(&direction).expect("plain data");
            assert_eq!(json, format!("\"{direction}\""));
        }
    }
}
