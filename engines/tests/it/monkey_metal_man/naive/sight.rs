//! The sight of a player.

use super::{ASSASIN, DOWN, LEFT, NAMES, Naive, Piece, Point, RIGHT, SPOTTER, UP, list};
use crate::support::compare::Met;
use std::borrow::Cow;

impl Naive {
    fn sight(&self, piece: &Piece, kind: usize, cover: &mut Met) -> Vec<Point> {
        let (row, column) = piece.at;
        let on_highground = self.tile_at(piece.at) == Some(2);
        if kind == SPOTTER && on_highground {
            let near = self.points().into_iter();
            let near = near.filter(|(r, c)| (r - row).abs() + (c - column).abs() <= 5);
            cover.note("a spotter on highground looks");
            let behind = [(row - 2, column), (row - 1, column)];
            if self.tile_at(behind[0]).is_some() && self.is_wall(behind[1]) {
                cover.note("a spotter on highground sees past a wall");
            }
            return near.collect();
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
        let mut visible = vec![(0, 0)];

        let forward = if kind == SPOTTER { 5 } else { 2 };
        for f in 1..=forward {
            if !on_board(f, 0) {
                cover.note("the forward ray stops at the edge");
                break;
            }
            visible.push((f, 0));
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
                visible.push((f, sign * f));
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
                    visible.push((f, sign * k));
                    if wall(f, sign * k) {
                        cover.note("an inner wall is shown");
                    } else if wall(f, sign * (k - 1)) {
                        cover.note("an inner cell is seen past a wall beside it");
                    }
                    continue;
                }
                cover.note(match (outer, near) {
                    (true, _) => "an inner cell is hidden by the cell nearer the ray",
                    (_, true) => "an inner cell is hidden by the cell straight before it",
                    _ => "an inner cell is hidden by both",
                });
            }
        }
        visible.into_iter().map(|(f, k)| place(f, k)).collect()
    }

    /// Returns whether a player sees each tile, row by row.
    pub(crate) fn visible(&self, seat: usize, cover: &mut Met) -> Vec<bool> {
        let mut visible = vec![false; self.terrain.len()];
        for kind in [SPOTTER, ASSASIN] {
            let piece = &self.players[seat].pieces[kind];
            if piece.alive {
                for point in self.sight(piece, kind, cover) {
                    visible[self.index(point)] = true;
                }
            }
        }
        visible
    }

    /// Writes the percepts as JSON text without spaces.
    pub(crate) fn view(&self, seat: usize, cover: &mut Met) -> String {
        let visible = self.visible(seat, cover);
        let mut board = String::new();
        for (point, visible) in self.points().into_iter().zip(visible) {
            board += match point {
                (0, 0) => "[[",
                (_, 0) => "],[",
                _ => ",",
            };
            board += &self.tile(seat, point, visible, cover);
        }
        let [spotter, assasin] = &self.players[seat].pieces;
        format!(
            "{{\"board\":{board}]],\"timer\":{},\"circles collapsed\":{},\"spotter location\":{},\
             \"assasin location\":{},\"spotter alive\":{},\"assasin alive\":{},\
             \"spotter direction\":{},\"assasin direction\":{}}}",
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

    fn tile(&self, seat: usize, point: Point, visible: bool, cover: &mut Met) -> Cow<'_, str> {
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
                )
                .into();
            }
        }
        let shown = if visible { self.tile_at(point) } else { None };
        match shown {
            None => "-1",
            Some(0) => "0",
            Some(1) => "1",
            Some(_) => "2",
        }
        .into()
    }
}
