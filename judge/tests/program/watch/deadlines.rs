//! Deadlines, extensions and freezes.

use super::{CLOCK_COUNTS, DEADLINE, Watching, compete, scene, set_clock};
use crate::support::{LAST_LEGAL, eventually, judge};
use nix::sys::signal::Signal;
use std::fs;

#[test]
fn a_deadline_in_the_past_is_the_final_round_at_once() {
    let lines = format!("{DEADLINE}{CLOCK_COUNTS}");
    let scene = scene("2021-01-01T10:00:00Z", &lines, "");
    scene.first_legal("ann").first_legal("bob");
    let mut watch = Watching::begin(&scene, &[]);
    assert_eq!(watch.ends(), Some(0), "{}", watch.read());
    watch.says("submissions closed at 2020-12-20T18:00:00Z, so the final round is played at once");
    assert_eq!(scene.ranked().len(), 2);
}

#[test]
fn a_watch_that_begins_after_the_deadline_asks_what_counts_and_nothing_follows_from_it() {
    let scene = scene("2020-12-25T10:00:00Z", DEADLINE, "");
    scene.first_legal("ann").first_legal("bob");
    // The same must happen the second time.
    for _ in 1..=2 {
        let mut watch = Watching::begin(&scene, &[]);
        assert_eq!(watch.ends(), Some(2), "{}", watch.read());
        let told = "judge: cannot tell whether 2 submissions were in time";
        assert_eq!(watch.read().matches(told).count(), 1);
    }
    assert!(!scene.out().join("run.json").exists());
    // The user can still correct a wrong deadline.
    compete(&scene, &DEADLINE.replace("12-20", "12-30"), "");
    let mut watch = Watching::begin(&scene, &[]);
    watch.says("practice until 2020-12-30T18:00:00Z, then the final round");
    watch.says("2 of 2 games played");
    watch.set_clock("2020-12-30T18:00:00Z");
    assert_eq!(watch.ends(), Some(0), "{}", watch.read());
    let rows = scene.rows("submissions.csv");
    assert!(rows.iter().all(|row| row.get("timing") == "in time"));
}

#[test]
fn a_deadline_that_was_mistyped_can_be_corrected_for_ten_minutes() {
    let scene = scene("2020-12-01T10:00:00Z", DEADLINE, "");
    scene.first_legal("ann").first_legal("bob");
    let watch = Watching::begin(&scene, &[]);
    watch.says("2 of 2 games played");
    compete(
        &scene,
        "deadline = 2020-10-20T18:00:00Z\ntoo_late = \"graded\"\n",
        "",
    );
    watch.says("the final round begins at 2020-12-01T10:10:00Z; to prevent that");
    watch.signal(Signal::SIGKILL);
    drop(watch);
    set_clock(&scene.folder().join("clock"), "2020-12-01T10:05:00Z");
    let mut watch = Watching::begin(&scene, &[]);
    watch.says("begins at 2020-12-01T10:10:00Z");
    compete(&scene, DEADLINE, "");
    watch.says("practice until 2020-12-20T18:00:00Z");
    watch.set_clock("2020-12-01T10:15:00Z");
    scene.script("eve", LAST_LEGAL);
    watch.says("6 of 6 games played");
    assert!(!watch.read().contains("round final"));
    // A user who waits for ten minutes means it.
    compete(
        &scene,
        "deadline = 2020-12-01T10:00:00Z\ntoo_late = \"graded\"\n",
        "",
    );
    watch.says("the final round begins at 2020-12-01T10:25:00Z; to prevent that");
    watch.set_clock("2020-12-01T10:25:00Z");
    assert_eq!(watch.ends(), Some(0), "{}", watch.read());
    watch.says("round final");
}

#[test]
fn what_is_frozen_is_the_end_only_when_it_is_revealed() {
    let freeze = "freeze = 2020-12-18T18:00:00Z\n";
    let scene = scene("2020-12-01T10:00:00Z", DEADLINE, freeze);
    scene.first_legal("ann").first_legal("bob");
    let mut watch = Watching::begin(&scene, &[]);
    watch.says("2 of 2 games played");
    watch.set_clock("2020-12-18T18:00:00Z");
    watch.says("the published results are frozen from now on, until judge reveal");
    watch.set_clock("2020-12-20T18:00:00Z");
    watch.says("round final");
    watch.says("the published results stay frozen until you run: judge reveal");
    let reveal = || {
        let mut reveal = judge();
        reveal
            .arg("reveal")
            .arg(scene.out())
            .output()
            .expect("it starts")
    };
    eventually("it is revealed by the watch", || {
        let told = reveal();
        let by_watch = "with --publish it updates the public view itself";
        told.status.success() && String::from_utf8_lossy(&told.stdout).contains(by_watch)
    });
    assert_eq!(watch.ends(), Some(0), "{}", watch.read());
    watch.says("the published results are no longer frozen");
}

#[test]
fn an_extension_of_the_roster_is_waited_for_also_after_a_new_start() {
    let lines = format!("{DEADLINE}{CLOCK_COUNTS}");
    let scene = scene("2020-12-20T19:00:00Z", &lines, "");
    scene.first_legal("ann").first_legal("bob");
    let roster = "submission,id,extension\nann,1,2020-12-21T18:00:00Z\nbob,2,\n";
    fs::write(scene.submissions().join("roster.csv"), roster).expect("ours");
    for is_new in [true, false] {
        let watch = Watching::begin(&scene, &[]);
        watch.says("practice until 2020-12-21T18:00:00Z, then the final round");
        if is_new {
            watch.says("2 of 2 games played");
        }
        watch.signal(Signal::SIGKILL);
    }
    let mut watch = Watching::begin(&scene, &[]);
    watch.has_started();
    watch.set_clock("2020-12-21T18:00:00Z");
    assert_eq!(watch.ends(), Some(0), "{}", watch.read());
    watch.says("round final");
}
