use super::{Board, Colour, Move, Reversi, View, board};
use crate::game::best;
use crate::{Baseline, Seat};
use rand_chacha::ChaCha8Rng;

pub(super) const BASELINES: &[Baseline<Reversi>] = &[
    Baseline::RANDOM,
    Baseline {
        name: "mobility",
        summary: "looks two plies ahead for corners and many moves to choose from",
        choose: mobility,
    },
];

fn mobility(_seat: Seat, view: &View, legal: &[Move], rng: &mut ChaCha8Rng) -> Move {
    let (_, mv) = best(legal, |mv| worth_of_move(view, mv), rng).expect("never empty");
    mv
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
    use super::*;
    use crate::tests::beats_random;
    use rand_chacha::rand_core::SeedableRng;

    #[test]
    fn mobility_beats_random_by_far_with_either_colour() {
        beats_random::<Reversi>(200, 180, 200 * 25);
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
