use super::position::{self, ConnectFour, End};
use super::setup::{self, Config, Setup};
use super::{Colour, Move, View, bots, frame};
use crate::{
    Baseline, Better, CourseText, Frame, Game, GameInfo, GameResult, Information, Lifetime,
    Measure, Notation, Outcome, Palette, Points, Refused, RuleBroken, Seat, SeatOutcome, Seats,
    TimeControl, Turn, plain,
};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::RangeInclusive;
use rand_chacha::ChaCha8Rng;

impl Game for ConnectFour {
    const INFO: GameInfo = INFO;
    const BASELINES: &'static [Baseline<Self>] = bots::BASELINES;
    const NOTATION: Notation = frame::NOTATION;
    const PALETTE: Palette = frame::PALETTE;
    const MEASURE: Option<Measure> = Some(Measure {
        counts: "lines of four still open",
        better: Better::More,
        ahead: 8,
    });
    const PROTOCOL: &'static str = include_str!("protocol.md");
    const COURSES: &'static [CourseText] = &[CourseText {
        name: "connect-four",
        text: include_str!("courses/tournament.toml"),
    }];
    const VARIANTS: &'static [&'static str] = &[
        r#"{"opening_plies":8}"#,
        r#"{"width":8,"height":7,"opening_plies":3}"#,
        r#"{"width":4,"height":4}"#,
        r#"{"width":10,"height":10,"opening_plies":16}"#,
    ];

    type Config = Config;
    type Setup = Setup;
    type Move = Move;
    type View = View;

    fn draw(config: &Config, rng: &mut ChaCha8Rng) -> Result<Setup, Refused> {
        setup::draw(config, rng)
    }

    fn start(setup: &Setup) -> Result<Self, Refused> {
        let to_move = setup::to_move(&setup.board)?;
        Ok(Self::new(setup.board, to_move))
    }

    fn to_move(&self) -> Seats {
        self.mover()
            .map_or(Seats::NONE, |colour| Seats::one(colour.seat()))
    }

    fn view(&self, seat: Seat) -> View {
        let you = Colour::of(seat);
        View {
            board: self.board,
            you,
            last: self.last[you.other().seat().index()],
        }
    }

    fn legal_moves(&self, _seat: Seat) -> Vec<Move> {
        self.moves()
    }

    fn check(&self, seat: Seat, mv: &Move) -> Result<(), RuleBroken> {
        let broken = |rule, why: String| {
            let (colour, column) = (Colour::of(seat), mv.0);
            let message = format!("{colour} cannot play in column {column}: {why}");
            Err(RuleBroken::new(rule, message))
        };
        match self.column(*mv) {
            None => {
                let last = self.board.width() - 1;
                broken("outside", format!("the columns are 0 to {last}"))
            }
            Some(column) if self.board.is_full(column) => {
                broken("full-column", "it is full".into())
            }
            Some(_) => Ok(()),
        }
    }

    fn apply_unchecked(&mut self, seat: Seat, turn: Turn<Move>) {
        let colour = Colour::of(seat);
        match turn {
            Turn::Played(mv) => self.advance(colour, mv),
            Turn::Forfeit(why) => {
                self.end.get_or_insert(End::Forfeited(colour, why));
            }
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        let (winner, reason) = match self.end? {
            End::Four(colour) => (Some(colour), format!("{colour} has four in a row").into()),
            End::Full => (None, Cow::Borrowed("the board is full")),
            End::Forfeited(colour, why) => (Some(colour.other()), why.of(colour).into()),
        };
        let winner = winner.map(Colour::seat);
        let seats = Colour::BOTH.map(|colour| match GameResult::of(colour.seat(), winner) {
            GameResult::Won => SeatOutcome::of_two(GameResult::Won, 1),
            GameResult::Drawn => SeatOutcome::of_two(GameResult::Drawn, 0),
            GameResult::Lost => SeatOutcome::of_two(GameResult::Lost, -1),
        });
        Some(Outcome {
            seats: seats.into(),
            reason,
        })
    }

    fn points_range(&self) -> RangeInclusive<i64> {
        -1..=1
    }

    fn frame(&self) -> Frame {
        frame::draw(&self.board, self.mover())
    }

    fn cell(&self, at: &str) -> Option<(usize, usize)> {
        // Rows of a picture count from the top.
        let from_top = |row| (self.board.height() - 1).checked_sub(row);
        if let Ok((column, row)) = plain::read(at) {
            return Some((column, from_top(row)?));
        }
        // A move: the cell that its disc falls to.
        let column: usize = plain::read(at)
            .ok()
            .filter(|&column| column < self.board.width())?;
        let row =
            (0..self.board.height()).find(|&row: &usize| self.board.cell(column, row).is_none())?;
        Some((column, from_top(row)?))
    }

    fn measure(&self) -> Vec<Option<u32>> {
        Colour::BOTH
            .map(|colour| self.board.lines_open(colour))
            .map(Some)
            .into()
    }

    fn spell(&self, _seat: Seat, mv: &Move) -> String {
        frame::spell(*mv)
    }

    fn read(&self, _seat: Seat, text: &str) -> Result<Move, Refused> {
        frame::read(self.board.width(), text)
    }

    fn perft(&self, depth: u32) -> u64 {
        let discs = |colour| self.board.discs(colour);
        let (own, other) = (discs(self.to_move), discs(self.to_move.other()));
        match self.end {
            Some(_) => 1,
            None => position::perft(&self.board.shape(), own, other, depth),
        }
    }
}

pub(super) const INFO: GameInfo = GameInfo {
    slug: "connect-four",
    title: "Connect Four",
    summary: "Two players drop discs into an upright board of 7×6; four in a row win.",
    rules_version: 1,
    roles: &["red", "yellow"],
    seats_min: 2,
    // Each ply fills one of the 7·6 cells.
    plies_max: 7 * 6,
    information: Information::Perfect,
    points: Points::PLAIN,
    tie_break: None,
    moves_listed: true,
    time: TimeControl {
        turn_us: None,
        bank_us: Some(10_000_000),
        increment_us: 100_000,
        charge_start: true,
    },
    lifetime: Lifetime::Game,
};
