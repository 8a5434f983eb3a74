//! The game behind the [`Game`] trait.

use super::ending::WIN_POINTS;
use super::info::INFO;
use super::position::MonkeyMetalMan;
use super::setup::{Config, Setup};
use super::view::{Board, Enemy};
use super::{
    Action, Kind, Location, View, bots, ending, frame, generator, json, kit, moves, notation,
    setup, sight,
};
use crate::{
    Baseline, Better, CourseText, Frame, Game, GameInfo, Kit, Measure, Notation, Outcome, Refused,
    RuleBroken, Seat, Seats, Turn, plain,
};
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::RangeInclusive;
use rand_chacha::ChaCha8Rng;

impl MonkeyMetalMan {
    /// Returns the setup of this position. [`Game::start`] restores the position from it, unless
    /// the game is over.
    pub fn setup(&self) -> Setup {
        setup::of(self)
    }

    fn board(&self, seat: usize) -> Board {
        let mut board = Board::hidden(self.field.side());
        for kind in Kind::ALL {
            let piece = self.teams[seat].piece(kind);
            if piece.alive {
                sight::look(&self.field, piece.at, piece.facing, kind, |at, terrain| {
                    board.show(at, terrain);
                });
            }
        }
        for (player, team) in self.teams.iter().enumerate() {
            for kind in Kind::ALL {
                let piece = team.piece(kind);
                if player == seat || !piece.alive {
                    continue;
                }
                if let Some(square) = board.terrain(piece.at) {
                    let enemy = Enemy {
                        player: u8::try_from(player).expect("at most four"),
                        direction: piece.facing,
                        kind,
                        square,
                    };
                    board.show_enemy(piece.at, enemy);
                }
            }
        }
        board
    }
}

impl Game for MonkeyMetalMan {
    const INFO: GameInfo = INFO;
    const BASELINES: &'static [Baseline<Self>] = bots::BASELINES;
    const KITS: &'static [Kit] = kit::KITS;
    const NOTATION: Notation = notation::NOTATION;
    const MEASURE: Option<Measure> = Some(Measure {
        counts: "pieces alive",
        better: Better::More,
    });
    const PROTOCOL: &'static str = include_str!("protocol.md");
    const COURSES: &'static [CourseText] = &[CourseText {
        name: "monkey-metal-man",
        text: include_str!("courses/tournament.toml"),
    }];
    const VARIANTS: &'static [&'static str] = &[
        r#"{"players":2}"#,
        r#"{"players":3,"dead_pieces_block":true}"#,
        r#"{"map":"symmetric","side":11,"timeouts_max":1}"#,
        r#"{"map":"symmetric","side":11,"timeouts_max":1,"strict":true}"#,
        r#"{"map":"symmetric","side":31,"walls_max":0.35,"highground_groups":5}"#,
    ];

    type Config = Config;
    type Setup = Setup;
    type Move = Action;
    type View = View;

    fn draw(config: &Config, rng: &mut ChaCha8Rng) -> Result<Setup, Refused> {
        generator::draw(config, rng)
    }

    fn start(setup: &Setup) -> Result<Self, Refused> {
        setup::start(setup)
    }

    fn seats(&self) -> usize {
        self.teams.len()
    }

    fn to_move(&self) -> Seats {
        if self.over {
            Seats::NONE
        } else {
            Seats::one(Seat::new(self.to_move))
        }
    }

    fn view(&self, seat: Seat) -> View {
        let team = &self.teams[seat.index()];
        let [spotter, assasin] = &team.pieces;
        View {
            board: self.board(seat.index()),
            timer: self.timer,
            circles_collapsed: self.circles_collapsed,
            spotter_location: spotter.at,
            assasin_location: assasin.at,
            spotter_alive: spotter.alive,
            assasin_alive: assasin.alive,
            spotter_direction: spotter.facing,
            assasin_direction: assasin.facing,
        }
    }

    fn write_view(&self, seat: Seat, out: &mut Vec<u8>) {
        json::write_view(&self.view(seat), out);
    }

    fn spelling(mv: &Action) -> String {
        json::action(mv)
    }

    /// Lists at most 59 moves: doing nothing, and for each living piece every other direction to
    /// look in and every tile to end on, while the other piece stays.
    ///
    /// The list uses only the seat's view, so it reveals nothing else. Hidden tiles and own dead
    /// pieces count as free, collapsed rings do not. (A step into an unseen wall is used up.)
    ///
    /// Each way is the shortest; among equally short ones, the first in the order up, down, left,
    /// right. The piece then looks along its last step. The order of the list: nothing; the
    /// spotter's turns (up, down, left, right) and ways (the shortest first); the assasin's.
    fn legal_moves(&self, seat: Seat) -> Vec<Action> {
        moves::selection(&self.view(seat))
    }

    fn check(&self, _seat: Seat, mv: &Action) -> Result<(), RuleBroken> {
        mv.check(self.strict)
    }

    fn apply_unchecked(&mut self, seat: Seat, turn: Turn<Action>) {
        match turn {
            Turn::Played(action) => self.act(&action),
            Turn::Forfeit(why) => self.forfeit(seat.index(), why),
        }
    }

    fn carries_out_broken_moves(&self) -> bool {
        !self.strict
    }

    fn outcome(&self) -> Option<Outcome> {
        self.over.then(|| ending::outcome(self))
    }

    fn points_range(&self) -> RangeInclusive<i64> {
        0..=WIN_POINTS
    }

    fn frame(&self) -> Frame {
        frame::draw(self)
    }

    fn cell(&self, at: &str) -> Option<(usize, usize)> {
        let Location(row, column) = plain::read(at).ok()?;
        Some((column.into(), row.into()))
    }

    fn seen(&self, seat: Seat) -> Frame {
        frame::of_view(&self.view(seat), seat)
    }

    fn measure(&self) -> Vec<Option<u32>> {
        self.teams
            .iter()
            .map(|team| u32::try_from(team.pieces.iter().filter(|piece| piece.alive).count()).ok())
            .collect()
    }

    fn spell(&self, seat: Seat, mv: &Action) -> String {
        notation::spell(self, seat.index(), mv)
    }

    fn read(&self, seat: Seat, text: &str) -> Result<Action, Refused> {
        notation::read(self, seat.index(), text)
    }
}
