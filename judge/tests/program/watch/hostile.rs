//! Hostile authors, who submit to a watch what costs the others.

use super::{PRACTICE, Watching, compete, scene};
use crate::support::{LAST_LEGAL, eventually};
use std::fs;

#[test]
fn never_built_versions_make_room_for_others() {
    const BALLAST_BYTES: usize = 4_000_000;
    let scene = scene(PRACTICE, "disk_max = \"16 MB\"\n");
    scene.first_legal("mal");
    let watch = Watching::begin(&scene, &[]);
    watch.says("6 of 6 games played");
    let versions = || {
        let list = fs::read_to_string(scene.out().join("versions/mal.json"));
        list.map_or(0, |list| list.matches("\"hash\"").count())
    };
    for number in 2..5_u8 {
        let ballast = vec![number; BALLAST_BYTES];
        scene.file("mal/ballast", ballast, 0o644);
        eventually("it is received", || versions() == usize::from(number));
    }
    scene.script("ann", LAST_LEGAL);
    // The next look at the disk is a minute later by the machine's own clock, or at an edit.
    compete(&scene, PRACTICE, "disk_max = \"10 MB\"\n");
    watch.says("of mal that do not play, to make room");
    watch.set_clock("2020-12-01T10:05:00Z");
    watch.says("ann: plays version 2");
    watch.says("mal: plays version 4");
}
