use super::moves::{Camel, Move, misplaced};
use super::pieces::Pieces;
use super::setup::{self, Config, PLIES_MAX, Player, Setup};
use super::{Board, CrazyCamel, End, KITS, View, bots, frame};
use crate::complaint::refuse;
use crate::prelude::*;
use crate::{
    Baseline, Better, CourseText, Forfeit, Frame, Game, GameInfo, GameResult, Information,
    Lifetime, Measure, Outcome, Palette, Points, Refused, RuleBroken, Seat, TimeControl,
};
use alloc::borrow::Cow;
use core::ops::RangeInclusive;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

const SEATS: [Seat; 2] = [Seat::new(0), Seat::new(1)];

/// Evaluates the same expression on either size of board.
macro_rules! on {
    ($board:expr, $pieces:ident => $result:expr) => {
        match $board {
            Board::Small($pieces) => $result,
            Board::Large($pieces) => $result,
        }
    };
}

impl CrazyCamel {
    /// Returns the position as a setup with the remaining plies, which continues alike.
    pub fn setup(&self) -> Setup {
        self.view(self.to_move).setup()
    }

    /// Counts the steps of each player's shortest path, as in the rule that keeps a path open.
    pub fn path_lengths(&self) -> [u32; 2] {
        [0, 1].map(|player| {
            let length = on!(&self.board, p => p.path_length(player));
            length.expect("everybody has a path")
        })
    }

    pub(super) fn players(&self) -> [Player; 2] {
        [0, 1].map(|player| Player {
            position: on!(&self.board, p => p.master(player)),
            camels: on!(&self.board, p => p.hands[player]),
        })
    }

    fn camel_fault(&self, player: usize, camel: Camel) -> Option<(&'static str, String)> {
        if on!(&self.board, p => p.hands[player]) == 0 {
            return Some(("no-camel-in-hand", "no camel is left in hand".into()));
        }
        misplaced(camel, &self.camels, (self.width, self.height)).or_else(|| {
            let last = self.height - 1;
            Some(match on!(&self.board, p => p.shuts_in(camel)) {
                [false, false] => return None,
                [true, false] => (
                    "blocks-player-0",
                    format!("player 0 would have no path left to row {last}"),
                ),
                [false, true] => (
                    "blocks-player-1",
                    "player 1 would have no path left to row 0".into(),
                ),
                [true, true] => (
                    "blocks-both-players",
                    "neither player would have a path left to its goal row".into(),
                ),
            })
        })
    }

    /// Plays random legal plies that do not win. Returns none if every ply wins.
    fn opening(mut self, plies: u32, rng: &mut ChaCha8Rng) -> Option<Self> {
        for _ in 0..plies {
            let seat = self.to_move;
            let mut legal = self.legal_moves(seat);
            self = core::iter::from_fn(|| {
                let index = (!legal.is_empty()).then(|| rng.random_range(..legal.len()))?;
                Some(self.after(seat, legal.swap_remove(index)))
            })
            .find(|next| next.end.is_none())?;
        }
        Some(self)
    }

    fn after(&self, seat: Seat, mv: Move) -> Self {
        let mut next = self.clone();
        next.apply_unchecked(seat, mv);
        next
    }

    /// Returns whether the paths are about equally long and nobody could win at once.
    fn is_open(&self) -> bool {
        let [a, b] = self.path_lengths();
        let wins_at_once = |seat: Seat| {
            let wins = |step| self.after(seat, Move::Step(step)).end.is_some();
            on!(&self.board, p => p.steps(seat.index()).any(wins))
        };
        a.abs_diff(b) <= OPENING_LEAD_MAX && !SEATS.into_iter().any(wins_at_once)
    }
}

/// The maximum difference between the lengths of the two paths after a random opening, in steps.
pub const OPENING_LEAD_MAX: u32 = 2;

/// More draws refuse the configuration.
const OPENINGS_MAX: u32 = 1_000;

impl Game for CrazyCamel {
    const INFO: GameInfo = GameInfo {
        slug: "crazy-camel",
        title: "Crazy Camel",
        summary: "Two masters cross the board and lay camels in each other's way: Quoridor on 7×7 with 8 walls each.",
        rules_version: 1,
        roles: &["player 0", "player 1"],
        seats_min: 2,
        plies_max: 128,
        information: Information::Perfect,
        points: Points::PLAIN,
        tie_break: None,
        moves_listed: true,
        time: TimeControl {
            turn_us: None,
            bank_us: Some(10_000_000),
            increment_us: 1_000_000,
            charge_start: true,
        },
        lifetime: Lifetime::Game,
        variants: &[
            r#"{"width":3,"height":3,"camels":1,"plies_max":5}"#,
            r#"{"width":11,"height":9,"camels":10,"plies_max":60,"opening_plies":9}"#,
            r#"{"opening_plies":16}"#,
        ],
        notation: frame::NOTATION,
        palette: Palette::PLAIN,
        measure: Some(Measure {
            counts: "steps to the goal",
            better: Better::Less,
            ahead: 3,
        }),
        protocol: include_str!("protocol.md"),
        courses: &[CourseText {
            name: "crazy-camel",
            text: include_str!("courses/tournament.toml"),
        }],
        kits: KITS,
    };
    const BASELINES: &'static [Baseline<Self>] = bots::BASELINES;

    type Config = Config;
    type Setup = Setup;
    type Move = Move;
    type View = View;

