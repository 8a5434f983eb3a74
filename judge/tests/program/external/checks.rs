//! `judge game`: first games in each language, what a check finds, and the examples.

use super::{clobber, verb};
use crate::support::skip::has_tool;
use crate::support::{Ended, Scene, program, root};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn check(game: &Path, games: &str) -> Ended {
    let game = game.to_str().expect("UTF-8");
    verb(&format!("game check {game} --games {games}"))
}

fn folder(scene: &Scene, files: &[(&str, String)]) -> PathBuf {
    let folder = scene.folder().join("game");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).expect("writable");
    for (name, text) in files {
        fs::write(folder.join(name), text).expect("writable");
    }
    folder
}

#[test]
fn new_game_in_each_language_is_sound() {
    let mut pictures = Vec::new();
    for (language, tool) in [
        ("python", "python3"),
        ("javascript", "node"),
        ("cpp", "g++"),
    ] {
        if !has_tool(tool) {
            continue;
        }
        let scene = Scene::new();
        let made = scene.folder().join("tug-of-war");
        let path = made.to_str().expect("UTF-8");
        let new = ["game", "new", path, "--lang", language];
        verb(&new)
            .well()
            .says(&["made ", "game check", "--with random"]);
        check(&made, "20")
            .well()
            .says(&["tug-of-war is sound: 20 games"]);
        assert_eq!(made.join("judge_game.hpp").exists(), language == "cpp");
        if language == "cpp" {
            let rules = fs::read_to_string(made.join("game.cpp")).expect("there");
            let walk =
                "for (const Json& one : Json(List{1, 2})) if (one.number() > 2) return \"\";\n";
            let begin = "static std::string check(const Json& config) {\n";
            fs::write(
                made.join("game.cpp"),
                rules.replace(begin, &format!("{begin}{walk}")),
            )
            .expect("writable");
        }
        let again = verb(&new);
        assert_eq!(again.code, Some(2));
        assert!(again.stderr.contains("already exists"), "{again:?}");
        build_for_good(&made);
        for wrong in ["holes=true", "holes=10", "side=2.5", "wood=1"] {
            verb(&format!("game check {path} --set {wrong}")).exits(2);
        }
        let bots = ["builtin:random", "builtin:random"];
        let play = ["play", bots[0], bots[1], "--game", path, "--seed", "1"];
        verb(&play).well().says(&["cannot move", "Tug of war"]);
        // All three are one game: from one setup, they show the same.
        let setup = r#"{"position":{"setup":{"side":3,"cells":"....#...."},"moves":[0,7]}}"#;
        let judge = program().display();
        let asked = format!("echo '{setup}' | '{judge}' referee '{path}'");
        let answer = Command::new("sh").args(["-c", &asked]).output();
        pictures.push(Ended::of(answer.expect("it starts")).well().stdout);
    }
    assert!(
        pictures.windows(2).all(|pair| pair[0] == pair[1]),
        "{pictures:?}"
    );
    let scene = Scene::new();
    verb(&[
        "game",
        "new",
        scene.folder().join("My game").to_str().expect("UTF-8"),
    ])
    .exits(2);
}

/// Builds a game as its `game.toml` says, and removes the command, which takes seconds, from the
/// file.
fn build_for_good(game: &Path) {
    let manifest = fs::read_to_string(game.join("game.toml")).expect("every game has one");
    let (first, rest) = manifest.split_once('\n').expect("a line");
    let Some(command) = first.strip_prefix("build = ") else {
        return;
    };
    let helper = root().join("judge/referee/src/external/judge_game.hpp");
    fs::copy(helper, game.join("judge_game.hpp")).expect("writable");
    let command = command.trim_matches('"');
    let mut shell = Command::new("sh");
    let built = shell.args(["-c", command]).current_dir(game).status();
    assert!(built.expect("it starts").success(), "{command}");
    fs::write(game.join("game.toml"), rest).expect("writable");
}

