//! Error rates of a test, from matches simulated with fixed seeds.

use crate::simulated::{Ended, Model, direct, play, play_direct};
use model::points::Points;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rulebook::scoring::{Accepted, Sprt, Unit, score};

const MATCHES: u64 = 1000;
const PAIRS_MAX: u64 = 5000;
/// Maximum number of wrong results in 1000 matches. It is more than three standard deviations above
/// the 50 that the error rate allows.
const WRONG_MAX: usize = 72;

/// Returns the number of matches that accepted a false hypothesis; every match must reach a
/// verdict.
fn wrong(truth: Accepted, mut ended: impl FnMut(&mut ChaCha8Rng) -> Ended) -> usize {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let accepted = (0..MATCHES).map(|_| ended(&mut rng).accepted.expect("enough pairs"));
    accepted.filter(|accepted| *accepted != truth).count()
}

#[test]
fn direct_match_errs_at_most_5_percent() {
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
fn match_against_others_errs_at_most_5_percent() {
    let sprt = Sprt {
        unit: Unit::EloAgainstOthers,
        ..direct(0.0, 80.0)
    };
    let model = Model {
        first_seat: 0.07,
        draws: 0.1,
    };
    // Both play against opponents that are much better, equal, and much worse.
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
fn rare_large_loss_against_others_is_expected_beforehand() {
    let sprt = Sprt {
        unit: Unit::EloAgainstOthers,
        ..direct(0.0, 60.0)
    };
    // The old bot beats five of ten opponents. The new bot beats six, and now and then loses to
    // all.
    let tenths = |number: i64| Points::share(number, 10);
    let wrong = wrong(Accepted::Null, |rng| {
        play(&sprt, PAIRS_MAX, rng, |rng| {
            let seldom = rng.random::<f64>() < 1.0 / 6.0;
            (tenths(if seldom { 0 } else { 6 }), tenths(5))
        })
    });
    assert!(wrong <= WRONG_MAX, "{wrong}");
}

#[test]
#[expect(clippy::cast_precision_loss, reason = "counts of pairs")]
fn sprt_at_bounds_needs_half_of_fixed_length() {
    let (sprt, model) = (
        direct(0.0, 60.0),
        Model {
            first_seat: 0.0,
            draws: 0.2,
        },
    );
    // (2 · 1.645 · σ / (t₁ − t₀))²: a game varies by (1 − draws) / 4, and a pair's mean by half.
    let fixed = (2.0 * 1.645 / (score(60.0) - score(0.0))).powi(2) * 0.8 / 4.0 / 2.0;
    for elo in [0.0, 60.0] {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let ended = (0..MATCHES).map(|_| play_direct(&sprt, model, elo, PAIRS_MAX, &mut rng));
        let mean = ended.map(|ended| ended.pairs).sum::<u64>() as f64 / MATCHES as f64;
        let share = mean / fixed;
        assert!((0.4..0.65).contains(&share), "{share} at {elo}");
    }
}
