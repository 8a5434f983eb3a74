//! Versions: all received ones are kept, the last working one plays, and an interrupt ends builds.

use crate::support::snapshot::Session;
use crate::support::{FIRST_LEGAL, Has, QUICK, Scene, names_in};
use std::fs;

/// Returns an entrant's row of `submissions.csv`: whether it plays, its version and the reason.
fn row(scene: &Scene, entrant: &str) -> [String; 3] {
    let row = scene.row("submissions.csv", entrant);
    ["plays", "version", "reason"].map(|column| row.get(column).to_owned())
}

#[test]
fn broken_resubmission_is_reported_and_previous_version_plays() {
    let scene = Scene::of(["ann", "bob", "eve"]);
    let toml = |build: &str| format!("build = \"{build}\"\nrun = \"./made\"\n");
    let hand_in = |build: &str| {
        scene.sources("eve", &[("judge.toml", &toml(build))]);
    };
    hand_in("cp bot made");
    scene.run(QUICK).well();
    assert_eq!(row(&scene, "eve"), ["yes", "1", ""]);
    let games = scene.read("games.csv");

    hand_in("echo too bad; exit 1");
    let mut session = Session::default();
    session.run(&mut scene.command(QUICK));
    assert_eq!(scene.read("games.csv"), games);
    let [plays, version, reason] = row(&scene, "eve");
    assert_eq!([plays, version], ["yes", "1"]);
    assert!(reason.starts_with("version 2 of 2"), "{reason}");
    reason.has(&["playing version 1"]);
    assert_eq!(scene.read("logs/build/eve.txt"), "too bad\n");

    session.run(&mut scene.command(QUICK));

    hand_in("cp bot made && echo '# better' >> made");
    session.run(&mut scene.command(QUICK));
    assert_eq!(row(&scene, "eve"), ["yes", "3", ""]);
    let log = scene.out().join("logs/build/eve.txt");
    assert!(!log.exists(), "no longer true");

    fs::remove_dir_all(scene.submissions().join("eve")).expect("writable");
    scene.put("eve.zip", b"PK");
    session.run(&mut scene.command(QUICK));
    session.compare("run__versions");

    let list = scene.read("versions/eve.json");
    list.has(&["\"works\": true", "\"works\": false"]);
    list.has(&["\"origin\": \"eve.zip\"", "\"hash\""]);
    // Four of eve, and what ann and bob both handed in.
    let kept = names_in(&scene.out().join("versions/content"));
    assert_eq!(kept.len(), 5, "{kept:?}");
}

#[test]
fn damaged_or_blocked_version_list_harms_nobody_else() {
    let scene = Scene::of(["ann", "bob"]);
    scene.run(QUICK).well();
    let list = scene.out().join("versions/ann.json");
    fs::write(&list, "{\"entr").expect("writable");
    let mut session = Session::default();
    session.run(&mut scene.command(QUICK));
    assert_eq!(row(&scene, "ann")[..2], ["yes", "1"]);
    assert_eq!(scene.read("versions/ann.json.damaged-1"), "{\"entr");
    session.compare("run__damaged_versions");

    scene.first_legal("eve");
    scene.script("bob", &format!("{FIRST_LEGAL}# second version\n"));
    let in_the_way = scene.out().join("versions/eve.json");
    fs::create_dir(&in_the_way).expect("a new folder");
    let ended = scene.run(QUICK).well();
    ended.says(&[
        "eve: does not play: judge error: cannot read ",
        "2 games to play",
    ]);
    assert_eq!(row(&scene, "eve")[0], "no");

    fs::remove_dir(&in_the_way).expect("writable");
    scene.run(QUICK).well();
    assert_eq!(row(&scene, "eve"), ["yes", "1", ""]);

    // A kept version that somebody has changed does not play.
    for content in fs::read_dir(scene.out().join("versions/content")).expect("there") {
        let bot = content.expect("readable").path().join("bot");
        fs::write(bot, "#!/bin/sh\nexit 1\n").expect("writable");
    }
    scene.script("ann", "not a program");
    let ended = scene.run(QUICK).well();
    ended.says(&["ann: does not play: bot is neither a program"]);
}
