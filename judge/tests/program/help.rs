//! The texts of `judge --help` and of each verb's help.

use crate::support::judge;
use crate::support::snapshot::Session;

/// Returns the verbs that `judge --help` lists.
fn verbs() -> Vec<String> {
    let output = judge().arg("--help").output().expect("it starts");
    let text = String::from_utf8(output.stdout).expect("text");
    let (_, commands) = text.split_once("Commands:\n").expect("it lists its verbs");
    let lines = commands.lines().take_while(|line| !line.is_empty());
    let lines = lines.filter_map(|line| line.strip_prefix("  "));
    // A description continues in lines that begin further to the right.
    let lines = lines.filter(|line| !line.starts_with(' '));
    let names = lines.filter_map(|line| line.split_whitespace().next());
    names.map(str::to_owned).collect()
}

#[test]
fn the_help_of_each_verb_reads_as_before() {
    let mut session = Session::default();
    session.run(judge().arg("--help"));
    session.compare("help");
    let verbs = verbs();
    assert!(verbs.contains(&"run".to_owned()), "{verbs:?}");
    for verb in verbs.iter().filter(|verb| *verb != "help") {
        let mut session = Session::default();
        session.run(judge().args([verb, "--help"]));
        if verb == "game" {
            session.run(judge().args(["game", "new", "--help"]));
            session.run(judge().args(["game", "check", "--help"]));
        }
        session.compare(&format!("help__{verb}"));
    }
}
