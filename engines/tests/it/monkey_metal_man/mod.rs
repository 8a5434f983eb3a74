//! Tests of The Monkey and the Metal Man from outside. They use a second implementation, hostile
//! input and recorded games.

#![expect(clippy::unwrap_used, reason = "tests on data of their own making")]

mod blind;
mod cases;
mod compare;
mod naive;
mod wire;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

fn seeded(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}
