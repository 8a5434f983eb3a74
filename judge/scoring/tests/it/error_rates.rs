//! How often a test is wrong, by matches that are simulated from fixed seeds.

use crate::simulated::{Ended, Model, direct, play, play_direct};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use scoring::{Accepted, Sprt, Unit};
use words::points::Points;

const MATCHES: u64 = 1000;
const PAIRS_MAX: u64 = 5000;
/// Of 1000 matches with errors in 50 of them, more than three standard deviations above.
const WRONG_MAX: usize = 72;

/// How many of the matches accepted what is not true; none stays undecided.
fn wrong(truth: Accepted, mut ended: impl FnMut(&mut ChaCha8Rng) -> Ended) -> usize {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let accepted = (0..MATCHES).map(|_| ended(&mut rng).accepted.expect("enough pairs"));
    accepted.filter(|accepted| *accepted != truth).count()
}

#[test]
fn of_two_that_play_each_other_one_match_in_twenty_errs_at_most() {
    let sprt = direct(0.0, 60.0);
    for (draws, first_seat) in [(0.0, 0.0), (0.4, 0.0), (0.1, 0.25)] {
        let model = Model { first_seat, draws };
        for (elo, truth) in [(0.0, Accepted::Null), (60.0, Accepted::Alternative)] {
            let wrong = wrong(truth, |rng| play_direct(&sprt, model, elo, PAIRS_MAX, rng));
            assert!(wrong <= WRONG_MAX, "{wrong} at {elo} with {model:?}");
        }
    }
}

#[test]
fn who_is_much_better_or_worse_than_asked_is_judged_wrongly_hardly_ever() {
    let (sprt, model) = (
        direct(0.0, 60.0),
        Model {
            first_seat: 0.0,
            draws: 0.1,
        },
    );
    for (elo, truth) in [(-100.0, Accepted::Null), (200.0, Accepted::Alternative)] {
        let wrong = wrong(truth, |rng| play_direct(&sprt, model, elo, PAIRS_MAX, rng));
        assert!(wrong <= 2, "{wrong} at {elo}");
    }
}

#[test]
fn against_others_one_match_in_twenty_errs_at_most() {
    let sprt = Sprt {
        unit: Unit::EloAgainstOthers,
        ..direct(0.0, 80.0)
    };
    let model = Model {
        first_seat: 0.07,
        draws: 0.1,
    };
    // Both against opponents who are much better, equal, and much worse.
    for strength in [-200.0, 0.0, 200.0] {
        for (elo, truth) in [(0.0, Accepted::Null), (80.0, Accepted::Alternative)] {
            let wrong = wrong(truth, |rng| {
                play(&sprt, PAIRS_MAX, rng, |rng| {
                    (model.pair(strength + elo, rng), model.pair(strength, rng))
                })
            });
            assert!(wrong <= WRONG_MAX, "{wrong} at {elo} and {strength}");
        }
    }
}

#[test]
fn in_points_one_match_in_twenty_errs_at_most() {
    let sprt = Sprt {
        unit: Unit::Points,
        ..direct(0.0, 1.5)
    };
    // Whole points of five games each, from 0 to 10 a game.
    let points = |gain: f64, rng: &mut ChaCha8Rng| {
        let mut sum = Points::default();
        for _ in 0..5 {
            let more = i64::from(rng.random::<f64>() < gain / 10.0);
            sum += Points::whole(rng.random_range(0..=10) + 10 * more);
        }
        sum.times(1, 5)
    };
    for (gain, truth) in [(0.0, Accepted::Null), (1.5, Accepted::Alternative)] {
        let wrong = wrong(truth, |rng| {
            play(&sprt, PAIRS_MAX, rng, |rng| {
                (points(gain, rng), points(0.0, rng))
            })
        });
        assert!(wrong <= WRONG_MAX, "{wrong} at {gain}");
    }
}

#[test]
fn the_same_matches_end_alike_every_time() {
    let model = Model {
        first_seat: 0.0,
        draws: 0.2,
    };
    let ended = || {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let ended = play_direct(&direct(0.0, 60.0), model, 30.0, PAIRS_MAX, &mut rng);
        (ended.accepted, ended.pairs)
    };
    assert_eq!(ended(), ended());
}
