//! Information about processes from outside.

use super::eventually;
use nix::sys::signal::{Signal, kill};
use nix::time::ClockId;
use nix::unistd::Pid;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Returns the processes with a text in their environment, command line or folder's name.
pub(crate) fn with(text: &str) -> Vec<i32> {
    let numbers = fs::read_dir("/proc")
        .expect("it is mounted")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    numbers
        .filter(|pid| *pid != std::process::id().cast_signed())
        .filter(|pid| {
            let process = Path::new("/proc").join(pid.to_string());
            let folder = fs::read_link(process.join("cwd")).unwrap_or_default();
            let read = |name| fs::read(process.join(name)).unwrap_or_default();
            let folder = folder.into_os_string().into_encoded_bytes();
            let mut words = [read("environ"), read("cmdline"), folder].into_iter();
            words.any(|bytes| String::from_utf8_lossy(&bytes).contains(text))
        })
        .collect()
}

/// Asserts that no process is left with a text in its environment, command line or folder's name.
#[track_caller]
pub(crate) fn none_has(text: &str) {
    assert_eq!(with(text), [0_i32; 0], "{text}: somebody runs on");
}

/// Returns the children of a process, of all its threads.
pub(crate) fn children_of(parent: u32) -> Vec<i32> {
    let tasks = fs::read_dir(format!("/proc/{parent}/task"));
    let children = tasks.into_iter().flatten().flatten().flat_map(|task| {
        let text = fs::read_to_string(task.path().join("children")).unwrap_or_default();
        text.split_whitespace()
            .map(|pid| pid.parse().expect("a pid"))
            .collect::<Vec<i32>>()
    });
    children.collect()
}

pub(crate) fn workers_bytes_max() -> u64 {
    let mut workers = children_of(std::process::id());
    workers.retain(|pid| {
        let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        command.ends_with(b"judge\0worker\0")
    });
    let peaks = workers.iter().map(|pid| bytes_max(&pid.to_string()));
    peaks.max().unwrap_or(0)
}

/// Returns the peak memory of a process, in bytes; `process` is its name in `/proc`.
pub(crate) fn bytes_max(process: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

/// Returns a process's name in the kernel; empty if it has ended.
pub(crate) fn name_of(pid: i32) -> String {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    name.trim_end().to_owned()
}

/// Returns the state of a process; `None` if it is gone.
pub(crate) fn state(pid: i32) -> Option<char> {
    state_of(&Path::new("/proc").join(pid.to_string()))
}

/// Returns the CPU time of a process that is not reaped.
pub(crate) fn cpu_of(pid: i32) -> Duration {
    let clock = ClockId::pid_cpu_clock_id(Pid::from_raw(pid)).expect("not reaped");
    clock.now().expect("not reaped").into()
}
/// An ended process is listed until its parent, this program or process 1 of a container, asks for
/// its status; it does not run.
pub(crate) fn runs(pid: i32) -> bool {
    !matches!(state(pid), None | Some('Z' | 'X'))
}

/// Returns the state of a process or a thread by its folder in `/proc`; `None` if it is gone.
fn state_of(folder: &Path) -> Option<char> {
    let stat = fs::read_to_string(folder.join("stat")).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}

/// Waits until one of a run's workers has a bot whose process has this name. Returns the worker.
pub(crate) fn worker_with_bot(run: u32, name: &str) -> i32 {
    let mut worker = None;
    eventually("a bot of that name", || {
        worker = children_of(run).into_iter().find(|&worker| {
            let bots = children_of(worker.cast_unsigned());
            bots.into_iter().any(|bot| name_of(bot) == name)
        });
        worker.is_some()
    });
    worker.expect("found")
}

/// Sends a signal; a process that has ended in the meantime is fine.
pub(crate) fn signal(pid: i32, signal: Signal) {
    let _ = kill(Pid::from_raw(pid), signal);
}

/// Returns whether all threads of a process are stopped; true if it has ended.
fn is_stopped(pid: i32) -> bool {
    let tasks = fs::read_dir(format!("/proc/{pid}/task"));
    let mut tasks = tasks.into_iter().flatten().flatten();
    tasks.all(|task| matches!(state_of(&task.path()), None | Some('T' | 'Z' | 'X')))
}

/// Stops processes, as on a suspended machine. No condition ends the sleep: the time must pass.
pub(crate) fn stand_still(pids: &[i32], length: Duration) {
    for &pid in pids {
        signal(pid, Signal::SIGSTOP);
        // The kernel wakes one thread for the signal; until that one runs, the others run on.
        eventually("all its threads are stopped", || is_stopped(pid));
    }
    std::thread::sleep(length);
    for &pid in pids {
        signal(pid, Signal::SIGCONT);
    }
}

/// A closed terminal interrupts this command even if these tests run under `nohup`.
pub(crate) fn hearing_hangups(command: &Command) -> Command {
    let mut heard = Command::new("/usr/bin/env");
    heard.arg("--default-signal=HUP").arg(command.get_program());
    heard.args(command.get_args());
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            heard.env(name, value);
        }
    }
    heard
}
