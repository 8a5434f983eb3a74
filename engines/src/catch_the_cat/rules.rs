use super::setup::{self, Config, Setup};
use super::{CAT, CATCHER, CatchTheCat, End, KITS, Point, View, bots, frame};
use crate::prelude::*;
use crate::{
    Baseline, Better, CourseText, Forfeit, Frame, Game, GameInfo, GameResult, Information,
    Lifetime, Measure, Outcome, Points, Refused, RuleBroken, Seat, TimeControl, plain,
};
use alloc::borrow::Cow;
use core::ops::RangeInclusive;
use rand_chacha::ChaCha8Rng;

impl CatchTheCat {
    fn is_free(&self, cell: Point) -> bool {
        cell.inside(self.side) && self.world[cell.index(self.side)] == b'0'
    }

    fn ways(&self) -> impl Iterator<Item = Point> {
        self.cat
            .neighbours()
            .into_iter()
            .filter(|&cell| self.is_free(cell))
    }

    fn blockable(&self) -> impl Iterator<Item = Point> {
        let cat = self.cat.index(self.side);
        (0..)
            .zip(&self.world)
            .filter(move |&(index, &cell)| cell == b'0' && index != cat)
            .map(|(index, _)| Point::from_index(index, self.side))
    }

    /// Returns the cat's shortest way to the border, without its own cell. If there is none, returns
    /// the wall around it.
    pub(super) fn way_to_border(&self) -> Result<Vec<Point>, Vec<Point>> {
        let mut before: Vec<Option<Point>> = vec![None; self.world.len()];
        before[self.cat.index(self.side)] = Some(self.cat);
        let mut reached = vec![self.cat];
        let mut next = 0;
        while let Some(&cell) = reached.get(next) {
            if cell.on_border(self.side) {
                let back = |cell: &Point| before[cell.index(self.side)];
                let mut way: Vec<Point> = core::iter::successors(Some(cell), back)
                    .take_while(|cell| *cell != self.cat)
                    .collect();
                way.reverse();
                return Ok(way);
            }
            for other in cell.neighbours() {
                if self.is_free(other) && before[other.index(self.side)].is_none() {
                    before[other.index(self.side)] = Some(cell);
                    reached.push(other);
                }
            }
            next += 1;
        }
        let mut wall: Vec<Point> = reached
            .iter()
            .flat_map(|cell| cell.neighbours())
            .filter(|cell| !self.is_free(*cell) && *cell != self.cat)
            .collect();
        wall.sort_unstable_by_key(|cell| cell.index(self.side));
        wall.dedup();
        Err(wall)
    }

    fn end_by_position(&self) -> Option<End> {
        if self.cat.on_border(self.side) {
            return Some(End::Escaped);
        }
        self.ways().next().is_none().then_some(End::Trapped)
    }
}

impl Game for CatchTheCat {
    const INFO: GameInfo = GameInfo {
        slug: "catch-the-cat",
        title: "Catch the Cat",
        summary: "A cat runs for the border of a hexagonal board; the catcher blocks one cell a turn.",
        rules_version: 1,
        roles: &["cat", "catcher"],
        seats_min: 2,
        // Each catcher's turn fills one of the 21·21 cells.
        plies_max: 2 * 21 * 21,
        information: Information::Perfect,
        points: Points::PLAIN,
        tie_break: None,
        moves_listed: true,
        time: TimeControl {
            turn_us: Some(2_000_000),
            bank_us: None,
            increment_us: 0,
            charge_start: false,
        },
        lifetime: Lifetime::Turn,
        variants: &[
            r#"{"side":5,"blocks_min":0,"blocks_max":0.9}"#,
            r#"{"side":33}"#,
        ],
        notation: frame::NOTATION,
        palette: frame::PALETTE,
        measure: Some(Measure {
            counts: "steps to the border",
            better: Better::Less,
            ahead: 1,
        }),
        protocol: include_str!("protocol.md"),
        courses: &[CourseText {
            name: "catch-the-cat",
            text: include_str!("courses/tournament.toml"),
        }],
        kits: KITS,
    };
    const BASELINES: &'static [Baseline<Self>] = bots::BASELINES;

    type Config = Config;
    type Setup = Setup;
    type Move = Point;
    type View = View;

    fn draw(config: &Config, rng: &mut ChaCha8Rng) -> Result<Setup, Refused> {
        setup::draw(config, rng)
    }

