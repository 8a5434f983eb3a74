//! The meaning of a rank's interval.

use model::competition::Competition;
use rulebook::schedule;

/// Returns whether several initial states are all the same, in which case they only number its
/// repetitions.
pub fn has_one_start(competition: &Competition) -> bool {
    competition.states > 1 && !schedule::states_differ(competition).unwrap_or(true)
}

/// Explains the interval of a rank.
pub fn interval_meaning(competition: &Competition) -> String {
    let drawn = if schedule::states_differ(competition).unwrap_or(true) {
        "if the initial states were drawn again"
    } else {
        "if the repetitions of the same initial state were drawn again"
    };
    format!("confidence interval of the rank, {drawn}")
}
