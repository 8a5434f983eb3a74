//! Reads the kernel's data on time and resources: a bot's CPU time, its waits for a CPU, and how fast
//! the machine computes.

#![expect(clippy::disallowed_methods, reason = "they are files of the kernel's")]

use super::offences::{Holdings, TIMERS_MAX, Tasks};
use nix::sched::sched_getcpu;
use nix::sys::signal::Signal;
use nix::time::{ClockId, clock_gettime};
use nix::unistd::Pid;
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, elf};
use rulebook::{JudgeError, Result};
use sandbox::{Lease, Running};
use std::fs::{self, File};
use std::hint::black_box;
use std::io::{self, Read};
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ThreadTimes {
    pub(super) id: u32,
    pub(super) ran: Duration,
    /// Time when it was runnable but had no CPU. The kernel adds a wait when it is over.
    pub(super) waited: Duration,
    pub(super) runnable: bool,
}

#[derive(Clone, Default)]
pub(super) struct Threads {
    pub(super) times: Vec<ThreadTimes>,
    /// Whether no thread of the bot is missing.
    pub(super) are_all: bool,
}

/// Empty without `CONFIG_SCHED_INFO`, or if the process has ended.
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
        // Read after the times: a thread that has run since does not count as starved.
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

/// Returns whether a thread's line in `/proc` marks it as runnable: "number (name) state …".
fn is_runnable(stat: &str) -> bool {
    // The name may contain anything.
    let state = stat.rsplit_once(") ").map(|(_, rest)| rest);
    state.is_some_and(|state| state.starts_with('R'))
}

pub(super) fn holdings(pid: Pid) -> Holdings {
    let status = read_at_once(&format!("/proc/{pid}/status"), STATUS_BYTES);
    let mut holdings = status.map_or_else(|_| Holdings::default(), |text| holdings_in(&text));
    if holdings.may_have_many_timers() {
        let timers = fs::read_to_string(format!("/proc/{pid}/timers"));
        holdings.timers = timers.map_or(0, |text| timers_in(&text));
    }
    if holdings.queues_many() && !holdings.keeps_signals {
        // Signals queued for a single thread are listed with that thread only.
        let statuses = fs::read_dir(format!("/proc/{pid}/task"))
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|task| fs::read_to_string(task.path().join("status")).ok());
        holdings.keeps_signals = keep_signals(statuses);
    }
    holdings
}

/// Blocked real-time signals, or more other ones than a bot may have timers.
fn keep_signals(statuses: impl Iterator<Item = String>) -> bool {
    let mut others = 0;
    for status in statuses {
        if holdings_in(&status).keeps_signals {
            return true;
        }
        others += u64::from(kept_in(&status).count_ones());
    }
    others > TIMERS_MAX
}

/// Returns a field of `/proc/PID/status`; empty if it is missing.
fn field<'a>(status: &'a str, wanted: &str) -> &'a str {
    status
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find_map(|(name, value)| (name == wanted).then_some(value.trim()))
        .unwrap_or_default()
}

fn kept_in(status: &str) -> u64 {
    let set = |name| u64::from_str_radix(field(status, name), 16).unwrap_or(0);
    (set("SigPnd") | set("ShdPnd")) & set("SigBlk")
}

fn holdings_in(status: &str) -> Holdings {
    let mut holdings = Holdings {
        keeps_signals: kept_in(status) & REAL_TIME != 0,
        ..Holdings::default()
    };
    for line in status.lines() {
        let Some((name, value)) = line.split_once(':') else {
            continue;
        };
        let value = value.trim();
        let number = |text: &str| text.parse().unwrap_or(0);
        let bytes = |text: &str| number(text.trim_end_matches(" kB")) << 10;
        match name {
            "Threads" => holdings.threads = number(value),
            "VmPTE" => holdings.page_table_bytes = bytes(value),
            "RssAnon" => holdings.resident_bytes = bytes(value),
            "SigQ" => {
                let (queued, most) = value.split_once('/').unwrap_or((value, ""));
                (holdings.queued, holdings.queued_max) = (number(queued), number(most));
            }
            _ => {}
        }
    }
    holdings
}

/// Whether a timer continues the process. False without `CONFIG_CHECKPOINT_RESTORE`.
pub(super) fn has_timer_to_go_on(pid: Pid) -> bool {
    fs::read_to_string(format!("/proc/{pid}/timers")).is_ok_and(|text| goes_on_by(&text))
}

/// Counts the timers of the kernel's list, with a line such as "ID: 0" for each.
fn timers_in(timers: &str) -> u64 {
    timers
        .lines()
        .filter(|line| line.starts_with("ID: "))
        .count() as u64
}

