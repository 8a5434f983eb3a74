//! The acceptance of external games: a built-in game that the referee serves over the wire has the
//! same games as the built-in one.

use crate::support::{Ended, Scene, copy_program, game_lines, judge, program, record};
use model::record::MatchRecord;

/// A bot that plays at random, and as a second entrant has a program of its own.
const RANDOM: &str = "run = \"./judge bot GAME random\"\n";

/// A bot that makes a different fault in each game, by its seed: an illegal move, no move, an
/// answer that is none, an exit; else it plays on. It starts some 2,000 times, and Perl does so in
/// a quarter of Python's time.
const FAULTY: &str = include_str!("../../bots/faulty.pl");

/// Returns the parts that must be equal: all but times, memory, hashes and ids.
fn essence(record: &MatchRecord) -> String {
    let seats = record.seats.iter().map(|seat| (&seat.entrant, seat.seed));
    let seats: Vec<_> = seats.collect();
    let turns = record.turns.iter().map(|turn| {
        let mv = turn.mv.as_ref().map(|mv| mv.get());
        (turn.seat, mv)
    });
    let turns: Vec<_> = turns.collect();
    let faults = record.faults.iter().map(|fault| {
        let detail = fault.detail.split("; peak memory").next();
        let said = (detail, &fault.line);
        (fault.seat, fault.ply, fault.phase, fault.cause, said)
    });
    let faults: Vec<_> = faults.collect();
    let start = (record.state, &record.draw, record.setup.get());
    let end = (&record.end, &record.outcome);
    format!("{start:?} {seats:?} {turns:?} {faults:?} {end:?}")
}

fn essences(journal: &str) -> Vec<String> {
    let mut all: Vec<String> = game_lines(journal)
        .map(|line| essence(&record(line)))
        .collect();
    all.sort();
    all
}

fn run(scene: &Scene, game: &str, name: &str, settings: &str) -> String {
    let file = scene.folder().join(format!("{name}.toml"));
    let text = format!("game = \"{game}\"\ntitle = \"Equal\"\nseed = 11\n{settings}");
    std::fs::write(&file, text).expect("writable");
    let out = scene.folder().join(name);
    let mut command = judge();
    command
        .arg("run")
        .arg("--submissions")
        .arg(scene.submissions());
    command
        .arg("--competition")
        .arg(&file)
        .args(["--with", "random"]);
    let ended = command
        .arg("--out")
        .arg(&out)
        .output()
        .expect("the program starts");
    Ended::of(ended).well();
    std::fs::read_to_string(out.join("journal.jsonl")).expect("a journal")
}

#[track_caller]
fn is_equal(game: &str, settings: &str) {
    let scene = Scene::new();
    let own = scene.submissions().join("again");
    std::fs::create_dir(&own).expect("writable");
    copy_program(program(), &own.join("judge"));
    std::fs::write(own.join("judge.toml"), RANDOM.replace("GAME", game)).expect("writable");
    scene.script("faulty", FAULTY);
    if game == "monkey-metal-man" {
        // Nobody else takes a seat: the built-in game has a better bot for that.
        scene.script("faulty-too", FAULTY);
    }
    let served = scene.folder().join("served");
    std::fs::create_dir(&served).expect("writable");
    copy_program(program(), &served.join("judge"));
    let run_line = format!("run = \"./judge referee {game}\"\n");
    std::fs::write(served.join("game.toml"), run_line).expect("writable");
    let native = essences(&run(&scene, game, "native", settings));
    let path = served.to_str().expect("UTF-8");
    let wire = essences(&run(&scene, path, "external", settings));
    assert!(native.len() >= 60, "{} games", native.len());
    for (native, wire) in native.iter().zip(&wire) {
        assert!(
            native == wire,
            "{game}: {native:.3000}\nover the wire: {wire:.3000}"
        );
    }
    assert_eq!(native.len(), wire.len());
    let external = scene.folder().join("external");
    super::verb(&["verify", external.to_str().expect("UTF-8")]).well();
}

#[test]
fn the_monkey_over_the_wire_is_the_monkey() {
    is_equal("monkey-metal-man", "states = 15\n");
}
