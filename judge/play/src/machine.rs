//! What the machine tells about time that programs wanted and did not get.

use nix::sched::sched_getcpu;
use nix::unistd::Pid;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

/// What one thread has had and has waited for, since it started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ThreadTimes {
    /// Its number.
    pub(super) id: u32,
    /// Time on a CPU.
    pub(super) ran: Duration,
    /// Time in which it could have run and had no CPU. The kernel adds a wait when it is over.
    pub(super) waited: Duration,
    /// It could run at this moment, or does.
    pub(super) runnable: bool,
}

/// Threads of a bot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Threads {
    pub(super) times: Vec<ThreadTimes>,
    /// No thread of the bot is missing.
    pub(super) are_all: bool,
}

/// Lists the threads of a process; none where the kernel does not tell (it needs
/// `CONFIG_SCHED_INFO`) or the process has ended.
pub(super) fn threads(pid: Pid) -> Vec<ThreadTimes> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else {
        return Vec::new();
    };
    let times = tasks.flatten().filter_map(|task| {
        let id = task.file_name().to_str()?.parse().ok()?;
        let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
        // "time on a CPU, time waiting for one (both in ns), number of time slices"
        let mut words = text.split(' ').map(str::parse);
        let mut next = || Some(Duration::from_nanos(words.next()?.ok()?));
        let (ran, waited) = (next()?, next()?);
        // Read after the times: who is runnable now and has run since is not taken for starved.
        let stat = fs::read_to_string(task.path().join("stat"));
        Some(ThreadTimes {
            id,
            ran,
            waited,
            runnable: stat.is_ok_and(|stat| is_runnable(&stat)),
        })
    });
    times.collect()
}

/// Returns whether a thread's line in `/proc` says that it could run: "number (name) state …".
fn is_runnable(stat: &str) -> bool {
    // The name may hold anything.
    let state = stat.rsplit_once(") ").map(|(_, rest)| rest);
    state.is_some_and(|state| state.starts_with('R'))
}

/// Counts the threads of a process; none where it has ended.
pub(super) fn thread_count(pid: Pid) -> u64 {
    // The folder of its threads has one link for each, and its own two.
    let folder = fs::metadata(format!("/proc/{pid}/task"));
    folder.map_or(0, |folder| folder.nlink().saturating_sub(2))
}

/// Returns how long a hypervisor has run others while this machine had work: on the CPU that
/// this process is on if it is pinned, else the mean of all. Zero where nobody tells.
pub(super) fn stolen(pinned: bool) -> Duration {
    let cpu = sched_getcpu().ok().filter(|_| pinned);
    // Room for all of it, so that one read is enough.
    let mut text = String::with_capacity(STAT_BYTES);
    let read = File::open("/proc/stat").and_then(|mut stat| stat.read_to_string(&mut text));
    read.ok()
        .and_then(|_| stolen_in(&text, cpu))
        .unwrap_or_default()
}

/// What `/proc/stat` has on most machines, and more.
const STAT_BYTES: usize = 16 << 10;

/// Linux shows times in this unit to programs, whatever its own.
pub(super) const TICK: Duration = Duration::from_millis(10);

fn stolen_in(stat: &str, cpu: Option<usize>) -> Option<Duration> {
    let name = cpu.map_or("cpu".to_owned(), |cpu| format!("cpu{cpu}"));
    let mut lines = stat.lines().map(|line| line.split_ascii_whitespace());
    let mut words = lines.find_map(|mut words| (words.next() == Some(&name)).then_some(words))?;
    // "user nice system idle iowait irq softirq steal …"
    let ticks: u32 = words.nth(7)?.parse().ok()?;
    let all = stat.lines().filter(|line| line.starts_with("cpu")).count() - 1;
    let cpus = if cpu.is_some() { 1 } else { all.max(1) };
    Some(TICK * ticks / u32::try_from(cpus).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "cpu  100 0 50 900 1 0 2 60 0 0\n\
        cpu0 60 0 25 450 1 0 1 20 0 0\n\
        cpu1 40 0 25 450 0 0 1 40 0 0\n\
        intr 12 0 0\n";

    #[test]
    fn what_a_hypervisor_took_is_read_for_one_cpu_or_for_the_mean_of_all() {
        assert_eq!(stolen_in(STAT, Some(1)), Some(Duration::from_millis(400)));
        assert_eq!(stolen_in(STAT, None), Some(Duration::from_millis(300)));
        assert_eq!(stolen_in(STAT, Some(7)), None);
        assert_eq!(stolen_in("cpu 1 2 3\n", None), None);
    }

    #[test]
    fn the_state_of_a_thread_is_read_whatever_its_name() {
        assert!(is_runnable("12 (python3) R 1 2 3"));
        assert!(is_runnable("12 (a) S (b) R 1 2 3"));
        assert!(!is_runnable("12 (a) R (b) S 1 2 3"));
        assert!(!is_runnable("12 (R) T 1 2 3"));
        assert!(!is_runnable(""));
    }

    #[test]
    fn threads_that_have_run_are_listed_with_their_times() {
        let own = threads(Pid::this());
        let one = u32::try_from(nix::unistd::gettid().as_raw()).expect("positive");
        let one = own.iter().find(|thread| thread.id == one);
        assert!(one.is_some_and(|thread| thread.runnable), "{own:?}");
        assert_eq!(threads(Pid::from_raw(i32::MAX)), []);
        assert!(thread_count(Pid::this()) >= 1);
        assert_eq!(thread_count(Pid::from_raw(i32::MAX)), 0);
    }
}
