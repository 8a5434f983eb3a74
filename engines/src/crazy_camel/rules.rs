//! The game proper: turns, the win, the ply cap, forfeits.

use super::info::INFO;
use super::moves::{Camel, Move};
use super::position::Position;
use super::setup::{self, Config, Player, Setup};
use super::{View, bots, frame, illegal, kit, notation, opening};
use crate::{
    Baseline, CourseText, Forfeit, Frame, Game, GameInfo, GameResult, Kit, Notation, Outcome,
    Refused, RuleBroken, Seat, SeatOutcome, Seats, Turn,
};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use rand_chacha::ChaCha8Rng;

/// A position of Crazy Camel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrazyCamel {
    width: u32,
    height: u32,
    board: Board,
    /// In order of placement.
    camels: Vec<Camel>,
    to_move: Seat,
    ply: u32,
    plies_max: u32,
    end: Option<End>,
}

/// The board in the smallest word that holds its tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Board {
    Small(Position<u64>),
    Large(Position<u128>),
}

/// Runs the same expression on either size of board.
macro_rules! on {
    ($board:expr, $position:ident => $result:expr) => {
        match $board {
            Board::Small($position) => $result,
            Board::Large($position) => $result,
        }
    };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Arrived { winner: Seat },
    PlyCap,
    Forfeit { loser: Seat, why: Forfeit },
}

const SEATS: [Seat; 2] = [Seat::new(0), Seat::new(1)];

fn other(seat: Seat) -> Seat {
    SEATS[1 - seat.index()]
}

impl CrazyCamel {
    /// Returns the position as a setup, from which play goes on alike: its plies are those
    /// that are left.
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

    /// Counts the steps of each player's shortest path to its goal row; masters' bodies are
    /// ignored, as in the rule that keeps a path open.
    pub fn path_lengths(&self) -> [u32; 2] {
        let length = |player| on!(&self.board, p => p.path_length(player));
        [0, 1].map(|player| length(player).expect("everybody has a path"))
    }

    pub(super) const fn width(&self) -> u32 {
        self.width
    }

    pub(super) const fn height(&self) -> u32 {
        self.height
    }

    pub(super) fn camels(&self) -> &[Camel] {
        &self.camels
    }

    pub(super) const fn ply(&self) -> u32 {
        self.ply
    }

    pub(super) const fn plies_max(&self) -> u32 {
        self.plies_max
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
        if on!(&self.board, p => p.hand(player)) == 0 {
            return Err(illegal::empty_hand(player, camel));
        }
        illegal::check_range(camel, self.width, self.height)
            .map_err(|reason| illegal::out_of_range(player, camel, &reason))?;
        if let Some(found) = illegal::first_intersection(camel, &self.camels) {
            return Err(illegal::intersects(player, camel, found));
        }
        let shut_in = on!(&self.board, p => p.shuts_in(camel));
        illegal::check_paths(player, camel, shut_in, self.height)
    }
}