/// Parses the kernel's list of timers, with a line such as "signal: 18/0000000000000000" for each.
fn goes_on_by(timers: &str) -> bool {
    timers
        .lines()
        .filter_map(|line| line.strip_prefix("signal: "))
        .filter_map(|text| text.split('/').next()?.parse::<i32>().ok())
        .any(|number| number == Signal::SIGCONT as i32)
}

/// The kernel's real-time signals, from 32 up, in a set whose first bit is signal 1.
const REAL_TIME: u64 = !0 << 31;

/// More than the length of `/proc/PID/status`, in bytes.
const STATUS_BYTES: usize = 4 << 10;

pub(super) fn tasks() -> Option<Tasks> {
    tasks_in(&read_at_once("/proc/loadavg", STATUS_BYTES).ok()?)
}

fn tasks_in(loadavg: &str) -> Option<Tasks> {
    // "0.20 0.18 0.12 running/all last-id"
    let mut words = loadavg.split_ascii_whitespace().skip(3);
    let (_, now) = words.next()?.split_once('/')?;
    Some(Tasks {
        now: now.parse().ok()?,
        last_id: words.next()?.parse().ok()?,
    })
}

fn read_at_once(path: &str, bytes: usize) -> io::Result<String> {
    let mut text = String::with_capacity(bytes);
    File::open(path)?.read_to_string(&mut text)?;
    Ok(text)
}

/// On the current CPU if pinned, else the mean of all.
pub(super) fn stolen(pinned: bool) -> Duration {
    let cpu = sched_getcpu().ok().filter(|_| pinned);
    read_at_once("/proc/stat", STAT_BYTES)
        .ok()
        .and_then(|text| stolen_in(&text, cpu))
        .unwrap_or_default()
}

/// More than the length of `/proc/stat` on most machines, in bytes.
const STAT_BYTES: usize = 16 << 10;

/// Unit of the times that Linux shows to programs, whatever its own.
pub(super) const TICK: Duration = Duration::from_millis(10);

fn stolen_in(stat: &str, cpu: Option<usize>) -> Option<Duration> {
    let name = cpu.map_or("cpu".to_owned(), |cpu| format!("cpu{cpu}"));
    let mut words = stat
        .lines()
        .map(|line| line.split_ascii_whitespace())
        .find_map(|mut words| (words.next() == Some(&name)).then_some(words))?;
    // "user nice system idle iowait irq softirq steal …"
    let ticks: u32 = words.nth(7)?.parse().ok()?;
    let all = stat.lines().filter(|line| line.starts_with("cpu")).count() - 1;
    let cpus = if cpu.is_some() { 1 } else { all.max(1) };
    Some(TICK * ticks / u32::try_from(cpus).ok()?)
}

const STEPS: u32 = 400_000;
/// Number of numbers; a power of two.
const NUMBERS: usize = 1 << 15;
/// A processor that was idle needs some time to become fast. The least time counts: other work
/// makes a repetition longer. Tests start debug builds often and measure nothing.
const REPEATS_MIN: usize = if cfg!(debug_assertions) { 1 } else { 3 };
const SPENT_MIN: Duration = Duration::from_millis(if cfg!(debug_assertions) { 0 } else { 60 });

/// Returns the CPU time of the workload on this machine, in µs, in about a tenth of a second.
pub fn calibrate() -> Result<u64> {
    let mut numbers = vec![0; NUMBERS];
    let (mut least, mut repeats) = (Duration::MAX, 0);
    let begun = own_cpu()?;
    let mut now = begun;
    while repeats < REPEATS_MIN || now.saturating_sub(begun) < SPENT_MIN {
        let before = now;
        black_box(work(&mut numbers));
        now = own_cpu()?;
        least = least.min(now.saturating_sub(before));
        repeats += 1;
    }
    Ok(whole_us(least).max(1))
}

pub(crate) fn whole_us(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).expect("within 584,000 years")
}

pub(super) fn own_cpu() -> Result<Duration> {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)
        .map(Duration::from)
        .map_err(|e| JudgeError::os("read the judge's own CPU clock", e))
}

fn work(numbers: &mut [u64]) -> u64 {
    numbers.fill(0);
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mask = numbers.len() as u64 - 1;
    for _ in 0..STEPS {
        state = state.wrapping_mul(0xd134_2543_de82_ef95).rotate_left(23);
        #[expect(clippy::cast_possible_truncation, reason = "masked to a few bits")]
        let number = &mut numbers[(state & mask) as usize];
        *number ^= state;
        state ^= *number >> 7;
    }
    state
}

const HEAD_BYTES: u64 = 4 << 10;

