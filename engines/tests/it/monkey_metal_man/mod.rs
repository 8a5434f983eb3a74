//! Tests of The Monkey and the Metal Man from outside. They use a second implementation, hostile
//! input and recorded games.

#![expect(clippy::unwrap_used, reason = "tests on data of their own making")]

mod blind;
mod cases;
mod compare;
mod naive;
mod wire;

use judge_engines::Game as _;
use judge_engines::monkey_metal_man::MonkeyMetalMan;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// Starts a game, unless the rules refuse the setup.
fn start(setup: serde_json::Value) -> Option<MonkeyMetalMan> {
    MonkeyMetalMan::start(&serde_json::from_value(setup).unwrap()).ok()
}

fn seeded(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}
