//! Every registered game from end to end, with its built-in bots as entrants.

use crate::support::Scene;
use engines::GAMES;
use model::fault::{Cause, Phase};
use model::record::End;

fn run_with_all_builtins(slug: &str, more: &str) -> Scene {
    let entry = engines::game(slug).expect("registered");
    let scene = Scene::new();
    let bots = entry.baselines().into_iter();
    let bots = bots.map(|(name, _)| format!(" --with builtin:{name}"));
    let bots: String = bots.collect();
    scene.judge(&format!("run --game {slug} --out out {bots} {more}"));
    for record in scene.records() {
        assert_eq!(record.end, End::Rules, "{slug}: {:?}", record.faults);
    }
    scene.judge("verify out");
    scene
}

#[test]
fn builtins_play_every_game_and_records_replay_equally() {
    for entry in GAMES {
        let scene = run_with_all_builtins(entry.info.slug, "--states 2 --lifetime game");
        assert!(scene.records().len() >= 4, "{entry:?}");
        let journal = scene.read("journal.jsonl");
        let can_pass = entry.info.slug == "reversi";
        assert!(can_pass || !journal.contains("\"pass\""), "{entry:?}");
        let ranked = scene.rows("standings.csv").len();
        assert_eq!(ranked, entry.baselines().len(), "fillers are not ranked");
    }
}

#[test]
fn forced_passes_are_asked_for() {
    let scene = run_with_all_builtins("reversi", "--states 12 --set opening_plies=8");
    let mut turns = scene.records().into_iter().flat_map(|record| record.turns);
    assert!(turns.any(|turn| turn.mv.is_some_and(|mv| mv.get() == "\"pass\"")));
}

#[test]
fn groups_of_four_rotate_seats_on_same_map() {
    let flags = "--states 2 --set map=symmetric --set side=11";
    let scene = run_with_all_builtins("monkey-metal-man", flags);
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
    let spy = include_str!("../bots/spy.py");
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
    scene.put("stays/bot.py", STAYS).put("half/bot.py", half);
    let flags = "--game monkey-metal-man --states 1 --set clock.startup_s=120";
    scene.run(&format!("{flags} --with builtin:random")).well();
    for record in scene.records() {
        let is_half = |seat: engines::Seat| record.seats[seat.index()].entrant == "half";
        for (number, turn) in record.turns.iter().enumerate() {
            assert!(turn.mv.is_some(), "{turn:?}");
            let fault = record.fault_in(number);
            assert_eq!(fault.is_some(), is_half(turn.seat), "{fault:?}");
        }
        for fault in &record.faults {
            let (cause, phase) = (Cause::IllegalMove, Phase::Turn);
            assert_eq!((fault.cause, fault.phase), (cause, phase));
            let words = "the spotter's move 2 is [1,1]";
            assert!(fault.detail.starts_with(words), "{fault:?}");
        }
    }
    assert_eq!(scene.row("standings.csv", "stays").get("faults"), "0");
    assert_ne!(scene.row("standings.csv", "half").get("faults"), "0");
    scene.does("verify", "").says(&["nothing differs"]);
}
