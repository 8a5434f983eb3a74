use super::board::Shape;
use super::{ConnectFour, Move, View};
use crate::game::best;
use crate::{Baseline, Seat};
use rand_chacha::ChaCha8Rng;

pub(super) const BASELINES: &[Baseline<ConnectFour>] = &[
    Baseline::RANDOM,
    Baseline {
        name: "threats",
        summary: "looks four plies ahead for fours and for cells that would make one",
        choose: threats,
    },
];

const PLIES_AHEAD: u32 = 3;
/// Outweighs everything else. An earlier win is worth more.
const WON: i32 = 1_000_000;
/// The worth of an empty cell in which a disc would make four.
const THREAT_WORTH: i32 = 10;
/// The worth of four cells in a row without a disc of the opponent.
const WINDOW_WORTH: i32 = 1;

fn threats(_seat: Seat, view: &View, legal: &[Move], rng: &mut ChaCha8Rng) -> Move {
    let (_, mv) = best(legal, |mv| worth_of_move(view, mv), rng).expect("never empty");
    mv
}

fn worth_of_move(view: &View, mv: Move) -> i32 {
    let mut board = view.board;
    let open = |column: &usize| *column < board.width() && !board.is_full(*column);
    let Some(column) = usize::try_from(mv.0).ok().filter(open) else {
        return i32::MIN;
    };
    board.drop_disc(view.you, column);
    let (own, other) = (board.discs(view.you), board.discs(view.you.other()));
    let shape = board.shape();
    if shape.has_four(own) {
        return WON + 1 + i32::try_from(PLIES_AHEAD).expect("few");
    }
    -search(&shape, other, own, PLIES_AHEAD, -i32::MAX, i32::MAX)
}

/// Returns the worth to the owner of `own`, who is to move: exact between the bounds, else a bound.
fn search(shape: &Shape, own: u128, other: u128, plies: u32, least: i32, most: i32) -> i32 {
    let mut landings = shape.landings(own | other);
    if landings == 0 {
        return 0;
    }
    if shape.completing(own) & landings != 0 {
        return WON + i32::try_from(plies).expect("few");
    }
    if plies == 0 {
        return worth(shape, own, other);
    }
    let mut best = least;
    while landings != 0 && best < most {
        let placed = own | landings & landings.wrapping_neg();
        best = best.max(-search(shape, other, placed, plies - 1, -most, -best));
        landings &= landings - 1;
    }
    best
}

fn worth(shape: &Shape, own: u128, other: u128) -> i32 {
    let empty = shape.cells & !(own | other);
    let lead = |of: &dyn Fn(u128, u128) -> u32| {
        of(own, other).cast_signed() - of(other, own).cast_signed()
    };
    let threats = lead(&|discs, _| (shape.completing(discs) & empty).count_ones());
    let windows = lead(&|_, against| shape.windows(shape.cells & !against));
    THREAT_WORTH * threats + WINDOW_WORTH * windows
}

#[cfg(test)]
mod tests {
    use super::super::{Colour, Config};
    use super::*;
    use crate::Game;
    use crate::tests::beats_random;
    use rand_chacha::rand_core::SeedableRng;

    #[test]
    fn threats_beats_random_by_far_with_either_colour() {
        beats_random::<ConnectFour>(100, 98, 96);
    }

    #[test]
    fn search_value_equals_exhaustive_value() {
        fn everything(shape: &Shape, own: u128, other: u128, plies: u32) -> i32 {
            let mut landings = shape.landings(own | other);
            if landings == 0 {
                return 0;
            }
            if shape.completing(own) & landings != 0 {
                return WON + plies.cast_signed();
            }
            if plies == 0 {
                return worth(shape, own, other);
            }
            let mut best = -i32::MAX;
            while landings != 0 {
                let placed = own | landings & landings.wrapping_neg();
                best = best.max(-everything(shape, other, placed, plies - 1));
                landings &= landings - 1;
            }
            best
        }
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        for _ in 0..200 {
            let config = Config {
                opening_plies: 12,
                ..Default::default()
            };
            let board = ConnectFour::draw(&config, &mut rng).expect("allowed").board;
            let (red, yellow) = (board.discs(Colour::Red), board.discs(Colour::Yellow));
            let shape = board.shape();
            assert_eq!(
                search(&shape, red, yellow, 3, -i32::MAX, i32::MAX),
                everything(&shape, red, yellow, 3)
            );
        }
    }
}
