//! The check of an answer, and the documented selection of answers.

use super::{ASSASIN, DIRECTIONS, Naive, Point, SPOTTER, list, pair};
use crate::support::compare::Met;
use serde_json::Value;

#[derive(Debug, PartialEq)]
pub(crate) enum Verdict {
    Legal,
    Broken(&'static str),
    Unreadable,
}

pub(crate) fn judge(answer: &str, strict: bool) -> Verdict {
    match serde_json::from_str(answer) {
        Ok(answer) => judge_value(&answer, strict).unwrap_or(Verdict::Unreadable),
        Err(_) => Verdict::Unreadable,
    }
}

fn judge_value(answer: &Value, strict: bool) -> Option<Verdict> {
    let orders = answer.as_object()?;
    let known = ["Spotter", "Assasin", "Debug"];
    if orders.keys().any(|key| !known.contains(&key.as_str())) {
        return None;
    }
    for name in ["Spotter", "Assasin"] {
        let orders = orders.get(name)?.as_object()?;
        let known = ["direction", "moves"];
        if orders.keys().any(|key| !known.contains(&key.as_str())) {
            return None;
        }
        orders.get("direction")?;
        if let Some(moves) = orders.get("moves") {
            moves.as_array()?;
        }
    }
    let bad = [SPOTTER, ASSASIN].map(|kind| first_bad(answer, kind, strict));
    let first = bad.into_iter().flatten().next();
    Some(first.map_or(Verdict::Legal, Verdict::Broken))
}

/// Finds the fault of the order to one piece, in an answer of the right shape.
pub(super) fn first_bad(answer: &Value, kind: usize, strict: bool) -> Option<&'static str> {
    let order = &answer[["Spotter", "Assasin"][kind]];
    let is_direction = |value| pair(value).is_some_and(|step| DIRECTIONS.contains(&step));
    if !is_direction(&order["direction"]) {
        return Some("bad-direction");
    }
    let none = Vec::new();
    let steps = order["moves"].as_array().unwrap_or(&none);
    let stays = |value| !strict && pair(value) == Some((0, 0));
    for step in steps.iter().take([2, 4][kind]) {
        if !is_direction(step) && !stays(step) {
            return Some("bad-step");
        }
    }
    None
}

impl Naive {
    /// Lists the documented selection, in its order.
    pub(crate) fn selection(&self, seat: usize) -> Vec<String> {
        let visible = self.visible(seat, &mut Met::default());
        let pieces = &self.players[seat].pieces;
        let text = |spotter: &str, assasin: &str| {
            format!("{{\"Spotter\":{spotter},\"Assasin\":{assasin}}}")
        };
        let stay = [0, 1].map(|kind| orders(pieces[kind].direction, &[]));
        let mut moves = vec![text(&stay[0], &stay[1])];
        for kind in [SPOTTER, ASSASIN] {
            let piece = &pieces[kind];
            if !piece.alive {
                continue;
            }
            let mut changes = Vec::new();
            for direction in DIRECTIONS {
                if direction != piece.direction {
                    changes.push(orders(direction, &[]));
                }
            }
            let other = &pieces[1 - kind];
            let open = |point: Point| {
                self.tile_at(point).is_some()
                    && self.ring(point) >= self.circles
                    && !(visible[self.index(point)] && self.is_wall(point))
                    && !(other.alive && other.at == point)
            };
            for steps in shortest_ways(piece.at, [2, 4][kind], &open) {
                changes.push(orders(*steps.last().unwrap(), &steps));
            }
            for change in changes {
                moves.push(match kind {
                    SPOTTER => text(&change, &stay[1]),
                    _ => text(&stay[0], &change),
                });
            }
        }
        moves
    }
}

fn orders(direction: Point, steps: &[Point]) -> String {
    let steps = serde_json::to_string(steps).unwrap();
    format!("{{\"direction\":{},\"moves\":{steps}}}", list(direction))
}

/// Tries every list of steps, shorter ones first, and keeps the first to each tile.
fn shortest_ways(from: Point, most: usize, open: &dyn Fn(Point) -> bool) -> Vec<Vec<Point>> {
    let mut ways = vec![(from, Vec::new())];
    for length in 1..=most {
        walk(from, length, open, &mut Vec::new(), &mut ways);
    }
    ways.into_iter().skip(1).map(|(_, steps)| steps).collect()
}

fn walk(
    at: Point,
    left: usize,
    open: &dyn Fn(Point) -> bool,
    steps: &mut Vec<Point>,
    ways: &mut Vec<(Point, Vec<Point>)>,
) {
    if left > 0 {
        for step in DIRECTIONS {
            let next = (at.0 + step.0, at.1 + step.1);
            if open(next) {
                steps.push(step);
                walk(next, left - 1, open, steps, ways);
                steps.pop();
            }
        }
    } else if ways.iter().all(|(end, _)| *end != at) {
        ways.push((at, steps.clone()));
    }
}
