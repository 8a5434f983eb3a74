//! The texts of `judge --help` and of each verb's help.

use crate::support::snapshot::Session;
use crate::support::{Run, Scene, Words, judge};

fn verbs() -> Vec<String> {
    let text = judge().arg("--help").ended().stdout;
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
    for words in [
        "run",
        "comit",
        "run class --staets 5",
        "run class --jobs many",
        "run class --bank-s half",
        "perft catch-the-cat --depth 1 --set side=5 --set side=6",
        "new reversi",
        "run class --states",
    ] {
        session.run(judge().args(words.words()));
    }
    let scene = Scene::new();
    session.run(&mut scene.here("explain"));
    scene.write("results/reversi/run.json", "");
    for verb in ["explain", "repro", "commit"] {
        session.run(&mut scene.here(verb));
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
