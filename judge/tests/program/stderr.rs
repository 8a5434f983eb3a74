//! Bots' output on standard error, next to the turns that wrote it. It is in the author's log, and
//! on the pages of authors and staff. It is nowhere else.

use crate::html::{check_in_browser, data};
use crate::support::{Has, Scene};

/// A bot that writes its ply before its answer and after it. Its words are hostile.
const TALKER: &str = include_str!("../bots/talker.py");

/// Each turn of the talker has its own words next to it, and no other step has any.
fn check_texts(game: &serde_json::Value, lives_for_a_turn: bool) {
    let steps = game["steps"].as_array().expect("a list").len() - 1;
    let wrote = game["wrote"].as_array().expect("a list");
    let mut turns = 0;
    for one in wrote {
        let step = one[0].as_u64().expect("a number");
        assert_eq!(one[1], wrote[0][1], "the other one is silent: {one}");
        let text = one[2].as_str().expect("text");
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
        assert_eq!(text.contains("up <script>"), lives_for_a_turn || step == 0);
        if step > 0 {
            turns += 1;
            assert!(text.contains(&format!("asked at {}\\", step - 1)), "{one}");
            assert_eq!(text.matches("asked at").count(), 1, "{one}");
            assert!(text.contains(" -- turn 999"), "its own words: {one}");
        }
    }
    let halves = [steps / 2, steps.div_ceil(2)];
    assert!(halves.contains(&turns), "{turns} of {steps}");
}

#[test]
fn bot_output_is_shown_next_to_its_turn() {
    // One process for a game, and one for each turn.
    for (game, flags, lives_for_a_turn) in [
        ("reversi", "", false),
        ("catch-the-cat", "--set side=5", true),
    ] {
        let scene = Scene::new();
        let silent = TALKER.replace("say(\"up", "say = lambda text: None\nsay(\"up");
        scene.script("talker", TALKER).script("zoe", &silent);
        let flags = format!("--game {game} --states 1 {flags}");
        scene.run_by_secret(&flags).well();
        scene.does("view", &["1"]);
        let page = data(&scene.read("game-1.html"));
        check_texts(&page["games"][0], lives_for_a_turn);
        let log = scene.read("logs/stderr/talker.txt");
        let mut heads = ["\n-- turn 1\n", "\n-- turn 2\n"].into_iter();
        assert!(heads.any(|head| log.contains(head)), "{log}");
        log.has(&["\n == game forged\n"]);
        let own = data(&scene.read("report.html"));
        assert!(own["games"][0].get("wrote").is_none(), "{own}");
        if !lives_for_a_turn {
            let page = scene.out().join("game-1.html");
            check_in_browser("wrote", &[&page]);
        }
    }
}