impl Game for CrazyCamel {
    const INFO: GameInfo = INFO;
    const BASELINES: &'static [Baseline<Self>] = bots::BASELINES;
    const KITS: &'static [Kit] = kit::KITS;
    const NOTATION: Notation = notation::NOTATION;
    const PROTOCOL: &'static str = include_str!("protocol.md");
    const COURSES: &'static [CourseText] = &[CourseText {
        name: "crazy-camel",
        text: include_str!("courses/tournament.toml"),
    }];
    const VARIANTS: &'static [&'static str] = &[
        r#"{"width":3,"height":3,"camels":1,"plies_max":5}"#,
        r#"{"width":11,"height":9,"camels":10,"plies_max":60,"opening_plies":9}"#,
        r#"{"opening_plies":16}"#,
    ];

    type Config = Config;
    type Setup = Setup;
    type Move = Move;
    type View = View;

    fn draw(config: &Config, rng: &mut ChaCha8Rng) -> Result<Setup, Refused> {
        opening::draw(config, rng)
    }

    fn start(setup: &Setup) -> Result<Self, Refused> {
        setup::check(setup)?;
        let &Setup { width, height, .. } = setup;
        let masters = [0, 1].map(|player: usize| setup.players[player].position);
        let hands = [0, 1].map(|player: usize| setup.players[player].hand());
        let mut board = if width * height <= u64::BITS {
            Board::Small(Position::new(width, height, masters, hands))
        } else {
            Board::Large(Position::new(width, height, masters, hands))
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

    fn to_move(&self) -> Seats {
        match self.end {
            Some(_) => Seats::NONE,
            None => Seats::one(self.to_move),
        }
    }

    fn view(&self, seat: Seat) -> View {
        View::of(self, seat)
    }

    fn legal_moves(&self, seat: Seat) -> Vec<Move> {
        let player = seat.index();
        let moves = on!(&self.board, p => p.moves(player));
        // Two masters shut in together would have no path, on at least 3 rows.
        assert!(
            !moves.is_empty() || self.end.is_some(),
            "there is always a legal move: {self:?}"
        );
        moves
    }

    fn check(&self, seat: Seat, mv: &Move) -> Result<(), RuleBroken> {
        let player = seat.index();
        match *mv {
            Move::Step(direction) => on!(&self.board, p => p.check_step(player, direction))
                .map_err(|why| {
                    let players = self.players();
                    let [from, other] = [player, 1 - player].map(|of| players[of].position);
                    illegal::step(player, from, other, direction, why)
                }),
            Move::Camel(camel) => self.check_camel(player, camel),
        }
    }

    fn apply_unchecked(&mut self, seat: Seat, turn: Turn<Move>) {
        let player = seat.index();
        match turn {
            Turn::Played(Move::Step(direction)) => {
                on!(&mut self.board, p => p.step(player, direction));
            }
            Turn::Played(Move::Camel(camel)) => {
                on!(&mut self.board, p => p.place(player, camel));
                self.camels.push(camel);
            }
            Turn::Forfeit(why) => {
                self.end.get_or_insert(End::Forfeit { loser: seat, why });
                return;
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

    fn outcome(&self) -> Option<Outcome> {
        let end = self.end?;
        let (winner, reason) = match end {
            End::Arrived { winner } if winner == SEATS[0] => {
                (Some(winner), "player 0 reached the bottom row".into())
            }
            End::Arrived { winner } => (Some(winner), "player 1 reached the top row".into()),
            End::PlyCap => {
                let reason = format!("nobody arrived by ply {}", self.plies_max);
                (None, Cow::Owned(reason))
            }
            End::Forfeit { loser, why } => (Some(other(loser)), forfeit_reason(loser, why).into()),
        };
        let seats = SEATS.map(|seat| match winner {
            None => result_of(GameResult::Drawn),
            Some(winner) if winner == seat => result_of(GameResult::Won),
            Some(_) => result_of(GameResult::Lost),
        });
        Some(Outcome {
            seats: seats.to_vec(),
            reason,
        })
    }

    fn frame(&self) -> Frame {
        frame::draw(self)
    }

    fn spell(&self, _seat: Seat, mv: &Move) -> String {
        notation::spell(*mv)
    }

    fn read(&self, _seat: Seat, text: &str) -> Result<Move, Refused> {
        notation::read(text)
    }

    fn perft(&self, depth: u32) -> u64 {
        if self.end.is_some() {
            return 1;
        }
        // Whatever reaches the cap is over, and counts as one.
        let depth = depth.min(self.plies_max - self.ply);
        on!(&self.board, p => p.perft(self.to_move.index(), depth))
    }
}

fn result_of(result: GameResult) -> SeatOutcome {
    SeatOutcome {
        result,
        placement: if result == GameResult::Lost { 2 } else { 1 },
        points: i64::from(result == GameResult::Won),
        tie_break: 0,
    }
}

fn forfeit_reason(loser: Seat, why: Forfeit) -> &'static str {
    match (loser == SEATS[0], why) {
        (true, Forfeit::Illegal) => "player 0 moved illegally",
        (true, Forfeit::Malformed) => "player 0 gave no readable move",
        (true, Forfeit::Time) => "player 0 ran out of time",
        (true, Forfeit::Gone) => "player 0's program is gone",
        (false, Forfeit::Illegal) => "player 1 moved illegally",
        (false, Forfeit::Malformed) => "player 1 gave no readable move",
        (false, Forfeit::Time) => "player 1 ran out of time",
        (false, Forfeit::Gone) => "player 1's program is gone",
    }
}
