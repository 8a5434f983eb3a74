//! Edits of the competition's file and of the roster during a watch.

use super::{DEADLINE, PRACTICE, Watching, compete, scene};
use crate::external::clobber_text;
use crate::support::{LAST_LEGAL, eventually};
use nix::sys::signal::Signal;
use std::fs;

#[test]
fn watch_plays_external_game_and_its_corrected_version() {
    let scene = scene("", "");
    let original = clobber_text();
    let mend = |text: &str| scene.write("game.py", text);
    mend(&original);
    let compete = |poll: &str| {
        let text = format!(
            "game = \"../game.py\"\nstates = 1\nround = \"practice/1\"\n[watch]\npoll = \"{poll}\"\n"
        );
        scene.put("competition.toml", text);
    };
    compete("1m");
    let watch = Watching::begin(&scene, &[]);
    watch.says("2 of 2 games played");
    mend(&original.replace("cannot move\"", "is stuck\""));
    compete("2m");
    watch.says("this one cannot take it over");
    mend(&(original + "# mended\n"));
    compete("3m");
    watch.says("edited and now in use: watch.poll");
    scene.script("eve", LAST_LEGAL);
    watch.says("6 of 6 games played");
}

#[test]
fn wrong_edit_is_reported_and_watch_waits() {
    let scene = scene(PRACTICE, "");
    let watch = Watching::begin(&scene, &[]);
    watch.says("2 of 2 games played");
    compete(&scene, PRACTICE, "poll = \"1s\"\n");
    watch.says("poll: \"1s\": must be a time of 1m to 1d");
    watch.says("nothing is built or played until then");
    scene.script("eve", LAST_LEGAL);
    eventually("eve's keeps its receipt", || {
        scene.out().join("versions/eve.json").exists()
    });
    compete(&scene, "round = \"practice/2\"\n", "");
    watch.says("round practice/2");
    watch.says("6 of 6 games played");
    assert_eq!(
        watch.read().matches("poll: ").count(),
        1,
        "it is reported once"
    );
    let words = [
        "everything can be read again",
        "edited and now in use: round",
    ];
    for reported in words {
        assert_eq!(watch.read().matches(reported).count(), 1, "{reported}");
    }
}

#[test]
fn missing_competition_or_roster_is_reported_and_awaited() {
    let scene = scene(DEADLINE, "");
    let extended = "submission,id,extension\nann,1,\ncem,2,2020-12-22T18:00:00Z\n";
    scene.put("roster.csv", extended);
    let watch = Watching::begin(&scene, &[]);
    watch.says("practice until 2020-12-22T18:00:00Z");
    watch.says("not on the roster: bob");
    watch.says("2 of 2 games played");
    scene.first_legal("eve");
    watch.says("not on the roster: eve");
    fs::remove_file(scene.submissions().join("roster.csv")).expect("writable");
    watch.says("the roster is missing");
    let everybody = extended.replace("cem", "bob") + "eve,3,\n";
    scene.put("roster.csv", everybody);
    watch.says("everything can be read again");
    watch.says("everybody is on the roster now");
    let file = scene.submissions().join("competition.toml");
    fs::rename(&file, scene.folder().join("kept")).expect("writable");
    watch.says("the competition's file is missing");
    let read = watch.read();
    assert_eq!(read.matches("practice until").count(), 1, "{read}");
    drop(watch);
    let ended = scene.run_by_secret("--watch --game catch-the-cat");
    ended.refused(&["began with a competition's file that had a deadline"]);
}

#[test]
fn unreadable_roster_preserves_extensions_across_restart() {
    let scene = scene(DEADLINE, "");
    let roster = |extension: &str| {
        let text = format!("submission,id,extension\nann,1,\nbob,2,{extension}\n");
        scene.put("roster.csv", text);
    };
    roster("2020-12-22T18:00:00Z");
    let until = "practice until 2020-12-22T18:00:00Z";
    let watch = Watching::begin(&scene, &[]);
    watch.says(until);
    watch.says("2 of 2 games played");
    watch.signal(Signal::SIGKILL);
    drop(watch);
    roster("tomorow");
    let watch = Watching::begin(&scene, &[]);
    watch.says("nothing is built or played until then");
    fs::remove_file(scene.submissions().join("roster.csv")).expect("writable");
    watch.says("the roster is missing");
    roster("2020-12-24T18:00:00Z");
    watch.says("practice until 2020-12-24T18:00:00Z");
    // The general deadline may overtake an extension.
    let later = "deadline = 2020-12-25T18:00:00Z\ntoo_late = \"graded\"\n";
    compete(&scene, later, "");
    watch.says("practice until 2020-12-25T18:00:00Z");
    watch.says("extension 2020-12-24T18:00:00Z of id 2: is before the deadline, which counts");
}
