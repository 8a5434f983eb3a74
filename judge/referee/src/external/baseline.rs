//! The built-in bot that plays every game whose legal moves are listed. It needs no rules.

use engines::{Refused, plain};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::value::RawValue;

/// The bot's name and what it does.
pub(crate) const RANDOM: (&str, &str) = ("random", "plays a uniformly random legal move");

/// Chooses one of the moves in `legal`, a JSON list, by a seed. Returns it as JSON.
///
/// # Errors
/// When it is no list of moves, or empty.
pub fn choose_any(legal: &RawValue, seed: u64) -> Result<String, Refused> {
    let legal: Vec<&RawValue> = plain::read(legal.get()).map_err(Refused)?;
    if legal.is_empty() {
        return Err(Refused::because("there is no legal move to choose from"));
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Ok(legal[rng.random_range(..legal.len())].get().to_owned())
}
