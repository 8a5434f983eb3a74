use super::board::{FIELDS, fields, flips, moves};
use super::position::{Config, End, OPENING_PLIES_MAX, Reversi, Setup, View};
use super::{Board, Colour, KITS, Move, bots, frame};
use crate::complaint::refuse;
use crate::prelude::*;
use crate::{
    Baseline, Better, CourseText, Forfeit, Frame, Game, GameInfo, Information, Lifetime, Measure,
    Outcome, Points, Refused, RuleBroken, Seat, TimeControl, plain,
};
use core::ops::RangeInclusive;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

impl Reversi {
    fn give_turn_to(&mut self, colour: Colour) {
        self.to_move = colour;
        if Colour::BOTH.iter().all(|&one| self.board.moves(one) == 0) {
            self.end = Some(End::Counted);
        }
    }

    fn opening(plies: u32, rng: &mut ChaCha8Rng) -> Option<Setup> {
        let mut game = Self::start(&Setup {
            board: Board::START,
            to_move: Colour::Black,
        })
        .ok()?;
        for _ in 0..plies {
            let seat = game.mover()?;
            game.apply_unchecked(seat, *game.legal_moves(seat).choose(rng)?);
        }
        let Self { board, to_move, .. } = game;
        let is_open = is_balanced(&board) && game.end.is_none() && !game.ends_at_once();
        is_open.then_some(Setup { board, to_move })
    }

    fn ends_at_once(&self) -> bool {
        let seat = self.to_move.seat();
        self.legal_moves(seat).into_iter().any(|mv| {
            let mut next = self.clone();
            next.apply_unchecked(seat, mv);
            next.end.is_some()
        })
    }
}

/// The maximum share of one side's discs in a drawn state. Every first move leads to four fifths.
const DISCS_SHARE_MAX: (u32, u32) = (4, 5);

/// At worst (after three plies) one opening in seven is lopsided.
const DRAWS_MAX: u32 = 1000;

fn is_balanced(board: &Board) -> bool {
    let [black, white] = Colour::BOTH.map(|colour| board.count(colour));
    let (share, whole) = DISCS_SHARE_MAX;
    black.max(white) * whole <= (black + white) * share
}

