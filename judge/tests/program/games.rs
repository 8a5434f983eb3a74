//! Every registered game from end to end, with its built-in bots as entrants.

use crate::support::snapshot::{self, Session};
use crate::support::{Run, Scene, Words, game_lines, record};
use engines::{GAMES, Lifetime};
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
fn every_game_is_played_by_its_built_in_bots_and_the_record_replays_to_the_same_outcome() {
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
fn the_time_control_is_the_games_own() {
    let scene = run_with_all_builtins("crazy-camel", &[]);
    let manifest: store::manifest::Manifest =
        serde_json::from_str(&scene.read("run.json")).expect("a manifest");
    let conditions = manifest.competition.conditions;
    assert_eq!(conditions.time.bank_us, Some(10_000_000));
    assert_eq!(conditions.time.increment_us, 1_000_000);
    assert!(conditions.time.charge_start);
    assert_eq!(conditions.lifetime, Lifetime::Game);
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
fn groups_of_four_sit_on_every_chair_of_the_same_map() {
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
fn under_strict_rules_a_bot_that_fails_in_a_game_of_four_is_removed_and_the_others_play_on() {
    let scene = Scene::new();
    scene.script("mute", "#!/bin/sh\nread -r hello; echo '{\"ready\":{}}'\nread -r start; echo '{\"ready\":{}}'\nread -r turn; exit 7\n");
    let blunder = "#!/bin/sh\nwhile read -r line; do case $line in '{\"turn\"'*) echo nonsense ;; '{\"end\"'*) exit 0 ;; *) echo '{\"ready\":{}}' ;; esac; done\n";
    scene.script("blunder", blunder);
    let flags = "--game monkey-metal-man --with builtin:hunter --states 1 --set strict=true";
    scene.run(&flags).well();
    for record in records(&scene) {
        let faults = |name: &str| {
            let seat = record
                .seats
                .iter()
                .position(|s| s.entrant == name)
                .expect("sits");
            record
                .faults
                .iter()
                .filter(|f| f.seat.index() == seat)
                .count()
        };
        assert_eq!(faults("mute"), 1, "gone at once");
        assert_eq!(faults("blunder"), 3, "the third fault removes it");
        let hunter = record
            .seats
            .iter()
            .position(|s| s.entrant == "builtin:hunter")
            .expect("sits");
        assert!(
            record.outcome.seats[hunter].placement <= 2,
            "{:?}",
            record.outcome
        );
    }
}

#[test]
fn an_answer_that_comes_too_late_is_not_taken_for_the_next_one() {
    let scene = Scene::new();
    let late = r#"#!/usr/bin/env python3
import json, sys
turns = 0
for line in sys.stdin:
    if "turn" in line[:8]:
        turns += 1
        if turns == 1: continue
        # The first turn's answer: nonsense, if it were taken for the second turn's.
        if turns == 2: print("nonsense", flush=True)
        print(json.dumps({"move": json.loads(line)["turn"]["legal"][0]}), flush=True)
    elif "end" not in line[:8]:
        print('{"ready":{"legal_moves":true}}', flush=True)
"#;
    scene.script("late", late);
    let flags = "--game monkey-metal-man --with builtin:random --states 1 --set clock.backstop_s=2";
    scene.run(&flags).well();
    for record in records(&scene) {
        let faults: Vec<Cause> = record.faults.iter().map(|fault| fault.cause).collect();
        assert_eq!(faults, [Cause::Silence], "{:?}", record.faults);
    }
}

#[test]
fn the_number_of_turns_does_not_tell_who_is_still_alive() {
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

#[test]
fn unknown_built_in_bots_are_refused_with_those_there_are() {
    let scene = Scene::new();
    scene.first_legal("ann");
    let flags = "--game reversi --with builtin:deep-blue";
    snapshot::compare("run__unknown_builtin", &mut scene.command(&flags));
}

/// A pair of pieces that stays in place, in the form of the course's bots.
const STAYS: &str = r#"
class Stays:
    def __init__(self, spotter_point, assasin_point, spotter_direction, assasin_direction):
        pass

    def step(self, percepts):
        return {
            "Spotter": {"direction": percepts["spotter direction"], "moves": [[0, 0], (0, 0)]},
            "Assasin": {"direction": [0, 1], "moves": [[0, 0]]},
        }
"#;

#[test]
fn a_bad_order_costs_one_piece_its_turn_and_staying_is_none() {
    let half = STAYS.replace("[[0, 0], (0, 0)]", "[[0, 1], [1, 1]]");
    let half = half.replace("[[0, 0]]", "[[1, 0], [0, 1], [-1, 0]]");
    let half = half.replace("Stays", "Half");
    let scene = Scene::new();
    scene.sources("stays", &[("bot.py", STAYS)]);
    scene.sources("half", &[("bot.py", &*half)]);
    let flags = "--game monkey-metal-man --states 1 --set clock.startup_s=120";
    scene.run(&format!("{flags} --with builtin:random")).well();
    let manifest = store::manifest::Manifest::read(&scene.out());
    let manifest = manifest.expect("readable").expect("there");
    let conditions = &manifest.competition.conditions;
    let mut walked = 0;
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
        // The replay shows that the assasin walks while it lives, and the spotter never does.
        let rules = rulebook::rules::of(conditions).expect("a game");
        let shown = report::replay(&*rules, conditions, &record).expect("a game");
        assert!(shown.is_whole);
        let own = shown.steps.iter().filter(|step| is_half(step.seat));
        let own: Vec<_> = own.collect();
        assert!(
            own[0].fault.is_some() && own[0].spelled == "adru:r",
            "{:?}",
            own[0]
        );
        let places = |frame: &engines::Frame, letter| {
            let discs = frame
                .discs
                .iter()
                .filter(|disc| disc.letter == Some(letter));
            let mut own = discs.filter(|disc| is_half(engines::Seat::new(disc.seat)));
            own.next().map(|disc| (disc.x, disc.y))
        };
        let moved = ['S', 'A'].map(|letter| {
            let [before, after] = [&shown.first, &own[0].frame].map(|frame| places(frame, letter));
            before != after
        });
        assert!(!moved[0], "a bad order");
        walked += usize::from(moved[1]);
    }
    assert!(walked > 0, "the other one");
    let rows = scene.rows("standings.csv");
    let faults = |name: &str| {
        let row = rows.iter().find(|row| row.get("entrant") == name);
        row.expect("it plays").get("faults").to_owned()
    };
    assert_eq!(faults("stays"), "0");
    assert_ne!(faults("half"), "0");
    for (verb, game, word) in [
        ("verify", None, "nothing differs"),
        ("repro", Some("1"), "the same game and the same end"),
        ("view", Some("1"), "wrote "),
    ] {
        let mut command = crate::support::judge();
        command.arg(verb).arg(scene.out()).args(game);
        command.stdin(std::process::Stdio::null());
        let ended = command.ended().well();
        assert!(ended.stdout.contains(word), "{ended:?}");
    }
    let page = scene.read("game-1.html");
    assert!(page.contains("the spotter's move 2 is [1,1]"));
}

#[test]
fn a_key_or_name_that_is_not_there_is_answered_with_the_one_that_is() {
    let mut session = Session::default();
    for set in ["map=random", "timeout_max=3"] {
        let mut command = crate::support::judge();
        command.args(["plan", "--game", "monkey-metal-man", "--set", set]);
        session.run(command.args(["--with", "builtin:random"]));
    }
    session.compare("plan__unknown_settings");
}
