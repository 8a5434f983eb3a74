use super::{Board, Colour, Move, Reversi, View, board};
use crate::{Baseline, Seat};
use alloc::vec::Vec;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

pub(super) const BASELINES: &[Baseline<Reversi>] = &[
    Baseline {
        name: "random",
        summary: "plays a uniformly random legal move",
        choose: random,
    },
    Baseline {
        name: "mobility",
        summary: "looks two plies ahead for corners and many moves to choose from",
        choose: mobility,
    },
];

fn random(_seat: Seat, _view: &View, legal: &[Move], rng: &mut ChaCha8Rng) -> Move {
    *legal.choose(rng).expect("never empty")
}

fn mobility(_seat: Seat, view: &View, legal: &[Move], rng: &mut ChaCha8Rng) -> Move {
    let worth: Vec<i32> = legal.iter().map(|mv| worth_of_move(view, *mv)).collect();
    let most = worth.iter().max().expect("never empty");
    let best: Vec<usize> = (0..legal.len()).filter(|&i| worth[i] == *most).collect();
    legal[*best.choose(rng).expect("the maximum is one of them")]
}

fn worth_of_move(view: &View, mv: Move) -> i32 {
    let Move::Place(field) = mv else {
        return worth_after_answer(&view.board, view.you);
    };
    let placed = u32::try_from(field).ok();
    match placed.filter(|&field| field < 64 && view.board.flips(view.you, field) != 0) {
        Some(field) => worth_after_answer(&view.board.after(view.you, field), view.you),
        None => i32::MIN,
    }
}

/// The opponent's best answer is the worst for `me`.
fn worth_after_answer(board: &Board, me: Colour) -> i32 {
    let opponent = me.other();
    let answers =
        board::fields(board.moves(opponent)).map(|field| worth(&board.after(opponent, field), me));
    answers.min().unwrap_or_else(|| worth(board, me))
}

/// The four corners, whose discs can never change colour. Each has the three fields that give the
/// opponent a way into it: the diagonal neighbour and the two on the border.
const CORNERS: [(u64, u64, u64); 4] = [
    (1, 1 << 9, 1 << 1 | 1 << 8),
    (1 << 7, 1 << 14, 1 << 6 | 1 << 15),
    (1 << 56, 1 << 49, 1 << 48 | 1 << 57),
    (1 << 63, 1 << 54, 1 << 55 | 1 << 62),
];

const CORNER_WORTH: i32 = 100;
const DIAGONAL_TO_EMPTY_CORNER_WORTH: i32 = -40;
const BESIDE_EMPTY_CORNER_WORTH: i32 = -15;
const MOVE_WORTH: i32 = 8;
/// Outweighs everything else.
const FIELD_WORTH_AT_THE_END: i32 = 1000;

fn worth(board: &Board, me: Colour) -> i32 {
    let count = |set: u64| set.count_ones().cast_signed();
    let lead = |of: &dyn Fn(Colour) -> u64| count(of(me)) - count(of(me.other()));
    let moves = lead(&|colour| board.moves(colour));
    if moves == 0 && board.moves(me) == 0 {
        return FIELD_WORTH_AT_THE_END * lead(&|colour| board.discs(colour));
    }
    let corners = CORNERS.iter().map(|&(corner, diagonal, beside)| {
        let held = |fields: u64| lead(&|colour| board.discs(colour) & fields);
        if board.empty() & corner == 0 {
            return CORNER_WORTH * held(corner);
        }
        DIAGONAL_TO_EMPTY_CORNER_WORTH * held(diagonal) + BESIDE_EMPTY_CORNER_WORTH * held(beside)
    });
    MOVE_WORTH * moves + corners.sum::<i32>()
}

#[cfg(test)]
mod tests {
    use super::super::{Config, Setup};
    use super::*;
    use crate::{Game, GameResult, Turn};
    use alloc::string::ToString;
    use rand_chacha::rand_core::SeedableRng;

    /// Plays a game from the start. Returns black's result and points.
    fn play(black: usize, white: usize, seed: u64) -> (GameResult, i64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let setup = Reversi::draw(&Config::default(), &mut rng).expect("allowed");
        let mut game = Reversi::start(&setup).expect("valid");
        while let Some(seat) = game.to_move().first() {
            let bot = &BASELINES[[black, white][seat.index()]];
            let legal = game.legal_moves(seat);
            let mv = (bot.choose)(seat, &game.view(seat), &legal, &mut rng);
            assert!(legal.contains(&mv), "{} played {mv:?}", bot.name);
            game.apply_unchecked(seat, Turn::Played(mv));
        }
        let outcome = game.outcome().expect("over");
        (outcome.seats[0].result, outcome.seats[0].points)
    }

    #[test]
    fn mobility_beats_random_by_far_with_either_colour() {
        for (black, white) in [(1, 0), (0, 1)] {
            let results: Vec<_> = (0..200).map(|seed| play(black, white, seed)).collect();
            let (result, sign) = if black == 1 {
                (GameResult::Won, 1)
            } else {
                (GameResult::Lost, -1)
            };
            let won = results.iter().filter(|(r, _)| *r == result).count();
            let points: i64 = results.iter().map(|(_, p)| sign * p).sum();
            assert!(won >= 180, "{won} of 200 won");
            assert!(points >= 200 * 25, "{points} points in 200 games");
        }
    }

    #[test]
    fn mobility_takes_a_corner_when_it_can() {
        let text = Board::START.to_string();
        let setup = Setup {
            board: Board::parse(&format!(".WWB....{}", &text[8..])).expect("a board"),
            to_move: Colour::Black,
        };
        let game = Reversi::start(&setup).expect("valid");
        let seat = Colour::Black.seat();
        let legal = game.legal_moves(seat);
        assert!(legal.len() > 1);
        for seed in 0..20 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mv = mobility(seat, &game.view(seat), &legal, &mut rng);
            assert_eq!(mv, Move::Place(0));
        }
    }

    #[test]
    fn mobility_survives_list_of_invalid_moves() {
        let view = View {
            board: Board::START,
            you: Colour::White,
            last: None,
        };
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        for mv in [Move::Place(i64::MIN), Move::Place(64), Move::Place(27)] {
            assert_eq!(mobility(Colour::White.seat(), &view, &[mv], &mut rng), mv);
        }
    }
}