    fn start(setup: &Setup) -> Result<Self, Refused> {
        setup::check(setup)?;
        let mut game = Self {
            side: setup.side,
            world: setup.world.clone().into_bytes(),
            cat: setup.cat,
            to_move: setup.to_move,
            moves: [0, 0],
            end: None,
        };
        game.end = game.end_by_position();
        Ok(game)
    }

    fn mover(&self) -> Option<Seat> {
        self.end.is_none().then_some(self.to_move)
    }

    fn view(&self, _seat: Seat) -> View {
        View {
            side: self.side,
            cat: self.cat,
            world: String::from_utf8(self.world.clone()).expect("digits only"),
        }
    }

    fn write_view(&self, _seat: Seat, out: &mut Vec<u8>) {
        let (side, Point(x, y)) = (self.side, self.cat);
        let head = format!(r#"{{"side":{side},"cat":[{x},{y}],"world":""#);
        out.extend_from_slice(head.as_bytes());
        out.extend_from_slice(&self.world);
        out.extend_from_slice(br#""}"#);
    }

    fn legal_moves(&self, seat: Seat) -> Vec<Point> {
        if seat == CAT {
            self.ways().collect()
        } else {
            self.blockable().collect()
        }
    }

    fn count_moves(&self, seat: Seat) -> usize {
        if seat == CAT {
            self.ways().count()
        } else {
            self.blockable().count()
        }
    }

    fn check(&self, seat: Seat, &to: &Point) -> Result<(), RuleBroken> {
        let (from, reach) = (self.cat, self.side / 2);
        if to != from && self.is_free(to) && (seat == CATCHER || from.touches(to)) {
            return Ok(());
        }
        let outside = format!("it lies outside the board (x and y go from -{reach} to {reach})");
        let (rule, why) = match seat {
            CAT if to == from => ("cat-stays", "the cat may not stay where it is"),
            CAT if !from.touches(to) => (
                "not-a-neighbour",
                "the cell is not one of its six neighbours",
            ),
            CAT => ("blocked-cell", "the cell is blocked"),
            _ if !to.inside(self.side) => ("outside", outside.as_str()),
            _ if to == from => ("cat-cell", "the cat is there"),
            _ => ("blocked-cell", "the cell is blocked already"),
        };
        let message = if seat == CAT {
            format!("the cat cannot go from {from} to {to}: {why}")
        } else {
            format!("the catcher cannot block {to}: {why}")
        };
        Err(RuleBroken::new(rule, message))
    }

    fn apply_unchecked(&mut self, seat: Seat, to: Point) {
        if seat == CAT {
            self.cat = to;
        } else {
            self.world[to.index(self.side)] = b'1';
        }
        self.moves[seat.index()] += 1;
        self.to_move = seat.other();
        self.end = self.end_by_position();
    }

    fn forfeit(&mut self, seat: Seat, why: Forfeit) {
        self.end.get_or_insert(End::Forfeited(seat, why));
    }

    fn outcome(&self) -> Option<Outcome> {
        let (winner, reason) = match self.end? {
            End::Escaped => (CAT, Cow::Borrowed("the cat reached the border")),
            End::Trapped => (CATCHER, Cow::Borrowed("the cat is trapped")),
            End::Forfeited(seat, why) => {
                let who = ["the cat", "the catcher"][seat.index()];
                let reason = match why {
                    Forfeit::Time => format!("{who} gave no move in time").into(),
                    _ => why.of(who),
                };
                (seat.other(), reason)
            }
        };
        // Integer division, as in the course's formula: 220 for side 21.
        let base = i64::from(self.side * self.side / 2);
        let points = |seat: Seat, result| {
            let moves = i64::from(self.moves[seat.index()]);
            if result == GameResult::Won {
                base - moves
            } else {
                moves
            }
        };
        Some(Outcome::of_two(Some(winner), reason, points))
    }

    fn points_range(&self) -> RangeInclusive<i64> {
        // Each move of the catcher takes a cell, and the cat moves as often.
        let cells = i64::from(self.side * self.side);
        cells / 2 - cells..=cells
    }

    fn frame(&self) -> Frame {
        frame::draw(self)
    }

    fn cell(&self, at: &str) -> Option<(usize, usize)> {
        plain::read::<Point>(at).ok()?.column_row(self.side)
    }

    fn measure(&self) -> Vec<Option<u32>> {
        let way = self.way_to_border().ok();
        vec![way.and_then(|way| u32::try_from(way.len()).ok())]
    }

    fn spell(&self, seat: Seat, mv: &Point) -> String {
        frame::spell(self, seat, *mv)
    }

    fn read(&self, seat: Seat, text: &str) -> Result<Point, Refused> {
        frame::read(self, seat, text)
    }
}