impl Game for Reversi {
    const INFO: GameInfo = GameInfo {
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
        variants: &[r#"{"opening_plies":7}"#, r#"{"opening_plies":40}"#],
        notation: frame::NOTATION,
        palette: frame::PALETTE,
        measure: Some(Measure {
            counts: "discs on the board",
            better: Better::More,
            ahead: 10,
        }),
        protocol: include_str!("protocol.md"),
        courses: &[CourseText {
            name: "reversi",
            text: include_str!("courses/tournament.toml"),
        }],
        kits: KITS,
    };
    const BASELINES: &'static [Baseline<Self>] = bots::BASELINES;

    type Config = Config;
    type Setup = Setup;
    type Move = Move;
    type View = View;

    /// Draws a state. Each opening ply is uniform over the legal moves, and a forced pass is a ply.
    /// Draws again if the game is then over, may end with the next move, or is lopsided.
    fn draw(config: &Config, rng: &mut ChaCha8Rng) -> Result<Setup, Refused> {
        let plies = config.opening_plies;
        if plies > OPENING_PLIES_MAX {
            return refuse(format!(
                "opening_plies {plies} is not allowed: it is at most {OPENING_PLIES_MAX}"
            ));
        }
        (0..DRAWS_MAX)
            .find_map(|_| Self::opening(plies, rng))
            .ok_or_else(|| {
                Refused(format!(
                    "none of {DRAWS_MAX} openings of {plies} plies is balanced"
                ))
            })
    }

    fn start(&Setup { board, to_move }: &Setup) -> Result<Self, Refused> {
        let mut game = Self {
            board,
            to_move,
            last: [None; 2],
            end: None,
        };
        game.give_turn_to(to_move);
        Ok(game)
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

    /// Lists at least a pass.
    fn legal_moves(&self, seat: Seat) -> Vec<Move> {
        match self.board.moves(Colour::of(seat)) {
            0 => vec![Move::Pass],
            legal => fields(legal)
                .map(|field| Move::Place(field.into()))
                .collect(),
        }
    }

    fn check(&self, seat: Seat, mv: &Move) -> Result<(), RuleBroken> {
        let colour = Colour::of(seat);
        let legal = self.board.moves(colour);
        let Move::Place(field) = *mv else {
            if legal == 0 {
                return Ok(());
            }
            let legal: Vec<String> = fields(legal).map(|field| field.to_string()).collect();
            return Err(RuleBroken::new(
                "may-not-pass",
                format!(
                    "{colour} cannot pass: it has a legal move ({})",
                    legal.join(", ")
                ),
            ));
        };
        let (rule, why) = match on_board(field) {
            None => ("outside", "the fields are 0 to 63"),
            Some(_) if legal == 0 => ("must-pass", "it has no legal move and has to pass"),
            Some(index) if self.board.empty() >> index & 1 == 0 => {
                ("occupied", "there is a disc already")
            }
            Some(index) if legal >> index & 1 == 0 => {
                ("flips-nothing", "no disc would change its colour")
            }
            Some(_) => return Ok(()),
        };
        let message = format!("{colour} cannot play on field {field}: {why}");
        Err(RuleBroken::new(rule, message))
    }

    fn apply_unchecked(&mut self, seat: Seat, mv: Move) {
        let colour = Colour::of(seat);
        if let Move::Place(field) = mv {
            let field = on_board(field).expect("checked by Game::check");
            self.board = self.board.after(colour, field);
        }
        self.last[seat.index()] = Some(mv);
        self.give_turn_to(colour.other());
    }

    fn forfeit(&mut self, seat: Seat, why: Forfeit) {
        self.end
            .get_or_insert(End::Forfeited(Colour::of(seat), why));
    }

    fn outcome(&self) -> Option<Outcome> {
        let (lead, reason) = match self.end? {
            End::Counted => (points_of_black(&self.board), end_reason(&self.board).into()),
            End::Forfeited(loser, why) => {
                let lead = [-POINTS_MAX, POINTS_MAX][loser as usize];
                (lead, why.of(loser))
            }
        };
        let winner = match lead {
            1.. => Some(Colour::Black.seat()),
            0 => None,
            _ => Some(Colour::White.seat()),
        };
        let points = |seat: Seat, _| [lead, -lead][seat.index()];
        Some(Outcome::of_two(winner, reason, points))
    }

    fn points_range(&self) -> RangeInclusive<i64> {
        -POINTS_MAX..=POINTS_MAX
    }

    fn frame(&self) -> Frame {
        frame::draw(&self.board, self.mover().map(Colour::of))
    }

    fn cell(&self, at: &str) -> Option<(usize, usize)> {
        let field: usize = plain::read(at).ok()?;
        Some((field % 8, field / 8))
    }

    fn measure(&self) -> Vec<Option<u32>> {
        Colour::BOTH
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
        let [own, other] =
            [self.to_move, self.to_move.other()].map(|colour| self.board.discs(colour));
        match self.end {
            Some(_) => 1,
            None => perft(own, other, depth),
        }
    }
}

/// A forfeit takes them from its seat and gives them to the other side.
const POINTS_MAX: i64 = 64;

/// Black's fields less white's. Unless drawn, empty ones count for the winner (text, Evaluation).
fn points_of_black(board: &Board) -> i64 {
    let [black, white] = Colour::BOTH.map(|colour| i64::from(board.count(colour)));
    let empty = i64::from(board.empty().count_ones());
    black - white + empty * (black - white).signum()
}

fn end_reason(board: &Board) -> &'static str {
    match (board.count(Colour::Black), board.count(Colour::White)) {
        (0, 1..) => "black has no disc left",
        (1.., 0) => "white has no disc left",
        _ if board.empty() == 0 => "the board is full",
        _ => "neither side can move",
    }
}

fn on_board(field: i64) -> Option<u32> {
    let field = u32::try_from(field).ok()?;
    ((field as usize) < FIELDS).then_some(field)
}

/// Counts as [`crate::Game::perft`], with the owner of `own` to move.
fn perft(own: u64, other: u64, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let legal = moves(own, other);
    if depth == 1 {
        return u64::from(legal.count_ones().max(1));
    }
    if legal == 0 {
        return match moves(other, own) {
            0 => 1,
            _ => perft(other, own, depth - 1),
        };
    }
    fields(legal)
        .map(|field| {
            let flipped = flips(own, other, field);
            perft(other & !flipped, own | flipped | 1 << field, depth - 1)
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::rand_core::SeedableRng;

    fn drawn(opening_plies: u32, seed: u64) -> Result<Setup, Refused> {
        let config = Config { opening_plies };
        Reversi::draw(&config, &mut ChaCha8Rng::seed_from_u64(seed))
    }

    #[test]
    fn no_opening_ends_with_first_move() {
        // With these seeds, an opening that can end at once comes up and is drawn again.
        for seed in [956, 2300, 2509] {
            let game = Reversi::start(&drawn(8, seed).expect("allowed")).expect("valid");
            assert!(!game.ends_at_once(), "seed {seed}");
        }
    }

    #[test]
    fn zero_opening_plies_start_from_course_board() {
        for seed in 0..20 {
            let setup = drawn(0, seed).expect("allowed");
            assert_eq!(setup.to_move, Colour::Black);
            assert_eq!(
                setup.board.to_string(),
                "...........................WB......BW..........................."
            );
        }
    }

    #[test]
    fn drawn_states_are_neither_over_nor_lopsided() {
        for plies in 1..=OPENING_PLIES_MAX {
            for seed in 0..50 {
                let setup = drawn(plies, seed).expect("allowed");
                let game = Reversi::start(&setup).expect("valid");
                assert!(!game.to_move().is_empty(), "{setup:?} is over");
                let [black, white] = Colour::BOTH.map(|colour| setup.board.count(colour));
                assert!(black + white <= 4 + plies);
                let most = black.max(white);
                assert!(5 * most <= 4 * (black + white), "{black} to {white}");
            }
        }
    }
}
