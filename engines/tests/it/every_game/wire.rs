//! Tests that no input panics. Each test is a fuzz target that can run for any length of time; see
//! `support/wire.rs`.

use crate::support::wire::Wire;
use judge_engines::{GAMES, game};

fn wires() -> impl Iterator<Item = Wire> {
    let wanted = std::env::var("FUZZ_GAME").ok();
    let games = GAMES.iter().filter(move |entry| {
        let wanted = wanted.as_ref();
        wanted.is_none_or(|slug| slug == entry.info.slug)
    });
    games.map(Wire::of)
}

#[test]
fn any_config_is_completed_or_refused() {
    wires().for_each(|wire| wire.survives_configurations());
}

#[test]
fn any_setup_starts_sound_game_or_is_refused() {
    wires().for_each(|wire| wire.survives_setups());
}

#[test]
fn any_move_plays_or_is_refused_without_change() {
    wires().for_each(|wire| wire.survives_moves());
}

#[test]
fn any_typed_move_is_read_or_refused() {
    wires().for_each(|wire| wire.survives_typing());
}

#[test]
fn built_in_bots_survive_any_view_and_moves() {
    wires().for_each(|wire| wire.survives_views());
}

/// Otherwise a configuration would change each time that it is read.
#[test]
fn number_is_read_as_written() {
    let entry = game("catch-the-cat").expect("registered");
    let written = "{\"side\":21,\"blocks_min\":1.9880857146227953e-166,\"blocks_max\":0.1}";
    let full = entry.configure(written).expect("allowed");
    assert_eq!(full.get(), written);
}
