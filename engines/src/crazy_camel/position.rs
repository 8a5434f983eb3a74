use super::illegal;
use super::moves::{Camel, Move};
use super::pieces::Pieces;
use super::setup::{self, Player, Setup};
use crate::{Forfeit, Refused, RuleBroken, Seat, object};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// A position of Crazy Camel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrazyCamel {
    pub(super) width: u32,
    pub(super) height: u32,
    board: Board,
    pub(super) camels: Vec<Camel>,
    to_move: Seat,
    pub(super) ply: u32,
    pub(super) plies_max: u32,
    pub(super) end: Option<End>,
}

/// In the smallest word that holds the tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Board {
    Small(Pieces<u64>),
    Large(Pieces<u128>),
}

/// Evaluates the same expression on either size of board.
macro_rules! on {
    ($board:expr, $pieces:ident => $result:expr) => {
        match $board {
            Board::Small($pieces) => $result,
            Board::Large($pieces) => $result,
        }
    };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Arrived { winner: Seat },
    PlyCap,
    Forfeit { loser: Seat, why: Forfeit },
}

pub(super) const SEATS: [Seat; 2] = [Seat::new(0), Seat::new(1)];

pub(super) fn other(seat: Seat) -> Seat {
    SEATS[1 - seat.index()]
}

impl CrazyCamel {
    pub(super) fn new(setup: &Setup) -> Result<Self, Refused> {
        setup::check(setup)?;
        let &Setup { width, height, .. } = setup;
        let masters = [0, 1].map(|player: usize| setup.players[player].position);
        let hands = [0, 1].map(|player: usize| setup.players[player].hand());
        let mut board = if width * height <= u64::BITS {
            Board::Small(Pieces::new(width, height, masters, hands))
        } else {
            Board::Large(Pieces::new(width, height, masters, hands))
        };
        for &camel in &setup.camels {
            on!(&mut board, p => p.lay(camel));
        }
        for player in [0, 1] {
            if on!(&board, p => p.path_length(player)).is_none() {
                return Err(setup::no_path(player, height));
            }
        }
        Ok(Self {
            width,
            height,
            board,
            camels: setup.camels.clone(),
            to_move: SEATS[usize::from(setup.to_move != 0)],
            ply: 0,
            plies_max: setup.plies_max,
            end: None,
        })
    }

    /// Returns the position as a setup with the remaining plies, which continues alike.
    pub fn setup(&self) -> Setup {
        Setup {
            width: self.width,
            height: self.height,
            plies_max: self.plies_max - self.ply,
            players: self.players(),
            camels: self.camels.clone(),
            to_move: u32::from(self.to_move != SEATS[0]),
        }
    }

    /// Counts the steps of each player's shortest path, as in the rule that keeps a path open.
    pub fn path_lengths(&self) -> [u32; 2] {
        let length = |player| on!(&self.board, p => p.path_length(player));
        [0, 1].map(|player| length(player).expect("everybody has a path"))
    }

    pub(super) fn players(&self) -> [Player; 2] {
        [0, 1].map(|player| {
            on!(&self.board, p => Player {
                position: p.master(player),
                camels: u32::from(p.hand(player)),
            })
        })
    }

    fn check_camel(&self, player: usize, camel: Camel) -> Result<(), RuleBroken> {
        let broken = |rule, reason: &str| Err(illegal::placing(rule, player, camel, reason));
        if on!(&self.board, p => p.hand(player)) == 0 {
            return broken("no-camel-in-hand", "no camel is left in hand");
        }
        if let Err(reason) = illegal::check_range(camel, self.width, self.height) {
            return broken("camel-out-of-range", &reason);
        }
        if let Some((rule, reason)) = illegal::first_intersection(camel, &self.camels) {
            return broken(rule, &reason);
        }
        let shut_in = on!(&self.board, p => p.shuts_in(camel));
        illegal::check_paths(player, camel, shut_in, self.height)
    }

    pub(super) fn mover(&self) -> Option<Seat> {
        self.end.is_none().then_some(self.to_move)
    }

    pub(super) fn moves(&self, seat: Seat) -> Vec<Move> {
        let player = seat.index();
        let moves = on!(&self.board, p => p.moves(player));
        // Two masters shut in together would have no path, on at least 3 rows.
        assert!(
            !moves.is_empty() || self.end.is_some(),
            "there is always a legal move: {self:?}"
        );
        moves
    }

    pub(super) fn check_move(&self, player: usize, mv: Move) -> Result<(), RuleBroken> {
        match mv {
            Move::Step(direction) => on!(&self.board, p => p.check_step(player, direction))
                .map_err(|why| {
                    let players = self.players();
                    let [from, other] = [player, 1 - player].map(|of| players[of].position);
                    illegal::step(player, from, other, direction, why)
                }),
            Move::Camel(camel) => self.check_camel(player, camel),
        }
    }

    pub(super) fn advance(&mut self, seat: Seat, mv: Move) {
        let player = seat.index();
        match mv {
            Move::Step(direction) => {
                on!(&mut self.board, p => p.step(player, direction));
            }
            Move::Camel(camel) => {
                on!(&mut self.board, p => p.place(player, camel));
                self.camels.push(camel);
            }
        }
        self.ply += 1;
        self.to_move = other(seat);
        // The win comes first: a ply that wins and reaches the cap wins.
        if on!(&self.board, p => p.arrived(player)) {
            self.end = Some(End::Arrived { winner: seat });
        } else if self.ply >= self.plies_max {
            self.end = Some(End::PlyCap);
        }
    }

    pub(super) fn leaves(&self, depth: u32) -> u64 {
        if self.end.is_some() {
            return 1;
        }
        // Every game that reaches the cap is over and counts as one.
        let depth = depth.min(self.plies_max - self.ply);
        on!(&self.board, p => p.perft(self.to_move.index(), depth))
    }
}

/// A player's view on its turn.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// The player that receives this view, 0 or 1.
    pub you: Seat,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Player 0, whose goal is the last row, and player 1, whose goal is row 0.
    #[serde(deserialize_with = "object::pair")]
    pub players: [Player; 2],
    /// The camels on the board, in order of placement.
    pub camels: Vec<Camel>,
    /// The number of plies played since the setup.
    pub ply: u32,
    /// The value of `ply` at which the game is drawn.
    pub plies_max: u32,
}

impl View {
    /// Returns the position as a setup with this seat to move. Its plies are the remaining ones.
    pub fn setup(&self) -> Setup {
        Setup {
            width: self.width,
            height: self.height,
            plies_max: self.plies_max.saturating_sub(self.ply),
            players: self.players,
            camels: self.camels.clone(),
            to_move: u32::from(self.you != Seat::new(0)),
        }
    }
}
