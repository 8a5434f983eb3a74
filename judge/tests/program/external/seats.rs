//! Games for different numbers of seats, and the example that plays those of `OpenSpiel`.

use super::python_game;
use crate::support::skip::skipped;
use crate::support::{Ended, FIRST_LEGAL, LAST_LEGAL, Run, Scene, Words, root};
use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::process::Command;

/// The seat that reaches the goal wins; a turn adds one or two.
const COUNTING: &str = include_str!("../../bots/counting_game.py");

#[test]
fn a_setting_decides_how_many_seats_play() {
    for (players, faulty) in [(2, false), (3, false), (4, true)] {
        let scene = Scene::new();
        let game = python_game(&scene, COUNTING);
        scene.script("ann", FIRST_LEGAL).script("zoe", LAST_LEGAL);
        let bob = if faulty { "#!/bin/sh\n" } else { FIRST_LEGAL };
        scene.script("bob", bob);
        let setting = format!("players={players}");
        let flags = ["--game", &game, "--set", &setting, "--with", "random"];
        scene.run(&flags).well();
        let records = scene.records();
        let counts: BTreeSet<usize> = records.iter().map(|game| game.seats.len()).collect();
        assert_eq!(counts, [players].into());
        scene.judge("verify out");
    }
}

#[test]
fn each_kind_of_game_of_openspiel_is_played() {
    let mut import = Command::new("python3");
    let import = import.args(["-c", "import pyspiel"]).output();
    if !import.is_ok_and(|ended| ended.status.success()) {
        return skipped("pypi", "no open_spiel for the python3 in PATH");
    }
    let example = root().join("examples/games/openspiel");
    let file = example.join("competition.toml");
    let competition = file.to_str().expect("UTF-8");
    let bot = |name: &str| fs::read_to_string(example.join("bots").join(name)).expect("readable");
    for name in [
        "breakthrough(rows=5,columns=5)",
        "hex(board_size=5)",
        "kuhn_poker(players=3)",
        "goofspiel",
        "tic_tac_toe",
        "connect_four",
        "chess",
    ] {
        let scene = Scene::new();
        scene.script("ann", &bot("guess.py"));
        scene.script("zoe", &bot("playouts.py"));
        let setting = format!("name={name}");
        // Of these games, only chess is longer.
        let longest = "plies_max=50";
        let rules = ["--competition", competition, "--set", &setting];
        let flags = ["--with", "random", "--states", "1", "--set", longest];
        run(&scene, &[&rules[..], &flags[..]].concat()).well();
        let faults = scene.rows("faults.csv").len();
        assert_eq!(faults, 0, "{name}: {}", scene.read("faults.csv"));
        let verified = in_callers_path(scene.verb("verify", "")).well();
        verified.says(&["nothing differs"]);
    }
    for name in ["nosuch", "hex(board_size=0)", "kuhn_poker(players=9)"] {
        let scene = Scene::of(["ann"]);
        let setting = format!("name={name}");
        let flags = ["--competition", competition, "--set", &setting];
        let words = ["OpenSpiel refuses --set", name];
        run(&scene, &flags).refused(&words);
    }
}

fn run(scene: &Scene, flags: &(impl Words + ?Sized)) -> Ended {
    in_callers_path(scene.command(flags))
}

/// Runs a command with the PATH of these tests, in which `open_spiel` may be.
fn in_callers_path(mut command: Command) -> Ended {
    let path = env::var_os("PATH").expect("it is set");
    command.env("PATH", path).ended()
}
