//! Control groups in tests.

use super::skip::skipped;
use super::{Scene, game_lines, record};
use sandbox::Isolation;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

#[track_caller]
pub(crate) fn has_groups() -> bool {
    let has = Isolation::find().groups.is_some();
    if !has {
        skipped("control-groups", "this user has no control groups here");
    }
    has
}

pub(crate) fn charges(scene: &Scene, entrant: &str) -> Vec<u64> {
    let journal = scene.read("journal.jsonl");
    let charges = game_lines(&journal).map(record).flat_map(|game| {
        let seat = game.seats.iter().position(|seat| seat.entrant == entrant);
        let own = game.turns.into_iter();
        let own = own.filter(move |turn| Some(turn.seat.index()) == seat);
        own.map(|turn| turn.cpu_us)
    });
    charges.collect()
}

pub(crate) fn pid_namespace() -> u64 {
    fs::metadata("/proc/self/ns/pid").expect("readable").ino()
}

/// Returns the common start of the names of a process's control groups.
pub(crate) fn owner(pid: u32) -> String {
    let line = fs::read_to_string(format!("/proc/{pid}/stat")).expect("it runs");
    let fields = line.rsplit_once(") ").expect("a name").1;
    let start = fields.split(' ').nth(19).expect("a start");
    format!("judge-{pid}-{start}-{}", pid_namespace())
}

pub(crate) fn groups_of(coordinator: u32) -> Vec<PathBuf> {
    let groups = Isolation::find().groups;
    let folders = groups.into_iter().flat_map(|groups| groups.folders);
    let entries = folders.flat_map(|folder| fs::read_dir(folder).expect("a folder").flatten());
    let prefix = format!("judge-{coordinator}-");
    let ours = entries.filter(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.starts_with(&prefix) && !name.contains("probe")
    });
    ours.map(|entry| entry.path()).collect()
}
