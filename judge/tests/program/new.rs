//! `judge new`: its results build and play at once.

use crate::support::skip::{in_the_sandbox, skipped};
use crate::support::snapshot::{self, Session};
use crate::support::{Ended, Has, Run, Scene, Words, judge, judge_at};
use engines::GAMES;
use intake::open_one;
use model::language::{LANGUAGES, Language};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;

/// Lists the languages whose starter speaks the protocol itself.
fn languages_for_every_game() -> impl Iterator<Item = &'static str> {
    let all = LANGUAGES.iter().filter(|one| one.template.is_some());
    all.map(|one| one.name)
}

fn new_command(game: &str, flags: &str, folder: &Path) -> Command {
    let mut command = judge();
    command.args(["new", game]).args(flags.words()).arg(folder);
    command
}

/// Makes a bot in the scene's folder `submissions/NAME`, and checks that this succeeds.
fn new_bot(scene: &Scene, game: &str, flags: &str, name: &str) -> Ended {
    scene.judge(&format!("new {game} {flags} submissions/{name}"))
}

fn rustc_runs() -> bool {
    let version = Command::new("rustc").arg("--version").output();
    version.is_ok_and(|output| output.status.success())
}

/// Compiles a bot in Rust with the compiler that built this test, and leaves only the program.
fn compile_here(folder: &Path) {
    let mut rustc = Command::new("rustc");
    rustc
        .args(["-o", "bot", "bot.rs"])
        .current_dir(folder)
        .ended()
        .well();
    fs::remove_file(folder.join("judge.toml")).expect("it was made");
}

fn plays_without_a_fault(scene: &Scene, game: &str, entrants: usize) {
    let roles = engines::game(game).expect("registered").info.roles.len();
    let few = if roles == 2 {
        "[bots]\nlifetime = \"game\"\n[schedule]\nkind = \"gauntlet\"\nagainst = [\"builtin:random\"]\n"
    } else {
        "[config]\nplayers = 2\n"
    };
    scene.put(
        "competition.toml",
        format!("game = \"{game}\"\nstates = 1\n{few}"),
    );
    scene.run("").well();
    let mut handed_in = scene.rows("submissions.csv");
    handed_in.retain(|row| !row.get("entrant").starts_with("builtin:"));
    assert_eq!(handed_in.len(), entrants, "{game}");
    for row in handed_in {
        assert_eq!(row.get("plays"), "yes", "{game}: {row:?}");
    }
    scene.all_end_by_rules();
}

/// The starter names its game, as the intake reads it.
fn names_its_game(scene: &Scene, name: &str, slug: &str) {
    let folder = scene.submissions().join(name);
    let made = open_one(&folder, None, &AtomicBool::new(false)).expect("it is there");
    assert!(made.form.is_ok(), "{made:?}");
    assert_eq!(made.game(), Some(slug), "{name}");
}

#[test]
fn protocol_bots_play_in_every_language_and_game() {
    for game in GAMES {
        let slug = game.info.slug;
        let scene = Scene::new();
        let mut entrants = 0;
        for language in languages_for_every_game() {
            let flags = format!("--protocol --lang {language}");
            let made = new_bot(&scene, slug, &flags, language);
            names_its_game(&scene, language, slug);
            let folder = scene.submissions().join(language);
            let tool = Language::named(language).expect("it is listed");
            let tool = tool.main_program().expect("it has a starter").name;
            // The starters know no game. This game's moves are the hardest to read.
            let plays = slug == "monkey-metal-man" || ["shell", "python"].contains(&language);
            let runs_here = in_the_sandbox(tool) || (language == "rust" && rustc_runs());
            if plays && !runs_here {
                skipped(tool, "not installed; bots that need it do not play");
            }
            if !plays || !runs_here {
                fs::remove_dir_all(folder).expect("it was made");
                continue;
            }
            let words = "this machine cannot build or run it: ";
            let lacks = made.stdout.contains(words);
            assert_eq!(lacks, !in_the_sandbox(tool), "{made:?}");
            if !in_the_sandbox(tool) {
                compile_here(&folder);
            }
            let page = scene.text(&format!("submissions/{language}/PROTOCOL.md"));
            assert!(page.starts_with("# The protocol") && page.ends_with(game.info.protocol));
            entrants += 1;
        }
        plays_without_a_fault(&scene, slug, entrants);
    }
}

