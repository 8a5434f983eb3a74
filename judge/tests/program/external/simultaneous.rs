//! Games in which several seats move at once.

use super::python_game;
use crate::support::{Has, Scene};
use model::fault::Cause;
use model::record::MatchRecord;

/// Rock, paper, scissors over three rounds. Its view shows the seats that have
/// moved in this round. A seat that makes no move has lost.
const ROCK_PAPER_SCISSORS: &str = include_str!("../../bots/hands_game.py");

/// A bot that writes each question to its standard error, and plays as `CHOICE` says.
const TELLING: &str = include_str!("../../bots/telling.py");

fn scene(information: &str, flags: &str, right: &str) -> (Scene, Vec<MatchRecord>) {
    let scene = Scene::new();
    let game = ROCK_PAPER_SCISSORS.replace("INFORMATION", information);
    let game = python_game(&scene, &game);
    let left = "choice = \"rock\"";
    scene.script("ann", &TELLING.replace("CHOICE", left));
    scene.script("bob", &TELLING.replace("CHOICE", right));
    let flags = format!("--game {game} --states 2 {flags}");
    scene.run(&flags).well();
    scene.judge("verify out");
    let games = scene.records();
    (scene, games)
}

fn reported(scene: &Scene, author: &str) -> String {
    scene
        .judge(&format!("explain out {author}"))
        .says(&[author]);
    scene.read(&format!("logs/stderr/{author}.txt"))
}

#[test]
fn nobody_sees_a_move_before_all_have_answered() {
    let right = "choice = [\"paper\", \"rock\", \"scissors\"][turns - 1]";
    let (scene, games) = scene("perfect", "", right);
    for author in ["ann", "bob"] {
        let log = reported(&scene, author);
        log.has(&["\"now\": []"]);
        log.lacks(&["\"now\": [0"]);
        // The first round's moves come with the second round's question, and both seats' plies
        // are those of the round.
        log.has(&["\"round\": 0}, [], 0]", "\"round\": 1}, [[", ", 2]"]);
    }
    for game in &games {
        assert_eq!(game.turns.len(), 6);
        let seats: Vec<usize> = game.turns.iter().map(|turn| turn.seat.index()).collect();
        assert_eq!(seats, [0, 1, 0, 1, 0, 1]);
    }
}

#[test]
fn hidden_moves_are_reported_to_nobody() {
    let (scene, _) = scene("hidden", "", "choice = \"paper\"");
    for author in ["ann", "bob"] {
        let log = reported(&scene, author);
        log.has(&["\"round\": 2"]);
        log.lacks(&["[["]);
    }
}

#[test]
fn fault_in_round_leaves_other_answer_uncharged() {
    for flags in ["", "--lifetime turn"] {
        let (_, games) = scene("perfect", flags, "choice = \"lizard\"");
        for game in &games {
            let bob = game.seats.iter().position(|seat| seat.entrant == "bob");
            let bob = bob.expect("he plays");
            let faults: Vec<Cause> = game.faults.iter().map(|fault| fault.cause).collect();
            assert_eq!(faults, [Cause::IllegalMove]);
            assert_eq!(game.faults[0].seat.index(), bob);
            // As the first seat, his fault ends the game before the answer of the second counts.
            assert_eq!(game.turns.len(), 1 + bob);
            let other = &game.seats[1 - bob];
            assert_eq!(other.cpu_us > 0, bob == 1, "{other:?}");
        }
    }
}
