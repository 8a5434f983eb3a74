use super::{CrazyCamel, Move, View};
use crate::game::{best, random};
use crate::prelude::*;
use crate::{Baseline, Game, Seat};
use rand_chacha::ChaCha8Rng;

pub(super) const BASELINES: &[Baseline<CrazyCamel>] = &[
    Baseline::RANDOM,
    Baseline {
        name: "shortest-path",
        summary: "steps along its shortest path while ahead, else lays the camel that \
                  lengthens the opponent's most",
        choose: shortest_path,
    },
];

/// Chooses the move that leaves the greatest lead of paths. While it leads the race, it steps.
/// Behind, it lays a camel, unless each costs itself as much as the opponent.
fn shortest_path(seat: Seat, view: &View, legal: &[Move], rng: &mut ChaCha8Rng) -> Move {
    let Ok(game) = CrazyCamel::start(&view.setup()) else {
        return random::<CrazyCamel>(seat, view, legal, rng);
    };
    let lead = |game: &CrazyCamel| {
        let lengths = game.path_lengths().map(i64::from);
        lengths[1 - seat.index()] - lengths[seat.index()]
    };
    let lead_after = |mv: Move| {
        // Such a list does not come from the judge.
        if game.check(seat, &mv).is_err() {
            return i64::MIN;
        }
        let mut next = game.clone();
        next.apply_unchecked(seat, mv);
        lead(&next)
    };
    let (steps, camels): (Vec<Move>, Vec<Move>) =
        legal.iter().partition(|mv| matches!(mv, Move::Step(_)));
    let lead_now = lead(&game);
    if lead_now < 0 {
        let camel = best(&camels, lead_after, rng);
        if let Some((_, mv)) = camel.filter(|&(lead, _)| lead > lead_now) {
            return mv;
        }
    }
    match best(&steps, lead_after, rng) {
        Some((_, mv)) => mv,
        None => random::<CrazyCamel>(seat, view, legal, rng),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::beats_random;

    #[test]
    fn shortest_path_beats_random_from_both_seats() {
        beats_random::<CrazyCamel>(100, 95, 95);
    }
}
