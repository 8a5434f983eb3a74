//! Watching the processes of a run from outside.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs;
use std::time::{Duration, Instant};

/// The children of a process, those of all its threads.
pub fn children_of(parent: u32) -> Vec<i32> {
    let tasks = fs::read_dir(format!("/proc/{parent}/task"));
    let children = tasks.into_iter().flatten().flat_map(|task| {
        let path = task.expect("readable").path().join("children");
        let text = fs::read_to_string(path).unwrap_or_default();
        text.split_whitespace()
            .map(|pid| pid.parse().expect("a pid"))
            .collect::<Vec<i32>>()
    });
    children.collect()
}

/// A process's name as the kernel keeps it; empty if it has ended.
pub fn name_of(pid: i32) -> String {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    name.trim_end().to_owned()
}

/// Sends a signal; a process that has ended in the meantime is as good.
pub fn signal(pid: i32, signal: Signal) {
    let _ = kill(Pid::from_raw(pid), signal);
}

/// Waits for something that has no event to wait for.
pub fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "{what} takes too long"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}