#[test]
fn course_starter_moves_legally_and_fails_at_todo() {
    // Words of `judge check` about a starter whose exercises are open.
    let open: BTreeMap<String, BTreeMap<String, Vec<String>>> =
        toml::from_str(include_str!("../check/open.toml")).expect("TOML");
    for game in GAMES {
        for kit in game.info.kits {
            let slug = game.info.slug;
            let words = &open[slug][kit.language];
            let scene = Scene::new();
            new_bot(&scene, slug, &format!("--lang {}", kit.language), "bot");
            names_its_game(&scene, "bot", slug);
            let ended = scene.here("check submissions/bot --states 1").ended();
            for words in words {
                ended.says(&[words]);
            }
            ended.says(&["ok       files", "builds"]);
            ended.stdout.lacks(&["note: ", " 0 readable answers"]);
            let texts = kit.starter.iter().map(|(_, text)| *text);
            assert!(texts.collect::<String>().contains("Begin here"), "{slug}");
        }
    }
}

#[test]
fn ocaml_course_project_runs_once_exercises_are_solved() {
    let scene = Scene::new();
    let folder = scene.submissions().join("camel");
    new_bot(&scene, "crazy-camel", "--lang ocaml --solved", "camel");
    for file in [
        "anonymous",
        "dune-project",
        "types/dune",
        "src/dune",
        "runner/dune",
    ] {
        assert!(folder.join(file).is_file(), "{file}");
    }
    let mut compiler = Command::new("ocamlfind");
    compiler.args(["ocamlopt", "-o", "play", "-I", "types", "-I", "src"]);
    let files = "types/types.ml src/assignment.mli src/assignment.ml runner/runner.ml";
    let built = compiler
        .args(files.words())
        .current_dir(&folder)
        .ended()
        .well();
    assert_eq!(built.stderr, "");
    let played = Command::new(folder.join("play")).ended().well();
    played.says(&["  0  player 0: Move ", "has won"]);
}

#[test]
fn wrong_requests_are_refused_with_next_step() {
    let scene = Scene::new();
    let folder = scene.submissions().join("bot");
    let mut solved = new_command("reversi", "--lang shell --solved", &folder);
    snapshot::compare("new__nothing_to_solve", &mut solved);
    assert!(!folder.exists());
    let swapped = scene.here("new c4b connect-four").ended();
    swapped.refused(&["are the two swapped?", "judge new connect-four c4b"]);
    // Existing files are never written over.
    let folder = scene.submissions().join("my work");
    let mut session = Session::default();
    session.run(&mut new_command("reversi", "--lang shell", &folder));
    fs::write(folder.join("bot.sh"), "my work").expect("writable");
    session.run(&mut new_command("reversi", "--lang shell", &folder));
    session.compare("new__never_over_something");
    let text = fs::read_to_string(folder.join("bot.sh")).expect("still there");
    assert_eq!(text, "my work");
}

#[test]
fn new_bot_is_checked_as_its_next_step_says() {
    // All steps, on the smallest board.
    let scene = Scene::new();
    let folder = scene.submissions().join("bot");
    let mut session = Session::default();
    session.run(&mut new_command("catch-the-cat", "--lang shell", &folder));
    let check = "--states 1 --seconds 1 --set side=5";
    session.run(&mut judge_at("check", &[&folder], check));
    // The number of games within a second depends on the machine.
    session.redact(r"\b\d+ (readable answers|turns)\b", "[number] ${1}");
    let played = r"(?m)^\d+ of 4 sample games played against built-in bots: .*";
    session.redact(played, "[number] of 4 sample games played");
    session.compare("new__made_and_checked");
}

#[test]
fn starter_of_other_game_is_refused_by_key() {
    let scene = Scene::new();
    let folder = scene.submissions().join("bot");
    new_bot(&scene, "reversi", "--lang shell", "bot");
    let mut session = Session::default();
    let mut check = |flags: &str| {
        session.run(&mut judge_at("check", &[&folder], flags));
    };
    check("--game catch-the-cat");
    let sources = "module ReversiAI where\n";
    fs::write(folder.join("ReversiAI.hs"), sources).expect("writable");
    fs::write(folder.join("judge.toml"), "game = \"catch-the-cat\"\n").expect("writable");
    check("");
    session.compare("check__made_for_another_game");
}
