//! The texts of `judge --help` and of each verb's help.

use crate::support::snapshot::Session;
use crate::support::{Run, Scene, Words, judge};
use std::fs;

fn verbs() -> Vec<String> {
    let output = judge().arg("--help").output().expect("it starts");
    let text = String::from_utf8(output.stdout).expect("text");
    let (commands, _) = text.split_once("Options:\n").expect("it has options");
    let lines = commands.lines().filter_map(|line| line.strip_prefix("  "));
    let names = lines.filter_map(|line| line.split_whitespace().next());
    names.map(str::to_owned).collect()
}

#[test]
fn the_help_of_each_verb_reads_as_before() {
    let mut session = Session::default();
    session.run(judge().arg("-h"));
    session.run(judge().arg("--help"));
    session.compare("help");
    let verbs = verbs();
    assert!(verbs.contains(&"run".to_owned()), "{verbs:?}");
    for verb in ["bot".to_owned(), "perft".to_owned()].iter().chain(&verbs) {
        let mut session = Session::default();
        session.run(judge().args([verb, "-h"]));
        session.run(judge().args([verb, "--help"]));
        if verb == "game" {
            session.run(judge().args(["game", "new", "--help"]));
            session.run(judge().args(["game", "check", "--help"]));
        }
        session.compare(&format!("help__{verb}"));
    }
}

#[test]
fn wrong_commands_are_refused_in_one_style() {
    let mut session = Session::default();
    session.run(judge().arg("run"));
    session.run(judge().arg("comit"));
    session.run(judge().args(["run", "class", "--staets", "5"]));
    session.run(judge().args(["run", "class", "--jobs", "many"]));
    session.run(judge().args(["run", "class", "--bank-s", "half"]));
    let perft = "perft catch-the-cat --depth 1";
    session.run(
        judge()
            .args(perft.words())
            .args(["--set", "side=5", "--set", "side=6"]),
    );
    session.run(judge().args(["new", "reversi"]));
    session.run(judge().args(["run", "class", "--states"]));
    let scene = Scene::new();
    session.run(judge().arg("explain").current_dir(scene.folder()));
    fs::create_dir_all(scene.folder().join("results/reversi")).expect("writable");
    fs::write(scene.folder().join("results/reversi/run.json"), "").expect("writable");
    for verb in ["explain", "repro", "commit"] {
        session.run(judge().arg(verb).current_dir(scene.folder()));
    }
    session.compare("help__refused");
    for (arguments, words) in [
        ("perft --depth 1 revesri", "did you mean reversi?"),
        ("bot reversi randm", "did you mean random?"),
        ("competition catchthecat", "did you mean catch-the-cat"),
    ] {
        judge().args(arguments.words()).ended().refused(&[words]);
    }
}
