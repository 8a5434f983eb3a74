use super::position::{End, Reversi, View};
use super::setup::{self, Config, Setup};
use super::{BLACK, Board, Colour, Move, WHITE, bots, frame, kit, position};
use crate::{
    Baseline, Better, CourseText, Frame, Game, GameInfo, GameResult, Information, Kit, Lifetime,
    Measure, Notation, Outcome, Palette, Points, Refused, RuleBroken, Seat, SeatOutcome, Seats,
    TimeControl, Turn, plain,
};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::RangeInclusive;
use rand_chacha::ChaCha8Rng;

impl Game for Reversi {
    const INFO: GameInfo = INFO;
    const BASELINES: &'static [Baseline<Self>] = bots::BASELINES;
    const KITS: &'static [Kit] = kit::KITS;
    const NOTATION: Notation = frame::NOTATION;
    const MEASURE: Option<Measure> = Some(Measure {
        counts: "discs on the board",
        better: Better::More,
        ahead: 10,
    });
    const PROTOCOL: &'static str = include_str!("protocol.md");
    const COURSES: &'static [CourseText] = &[CourseText {
        name: "reversi",
        text: include_str!("courses/tournament.toml"),
    }];
    const VARIANTS: &'static [&'static str] =
        &[r#"{"opening_plies":7}"#, r#"{"opening_plies":40}"#];
    const PALETTE: Palette = frame::PALETTE;

    type Config = Config;
    type Setup = Setup;
    type Move = Move;
    type View = View;

    fn draw(config: &Config, rng: &mut ChaCha8Rng) -> Result<Setup, Refused> {
        setup::draw(config, rng)
    }

    fn start(setup: &Setup) -> Result<Self, Refused> {
        Ok(Self::new(setup.board, setup.to_move))
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

    fn legal_moves(&self, seat: Seat) -> Vec<Move> {
        self.moves(Colour::of(seat))
    }

    fn check(&self, seat: Seat, mv: &Move) -> Result<(), RuleBroken> {
        let colour = Colour::of(seat);
        match *mv {
            Move::Pass => self.check_pass(colour),
            Move::Place(field) => self.check_place(colour, field),
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
        let (black, reason) = match self.end? {
            End::Counted => (points_of_black(&self.board), end_reason(&self.board)),
            End::Forfeited(Colour::Black, why) => (-POINTS_MAX, why.of("black").into()),
            End::Forfeited(Colour::White, why) => (POINTS_MAX, why.of("white").into()),
        };
        let winner = match black {
            1.. => Some(BLACK),
            0 => None,
            _ => Some(WHITE),
        };
        let seat = |seat, points| SeatOutcome::of_two(GameResult::of(seat, winner), points);
        Some(Outcome {
            seats: vec![seat(BLACK, black), seat(WHITE, -black)],
            reason,
        })
    }

    fn points_range(&self) -> RangeInclusive<i64> {
        -POINTS_MAX..=POINTS_MAX
    }

    fn frame(&self) -> Frame {
        frame::draw(&self.board, self.mover())
    }

    fn cell(&self, at: &str) -> Option<(usize, usize)> {
        let field: usize = plain::read(at).ok()?;
        Some((field % 8, field / 8))
    }

    fn measure(&self) -> Vec<Option<u32>> {
        [Colour::Black, Colour::White]
            .map(|colour| Some(self.board.count(colour)))
            .into()
    }

    fn spell(&self, _seat: Seat, mv: &Move) -> String {
        frame::spell(*mv)
    }

    fn read(&self, _seat: Seat, text: &str) -> Result<Move, Refused> {
        frame::read(text)
    }

    fn perft(&self, depth: u32) -> u64 {
        let discs = |colour| self.board.discs(colour);
        match self.end {
            Some(_) => 1,
            None => position::perft(discs(self.to_move), discs(self.to_move.other()), depth),
        }
    }
}

/// A forfeit takes them from its seat and gives them to the other side.
const POINTS_MAX: i64 = 64;

/// Black's fields less white's. Unless drawn, empty ones count for the winner (text, Evaluation).
fn points_of_black(board: &Board) -> i64 {
    let [black, white] =
        [Colour::Black, Colour::White].map(|colour| i64::from(board.count(colour)));
    let empty = i64::from(board.empty().count_ones());
    black - white + empty * (black - white).signum()
}

fn end_reason(board: &Board) -> Cow<'static, str> {
    let reason = match (board.count(Colour::Black), board.count(Colour::White)) {
        (0, 1..) => "black has no disc left",
        (1.., 0) => "white has no disc left",
        _ if board.empty() == 0 => "the board is full",
        _ => "neither side can move",
    };
    Cow::Borrowed(reason)
}

pub(super) const INFO: GameInfo = GameInfo {
    slug: "reversi",
    title: "Reversi",
    summary: "Two players fill an 8×8 board; discs caught in a line change colour.",
    rules_version: 1,
    roles: &["black", "white"],
    seats_min: 2,
    // Holds for every setup: a move needs two discs on the board, so at most 62 fields are filled.
    // A move that fills a field follows every pass.
    plies_max: 2 * 62,
    information: Information::Perfect,
    points: Points::PLAIN,
    tie_break: None,
    moves_listed: true,
    time: TimeControl {
        turn_us: None,
        bank_us: Some(300_000_000),
        increment_us: 0,
        charge_start: true,
    },
    lifetime: Lifetime::Game,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Forfeit;
    use alloc::string::ToString;

    /// Sets up a position from a picture of eight rows.
    fn position(rows: [&str; 8], to_move: Colour) -> Reversi {
        let board = Board::parse(&rows.concat()).expect("a valid picture");
        Reversi::start(&Setup { board, to_move }).expect("every board is allowed")
    }

    /// Sets up a position whose lower six rows are empty.
    fn top(rows: [&str; 2], to_move: Colour) -> Reversi {
        let empty = "........";
        position(
            [rows[0], rows[1], empty, empty, empty, empty, empty, empty],
            to_move,
        )
    }

    fn start() -> Reversi {
        Reversi::start(&Setup {
            board: Board::START,
            to_move: Colour::Black,
        })
        .expect("valid")
    }

    fn play(game: &mut Reversi, mv: Move) {
        let seat = game.to_move().first().expect("not over");
        game.check(seat, &mv).expect("legal");
        game.apply_unchecked(seat, Turn::Played(mv));
    }

    fn broken(game: &Reversi, mv: Move) -> RuleBroken {
        let seat = game.to_move().first().expect("not over");
        game.check(seat, &mv).expect_err("illegal")
    }

    fn points(game: &Reversi) -> [i64; 2] {
        let outcome = game.outcome().expect("over");
        [0, 1].map(|seat| outcome.seats[seat].points)
    }

    #[test]
    fn black_moves_first_and_view_has_opponents_move() {
        let mut game = start();
        assert_eq!(game.to_move().first(), Some(BLACK));
        assert_eq!(game.view(BLACK).last, None);
        play(&mut game, Move::Place(19));
        assert_eq!(game.view(WHITE).last, Some(Move::Place(19)));
        assert_eq!(game.view(BLACK).last, None, "white has not moved yet");
        assert_eq!(
            game.view(WHITE).board.to_string(),
            "...................B.......BB......BW..........................."
        );
        play(&mut game, Move::Place(18));
        assert_eq!(game.view(BLACK).last, Some(Move::Place(18)));
    }

    #[test]
    fn side_without_move_is_asked_and_must_pass() {
        let mut game = top(["BW......", "........"], Colour::White);
        assert_eq!(game.legal_moves(WHITE), [Move::Pass]);
        assert_eq!(
            broken(&game, Move::Place(2)),
            RuleBroken::new(
                "must-pass",
                "white cannot play on field 2: it has no legal move and has to pass"
            )
        );
        play(&mut game, Move::Pass);
        assert_eq!(game.to_move().first(), Some(BLACK));
        assert_eq!(game.view(BLACK).last, Some(Move::Pass));
        assert!(game.outcome().is_none());
    }

    #[test]
    fn game_ends_without_pass_when_neither_side_moves() {
        let mut game = top(["BW......", "........"], Colour::Black);
        play(&mut game, Move::Place(2));
        assert!(game.to_move().is_empty());
        assert_eq!(points(&game), [64, -64]);
        assert_eq!(
            game.outcome().expect("over").reason,
            "white has no disc left"
        );
    }

    #[test]
    fn empty_fields_score_for_winner_only() {
        let won = top(["B.......", "...WW..."], Colour::Black);
        assert_eq!(points(&won), [-62, 62]);
        assert_eq!(
            won.outcome().expect("over at once").reason,
            "neither side can move"
        );
        let drawn = top(["B.......", "......W."], Colour::White);
        assert_eq!(points(&drawn), [0, 0]);
        for seat in drawn.outcome().expect("over at once").seats {
            assert_eq!((seat.result, seat.placement), (GameResult::Drawn, 1));
        }
        let nobody = top(["........", "........"], Colour::Black);
        assert_eq!(points(&nobody), [0, 0]);
    }

    #[test]
    fn a_full_board_is_counted() {
        let row = "BBBBWWWW";
        let game = position(
            [row, row, row, row, row, row, row, "BBBBBWWW"],
            Colour::White,
        );
        assert_eq!(points(&game), [2, -2]);
        assert_eq!(
            game.outcome().expect("over at once").reason,
            "the board is full"
        );
    }

    #[test]
    fn any_forfeit_costs_64_points() {
        let kinds = [
            (Forfeit::Illegal, "white moved illegally"),
            (Forfeit::Malformed, "white gave no readable move"),
            (Forfeit::Time, "white ran out of time"),
            (Forfeit::Gone, "white's program is gone"),
        ];
        for (why, reason) in kinds {
            let mut game = start();
            game.apply_unchecked(WHITE, Turn::Forfeit(why));
            assert_eq!(points(&game), [64, -64]);
            assert_eq!(game.outcome().expect("over").reason, reason);
            assert!(game.to_move().is_empty());
            assert_eq!(game.perft(3), 1);
        }
    }
}
