//! Tests that recorded games replay; see `support/records.rs`.

use crate::support::records::Golden;
use judge_engines::GAMES;

#[test]
fn recorded_games_replay_to_the_same_outcomes_and_pictures() {
    for entry in GAMES {
        Golden::of(entry).check();
    }
}
