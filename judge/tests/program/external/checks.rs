//! `judge game`: first games in each language, what a check finds, and the examples.

use super::{clobber, verb};
use crate::support::skip::has_tool;
use crate::support::{Ended, Scene, copy_program, program, root};
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
    fs::create_dir(&folder).expect("ours");
    for (name, text) in files {
        fs::write(folder.join(name), text).expect("ours");
    }
    folder
}

#[test]
fn each_language_begins_with_a_game_that_is_sound() {
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
            .expect("ours");
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
    fs::copy(helper, game.join("judge_game.hpp")).expect("ours");
    let command = command.trim_matches('"');
    let mut shell = Command::new("sh");
    let built = shell.args(["-c", command]).current_dir(game).status();
    assert!(built.expect("it starts").success(), "{command}");
    fs::write(game.join("game.toml"), rest).expect("ours");
}

/// Changes to Clobber, and what a check says.
const BROKEN: &[(&str, &str, &str)] = &[
    (
        "rng.sample",
        "__import__('random').sample",
        "it draws the setup",
    ),
    (
        "{\"you\": self.roles[seat]",
        "{\"you\": id(self)",
        "equal requests need equal answers",
    ),
    (
        "self.width, self.cells = setup",
        "self.width, Clobber.cells = setup",
        "is not sound",
    ),
    (
        "plies_max = 99",
        "plies_max = 3",
        "is not over after 3 plies",
    ),
    (
        "height\": len(self.cells) // width",
        "height\": 1 + len(self.cells) // width",
        "cells of its frame",
    ),
    (
        "at, to = move",
        "at, to, _ = move",
        "not enough values to unpack",
    ),
    (
        "assert self.width > 0",
        "assert self.width > 6",
        "it draws no setup",
    ),
    (
        "for to in self.neighbours(at) if",
        "for to in 2 * self.neighbours(at) if",
        "twice as a legal move",
    ),
];

/// Changes to the helper in Python, and what a check says.
const BROKEN_HELPER: &[(&str, &str, &str)] = &[
    (
        "if text(move) not in legal:",
        "legal[text(move)] = move\n        if move not in legal.values():",
        "which is not in its list of legal moves",
    ),
    (
        "if text(move) not in legal:",
        "if text(move) not in legal or self.ply > 4:",
        "as legal, and refuses it",
    ),
    (
        "1 + sum(other > own",
        "2 - sum(other > own",
        "has the placement",
    ),
    (
        "\"points\": own}",
        "\"points\": 2_000_000_000}",
        "both are at most",
    ),
];

#[test]
fn a_check_says_what_is_wrong_and_how_to_see_it_again() {
    let helper =
        fs::read_to_string(root().join("judge/referee/src/external/judge_game.py")).expect("ours");
    let game = fs::read_to_string(clobber()).expect("ours");
    let scene = Scene::new();
    let manifest = || ("game.toml", "run = \"python3 game.py\"".to_owned());
    let changed = |text: &str, from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    };
    let own = BROKEN.iter().map(|&(from, to, words)| {
        let files = [manifest(), ("game.py", changed(&game, from, to))];
        (files.to_vec(), words)
    });
    let helpers = BROKEN_HELPER.iter().map(|&(from, to, words)| {
        let helper = changed(&helper, from, to);
        let files = [
            manifest(),
            ("game.py", game.clone()),
            ("judge_game.py", helper),
        ];
        (files.to_vec(), words)
    });
    // A seat of Clobber has no legal move at the end; a player of Kuhn poker has.
    let poker = root().join("examples/games/kuhn-poker/kuhn_poker.py");
    let poker = fs::read_to_string(poker).expect("ours");
    let moving = changed(&helper, "[] if self.over else sorted(", "sorted(");
    let poker = [manifest(), ("game.py", poker), ("judge_game.py", moving)];
    let poker = (poker.to_vec(), "an outcome, and a seat to move");
    for (files, words) in own.chain(helpers).chain([poker]) {
        let folder = folder(&scene, &files);
        let ended = check(&folder, "40").exits(4);
        ended.says(&[words, "(seed ", ", ply ", "  again: ", " is not sound"]);
    }
}

#[test]
fn seats_that_move_at_once_do_not_depend_on_their_order() {
    if !has_tool("node") {
        return;
    }
    let scene = Scene::new();
    let tron = root().join("examples/games/tron/tron.js");
    let tron = fs::read_to_string(tron).expect("ours");
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
fn built_in_games_are_sound_here_and_over_the_wire() {
    let scene = Scene::new();
    for entry in engines::GAMES {
        let slug = entry.info.slug;
        let run = format!("run = \"./judge referee {slug}\"");
        let served = folder(&scene, &[("game.toml", run)]);
        copy_program(program(), &served.join("judge"));
        let sound = format!("{slug} is sound: 3 games");
        check(&served, "3").well().says(&[&sound]);
        check(Path::new(slug), "3").well().says(&[&sound]);
    }
}

/// A bot that answers null.
const NULL: &str = r#"#!/bin/sh
while read -r line; do
  case $line in
    '{"turn"'*) echo '{"move":null}' ;;
    *) echo '{"ready":{}}' ;;
  esac
done
"#;

#[test]
fn null_is_a_bots_fault_where_the_program_takes_it_for_a_missing_field() {
    let scene = Scene::new();
    let run = "run = \"./judge referee reversi\"".to_owned();
    let served = folder(&scene, &[("game.toml", run)]);
    copy_program(program(), &served.join("judge"));
    scene.script("ann", NULL);
    let game = served.to_str().expect("UTF-8");
    scene
        .run(&format!("--game {game} --with random --states 1"))
        .well();
    for game in scene.rows("games.csv") {
        assert_eq!(game.get("end"), "malformed", "{game:?}");
        assert!(game.get("detail").contains("null"), "{game:?}");
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
