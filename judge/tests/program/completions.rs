//! Completions of shells.

use crate::support::{QUICK, Run, Scene, program};
use std::fs;
use std::process::Command;

/// Completes as bash does; the last of the typed words is incomplete.
fn completed(scene: &Scene, words: &[&str]) -> Vec<String> {
    let mut command = scene.here(&["--", "judge"]);
    command.args(words).envs([
        ("JUDGE_COMPLETE", "bash"),
        ("_CLAP_COMPLETE_INDEX", &words.len().to_string()),
        ("_CLAP_COMPLETE_COMP_TYPE", "9"),
        ("_CLAP_COMPLETE_SPACE", "false"),
        ("_CLAP_IFS", "\n"),
    ]);
    let said = command.ended().well().stdout;
    said.lines().map(|line| line.trim().to_owned()).collect()
}

fn shells_complete_verbs_games_bots_runs_and_entrants(scene: &Scene) {
    let here = |words: &[&str]| completed(scene, words);
    assert!(here(&["exp"]).contains(&"explain".to_owned()));
    assert_eq!(here(&["run", "--game", "rev"]), ["reversi"]);
    assert_eq!(here(&["new", "--lang", "o"]), ["ocaml"]);
    let bots = here(&["run", "--game", "reversi", "--with", "builtin:ra"]);
    assert_eq!(bots, ["builtin:random"]);
    assert_eq!(here(&["explain", "o"]), ["out"]);
    assert_eq!(here(&["explain", "out", "al"]), ["albert", "alice"]);
    let verbs = here(&[""]);
    assert!(verbs.contains(&"run".to_owned()), "{verbs:?}");
    assert!(!verbs.contains(&"worker".to_owned()), "it is hidden");
}

/// Completes the last of `words`, as they are typed, by the script for bash.
fn inserted(scene: &Scene, words: &[&str]) -> Vec<String> {
    const PROGRAM: &str = r#"
        PATH=$1:$PATH
        source <(judge completions bash)
        shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        word=${!#}
        _judge_quoted judge "${word#[\"\']}" ""
        printf '%s\n' "${COMPREPLY[@]}""#;
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", PROGRAM, "bash"]);
    bash.arg(program().parent().expect("a folder"));
    bash.arg("judge").args(words).current_dir(scene.folder());
    let ended = bash.ended().well();
    ended.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn bash_gets_names_quoted_whatever_is_in_them() {
    let scene = Scene::of(["Ann Lee", "Ann Lu", "alice", "albert"]);
    for hostile in ["zed;touch pwned", "q$(touch pwned)", "o'b*"] {
        scene.first_legal(hostile);
    }
    scene.run(QUICK).well();
    shells_complete_verbs_games_bots_runs_and_entrants(&scene);
    let entrant = |word: &str| inserted(&scene, &["explain", "out", word]);
    assert_eq!(entrant("z"), [r"zed\;touch\ pwned"]);
    assert_eq!(entrant("q"), [r"q\$\(touch\ pwned\)"]);
    assert_eq!(entrant("o"), [r"o\'b\*"]);
    assert_eq!(entrant("Ann"), [r"Ann\ Lee", r"Ann\ Lu"]);
    assert_eq!(entrant(r"Ann\ Le"), [r"Ann\ Lee"]);
    assert_eq!(entrant("'Ann Le"), ["Ann Lee"]);
    assert_eq!(entrant("'o"), [r"o'\''b*"]);
    assert_eq!(entrant("\"q"), [r#"q"\$"(touch pwned)"#]);
    fs::rename(scene.folder().join("out"), scene.folder().join("my run")).expect("writable");
    let entrants = inserted(&scene, &["explain", r"my\ run", "z"]);
    assert_eq!(entrants, [r"zed\;touch\ pwned"]);
}