/// Bytes that the limit on memory counts from the start; none for no 64-bit program.
#[expect(clippy::disallowed_methods, reason = "it is an artifact of ours")]
pub(super) fn variable_bytes(program: &Path) -> Option<u64> {
    let mut head = Vec::new();
    File::open(program)
        .ok()?
        .take(HEAD_BYTES)
        .read_to_end(&mut head)
        .ok()?;
    variable_bytes_in(&head)
}

fn variable_bytes_in(head: &[u8]) -> Option<u64> {
    let header = elf::FileHeader64::<Endianness>::parse(head).ok()?;
    let endian = header.endian().ok()?;
    let parts = header.program_headers(endian, head).ok()?.iter();
    let is_variable = |part: &&elf::ProgramHeader64<Endianness>| match part.p_type(endian) {
        elf::PT_TLS => true,
        elf::PT_LOAD => part.p_flags(endian).contains(elf::PF_W),
        _ => false,
    };
    Some(
        parts
            .filter(is_variable)
            .map(|part| part.p_memsz(endian))
            .fold(0, u64::saturating_add),
    )
}

/// The CPU time of a bot and all its threads and processes; exact to 8 µs on the reader's CPU.
#[derive(Debug)]
pub(super) struct CpuClock {
    pid: Pid,
    source: ClockSource,
    read: Duration,
}

#[derive(Debug)]
enum ClockSource {
    /// It survives `exec`, and can be read until the process is reaped.
    Process(ClockId),
    /// The counter of its control group, which includes every descendant.
    Group(Rc<Lease>),
}

const PROCESSES_ASKED_MAX: usize = 64;

impl CpuClock {
    pub(super) fn of(running: &Running, baseline: Option<Duration>) -> Result<Self> {
        let failed = |e| JudgeError::os("find a bot's CPU clock", e);
        let pid = running.pid();
        let source = match running.group() {
            Some(group) => ClockSource::Group(Rc::clone(group)),
            None => ClockSource::Process(ClockId::pid_cpu_clock_id(pid).map_err(failed)?),
        };
        let mut clock = Self {
            pid,
            source,
            read: baseline.unwrap_or_default(),
        };
        if baseline.is_none() {
            clock.charge_us()?;
        } else if clock.read > clock.now()? {
            let reason = io::Error::other("its kit tells of more than there was");
            return Err(JudgeError::io(
                "take the CPU time of",
                format!("bot {pid}"),
                reason,
            ));
        }
        Ok(clock)
    }

    /// In whole microseconds; the rest is charged later.
    pub(super) fn charge_us(&mut self) -> Result<u64> {
        let spent_us = self.since_us()?;
        self.read += Duration::from_micros(spent_us);
        Ok(spent_us)
    }

    /// Returns all CPU time since the start of the clock, charged or not, in microseconds.
    pub(super) fn total_us(&self) -> Result<u64> {
        Ok(whole_us(self.read) + self.since_us()?)
    }

    pub(super) fn since_us(&self) -> Result<u64> {
        Ok(whole_us(self.now()?.saturating_sub(self.read)))
    }

    fn now(&self) -> Result<Duration> {
        Ok(match &self.source {
            ClockSource::Process(clock) => clock
                .now()
                .map_err(|e| JudgeError::os("read a bot's CPU clock", e))?
                .into(),
            ClockSource::Group(group) => group.cpu()?,
        })
    }

