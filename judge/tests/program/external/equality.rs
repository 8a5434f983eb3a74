//! The acceptance of external games. A built-in game is played as before when the referee serves it
//! over the wire.

use crate::support::{Scene, copy_program, game_lines, program, record};
use model::record::MatchRecord;

const GAME: &str = "monkey-metal-man";

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

/// Plays the game, and returns what must be equal of its games.
fn run(scene: &Scene, game: &str, name: &str) -> Vec<String> {
    let text = format!("game = \"{game}\"\ntitle = \"Equal\"\nseed = 11\nstates = 15\n");
    scene.write(&format!("{name}.toml"), text);
    let run = "run --submissions submissions --with random";
    scene.judge(&format!("{run} --competition {name}.toml --out {name}"));
    let journal = scene.text(&format!("{name}/journal.jsonl"));
    let games = game_lines(&journal).map(|line| essence(&record(line)));
    let mut all: Vec<String> = games.collect();
    all.sort();
    all
}

#[test]
fn the_monkey_over_the_wire_is_the_monkey() {
    let scene = Scene::new();
    // As a second entrant, the random bot has a program of its own.
    let again = format!("run = \"./judge bot {GAME} random\"\n");
    scene.put("again/judge.toml", again);
    copy_program(program(), &scene.submissions().join("again/judge"));
    scene.script("faulty", FAULTY);
    // Nobody else takes a seat: the built-in game has a better bot for that.
    scene.script("faulty-too", FAULTY);
    let run_line = format!("run = \"./judge referee {GAME}\"\n");
    scene.write("served/game.toml", run_line);
    let served = scene.folder().join("served");
    copy_program(program(), &served.join("judge"));
    let native = run(&scene, GAME, "native");
    let wire = run(&scene, served.to_str().expect("UTF-8"), "external");
    assert!(native.len() >= 60, "{} games", native.len());
    for (native, wire) in native.iter().zip(&wire) {
        assert!(
            native == wire,
            "{native:.3000}\nover the wire: {wire:.3000}"
        );
    }
    assert_eq!(native.len(), wire.len());
    scene.judge("verify external");
}
