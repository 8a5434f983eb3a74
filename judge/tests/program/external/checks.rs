//! `judge game`: first games in each language, what a check finds, and the examples.

use super::verb;
use crate::support::skip::has_tool;
use crate::support::{Ended, Run, Scene, program, root, source};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn check(game: &Path, games: &str) -> Ended {
    let game = game.display();
    verb(&format!("game check {game} --games {games}"))
}

fn folder(scene: &Scene, files: &[(&str, String)]) -> PathBuf {
    let folder = scene.folder().join("game");
    let _ = fs::remove_dir_all(&folder);
    for (name, text) in files {
        scene.write(&format!("game/{name}"), text);
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
        let new = format!("game new tug-of-war --lang {language}");
        let ended = scene.judge(&new);
        ended.says(&["made ", "game check", "--with random"]);
        check(&made, "20")
            .well()
            .says(&["tug-of-war is sound: 20 games"]);
        assert_eq!(made.join("judge_game.hpp").exists(), language == "cpp");
        if language == "cpp" {
            let rules = scene.text("tug-of-war/game.cpp");
            let walk =
                "for (const Json& one : Json(List{1, 2})) if (one.number() > 2) return \"\";\n";
            let begin = "static std::string check(const Json& config) {\n";
            let walks = rules.replace(begin, &format!("{begin}{walk}"));
            scene.write("tug-of-war/game.cpp", walks);
        }
        scene.here(&new).ended().refused(&["already exists"]);
        build_for_good(&made);
        for wrong in ["holes=true", "holes=10", "side=2.5", "wood=1"] {
            let words = format!("game check tug-of-war --set {wrong}");
            scene.here(&words).ended().exits(2);
        }
        let play = "play builtin:random builtin:random --game tug-of-war --seed 1";
        scene.judge(play).says(&["cannot move", "Tug of war"]);
        // All three are one game: from one setup, they show the same.
        let setup = r#"{"position":{"setup":{"side":3,"cells":"....#...."},"moves":[0,7]}}"#;
        let judge = program().display();
        let asked = format!("echo '{setup}' | '{judge}' referee '{}'", made.display());
        let mut shell = Command::new("sh");
        pictures.push(shell.args(["-c", &asked]).ended().well().stdout);
    }
    let is_same = pictures.windows(2).all(|pair| pair[0] == pair[1]);
    assert!(is_same, "{pictures:?}");
    let scene = Scene::new();
    scene.here(&["game", "new", "My game"]).ended().exits(2);
}

/// Builds a game as its `game.toml` says. Removes the command, which takes seconds, from the file.
fn build_for_good(game: &Path) {
    let manifest = fs::read_to_string(game.join("game.toml")).expect("every game has one");
    let (first, rest) = manifest.split_once('\n').expect("a line");
    let Some(command) = first.strip_prefix("build = ") else {
        return;
    };
    let helper = root().join("judge/referee/src/external/judge_game.hpp");
    fs::copy(helper, game.join("judge_game.hpp")).expect("writable");
    let quick = command.trim_matches('"').replace("-O2", "-O0");
    let mut shell = Command::new("sh");
    shell.args(["-c", &quick]).current_dir(game).ended().well();
    fs::write(game.join("game.toml"), rest).expect("writable");
}

/// A change to an example, which is Clobber unless another is named, or to the helper in Python.
#[derive(Deserialize)]
struct Change {
    game: Option<String>,
    file: String,
    from: String,
    to: String,
    words: String,
}

#[test]
fn game_check_names_problem_and_how_to_repeat() {
    let scene = Scene::new();
    let text = source("judge/tests/broken_games.toml");
    let all: BTreeMap<String, Vec<Change>> = toml::from_str(&text).expect("TOML");
    for change in &all["change"] {
        let game = change.game.as_deref().unwrap_or("clobber/clobber.py");
        let is_script = Path::new(game).extension() == Some("js".as_ref());
        let languages = [("python3", "game.py"), ("node", "game.js")];
        let (tool, own) = languages[usize::from(is_script)];
        if !has_tool(tool) {
            continue;
        }
        let helper = "judge/referee/src/external/judge_game.py";
        let game = format!("examples/games/{game}");
        let files = [(own, &*game), ("judge_game.py", helper)].map(|(name, path)| {
            let text = source(path);
            if change.file != name {
                return (name, text);
            }
            assert!(text.contains(&change.from), "{}", change.from);
            (name, text.replacen(&change.from, &change.to, 1))
        });
        let manifest = ("game.toml", format!("run = \"{tool} {own}\""));
        let folder = folder(&scene, &[&files[..], &[manifest]].concat());
        let ended = check(&folder, "40").exits(4);
        let words = [&change.words, "(seed ", ", ply ", "  again: "];
        ended.says(&[&words[..], &[" is not sound"]].concat());
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
        let place = place.display();
        let run = format!("run --competition {place}/competition.toml --submissions {place}/bots");
        scene.judge(&format!("{run} --states 2 --seed 1 --out out"));
        scene.all_end_by_rules();
        scene.judge("verify out");
    }
}
