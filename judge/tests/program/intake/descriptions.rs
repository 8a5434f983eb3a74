//! A `judge.toml` that describes how to build and run a submission.

use crate::support::skip::{MISSING, missing_program};
use crate::support::snapshot::Session;
use crate::support::{FIRST_LEGAL, Has, QUICK, Scene};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;

/// Descriptions that the judge cannot follow.
const WRONG: &str = include_str!("../../descriptions.toml");

#[test]
fn description_file_defines_build_and_run_commands() {
    let scene = Scene::of(["ann"]);
    let made = "name = \"Made by a script\"\nnickname = \"made\"\nauthors = [\"A. Turing\"]\n\
                language = \"sh\"\nbuild = \"mkdir made && cp source made/program\"\n\
                run = \"./made/program\"\ntokens = 120\n";
    scene.sources("made", &[("source", FIRST_LEGAL), ("judge.toml", made)]);
    let through = "run = [\"sh\", \"-e\", \"plain.txt\"]\n";
    let plain = ("plain.txt", FIRST_LEGAL);
    scene.sources("through", &[plain, ("judge.toml", through)]);
    let linked = "build = \"ln -s plain.txt bot; ln plain.txt hard\"\nrun = \"./bot\"\n";
    scene.sources("linked", &[plain, ("judge.toml", linked)]);
    let wraps = "build = \"cp plain.txt engine && chmod 700 engine\"\nrun = \"./start\"\n";
    let start = ("start", "#!/bin/sh\nexec ./engine\n");
    scene.sources("wraps", &[plain, start, ("judge.toml", wraps)]);
    let tool = missing_program();
    let wrong: BTreeMap<String, String> = toml::from_str(WRONG).expect("TOML");
    for (name, text) in &wrong {
        let text = text.replace("TOOL", tool);
        scene.sources(name, &[("judge.toml", &text), ("notes", "x")]);
    }
    let mut session = Session::default();
    session.run(&mut scene.command(QUICK));
    session.rename(tool, MISSING);
    session.compare("run__descriptions");
    assert_eq!(scene.read("logs/build/fails.txt"), "why\n");
    let artifacts = fs::read_dir(scene.out().join("artifacts")).expect("it is there");
    let kept = artifacts.map(|entry| entry.expect("readable").path());
    let linked = kept.filter(|folder| folder.join("hard").exists());
    let linked: Vec<_> = linked.collect();
    assert_eq!(linked.len(), 1);
    for name in ["bot", "hard", "plain.txt"] {
        let meta = fs::symlink_metadata(linked[0].join(name)).expect("it is kept");
        assert!(
            meta.is_file() && meta.nlink() == 1,
            "{name} is a file of its own"
        );
    }
    assert_eq!(scene.ranked().len(), 5);
    scene.all_end_by_rules();
    let row = scene.row("submissions.csv", "made");
    // Any number of tokens could be written there, so it is compared with nobody's.
    let cells = row.cells("form,name,nickname,language,tokens");
    assert_eq!(cells, "described,Made by a script,made,sh,");
    let tried = |name: &str| scene.read(&format!("versions/{name}.json"));
    tried("fails").has(&["\"works\": false"]);
    tried("no-compiler").has(&["\"works\": null"]);
    // Names are for staff.
    scene.read("submissions.csv").lacks(&["Turing"]);
    scene.read("staff/identities.csv").has(&["A. Turing"]);
}
