use super::board::Shape;
use super::{
    Board, Colour, Config, ConnectFour, End, Move, OPENING_PLIES_MAX, Setup, View, bots, frame,
};
use crate::complaint::refuse;
use crate::prelude::*;
use crate::{
    Baseline, Better, CourseText, Forfeit, Frame, Game, GameInfo, GameResult, Information,
    Lifetime, Measure, Outcome, Points, Refused, RuleBroken, Seat, TimeControl, plain,
};
use alloc::borrow::Cow;
use core::ops::RangeInclusive;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// At worst one opening in ten is kept.
const DRAWS_MAX: u32 = 1000;

impl ConnectFour {
    fn column(&self, mv: Move) -> Option<usize> {
        let column = usize::try_from(mv.0).ok();
        column.filter(|&column| column < self.board.width())
    }

    /// Plays random plies. Returns none if the game is then over or somebody could win with one disc.
    fn opening(board: Board, plies: usize, rng: &mut ChaCha8Rng) -> Option<Setup> {
        let mut game = Self {
            board,
            ..Self::default()
        };
        for _ in 0..plies {
            let seat = game.mover()?;
            game.apply_unchecked(seat, *game.legal_moves(seat).choose(rng)?);
        }
        let board = game.board;
        (game.end.is_none() && is_quiet(&board)).then_some(Setup { board })
    }
}

fn is_quiet(board: &Board) -> bool {
    let mut dropped = (0..board.width())
        .filter(|&column| !board.is_full(column))
        .flat_map(|column| Colour::BOTH.map(|colour| (column, colour)));
    !dropped.any(|(column, colour)| {
        let mut next = *board;
        next.drop_disc(colour, column);
        next.has_four(colour)
    })
}

impl Game for ConnectFour {
    const INFO: GameInfo = GameInfo {
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
        variants: &[
            r#"{"opening_plies":8}"#,
            r#"{"width":8,"height":7,"opening_plies":3}"#,
            r#"{"width":4,"height":4}"#,
            r#"{"width":10,"height":10,"opening_plies":16}"#,
        ],
        notation: frame::NOTATION,
        palette: frame::PALETTE,
        measure: Some(Measure {
            counts: "lines of four still open",
            better: Better::More,
            ahead: 8,
        }),
        protocol: include_str!("protocol.md"),
        courses: &[CourseText {
            name: "connect-four",
            text: include_str!("courses/tournament.toml"),
        }],
        kits: &[],
    };
    const BASELINES: &'static [Baseline<Self>] = bots::BASELINES;

    type Config = Config;
    type Setup = Setup;
    type Move = Move;
    type View = View;

    /// Draws random plies until the game is not over and nobody could win with one disc.
    fn draw(config: &Config, rng: &mut ChaCha8Rng) -> Result<Setup, Refused> {
        let Config {
            width,
            height,
            opening_plies: plies,
        } = *config;
        let empty = Board::empty(width, height).map_err(Refused)?;
        let plies_max = OPENING_PLIES_MAX.min(width * height / 3);
        if plies > plies_max {
            return refuse(format!(
                "opening_plies {plies} is not allowed: on {width} by {height} it is at most \
                 {plies_max}"
            ));
        }
        (0..DRAWS_MAX)
            .find_map(|_| Self::opening(empty, plies, rng))
            .ok_or_else(|| {
                Refused(format!(
                    "none of {DRAWS_MAX} openings of {plies} plies is quiet"
                ))
            })
    }

    fn start(&Setup { board }: &Setup) -> Result<Self, Refused> {
        let [red, yellow] = Colour::BOTH.map(|colour| board.count(colour));
        if red != yellow && red != yellow + 1 {
            return refuse(format!(
                "red has {red} discs and yellow {yellow}: red moves first, so it has as many \
                 as yellow or one more"
            ));
        }
        if let Some(winner) = Colour::BOTH.into_iter().find(|&one| board.has_four(one)) {
            return refuse(format!("the game is over: {winner} has four in a row"));
        }
        if board.landings() == 0 {
            return refuse("the game is over: the board is full");
        }
        Ok(Self {
            board,
            to_move: Colour::BOTH[usize::from(red > yellow)],
            ..Self::default()
        })
    }

