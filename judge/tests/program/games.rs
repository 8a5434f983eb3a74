//! Every registered game from end to end, with its built-in bots as entrants.

use crate::support::{Scene, Words, game_lines, record};
use engines::GAMES;
use model::fault::{Cause, Phase};
use model::record::MatchRecord;

fn run_with_all_builtins(slug: &str, more: &(impl Words + ?Sized)) -> Scene {
    let entry = engines::game(slug).expect("registered");
    let scene = Scene::new();
    let mut command = crate::support::judge();
    command
        .args(["run", "--game", slug, "--out"])
        .arg(scene.out());
    for (name, _) in entry.baselines() {
        command.arg("--with").arg(format!("builtin:{name}"));
    }
    let output = command.args(more.words()).output().expect("it starts");
    crate::support::Ended::of(output).well();
    scene
}

fn records(scene: &Scene) -> Vec<MatchRecord> {
    let journal = scene.read("journal.jsonl");
    game_lines(&journal).map(record).collect()
}

fn referee(record: &MatchRecord) {
    let entry = engines::game(&record.game).expect("registered");
    let mut game = entry.start(&record.setup).expect("valid");
    for turn in &record.turns {
        let mv = turn.mv.as_ref().expect("no faults here");
        game.play(turn.seat, mv.get()).expect("legal");
    }
    assert_eq!(
        game.outcome().as_ref(),
        Some(&record.outcome),
        "{}",
        record.fixture
    );
}

#[test]
fn builtins_play_every_game_and_records_replay_equally() {
    for entry in GAMES {
        let scene = run_with_all_builtins(entry.info.slug, "--states 2");
        let records = records(&scene);
        assert!(records.len() >= 4, "{entry:?}");
        for record in &records {
            assert_eq!(
                record.end,
                model::record::End::Rules,
                "{entry:?}: {:?}",
                record.faults
            );
            referee(record);
        }
        let standings = scene.rows("standings.csv");
        assert_eq!(
            standings.len(),
            entry.baselines().len(),
            "fillers are not ranked"
        );
    }
}

#[test]
fn forced_passes_are_asked_for() {
    let scene = run_with_all_builtins("reversi", &["--states", "12", "--set", "opening_plies=8"]);
    let passes = records(&scene);
    let passes = passes
        .iter()
        .flat_map(|r| &r.turns)
        .filter(|t| t.mv.as_ref().is_some_and(|m| m.get() == "\"pass\""));
    assert!(passes.count() > 0);
}

#[test]
fn groups_of_four_rotate_seats_on_same_map() {
    let scene = run_with_all_builtins(
        "monkey-metal-man",
        &[
            "--states",
            "2",
            "--set",
            "map=symmetric",
            "--set",
            "side=11",
        ],
    );
    let games = scene.rows("games.csv");
    assert_eq!(games.len(), 2 * 4);
    for seat in 0..4 {
        let column = format!("player_{seat}");
        let here = games
            .iter()
            .filter(|game| game.get(&column) == "builtin:random");
        assert_eq!(here.count(), 2, "on {column}, once for each map");
    }
}

#[test]
fn turn_numbers_do_not_reveal_who_is_alive() {
    let scene = Scene::new();
    let spy = r#"#!/usr/bin/env python3
import json, sys
plies = []
for line in sys.stdin:
    message = json.loads(line)
    if "turn" in message:
        plies.append(message["turn"]["ply"])
        print(json.dumps({"move": message["turn"]["legal"][0]}), flush=True)
    elif "end" in message:
        print("counted on" if plies == list(range(len(plies))) else plies, file=sys.stderr, flush=True)
    else:
        print('{"ready":{"legal_moves":true}}', flush=True)
"#;
    // The other one leaves after its first turn, out of sight.
    let mute = "#!/bin/sh\nfor n in 1 2; do read -r line; echo '{\"ready\":{}}'; done\nread -r turn; exit 7\n";
    scene.script("spy", spy).script("mute", mute);
    let flags = "--game monkey-metal-man --with builtin:random --states 1";
    scene.run(&flags).well();
    let said = scene.read("logs/stderr/spy.txt");
    assert_eq!(said.matches("counted on").count(), 4, "{said}");
}

const STAYS: &str = include_str!("../bots/stays.py");

#[test]
fn bad_order_costs_one_piece_and_staying_none() {
    let half = STAYS.replace("[[0, 0], (0, 0)]", "[[0, 1], [1, 1]]");
    let half = half.replace("[[0, 0]]", "[[1, 0], [0, 1], [-1, 0]]");
    let half = half.replace("Stays", "Half");
    let scene = Scene::new();
    scene.sources("stays", &[("bot.py", STAYS)]);
    scene.sources("half", &[("bot.py", &*half)]);
    let flags = "--game monkey-metal-man --states 1 --set clock.startup_s=120";
    scene.run(&format!("{flags} --with builtin:random")).well();
    for record in records(&scene) {
        let is_half = |seat: engines::Seat| record.seats[seat.index()].entrant == "half";
        for (number, turn) in record.turns.iter().enumerate() {
            assert!(turn.mv.is_some(), "{turn:?}");
            let fault = record.fault_in(number);
            assert_eq!(fault.is_some(), is_half(turn.seat), "{fault:?}");
        }
        for fault in &record.faults {
            assert_eq!(
                (fault.cause, fault.phase),
                (Cause::IllegalMove, Phase::Turn)
            );
            assert!(
                fault.detail.starts_with("the spotter's move 2 is [1,1]"),
                "{fault:?}"
            );
        }
    }
    let rows = scene.rows("standings.csv");
    let faults = |name: &str| {
        let row = rows.iter().find(|row| row.get("entrant") == name);
        row.expect("it plays").get("faults").to_owned()
    };
    assert_eq!(faults("stays"), "0");
    assert_ne!(faults("half"), "0");
    scene.does("verify", "").says(&["nothing differs"]);
}
