use super::{CrazyCamel, Move, View};
use crate::{Baseline, Game, Seat, Turn};
use alloc::vec::Vec;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

pub(super) const BASELINES: &[Baseline<CrazyCamel>] = &[
    Baseline {
        name: "random",
        summary: "plays a uniformly random legal move",
        choose: random,
    },
    Baseline {
        name: "shortest-path",
        summary: "steps along its shortest path while ahead, else lays the camel that \
                  lengthens the opponent's most",
        choose: shortest_path,
    },
];

fn random(_seat: Seat, _view: &View, legal: &[Move], rng: &mut ChaCha8Rng) -> Move {
    *legal.choose(rng).expect("never empty")
}

/// Chooses the move that leaves the greatest lead of paths. While it leads the race, it chooses
/// among the steps; behind, among the camels, unless every camel costs itself as much as the
/// opponent.
fn shortest_path(seat: Seat, view: &View, legal: &[Move], rng: &mut ChaCha8Rng) -> Move {
    let Ok(game) = CrazyCamel::start(&view.setup()) else {
        return random(seat, view, legal, rng);
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
        next.apply_unchecked(seat, Turn::Played(mv));
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
        None => random(seat, view, legal, rng),
    }
}

fn best(moves: &[Move], value: impl Fn(Move) -> i64, rng: &mut ChaCha8Rng) -> Option<(i64, Move)> {
    let valued: Vec<(i64, Move)> = moves.iter().map(|&mv| (value(mv), mv)).collect();
    let most = valued.iter().map(|&(value, _)| value).max()?;
    let ties: Vec<_> = valued.into_iter().filter(|v| v.0 == most).collect();
    ties.choose(rng).copied()
}
