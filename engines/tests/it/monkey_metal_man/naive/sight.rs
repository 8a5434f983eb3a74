//! The sight of a player.

use super::{ASSASIN, DOWN, LEFT, NAMES, Naive, Piece, Point, RIGHT, SPOTTER, UP, list};
use crate::support::compare::Met;
use std::collections::BTreeSet;

impl Naive {
    fn sight(&self, piece: &Piece, kind: usize, cover: &mut Met) -> BTreeSet<Point> {
        let (row, column) = piece.at;
        let on_highground = self.tile_at(piece.at) == Some(2);
        if kind == SPOTTER && on_highground {
            let near = self.points().into_iter();
            let near = near.filter(|(r, c)| (r - row).abs() + (c - column).abs() <= 5);
            let near: BTreeSet<Point> = near.collect();
            cover.note("a spotter on highground looks");
            let behind = [(row - 2, column), (row - 1, column)];
            if near.contains(&behind[0]) && self.is_wall(behind[1]) {
                cover.note("a spotter on highground sees past a wall");
            }
            return near;
        }
        if on_highground {
            cover.note("an assasin on highground looks as usual");
        }
        let place = |f: i64, k: i64| match piece.direction {
            DOWN => (row + f, column + k),
            UP => (row - f, column + k),
            RIGHT => (row + k, column + f),
            LEFT => (row + k, column - f),
            other => panic!("no direction: {other:?}"),
        };
        let on_board = |f, k| self.tile_at(place(f, k)).is_some();
        let wall = |f, k| self.is_wall(place(f, k));
        let mut visible: BTreeSet<(i64, i64)> = BTreeSet::from([(0, 0)]);

        let forward = if kind == SPOTTER { 5 } else { 2 };
        for f in 1..=forward {
            if !on_board(f, 0) {
                cover.note("the forward ray stops at the edge");
                break;
            }
            visible.insert((f, 0));
            if wall(f, 0) {
                cover.note("the forward ray stops at a wall");
                break;
            }
        }
        let diagonal = if kind == SPOTTER { 3 } else { 1 };
        for sign in [1, -1] {
            for f in 1..=diagonal {
                if !on_board(f, sign * f) {
                    break;
                }
                visible.insert((f, sign * f));
                if wall(f - 1, sign * f) && wall(f, sign * (f - 1)) {
                    cover.note("a diagonal passes between two walls");
                }
                if wall(f, sign * f) {
                    cover.note("a diagonal stops at a wall");
                    break;
                }
            }
        }
        let inner: &[(i64, i64)] = if kind == SPOTTER {
            &[
                (2, 1),
                (3, 1),
                (4, 1),
                (5, 1),
                (3, 2),
                (4, 2),
                (5, 2),
                (4, 3),
            ]
        } else {
            &[(2, 1)]
        };
        for sign in [1, -1] {
            for &(f, k) in inner {
                if !on_board(f, sign * k) {
                    continue;
                }
                let passes = |f, k| visible.contains(&(f, k)) && !wall(f, k);
                let (outer, near) = (passes(f - 1, sign * k), passes(f - 1, sign * (k - 1)));
                if outer && near {
                    visible.insert((f, sign * k));
                    if wall(f, sign * k) {
                        cover.note("an inner wall is shown");
                    } else if wall(f, sign * (k - 1)) {
                        cover.note("an inner cell is seen past a wall beside it");
                    }
                    continue;
                }
                let hidden_by = match (outer, near) {
                    (true, _) => "the cell nearer the ray",
                    (_, true) => "the cell straight before it",
                    _ => "both",
                };
                cover.note(&format!("an inner cell is hidden by {hidden_by}"));
            }
        }
        visible.into_iter().map(|(f, k)| place(f, k)).collect()
    }

    pub(crate) fn visible(&self, seat: usize, cover: &mut Met) -> BTreeSet<Point> {
        let mut visible = BTreeSet::new();
        for kind in [SPOTTER, ASSASIN] {
            let piece = &self.players[seat].pieces[kind];
            if piece.alive {
                visible.extend(self.sight(piece, kind, cover));
            }
        }
        visible
    }

    /// Writes the percepts as JSON text without spaces.
    pub(crate) fn view(&self, seat: usize, cover: &mut Met) -> String {
        let visible = self.visible(seat, cover);
        let mut rows = Vec::new();
        for r in 0..self.side {
            let mut row = Vec::new();
            for c in 0..self.side {
                row.push(self.tile(seat, (r, c), visible.contains(&(r, c)), cover));
            }
            rows.push(format!("[{}]", row.join(",")));
        }
        let [spotter, assasin] = &self.players[seat].pieces;
        format!(
            "{{\"board\":[{}],\"timer\":{},\"circles collapsed\":{},\"spotter location\":{},\
             \"assasin location\":{},\"spotter alive\":{},\"assasin alive\":{},\
             \"spotter direction\":{},\"assasin direction\":{}}}",
            rows.join(","),
            self.timer,
            self.circles,
            list(spotter.at),
            list(assasin.at),
            spotter.alive,
            assasin.alive,
            list(spotter.direction),
            list(assasin.direction),
        )
    }

    fn tile(&self, seat: usize, point: Point, visible: bool, cover: &mut Met) -> String {
        for (player, other) in self.players.iter().enumerate() {
            for (kind, piece) in other.pieces.iter().enumerate() {
                if player == seat || piece.at != point {
                    continue;
                }
                if !piece.alive {
                    cover.note("a dead enemy is not shown");
                    continue;
                }
                if !visible {
                    cover.note("an enemy is out of sight");
                    continue;
                }
                cover.note(&format!("an enemy's {} is seen", NAMES[kind]));
                let (r, c) = piece.direction;
                return format!(
                    "{{\"playerId\":{player},\"direction\":[{r},{c}],\"type\":\"{}\",\
                     \"square\":{}}}",
                    NAMES[kind],
                    self.tile_at(point).unwrap()
                );
            }
        }
        if visible {
            self.tile_at(point).unwrap().to_string()
        } else {
            "-1".to_owned()
        }
    }
}
