//! The command that a check ends with: it can be typed as it is.

use super::check;
use crate::support::{Ended, Scene};
use std::process::Command;

/// Runs a printed command by a shell.
fn typed(command: &str, scene: &Scene) -> Ended {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", command]).current_dir(scene.folder());
    Ended::of(shell.output().expect("a shell"))
}

/// Takes the last command that is printed after some words.
fn printed(ended: &Ended, words: &str) -> String {
    let line = ended.stdout.lines().rfind(|line| line.contains(words));
    let line = line.unwrap_or_else(|| panic!("{words:?} is not in {ended:?}"));
    line.split_once(words).expect("it is there").1.to_owned()
}

const SMALL: &[&str] = &[
    "--game",
    "catch-the-cat",
    "--states",
    "1",
    "--set",
    "side=5",
];

#[test]
fn the_closing_command_keeps_what_was_set_and_runs() {
    let scene = Scene::new();
    scene.first_legal("ann");
    let flags = [SMALL, &["--turn-time", "1.5", "--seconds", "5"]].concat();
    let mut command = check(&scene, "ann", &flags);
    let ended = Ended::of(
        command
            .current_dir(scene.folder())
            .output()
            .expect("starts"),
    );
    let next = printed(&ended.well(), "To play against others: ");
    let kept = " --game catch-the-cat --set side=5 --turn-time 1.5 --with builtin:random";
    assert!(next.ends_with(kept), "{next}");

    // From the class's folder: where judge run would put it, beside the class.
    let mut command = check(&scene, "ann", &flags);
    command.current_dir(scene.submissions());
    let ended = Ended::of(command.output().expect("starts"));
    let there = printed(&ended.well(), "To play against others: ");
    let folder = scene.folder().join("results/catch-the-cat-submissions");
    let out = format!(" --out {}", folder.display());
    assert!(there.ends_with(&out), "{there}");
    // As it is, but for what makes it short.
    typed(&format!("{next} --states 1 --out new-results"), &scene).well();
    let run = std::fs::read_to_string(scene.folder().join("new-results/run.json"));
    let run = run.expect("it was written");
    assert!(
        run.contains("\"side\": 5") || run.contains("\"side\":5"),
        "{run}"
    );
}

#[test]
fn nobody_is_sent_to_play_with_all_of_a_home_folder() {
    let scene = Scene::new();
    scene.first_legal("ann");
    let mut command = check(&scene, "ann", SMALL);
    let ended = Ended::of(
        command
            .env("HOME", scene.submissions())
            .output()
            .expect("starts"),
    );
    let next = printed(&ended.well(), "To watch it play: ");
    assert!(
        next.contains(" play ") && next.ends_with("--set side=5"),
        "{next}"
    );
    typed(&next, &scene).well();
}
