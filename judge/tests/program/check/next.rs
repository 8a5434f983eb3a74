//! The command at the end of a check, which users can type unchanged.

use super::check;
use crate::support::{Ended, FIRST_LEGAL, Has, Run, SYSTEM_PATH, Scene, names_in, text_below};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

const WATCH: &str = "To watch it play: ";
const TOURNAMENT: &str = "To play a tournament: ";

#[track_caller]
fn type_in(folder: &Path, command: &str) {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", command]).current_dir(folder);
    shell.env("PATH", SYSTEM_PATH).ended().well();
}

fn printed(ended: &Ended, words: &str) -> String {
    let line = ended.stdout.lines().rfind(|line| line.contains(words));
    let line = line.unwrap_or_else(|| panic!("{words:?} is not in {ended:?}"));
    line.split_once(words).expect("it is there").1.to_owned()
}

const SMALL: &str = "--game catch-the-cat --states 1 --set side=5";

const PRIVATE: &str = "#!/bin/sh\n# nobody's business\n";

fn entered_alone(run: &Path, name: &str) {
    let reported = fs::read_to_string(run.join("run.json")).expect("it was written");
    let reported: serde_json::Value = serde_json::from_str(&reported).expect("JSON");
    let entrants = reported["entrants"].as_array().expect("a list");
    let names: BTreeSet<&str> = entrants.iter().filter_map(|e| e["name"].as_str()).collect();
    assert_eq!(names, BTreeSet::from([name, "builtin:random"]));
    reported.to_string().has(&["\"side\":5"]);
    text_below(run).lacks(&[PRIVATE]);
}

#[test]
fn closing_commands_keep_settings_and_enter_only_bot() {
    for (place, file, name) in [
        ("ann", "ann/bot", "ann"),
        ("bob.py", "bob.py", "bob"),
        ("one", "one/zoe.py", "zoe"),
    ] {
        let scene = Scene::new();
        for private in [
            "Documents/diary.txt",
            "Documents/Cat.h",
            "Downloads/bot",
            "letter.py",
        ] {
            scene.put(private, PRIVATE);
        }
        scene.file(file, FIRST_LEGAL, 0o755);
        let here = scene.submissions();
        let flags = format!("{SMALL} --turn-s 1.5 --seconds 60");
        let mut command = check(&scene, place, &flags);
        let ended = command.current_dir(&here).ended().well();
        type_in(&here, &printed(&ended, WATCH));
        let next = printed(&ended, TOURNAMENT);
        let kept = " run ann --with random --game catch-the-cat --set side=5 --turn-s 1.5";
        assert!(name != "ann" || next.ends_with(kept), "{next}");
        // The command is unchanged, except for a flag that makes it short.
        type_in(&here, &format!("{next} --states 1"));
        let runs = here.join("results");
        entered_alone(&runs.join(&names_in(&runs)[0]), name);
    }
}

#[test]
fn class_like_folder_is_only_suggested_for_watch() {
    let scene = Scene::of(["ann"]);
    let folder = scene.submissions().join("ann");
    fs::rename(folder.join("bot"), folder.join("ann.py")).expect("writable");
    scene.put("ann/notes.txt", "mine");
    let ended = check(&scene, "ann", SMALL).ended().well();
    ended.stdout.lacks(&[" run "]);
    let next = printed(&ended, WATCH);
    assert!(next.ends_with("--set side=5"), "{next}");
    type_in(scene.folder(), &next);
}
