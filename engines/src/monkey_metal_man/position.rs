use super::Kind;
use super::action::{Action, Orders, Step};
use super::field::{Direction, Field, Location};
use crate::Forfeit;
use crate::prelude::*;
use alloc::sync::Arc;
use serde::{Deserialize, Serialize};

/// A position of The Monkey and the Metal Man.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MonkeyMetalMan {
    /// The map before any collapse.
    pub(super) map: Arc<[String]>,
    pub(super) field: Arc<Field>,
    pub(super) teams: Vec<Team>,
    /// The player to move, who is alive unless the game is over.
    pub(super) to_move: usize,
    pub(super) timer: u8,
    pub(super) circles_collapsed: u8,
    pub(super) over: bool,
    pub(super) timeouts_max: u32,
    pub(super) strict: bool,
    pub(super) dead_pieces_block: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Team {
    /// The spotter, then the assasin.
    pub(super) pieces: [Piece; 2],
    /// Under strict rules, faults of every kind.
    pub(super) timeouts: u32,
    pub(super) captures: u8,
    pub(super) lost: Option<Moment>,
}

/// A dead piece stays on its last tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) at: Location,
    pub(super) facing: Direction,
    pub(super) alive: bool,
}

/// A moment in the course of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moment {
    /// The round, from 1.
    pub round: u8,
    /// The number of the seat to move, or [`COLLAPSE_TURN`].
    pub turn: u8,
}

/// The turn of the collapse, which follows a round's last turn.
pub const COLLAPSE_TURN: u8 = 4;
/// The number of rounds between two collapses.
pub const ROUNDS_PER_CIRCLE: u8 = 5;

impl Team {
    pub(super) fn piece(&self, kind: Kind) -> &Piece {
        &self.pieces[kind as usize]
    }

    pub(super) fn alive(&self) -> bool {
        self.pieces.iter().any(|piece| piece.alive)
    }
}

impl MonkeyMetalMan {
    fn alive_count(&self) -> usize {
        self.teams.iter().filter(|team| team.alive()).count()
    }

    /// Iterates over the living pieces, each behind its player and kind.
    pub(super) fn living(&self) -> impl Iterator<Item = (usize, Kind, Piece)> {
        let pieces = |(player, team): (usize, &Team)| {
            let piece = |kind: Kind| (player, kind, team.pieces[kind as usize]);
            Kind::ALL.map(piece)
        };
        let all = self.teams.iter().enumerate().flat_map(pieces);
        all.filter(|(_, _, piece)| piece.alive)
    }

    /// Names what [`Team::timeouts`] counts.
    pub(super) fn counted(&self) -> &'static str {
        if self.strict { "faults" } else { "time-outs" }
    }

    pub(super) fn round(&self) -> u8 {
        (self.circles_collapsed + 1) * ROUNDS_PER_CIRCLE - self.timer + 1
    }

    pub(super) fn now(&self) -> Moment {
        let turn = u8::try_from(self.to_move).expect("below four");
        let round = self.round();
        Moment { round, turn }
    }

    pub(super) fn act(&mut self, action: &Action) {
        let Action { spotter, assasin } = action;
        let facings = [
            self.obey(Kind::Spotter, spotter),
            self.obey(Kind::Assasin, assasin),
        ];
        let pieces = &mut self.teams[self.to_move].pieces;
        for (piece, facing) in pieces.iter_mut().zip(facings) {
            piece.facing = facing.unwrap_or(piece.facing);
        }
        self.pass_turn();
    }

    /// Carries out good orders. Returns the piece's direction, or none for bad orders.
    fn obey<const STEPS_MAX: usize>(
        &mut self,
        kind: Kind,
        orders: &Orders<STEPS_MAX>,
    ) -> Option<Direction> {
        if !orders.are_good(self.strict) {
            return None;
        }
        self.walk(kind, orders.moves.iter());
        orders.direction.direction()
    }

    fn walk(&mut self, kind: Kind, steps: impl Iterator<Item = Step>) {
        let team = &self.teams[self.to_move];
        let Piece { mut at, alive, .. } = *team.piece(kind);
        if !alive {
            return;
        }
        let other = team.piece(kind.other());
        let in_the_way = (other.alive || self.dead_pieces_block).then_some(other.at);
        // A step that stays is used up.
        for direction in steps.filter_map(Step::direction) {
            let next = at.towards(direction);
            if self.field.is_free(next) && in_the_way != Some(next) {
                at = next;
            }
        }
        self.teams[self.to_move].pieces[kind as usize].at = at;
        self.capture(at);
    }

    fn capture(&mut self, at: Location) {
        let now = self.now();
        for seat in (0..self.teams.len()).filter(|&seat| seat != self.to_move) {
            let team = &mut self.teams[seat];
            for piece in &mut team.pieces {
                if piece.alive && piece.at == at {
                    piece.alive = false;
                    team.lost = (!team.alive()).then_some(now);
                    self.teams[self.to_move].captures += 1;
                    return;
                }
            }
        }
    }

    /// Charges a seat, to move or not, with a turn in which the game carries out nothing.
    pub(super) fn charge(&mut self, seat: usize, why: Forfeit) {
        if self.over || seat >= self.teams.len() || !self.teams[seat].alive() {
            return;
        }
        let now = self.now();
        let team = &mut self.teams[seat];
        let removed = match why {
            Forfeit::Gone => true,
            Forfeit::Illegal | Forfeit::Malformed if !self.strict => false,
            Forfeit::Illegal | Forfeit::Malformed | Forfeit::Time => {
                team.timeouts += 1;
                team.timeouts >= self.timeouts_max
            }
        };
        if removed {
            for piece in &mut team.pieces {
                piece.alive = false;
            }
            team.lost = Some(now);
        }
        if seat == self.to_move {
            self.pass_turn();
        }
    }

    fn pass_turn(&mut self) {
        let following = self.to_move + 1..self.teams.len();
        match self.first_alive(following) {
            Some(seat) => self.to_move = seat,
            None => self.end_round(),
        }
    }

    fn first_alive(&self, mut seats: core::ops::Range<usize>) -> Option<usize> {
        seats.find(|&seat| self.teams[seat].alive())
    }

    fn end_round(&mut self) {
        if self.alive_count() > 1 {
            if self.timer > 1 {
                self.timer -= 1;
            } else {
                self.collapse();
            }
        }
        // A second test, because a collapse kills. If none is left, several may have won jointly.
        match self.first_alive(0..self.teams.len()) {
            Some(seat) if self.alive_count() > 1 => self.to_move = seat,
            Some(_) | None => self.over = true,
        }
    }

    fn collapse(&mut self) {
        let moment = Moment {
            round: self.round(),
            turn: COLLAPSE_TURN,
        };
        Arc::make_mut(&mut self.field).collapse(self.circles_collapsed);
        self.circles_collapsed += 1;
        self.timer = ROUNDS_PER_CIRCLE;
        for team in &mut self.teams {
            let was_alive = team.alive();
            for piece in &mut team.pieces {
                piece.alive &= self.field.is_free(piece.at);
            }
            if was_alive && !team.alive() {
                team.lost = Some(moment);
            }
        }
    }
}
