//! Deadlines, extensions and freezes.

use super::{DEADLINE, Watching, compete, scene, set_clock};

#[test]
fn endless_invalid_or_late_watch_changes_nothing() {
    let scene = scene("", "");
    let run = |flags: &str| scene.run_by_secret(flags);
    run("--watch").refused(&["add deadline = ", "round = \"practice/1\""]);
    run("--publish www").refused(&["--watch"]);
    run("--watch --json-events").refused(&["--watch", "cannot be used with"]);
    compete(&scene, DEADLINE, "");
    set_clock(&scene.folder().join("clock"), "2020-12-25T10:00:00Z");
    // The same must happen the second time.
    for _ in 1..=2 {
        let mut watch = Watching::begin(&scene, &[]);
        assert_eq!(watch.ends(), Some(2), "{}", watch.read());
        let reported = "judge: cannot tell whether 2 submissions were in time";
        assert_eq!(watch.read().matches(reported).count(), 1);
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
