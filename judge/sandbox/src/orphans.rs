//! Ends and reaps descendants that have left their process group by making their own session.

use nix::errno::Errno;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::prctl;
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid, waitpid};
use nix::unistd::{Pid, gettid};
use rulebook::{IoContext, JudgeError, Result};
use std::thread::sleep;
use std::time::Duration;
use std::{fs, io};

const ATTEMPTS_MAX: u32 = 60_000;
const POLL_INTERVAL: Duration = Duration::from_micros(200);

/// Makes this process the new parent of every orphan among its descendants.
pub fn adopt_orphans() -> Result {
    prctl::set_child_subreaper(true).map_err(|e| JudgeError::os("adopt orphaned processes", e))
}

/// Binds this process and its descendants to one CPU, by `index` modulo the number of usable CPUs.
pub fn pin_to(index: usize) -> Result {
    let pin = || {
        let this = Pid::from_raw(0);
        let allowed = sched_getaffinity(this)?;
        let usable: Vec<usize> = (0..CpuSet::count())
            .filter(|&cpu| allowed.is_set(cpu) == Ok(true))
            .collect();
        let mut one = CpuSet::new();
        one.set(usable[index % usable.len()])?;
        sched_setaffinity(this, &one)
    };
    pin().map_err(|e| JudgeError::os("pin a worker to a CPU", e))
}

/// Looks for ended processes without waiting for them or reaping any.
const LOOK: WaitPidFlag = WaitPidFlag::WEXITED
    .union(WaitPidFlag::WNOHANG)
    .union(WaitPidFlag::WNOWAIT);

/// Ends every child of this single-threaded process except those in `keep`: descendants that left a
/// bot's process group. Repeats, because ending one may hand over further orphans.
pub fn end_orphans(keep: &[Pid]) -> Result {
    // Far cheaper than listing them.
    if keep.is_empty() && waitid(Id::All, LOOK) == Err(Errno::ECHILD) {
        return Ok(());
    }
    let mut last = None;
    for _ in 0..ATTEMPTS_MAX {
        let mut orphans = children()?;
        orphans.retain(|pid| !keep.contains(pid));
        if orphans.is_empty() {
            return Ok(());
        }
        // All in each round: a namespace's first process ends only when all in it are reaped.
        for &pid in &orphans {
            // Fails only when the process is gone already.
            let _ = kill(pid, Signal::SIGKILL);
        }
        orphans.retain(|&pid| !is_reaped(pid));
        if !orphans.is_empty() {
            last = orphans.pop();
            sleep(POLL_INTERVAL);
        }
    }
    Err(still_alive(last))
}

/// Ends the members of a process group that this process has adopted, whose starter is gone; all
/// processes of a namespace if the leader is the first there.
pub(super) fn end_group_of(leader: Pid) -> Result {
    if waitid(Id::PGid(leader), LOOK) == Err(Errno::ECHILD) {
        // No member is left, and the number may already belong to another group.
        return Ok(());
    }
    let _ = killpg(leader, Signal::SIGKILL);
    // The first process of a namespace cannot end before another of our children there is reaped.
    for _ in 0..ATTEMPTS_MAX {
        match waitid(Id::PGid(leader), LOOK - WaitPidFlag::WNOWAIT) {
            Err(Errno::ECHILD) => return Ok(()),
            Ok(WaitStatus::StillAlive) => sleep(POLL_INTERVAL),
            // nix knows no real-time signals; the process has been reaped all the same.
            _ => {}
        }
    }
    Err(still_alive(Some(leader)))
}

fn still_alive(process: Option<Pid>) -> JudgeError {
    let reason = io::Error::other("it is still alive after SIGKILL");
    let process = process.map_or("an orphan".to_owned(), |pid| format!("process {pid}"));
    JudgeError::io("kill", process, reason)
}

pub(super) fn reap_group(leader: Pid) -> Result {
    // A dead process's children become ours before it can be reaped, so none is missed.
    loop {
        match waitpid(Pid::from_raw(-leader.as_raw()), None) {
            // nix knows no real-time signals; the process has been reaped all the same.
            Ok(_) | Err(Errno::EINTR | Errno::EINVAL) => {}
            Err(Errno::ECHILD) => return Ok(()),
            Err(error) => return Err(JudgeError::os("wait for a build", error)),
        }
    }
}

fn is_reaped(pid: Pid) -> bool {
    // It may be gone already, or have ended by a signal that nix does not know.
    !matches!(
        waitpid(pid, Some(WaitPidFlag::WNOHANG)),
        Ok(WaitStatus::StillAlive) | Err(Errno::EINTR)
    )
}

/// Reaps ended children except those in `keep`. Running ones belong to a control group.
pub fn reap_orphans(keep: &[Pid]) -> Result {
    // nix knows no real-time signals, so an end by one is an error to it.
    if let Ok(WaitStatus::StillAlive) | Err(Errno::ECHILD) = waitid(Id::All, LOOK) {
        return Ok(());
    }
    for pid in children()?.into_iter().filter(|pid| !keep.contains(pid)) {
        // It may still be running.
        let _ = waitpid(pid, Some(WaitPidFlag::WNOHANG));
    }
    Ok(())
}

fn children() -> Result<Vec<Pid>> {
    let path = format!("/proc/self/task/{}/children", gettid());
    let text = fs::read_to_string(&path).or_io("read", &path)?;
    let pids = text.split_ascii_whitespace().flat_map(str::parse);
    Ok(pids.map(Pid::from_raw).collect())
}