#[derive(Deserialize)]
struct Change {
    file: String,
    from: String,
    to: String,
    words: String,
}

#[test]
fn game_check_names_problem_and_how_to_repeat() {
    let helper = fs::read_to_string(root().join("judge/referee/src/external/judge_game.py"))
        .expect("readable");
    let game = fs::read_to_string(clobber()).expect("readable");
    let scene = Scene::new();
    let manifest = || ("game.toml", "run = \"python3 game.py\"".to_owned());
    let changed = |text: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    };
    let text = fs::read_to_string(root().join("judge/tests/broken_games.toml")).expect("readable");
    let mut all: BTreeMap<String, Vec<Change>> = toml::from_str(&text).expect("TOML");
    let all = all.remove("change").expect("a list");
    let broken = all.into_iter().map(|change| {
        let of = |file: &str, text: &str| {
            if change.file == file {
                changed(text, &change.from, &change.to)
            } else {
                text.to_owned()
            }
        };
        let files = [
            manifest(),
            ("game.py", of("game.py", &game)),
            ("judge_game.py", of("judge_game.py", &helper)),
        ];
        (files.to_vec(), change.words)
    });
    // A seat of Clobber has no legal move at the end; a player of Kuhn poker has.
    let poker = root().join("examples/games/kuhn-poker/kuhn_poker.py");
    let poker = fs::read_to_string(poker).expect("readable");
    let moving = changed(&helper, "[] if self.over else sorted(", "sorted(");
    let poker = [manifest(), ("game.py", poker), ("judge_game.py", moving)];
    let poker = (poker.to_vec(), "an outcome, and a seat to move".to_owned());
    for (files, words) in broken.chain([poker]) {
        let folder = folder(&scene, &files);
        let ended = check(&folder, "40").exits(4);
        ended.says(&[&words, "(seed ", ", ply ", "  again: ", " is not sound"]);
    }
}

#[test]
fn simultaneous_moves_are_independent_of_seat_order() {
    if !has_tool("node") {
        return;
    }
    let scene = Scene::new();
    let tron = root().join("examples/games/tron/tron.js");
    let tron = fs::read_to_string(tron).expect("readable");
    let taken = "Object.keys(WAYS).filter((way) => !Object.values(this.chosen).includes(way))";
    for (from, to, words) in [
        (
            "return Object.keys(WAYS)",
            format!("return {taken}"),
            "changes the legal moves of seat 1",
        ),
        (
            "this.chosen[seat] = move;",
            "this.chosen[seat] = Object.keys(this.chosen).length ? 'up' : move;".to_owned(),
            "is played first",
        ),
    ] {
        let manifest = ("game.toml", "run = \"node game.js\"".to_owned());
        assert!(tron.contains(from));
        let files = [manifest, ("game.js", tron.replacen(from, &to, 1))];
        let ended = check(&folder(&scene, &files), "20").exits(4);
        ended.says(&[words]);
    }
}

#[test]
fn every_example_is_sound_and_plays_its_competition() {
    let examples = root().join("examples/games");
    for (folder, game, tool) in [
        ("clobber", "clobber.py", "python3"),
        ("tron", "tron.js", "node"),
        ("kuhn-poker", "kuhn_poker.py", "python3"),
    ] {
        if !has_tool(tool) {
            continue;
        }
        let place = examples.join(folder);
        check(&place.join(game), "20").well().says(&["is sound"]);
        let scene = Scene::new();
        let out = scene.out();
        let flags = ["competition.toml", "bots"].map(|name| place.join(name));
        let [competition, bots] = flags.each_ref().map(|path| path.to_str().expect("UTF-8"));
        let run = ["run", "--competition", competition, "--submissions", bots];
        let more = [
            "--states",
            "2",
            "--seed",
            "1",
            "--out",
            out.to_str().expect("UTF-8"),
        ];
        verb(&[&run[..], &more].concat()).well();
        scene.all_end_by_rules();
        verb(&["verify", out.to_str().expect("UTF-8")]).well();
    }
}
