//! The example that connects an engine of another protocol: Debian's `gtp-rhino`.

use crate::support::groups::has_groups;
use crate::support::skip::skipped;
use crate::support::{Scene, root};
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const ENGINE: &str = "/usr/games/gtp-rhino";

/// Returns whether the engine is installed; otherwise reports that the test is skipped.
#[track_caller]
fn has_engine() -> bool {
    let has = Path::new(ENGINE).exists();
    if !has {
        skipped("gtp-rhino", "not installed; run: apt-get install grhino");
    }
    has
}

#[test]
fn an_engine_behind_a_bridge_plays_openings_and_is_charged() {
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
    let rows = scene.rows("games.csv");
    assert_eq!(rows.len(), 4);
    for row in rows {
        assert_eq!(row.get("end"), "rules", "{row:?}");
    }
    let standings = scene.rows("standings.csv");
    let bridge = standings.iter().find(|row| row.get("entrant") == "grhino");
    assert_eq!(bridge.expect("it plays").get("faults"), "0");
}

#[test]
fn the_bridge_passes_by_itself_and_moves_after_a_pass() {
    if !has_engine() {
        return;
    }
    // White's only disc to turn is Black's last one. On the second board Black has just passed; on
    // the third White has to pass itself.
    let turns = [
        (format!("{}B.", "W".repeat(62)), "white", "[63]"),
        (format!(".BW{}", "W".repeat(61)), "white", "[0]"),
        (format!("{}W.", "B".repeat(62)), "white", "[\"pass\"]"),
    ];
    let mut lines = String::from("{\"hello\":{}}\n{\"start\":{}}\n");
    for (board, you, legal) in &turns {
        assert_eq!(board.len(), 64);
        let view = format!("{{\"board\":\"{board}\",\"you\":\"{you}\",\"last\":\"pass\"}}");
        let _ = writeln!(lines, "{{\"turn\":{{\"view\":{view},\"legal\":{legal}}}}}");
    }
    let folder = root().join("examples/bridges/grhino");
    let mut bridge = Command::new("python3")
        .args(["-E", "bridge.py", ENGINE])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 is there");
    let mut stdin = bridge.stdin.take().expect("piped");
    stdin.write_all(lines.as_bytes()).expect("it reads");
    drop(stdin);
    let output = bridge.wait_with_output().expect("it ends");
    let said = String::from_utf8(output.stdout).expect("text");
    let moves: Vec<&str> = said.lines().skip(2).collect();
    let expected = ["{\"move\": 63}", "{\"move\": 0}", "{\"move\": \"pass\"}"];
    assert_eq!(moves, expected, "{said}");
}
