//! The number of games of a match that stops by itself, compared with a match of fixed length and
//! the same error rates. Matches are simulated from a fixed seed.
//!
//! `cargo bench -p judge-rulebook --bench sprt`; `cargo test` simulates a few matches, to show that
//! this benchmark works.

#[path = "../tests/it/simulated.rs"]
mod simulated;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rulebook::scoring::{Accepted, score};
use simulated::{Ended, Model, direct, play_direct};

/// The bounds of `judge match`, and narrower ones.
const BOUNDS: [[f64; 2]; 2] = [[0.0, 30.0], [0.0, 10.0]];
/// True advantages of the new bot, in Elo.
const TRUTHS: [f64; 9] = [-50.0, -10.0, 0.0, 5.0, 10.0, 20.0, 30.0, 50.0, 200.0];
/// A model of games between two students' bots.
const MODEL: Model = Model {
    first_seat: 0.07,
    draws: 0.1,
};
const PAIRS_MAX: u64 = 1_000_000;
/// Number of matches simulated for a row.
const MATCHES: usize = 1000;
const MATCHES_IN_TESTS: usize = 5;
/// The point of the standard normal distribution with 5 % of the distribution above it.
const Z_95_ONE_SIDED: f64 = 1.644_853_626_951;

#[expect(
    clippy::disallowed_methods,
    reason = "cargo tells a benchmark by a word whether it measures"
)]
fn main() {
    // `cargo bench` passes this word; `cargo test` does not.
    let is_measured = std::env::args().any(|word| word == "--bench");
    let matches = if is_measured {
        MATCHES
    } else {
        MATCHES_IN_TESTS
    };
    for [null, alternative] in BOUNDS {
        let fixed = 2 * fixed_pairs(null, alternative);
        println!(
            "\nelo0 {null}, elo1 {alternative}: a match of a fixed length takes {fixed} games\n"
        );
        println!(
            "| truly better by | calls NEW better | games: median | mean | 95 % of matches end within | mean, of the fixed length |"
        );
        println!("| --- | --- | --- | --- | --- | --- |");
        for elo in TRUTHS {
            row(null, alternative, elo, fixed, matches);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of games")]
fn row(null: f64, alternative: f64, elo: f64, fixed: u64, matches: usize) {
    let sprt = direct(null, alternative);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let ended = (0..matches).map(|_| play_direct(&sprt, MODEL, elo, PAIRS_MAX, &mut rng));
    let ended: Vec<Ended> = ended.collect();
    let better = ended.iter();
    let better = better.filter(|ended| ended.accepted == Some(Accepted::Alternative));
    let better = 100.0 * better.count() as f64 / matches as f64;
    let mut games: Vec<u64> = ended.iter().map(|ended| 2 * ended.pairs).collect();
    games.sort_unstable();
    let mean = games.iter().sum::<u64>() as f64 / matches as f64;
    println!(
        "| {elo} | {better:.1} % | {} | {mean:.0} | {} | {:.2} |",
        games[matches / 2],
        games[matches * 95 / 100],
        mean / fixed as f64
    );
}

/// Returns the number of pairs that decide between two hypotheses with errors of 5 % each, if it is
/// fixed in advance: (2 z σ / (t₁ − t₀))².
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a positive number of pairs"
)]
fn fixed_pairs(null: f64, alternative: f64) -> u64 {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let middle = f64::midpoint(null, alternative);
    let samples = 1_000_000_u32;
    let (mut sum, mut squares) = (0.0, 0.0);
    for _ in 0..samples {
        let pair = MODEL.pair(middle, &mut rng).as_f64();
        sum += pair;
        squares += pair * pair;
    }
    let mean = sum / f64::from(samples);
    let deviation = (squares / f64::from(samples) - mean * mean).sqrt();
    let apart = score(alternative) - score(null);
    (2.0 * Z_95_ONE_SIDED * deviation / apart).powi(2).ceil() as u64
}
