//! `judge run` from end to end, with real submissions: what is played, again and further.

mod cut_short;
mod folder;
mod input;

use crate::readme::the_page_shows_what_the_program_prints;
use crate::support::{FIRST_LEGAL, Has, Run, Scene, Wait, judge, snapshot};
use judge::BUILD;
use std::fs;

/// No points for CPU time, which makes results comparable to the last digit.
const EXACT: &str = "--game catch-the-cat --points-per-cpu-second 0 --set side=5";

pub(crate) fn flags(more: &str) -> String {
    format!("{EXACT} {more}")
}

#[test]
fn committed_examples_play_and_broken_one_is_named() {
    let scene = Scene::new();
    for name in [
        "pathfinder",
        "corner-blocker",
        "drifter",
        "python-sprinter",
        "script-last",
        "forgot-const",
    ] {
        scene.example("catch-the-cat", name);
    }
    // README's command, below, starts a process for each turn.
    let ended = scene.run("--states 2 --lifetime game").well();
    ended.says(&[
        "Catch the Cat: 6 submissions",
        "forgot-const: does not play: g++ exited with 1",
    ]);
    // The compiler's words, and a bot's own printing.
    scene.read("logs/build/forgot-const.txt").has(&["abstract"]);
    scene.read("logs/stderr/drifter.txt").has(&["going to"]);

    let standings = scene.ranked();
    assert_eq!(standings.len(), 5);
    assert_eq!(standings[0].get("entrant"), "pathfinder");
    assert_eq!(scene.rows("games.csv").len(), 2 * 5 * 4);
    assert_eq!(scene.rows("cats_vs_catchers.csv").len(), 5 * 4);
    scene.all_end_by_rules();
    points_follow_the_courses_formula(&scene);
    let view = "26 --terminal --ply 24";
    snapshot::compare("view__example_game", &mut scene.verb("view", view));
    the_page_shows_what_the_program_prints(&scene);
}

/// Recomputes every game's points from its other columns.
fn points_follow_the_courses_formula(scene: &Scene) {
    for game in scene.rows("games.csv") {
        let number = |column: &str| game.get(column).parse::<f64>().expect(column);
        let plies = number("plies");
        // The cat moves first, and has the odd ply.
        let moves = [(plies / 2.0).ceil(), (plies / 2.0).floor()];
        for (seat, role) in ["cat", "catcher"].into_iter().enumerate() {
            let won = game.get("winner") == game.get(role);
            let m = moves[seat];
            let base = if won { 220.0 - m } else { m };
            let expected = base - number(&format!("{role}_cpu_us")) / 1e6;
            let points = number(&format!("{role}_points"));
            assert!((points - expected).abs() < 1e-5, "{role} in {game:?}");
        }
    }
}

#[test]
fn run_outlives_reader_and_repeats_without_playing() {
    let scene = Scene::of_three_scripts();
    let mut first = scene.command(&flags("--states 2")).piped();
    drop(first.stdout.take());
    first.ended().well();
    assert_eq!(scene.rows("games.csv").len(), 12);
    let (journal, games) = (scene.read("journal.jsonl"), scene.read("games.csv"));
    let again = scene.run(&flags("--states 2")).well();
    again.says(&["12 games, 12 of them already played"]);
    assert_eq!(scene.read("journal.jsonl"), journal);
    assert_eq!(scene.read("games.csv"), games);
    // The same happens if the program is killed right after the last game.
    let end = scene.read("staff/journal-end.json");
    fs::remove_file(scene.out().join("staff/journal-end.json")).expect("writable");
    scene.run(&flags("--states 2")).well();
    assert_eq!(scene.read("staff/journal-end.json"), end);
    a_run_says_which_build_played_it(&scene);
    // A resubmitted bot replays its own games only.
    scene.script("ann", &format!("{FIRST_LEGAL}# second version\n"));
    let ended = scene.run(&flags("--states 2")).well();
    ended.says(&["12 games, 4 of them already played"]);
    assert_eq!(scene.rows("games.csv").len(), 12);
}

fn a_run_says_which_build_played_it(scene: &Scene) {
    let version = judge().arg("--version").ended().well();
    assert_eq!(version.stdout, format!("judge {BUILD}\n"));
    let named = format!("\"judge\":{BUILD:?}");
    scene.read("run.json").replace(": ", ":").has(&[&named]);
    let journal = scene.read("journal.jsonl");
    let machine = journal.lines().find(|line| line.contains("\"about\""));
    machine.expect("a machine line").has(&[&named]);
}

#[test]
fn game_and_match_lifetimes_play_same_games() {
    let four_bots = || {
        let scene = Scene::of_three_scripts();
        scene.example("catch-the-cat", "corner-blocker");
        scene
    };
    let per_turn = four_bots();
    per_turn.run(&flags("--states 2")).well();
    for lifetime in ["game", "match"] {
        let other = four_bots();
        other.take_programs(&per_turn);
        let flags = flags(&format!("--states 2 --lifetime {lifetime}"));
        other.run(&flags).well();
        let games = |scene: &Scene| {
            let rows = scene.timeless("games.csv").into_iter();
            // The first columns are the number and the fixture's hash, which covers the lifetime.
            rows.map(|row| row[2..].to_vec()).collect::<Vec<_>>()
        };
        assert_eq!(games(&per_turn), games(&other), "{lifetime}");
    }
}
