//! The example that connects an engine of another protocol: Debian's `gtp-rhino`.

use crate::support::Scene;
use crate::support::groups::has_groups;
use crate::support::skip::skipped;
use std::path::Path;

const ENGINE: &str = "/usr/games/gtp-rhino";

#[track_caller]
fn has_engine() -> bool {
    let has = Path::new(ENGINE).exists();
    if !has {
        skipped("gtp-rhino", "not installed; run: apt-get install grhino");
    }
    has
}

#[test]
fn engine_behind_bridge_plays_openings_and_is_charged() {
    if !has_engine() || !has_groups() {
        return;
    }
    let scene = Scene::new();
    scene
        .example("bridges", "grhino")
        .example("reversi", "python-edges");
    let flags = "--set bots.processes=true --states 2 --set clock.startup_s=120";
    let more = "--set clock.backstop_s=60 --set opening_plies=8";
    let game = "--game reversi";
    scene.run(&format!("{game} {flags} {more}")).well();
    assert_eq!(scene.cells("games.csv", "end"), ["rules"; 4]);
    let bridge = scene.row("standings.csv", "grhino");
    assert_eq!(bridge.get("faults"), "0");
}
