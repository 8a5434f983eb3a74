//! Deadlines, extensions and freezes.

use super::{DEADLINE, Watching, compete, scene};

#[test]
fn watch_started_after_deadline_asks_and_changes_nothing() {
    let scene = scene("2020-12-25T10:00:00Z", DEADLINE, "");
    scene.first_legal("ann").first_legal("bob");
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