    fn mover(&self) -> Option<Seat> {
        self.end.is_none().then_some(self.to_move.seat())
    }

    fn view(&self, seat: Seat) -> View {
        View {
            board: self.board,
            you: Colour::of(seat),
            last: self.last[seat.other().index()],
        }
    }

    fn legal_moves(&self, _seat: Seat) -> Vec<Move> {
        (0_i64..)
            .zip(0..self.board.width())
            .filter(|&(_, column)| !self.board.is_full(column))
            .map(|(number, _)| Move(number))
            .collect()
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

    fn apply_unchecked(&mut self, seat: Seat, mv: Move) {
        let colour = Colour::of(seat);
        let column = self.column(mv).expect("checked by Game::check");
        self.board.drop_disc(colour, column);
        self.last[seat.index()] = Some(mv);
        self.to_move = colour.other();
        if self.board.has_four(colour) {
            self.end = Some(End::Four(colour));
        } else if self.board.landings() == 0 {
            self.end = Some(End::Full);
        }
    }

    fn forfeit(&mut self, seat: Seat, why: Forfeit) {
        self.end
            .get_or_insert(End::Forfeited(Colour::of(seat), why));
    }

    fn outcome(&self) -> Option<Outcome> {
        let (winner, reason) = match self.end? {
            End::Four(colour) => (Some(colour), format!("{colour} has four in a row").into()),
            End::Full => (None, Cow::Borrowed("the board is full")),
            End::Forfeited(colour, why) => (Some(colour.other()), why.of(colour)),
        };
        let points = |_, result| match result {
            GameResult::Won => 1,
            GameResult::Drawn => 0,
            GameResult::Lost => -1,
        };
        Some(Outcome::of_two(winner.map(Colour::seat), reason, points))
    }

    fn points_range(&self) -> RangeInclusive<i64> {
        -1..=1
    }

    fn frame(&self) -> Frame {
        frame::draw(&self.board, self.mover().map(Colour::of))
    }

    fn cell(&self, at: &str) -> Option<(usize, usize)> {
        let (width, height) = (self.board.width(), self.board.height());
        let (column, row) = plain::read(at).ok().or_else(|| {
            // A move: the cell that its disc falls to.
            let column = plain::read(at).ok().filter(|&column| column < width)?;
            let is_empty = |&row: &usize| self.board.cell(column, row).is_none();
            Some((column, (0..height).find(is_empty)?))
        })?;
        // Rows of a picture count from the top.
        Some((column, (height - 1).checked_sub(row)?))
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
        let [own, other] =
            [self.to_move, self.to_move.other()].map(|colour| self.board.discs(colour));
        match self.end {
            Some(_) => 1,
            None => perft(&self.board.shape(), own, other, depth),
        }
    }
}

/// Counts as [`crate::Game::perft`], with the owner of `own` to move. Nobody has four yet.
fn perft(shape: &Shape, own: u128, other: u128, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut landings = shape.landings(own | other);
    if landings == 0 {
        return 1;
    }
    if depth == 1 {
        return landings.count_ones().into();
    }
    let mut leaves = 0;
    while landings != 0 {
        let placed = own | landings & landings.wrapping_neg();
        leaves += if shape.has_four(placed) {
            1
        } else {
            perft(shape, other, placed, depth - 1)
        };
        landings &= landings - 1;
    }
    leaves
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::rand_core::SeedableRng;

    #[test]
    fn drawn_states_have_plies_and_no_immediate_win() {
        for (width, height) in [(4, 4), (7, 6), (10, 4), (4, 10), (10, 10)] {
            for opening_plies in 0..=OPENING_PLIES_MAX.min(width * height / 3) {
                let config = Config {
                    width,
                    height,
                    opening_plies,
                };
                for seed in 0..20 {
                    let mut rng = ChaCha8Rng::seed_from_u64(seed);
                    let Setup { board } = ConnectFour::draw(&config, &mut rng).expect("allowed");
                    let discs = board.count(Colour::Red) + board.count(Colour::Yellow);
                    assert_eq!(discs as usize, opening_plies);
                    assert!(is_quiet(&board), "{board}");
                    assert!(ConnectFour::start(&Setup { board }).is_ok());
                }
            }
        }
    }
}
