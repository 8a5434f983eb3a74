//! Every registered game from end to end, with its built-in bots as entrants.

use crate::support::{Row, Scene};
use engines::{Entry, GAMES};
use model::fault::{Cause, Phase};
use model::record::End;

#[test]
fn builtins_play_every_game_and_records_replay_equally() {
    for entry in GAMES {
        let slug = entry.info.slug;
        let flags: &[&str] = match slug {
            // After so many plies somebody must pass.
            "reversi" => &["--states 2", "--states 12 --set opening_plies=8"],
            "monkey-metal-man" => &["--states 2", "--states 2 --set map=symmetric --set side=11"],
            _ => &["--states 2"],
        };
        for flags in flags {
            plays(entry, flags);
        }
    }
}

fn plays(entry: &Entry, flags: &str) {
    let slug = entry.info.slug;
    let scene = Scene::new();
    let bots = entry.baselines().into_iter();
    let bots = bots.map(|(name, _)| format!(" --with builtin:{name}"));
    let bots: String = bots.collect();
    scene.judge(&format!(
        "run --game {slug} --out out {bots} {flags} --lifetime game"
    ));
    let records = scene.records();
    assert!(records.len() >= 4, "{entry:?}");
    for record in &records {
        assert_eq!(record.end, End::Rules, "{slug}: {:?}", record.faults);
    }
    let mut turns = records.into_iter().flat_map(|record| record.turns);
    if flags.contains("opening_plies") {
        assert!(turns.any(|turn| turn.mv.is_some_and(|mv| mv.get() == "\"pass\"")));
    } else if slug != "reversi" {
        assert!(!scene.read("journal.jsonl").contains("\"pass\""), "{slug}");
    }
    let ranked = scene.rows("standings.csv").len();
    assert_eq!(ranked, entry.baselines().len(), "fillers are not ranked");
    scene.judge("verify out");
    if flags.contains("map=") {
        rotates_seats_on_same_map(&scene.rows("games.csv"));
    }
}

fn rotates_seats_on_same_map(games: &[Row]) {
    assert_eq!(games.len(), 2 * 4);
    for seat in 0..4 {
        let column = format!("player_{seat}");
        let here = games.iter().map(|game| game.get(&column));
        let here = here.filter(|name| *name == "builtin:random");
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