    pub(super) fn threads(&self) -> Threads {
        match &self.source {
            ClockSource::Process(_) => Threads {
                times: threads(self.pid),
                are_all: true,
            },
            ClockSource::Group(group) => {
                let Ok(members) = group.members() else {
                    return Threads::default();
                };
                let are_all = members.len() <= PROCESSES_ASKED_MAX;
                let asked = members.into_iter().take(PROCESSES_ASKED_MAX);
                Threads {
                    times: asked.flat_map(threads).collect(),
                    are_all,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "cpu  100 0 50 900 1 0 2 60 0 0\n\
        cpu0 60 0 25 450 1 0 1 20 0 0\n\
        cpu1 40 0 25 450 0 0 1 40 0 0\n\
        intr 12 0 0\n";

    #[test]
    fn stolen_time_is_read_per_cpu_or_mean() {
        assert_eq!(stolen_in(STAT, Some(1)), Some(Duration::from_millis(400)));
        assert_eq!(stolen_in(STAT, None), Some(Duration::from_millis(300)));
        assert_eq!(stolen_in(STAT, Some(7)), None);
        assert_eq!(stolen_in("cpu 1 2 3\n", None), None);
    }

    #[test]
    fn thread_state_is_read_with_any_thread_name() {
        assert!(is_runnable("12 (python3) R 1 2 3"));
        assert!(is_runnable("12 (a) S (b) R 1 2 3"));
        assert!(!is_runnable("12 (a) R (b) S 1 2 3"));
        assert!(!is_runnable("12 (R) T 1 2 3"));
        assert!(!is_runnable(""));
    }

    #[test]
    fn threads_are_listed_with_their_run_times() {
        let own = threads(Pid::this());
        let one = u32::try_from(nix::unistd::gettid().as_raw()).expect("positive");
        let one = own.iter().find(|thread| thread.id == one);
        assert!(one.is_some_and(|thread| thread.runnable), "{own:?}");
        assert_eq!(threads(Pid::from_raw(i32::MAX)), []);
    }

    #[test]
    fn what_a_process_holds_is_in_its_status() {
        let own = holdings(Pid::this());
        assert!(own.threads >= 1 && own.page_table_bytes > 0, "{own:?}");
        assert!(own.queued_max > 0, "{own:?}");
        assert_eq!(holdings(Pid::from_raw(i32::MAX)), Holdings::default());
        let status = "Name:\tThreads: 9\nVmPTE:\t      44 kB\nThreads:\t3\nSigQ:\t7/96365\n\
            RssAnon:\t     116 kB\nSigPnd:\t0000000000000000\nShdPnd:\t0000000200000001\nSigBlk:\t0000000200000000\n";
        let expected = Holdings {
            threads: 3,
            page_table_bytes: 44 << 10,
            resident_bytes: 116 << 10,
            timers: 0,
            queued: 7,
            queued_max: 96_365,
            keeps_signals: true,
        };
        assert_eq!(holdings_in(status), expected);
        let delivered = status.replace("SigBlk:\t0000000200000000", "SigBlk:\t0000000000000001");
        assert!(!holdings_in(&delivered).keeps_signals);
    }

    #[test]
    fn pending_signals_of_every_kind_are_counted() {
        // All 31 standard signals but SIGKILL and SIGSTOP.
        let thread = || "SigPnd:\t000000007ffbfeff\nSigBlk:\t000000007ffbfeff\n".to_owned();
        assert!(!keep_signals((0..8).map(|_| thread())));
        assert!(keep_signals((0..9).map(|_| thread())));
        let real_time = "SigPnd:\t0000000200000000\nSigBlk:\t0000000200000000\n";
        assert!(keep_signals([real_time.to_owned()].into_iter()));
    }

    #[test]
    fn timers_and_their_continue_signals_are_found() {
        let of = |signal| {
            format!("ID: 0\nsignal: {signal}/00007ffc0\nnotify: signal/pid.18\nClockID: 1\n")
        };
        assert_eq!(timers_in(&of(10).repeat(3)), 3);
        assert_eq!(timers_in(""), 0);
        assert!(goes_on_by(&(of(26) + &of(18))));
        assert!(!goes_on_by(&of(26)));
        assert!(!goes_on_by(""));
    }

    #[test]
    fn the_machines_tasks_are_beside_its_load() {
        let tasks = tasks_in("0.20 0.18 0.12 1/80 11206\n");
        let expected = Tasks {
            now: 80,
            last_id: 11_206,
        };
        assert_eq!(tasks, Some(expected));
        assert_eq!(tasks_in(""), None);
        assert!(super::tasks().is_some_and(|tasks| tasks.now >= 1));
    }

    #[test]
    fn the_work_is_the_same_each_time() {
        let mut numbers = vec![0; NUMBERS];
        let first = work(&mut numbers);
        assert_eq!(work(&mut numbers), first);
        assert!(calibrate().expect("there is a clock") > 0);
    }

    /// Returns the head of a program with parts of these types, flags and sizes.
    fn program(parts: &[(u8, u8, u64)]) -> Vec<u8> {
        let mut head = vec![0; 64];
        // A 64-bit program for machines with the lowest byte first.
        head[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        // The list of parts begins after the header; the length and number of its entries.
        (head[0x20], head[0x36]) = (64, 56);
        head[0x38] = u8::try_from(parts.len()).expect("few");
        for (kind, flags, bytes) in parts {
            let mut entry = [0; 56];
            (entry[0], entry[4]) = (*kind, *flags);
            entry[0x28..0x30].copy_from_slice(&bytes.to_le_bytes());
            head.extend(entry);
        }
        head
    }

    #[test]
    fn variables_count_and_code_does_not() {
        let gib = 1 << 30;
        let parts = [(1, 5, gib), (1, 6, 3 * gib), (7, 4, gib), (4, 4, gib)];
        assert_eq!(variable_bytes_in(&program(&parts)), Some(4 * gib));
        assert_eq!(variable_bytes_in(&program(&parts)[..200]), None);
        assert_eq!(variable_bytes_in(b"#!/bin/sh"), None);
        let own = variable_bytes(Path::new("/proc/self/exe"));
        assert!(own.is_some_and(|bytes| bytes > 0 && bytes < gib));
    }
}
