use super::Point;
use crate::{Forfeit, RuleBroken, Seat};
use alloc::vec::Vec;

/// A position of Catch the Cat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatchTheCat {
    pub(super) side: i32,
    /// The cells as in the view: one character each, row by row, `1` blocked, `0` free.
    pub(super) world: Vec<u8>,
    pub(super) cat: Point,
    pub(super) to_move: Seat,
    /// Each seat's own valid moves to this point, including the winning one.
    pub(super) moves: [u32; 2],
    pub(super) end: Option<End>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Escaped,
    Trapped,
    Forfeited(Seat, Forfeit),
}

impl CatchTheCat {
    pub(super) fn is_free(&self, cell: Point) -> bool {
        cell.inside(self.side) && self.world[cell.index(self.side)] == b'0'
    }

    pub(super) fn ways(&self) -> impl Iterator<Item = Point> {
        self.cat
            .neighbours()
            .into_iter()
            .filter(|&cell| self.is_free(cell))
    }

    pub(super) fn blockable(&self) -> impl Iterator<Item = Point> {
        let cat = self.cat.index(self.side);
        (0..)
            .zip(&self.world)
            .filter(|&(_, &cell)| cell == b'0')
            .filter(move |&(index, _)| index != cat)
            .map(|(index, _)| Point::from_index(index, self.side))
    }

    /// Returns the cat's shortest way to the border without its own cell, or the wall around it.
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
        let mut wall: Vec<usize> = reached
            .iter()
            .flat_map(|cell| cell.neighbours())
            .filter(|cell| !self.is_free(*cell) && *cell != self.cat)
            .map(|cell| cell.index(self.side))
            .collect();
        wall.sort_unstable();
        wall.dedup();
        Err(wall
            .into_iter()
            .map(|index| Point::from_index(index, self.side))
            .collect())
    }

    pub(super) fn check_cat(&self, to: Point) -> Result<(), RuleBroken> {
        let from = self.cat;
        let broken = |rule, why: &str| {
            let message = format!("the cat cannot go from {from} to {to}: {why}");
            Err(RuleBroken::new(rule, message))
        };
        if to == from {
            broken("cat-stays", "the cat may not stay where it is")
        } else if !from.touches(to) {
            broken(
                "not-a-neighbour",
                "the cell is not one of its six neighbours",
            )
        } else if !self.is_free(to) {
            broken("blocked-cell", "the cell is blocked")
        } else {
            Ok(())
        }
    }

    pub(super) fn check_catcher(&self, cell: Point) -> Result<(), RuleBroken> {
        let broken = |rule, why: &str| {
            let message = format!("the catcher cannot block {cell}: {why}");
            Err(RuleBroken::new(rule, message))
        };
        if !cell.inside(self.side) {
            let reach = self.side / 2;
            broken(
                "outside",
                &format!("it lies outside the board (x and y go from -{reach} to {reach})"),
            )
        } else if cell == self.cat {
            broken("cat-cell", "the cat is there")
        } else if !self.is_free(cell) {
            broken("blocked-cell", "the cell is blocked already")
        } else {
            Ok(())
        }
    }

    pub(super) fn end_by_position(&self) -> Option<End> {
        if self.cat.on_border(self.side) {
            return Some(End::Escaped);
        }
        self.ways().next().is_none().then_some(End::Trapped)
    }
}

/// The seat that runs.
pub const CAT: Seat = Seat::new(0);
/// The seat that blocks.
pub const CATCHER: Seat = Seat::new(1);