    fn draw(config: &Config, rng: &mut ChaCha8Rng) -> Result<Setup, Refused> {
        setup::check_config(config)?;
        let &Config {
            width,
            height,
            opening_plies: plies,
            plies_max,
            ..
        } = config;
        let fixed = Setup::fixed(config);
        if plies == 0 {
            return Ok(fixed);
        }
        let long = Self::start(&Setup {
            plies_max: PLIES_MAX,
            ..fixed
        })?;
        (0..OPENINGS_MAX)
            .filter_map(|_| long.clone().opening(plies, rng))
            .find(Self::is_open)
            .map(|game| Setup {
                plies_max,
                ..game.setup()
            })
            .ok_or_else(|| {
                Refused(format!(
                    "no even opening of {plies} plies found on {width}×{height}: choose fewer \
                     opening_plies"
                ))
            })
    }

    fn start(setup: &Setup) -> Result<Self, Refused> {
        setup::check(setup)?;
        let &Setup { width, height, .. } = setup;
        let masters = setup.players.map(|player| player.position);
        let hands = setup.players.map(|player| player.camels);
        let mut board = if width * height <= u64::BITS {
            Board::Small(Pieces::new(width, height, masters, hands))
        } else {
            Board::Large(Pieces::new(width, height, masters, hands))
        };
        for &camel in &setup.camels {
            on!(&mut board, p => p.lay(camel));
        }
        let is_shut_in = |&player: &usize| on!(&board, p => p.path_length(player)).is_none();
        if let Some(player) = (0..2).find(is_shut_in) {
            let row = setup::goal_row(player, height);
            return refuse(format!(
                "player {player} has no path to its goal, row {row}"
            ));
        }
        Ok(Self {
            width,
            height,
            board,
            camels: setup.camels.clone(),
            to_move: SEATS[setup.to_move as usize],
            ply: 0,
            plies_max: setup.plies_max,
            end: None,
        })
    }

    fn mover(&self) -> Option<Seat> {
        self.end.is_none().then_some(self.to_move)
    }

    fn view(&self, seat: Seat) -> View {
        View {
            you: seat,
            width: self.width,
            height: self.height,
            players: self.players(),
            camels: self.camels.clone(),
            ply: self.ply,
            plies_max: self.plies_max,
        }
    }

    fn legal_moves(&self, seat: Seat) -> Vec<Move> {
        let moves = on!(&self.board, p => p.moves(seat.index()));
        // Two masters shut in together would have no path, on at least 3 rows.
        assert!(
            !moves.is_empty() || self.end.is_some(),
            "there is always a legal move: {self:?}"
        );
        moves
    }

    fn check(&self, seat: Seat, &mv: &Move) -> Result<(), RuleBroken> {
        let player = seat.index();
        let (rule, message) = match mv {
            Move::Step(direction) => {
                let Some((rule, reason)) = on!(&self.board, p => p.target(player, direction).err())
                else {
                    return Ok(());
                };
                let players = self.players();
                let [from, other] = [player, 1 - player].map(|of| players[of].position);
                let reason = reason.replace("{other}", &other.to_string());
                (
                    rule,
                    format!("player {player} cannot step {direction} from {from}: {reason}"),
                )
            }
            Move::Camel(camel) => {
                let Some((rule, reason)) = self.camel_fault(player, camel) else {
                    return Ok(());
                };
                (
                    rule,
                    format!("player {player} cannot place {camel}: {reason}"),
                )
            }
        };
        Err(RuleBroken::new(rule, message))
    }

    fn apply_unchecked(&mut self, seat: Seat, mv: Move) {
        let player = seat.index();
        match mv {
            Move::Step(direction) => on!(&mut self.board, p => p.step(player, direction)),
            Move::Camel(camel) => {
                on!(&mut self.board, p => {
                    p.hands[player] -= 1;
                    p.lay(camel);
                });
                self.camels.push(camel);
            }
        }
        self.ply += 1;
        self.to_move = seat.other();
        // The win comes first: a ply that wins and reaches the cap wins.
        if on!(&self.board, p => p.arrived(player)) {
            self.end = Some(End::Arrived(seat));
        } else if self.ply >= self.plies_max {
            self.end = Some(End::PlyCap);
        }
    }

    fn forfeit(&mut self, seat: Seat, why: Forfeit) {
        self.end.get_or_insert(End::Forfeited(seat, why));
    }

    fn outcome(&self) -> Option<Outcome> {
        let (winner, reason) = match self.end? {
            End::Arrived(winner) => {
                let row = ["bottom", "top"][winner.index()];
                let reason = format!("player {} reached the {row} row", winner.index());
                (Some(winner), Cow::Owned(reason))
            }
            End::PlyCap => {
                let reason = format!("nobody arrived by ply {}", self.plies_max);
                (None, Cow::Owned(reason))
            }
            End::Forfeited(loser, why) => {
                let who = format!("player {}", loser.index());
                (Some(loser.other()), why.of(who))
            }
        };
        let points = |_, result| i64::from(result == GameResult::Won);
        Some(Outcome::of_two(winner, reason, points))
    }

    fn points_range(&self) -> RangeInclusive<i64> {
        0..=1
    }

    fn frame(&self) -> Frame {
        frame::draw(self)
    }

    fn measure(&self) -> Vec<Option<u32>> {
        self.path_lengths().map(Some).into()
    }

    fn spell(&self, _seat: Seat, mv: &Move) -> String {
        frame::spell(*mv)
    }

    fn read(&self, _seat: Seat, text: &str) -> Result<Move, Refused> {
        frame::read(text)
    }

    fn perft(&self, depth: u32) -> u64 {
        if self.end.is_some() {
            return 1;
        }
        // Every game that reaches the cap is over and counts as one.
        let depth = depth.min(self.plies_max - self.ply);
        on!(&self.board, p => p.perft(self.to_move.index(), depth))
    }
}
