//! The acceptance of external games. A built-in game is played as before when the referee serves it
//! over the wire.

use crate::support::{Scene, copy_program, game_lines, program, record};
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
    let games = game_lines(journal).map(|line| essence(&record(line)));
    let mut all: Vec<String> = games.collect();
    all.sort();
    all
}

fn run(scene: &Scene, game: &str, name: &str, settings: &str) -> String {
    let text = format!("game = \"{game}\"\ntitle = \"Equal\"\nseed = 11\n{settings}");
    scene.write(&format!("{name}.toml"), text);
    let run = "run --submissions submissions --with random";
    scene.judge(&format!("{run} --competition {name}.toml --out {name}"));
    scene.text(&format!("{name}/journal.jsonl"))
}

#[track_caller]
fn is_equal(game: &str, settings: &str) {
    let scene = Scene::new();
    scene.put("again/judge.toml", RANDOM.replace("GAME", game));
    copy_program(program(), &scene.submissions().join("again/judge"));
    scene.script("faulty", FAULTY);
    if game == "monkey-metal-man" {
        // Nobody else takes a seat: the built-in game has a better bot for that.
        scene.script("faulty-too", FAULTY);
    }
    let run_line = format!("run = \"./judge referee {game}\"\n");
    scene.write("served/game.toml", run_line);
    let served = scene.folder().join("served");
    copy_program(program(), &served.join("judge"));
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
    scene.judge("verify external");
}

#[test]
fn the_monkey_over_the_wire_is_the_monkey() {
    is_equal("monkey-metal-man", "states = 15\n");
}
