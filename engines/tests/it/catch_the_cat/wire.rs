//! Whatever comes over the wire: nothing panics.

use crate::support::wire::Wire;

fn wire() -> Wire {
    let random =
        "100110100000000000010110000000000000000000000100000000000001000000000001001111000";
    let setups = [
        r#"{"side":5,"world":"0000000000000000000000001"}"#.to_owned(),
        r#"{"side":5,"world":"0000000000010000001000000","cat":[0,-1],"to_move":1}"#.to_owned(),
        r#"{"side":5,"world":"0011101101110010111100111","cat":[1,-1],"to_move":0}"#.to_owned(),
        format!(r#"{{"side":9,"world":"{random}","cat":[-2,3],"to_move":1}}"#),
        format!(r#"{{"side":9,"world":"{random}"}}"#),
    ];
    Wire {
        slug: "catch-the-cat",
        setups: setups.into(),
        moves: &["[1,0]", "[0,-1]", "[-2,2]", "[0,0]"],
        configs: &[
            "{}",
            r#"{"side":21,"blocks_min":0.05,"blocks_max":0.1}"#,
            r#"{"side":5,"blocks_min":0.9,"blocks_max":0.9}"#,
        ],
        words: &[
            "side",
            "world",
            "cat",
            "to_move",
            "blocks_min",
            "blocks_max",
            "catcher",
        ],
    }
}

#[test]
fn any_move_is_played_or_refused_and_then_changes_nothing() {
    wire().survives_moves();
}

#[test]
fn any_setup_starts_a_sound_game_or_is_refused() {
    wire().survives_setups();
}

#[test]
fn any_configuration_is_completed_or_refused() {
    wire().survives_configurations();
}

#[test]
fn any_view_and_list_of_moves_leave_the_built_in_bots_standing() {
    wire().survives_views();
}
