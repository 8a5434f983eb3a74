//! Derives faults from the end of a bot's process, and from the kernel resources that it holds. Pure.

use model::fault::{Cause, Exit, Fault, Offence};
use nix::sys::signal::Signal;
use sandbox::{Ended, Limits};

/// Out of memory, in `protocol.md`. GHC's programs exit with it when their heap is exhausted.
const EXIT_OUT_OF_MEMORY: i32 = 251;

/// People and systems end programs with these. A program that sends one to itself looks the same.
const ENDING: [Signal; 5] = [
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGKILL,
    Signal::SIGTERM,
];

/// Whether a signal that none of its limits sends ended the bot.
pub(crate) fn may_be_from_outside(fault: &Fault) -> bool {
    fault.cause == Cause::Crash && fault.exit.is_some_and(is_ending)
}

fn is_ending(exit: Exit) -> bool {
    ENDING
        .iter()
        .any(|&signal| exit == Exit::Signal(signal as i32))
}

/// `unfinished`: whether the process had begun an answer.
pub(super) fn offence(ended: &Ended, limits: &Limits, unfinished: bool) -> Offence {
    let (cause, what) = match ended.exit {
        Exit::Code(EXIT_OUT_OF_MEMORY) => (
            Cause::Memory,
            format!("ran out of memory (exited with code {EXIT_OUT_OF_MEMORY})"),
        ),
        // A bot within its memory limit did not die of it.
        Exit::Signal(signal) if is_ending(ended.exit) && !exceeded_memory(ended, limits) => {
            let name = signal_name(signal);
            let what = format!("ended by {name}, which none of its limits sends");
            (Cause::Crash, what)
        }
        Exit::Signal(signal) => (
            cause_near_the_cap(ended, limits).unwrap_or(Cause::Crash),
            format!("ended by {}", signal_name(signal)),
        ),
        Exit::Code(code) => {
            let missing = if unfinished {
                "after a line without its newline"
            } else {
                "without an answer"
            };
            let what = format!("exited with code {code} {missing}");
            let near = cause_near_the_cap(ended, limits).filter(|_| code != 0);
            (near.unwrap_or(Cause::Exit), what)
        }
    };
    // A request that is refused is in no peak.
    let refused = if cause == Cause::Memory && cause_near_the_cap(ended, limits).is_none() {
        ", without what it asked for last and did not get"
    } else {
        ""
    };
    let memory = format!(
        "peak memory {} MiB of {} MiB{refused}",
        ended.memory_bytes_peak >> 20,
        limits.memory_bytes_max >> 20
    );
    let mut offence = Offence::new(cause, format!("{what}; {memory}"));
    offence.exit = Some(ended.exit);
    offence
}

/// Blames the program's variables, of `bytes`, if they do not fit into its memory.
pub(super) fn of_variables(offence: Offence, bytes: Option<u64>, limits: &Limits) -> Offence {
    let Some(bytes) = bytes.filter(|&bytes| bytes > limits.memory_bytes_max) else {
        return offence;
    };
    Offence {
        cause: Cause::Memory,
        detail: format!(
            "the variables of the program take {} MiB, more than its memory; {}",
            bytes >> 20,
            offence.detail
        ),
        ..offence
    }
}

fn exceeded_memory(ended: &Ended, limits: &Limits) -> bool {
    ended.out_of_memory || ended.memory_bytes_peak > limits.memory_bytes_max
}

/// Also with three quarters of its memory in use: a container that doubles uses that much when it
/// last succeeds.
fn cause_near_the_cap(ended: &Ended, limits: &Limits) -> Option<Cause> {
    let near = limits.memory_bytes_max / 4 * 3;
    (ended.out_of_memory || ended.memory_bytes_peak >= near).then_some(Cause::Memory)
}

fn signal_name(number: i32) -> String {
    let name = Signal::try_from(number).map_or("a real-time signal", Signal::as_str);
    format!("signal {number} ({name})")
}

const THREADS_MAX: u64 = 256;

/// Fraction of the memory limit. Memory in use needs one part in 512, but it may also be reserved.
const PAGE_TABLES_PART: u64 = 8;
/// Page tables may always take this many bytes.
const PAGE_TABLES_BYTES_MIN: u64 = 64 << 20;

/// Above this, the judge looks for the culprit. Hardly any program uses real-time signals, and only
/// these queue up.
const QUEUED_MAX: u64 = 1024;

/// Timers (`timer_create`) of a bot. Each takes a place of a queued signal.
pub(super) const TIMERS_MAX: u64 = 256;

/// Memory in use beyond the limit, which does not count read-only pages: code made at run time, the
/// copied pages of a kit's program, and the stack of the first thread.
const RESIDENT_BYTES_SPARE: u64 = 128 << 20;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Holdings {
    pub(super) threads: u64,
    pub(super) page_table_bytes: u64,
    /// Size of its memory in use that holds no file; of its largest process.
    pub(super) resident_bytes: u64,
    /// Number of its timers; read only if at least so many signals are queued.
    pub(super) timers: u64,
    pub(super) queued: u64,
    pub(super) queued_max: u64,
    /// Whether it blocks a real-time signal that is queued for it, or as many others.
    pub(super) keeps_signals: bool,
}

impl Holdings {
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            threads: self.threads + other.threads,
            page_table_bytes: self.page_table_bytes + other.page_table_bytes,
            resident_bytes: self.resident_bytes.max(other.resident_bytes),
            timers: self.timers + other.timers,
            queued: self.queued.max(other.queued),
            queued_max: self.queued_max.max(other.queued_max),
            keeps_signals: self.keeps_signals || other.keeps_signals,
        }
    }

    pub(super) fn offence(&self, before: &Self, memory_bytes_max: u64) -> Option<Offence> {
        if self.threads > THREADS_MAX {
            let threads = self.threads;
            let detail = format!("has {threads} threads, and a bot may have {THREADS_MAX}");
            return Some(Offence::new(Cause::Threads, detail));
        }
        let page_tables_max = (memory_bytes_max / PAGE_TABLES_PART).max(PAGE_TABLES_BYTES_MIN);
        if self.page_table_bytes > page_tables_max {
            let detail = format!(
                "its page tables take {} MiB, and they may take {} MiB",
                self.page_table_bytes >> 20,
                page_tables_max >> 20
            );
            return Some(Offence::new(Cause::Memory, detail));
        }
        let resident_bytes_max = memory_bytes_max.saturating_add(RESIDENT_BYTES_SPARE);
        if self.resident_bytes > resident_bytes_max {
            let detail = format!(
                "has {} MiB of memory in use, and it may have {} MiB, its stack and read-only pages included",
                self.resident_bytes >> 20,
                resident_bytes_max >> 20
            );
            return Some(Offence::new(Cause::Memory, detail));
        }
        if self.timers > TIMERS_MAX {
            let timers = self.timers;
            let detail = format!("has {timers} timers, and a bot may have {TIMERS_MAX}");
            return Some(Offence::new(Cause::Threads, detail));
        }
        if self.floods() && before.floods() {
            let queued = self.queued;
            let detail = format!(
                "keeps signals waiting: {queued} are queued, and there may be {QUEUED_MAX}"
            );
            return Some(Offence::new(Cause::Threads, detail));
        }
        None
    }

    /// One check alone may be chance: the number covers all programs of the user.
    fn floods(&self) -> bool {
        self.queues_many() && self.keeps_signals
    }

    pub(super) fn queues_many(&self) -> bool {
        self.queued > QUEUED_MAX
    }

    pub(super) fn may_have_many_timers(&self) -> bool {
        self.queued > TIMERS_MAX
    }

    pub(super) fn lacks_signals(&self) -> bool {
        let own = self.keeps_signals || self.timers > TIMERS_MAX;
        self.queued_max > 0 && !own && self.queued >= self.queued_max / 8 * 7
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tasks {
    pub(super) now: u64,
    /// The number that was assigned last; each new task gets the next one.
    pub(super) last_id: u64,
}

/// CPU time of a task's start and end, in µs. The simplest thread took 7.5 when measured.
const START_US_MIN: u64 = 4;

/// The highest possible number of tasks, also between two checks, without the bot's own.
#[derive(Clone, Copy, Debug)]
pub(super) struct TasksPeak {
    last: Tasks,
    cpu_us: u64,
    peak: u64,
}

impl TasksPeak {
    /// Starts before the bot does.
    pub(super) fn since(tasks: Tasks) -> Self {
        Self {
            last: tasks,
            cpu_us: 0,
            peak: tasks.now,
        }
    }

    pub(super) fn begin(&mut self) {
        self.peak = self.last.now;
    }

    /// Tasks that began and ended since the last check count only if the bot cannot have started
    /// all of them; else it could get its games played again by starting threads. `cpu_us` is its
    /// total CPU time.
    pub(super) fn add(&mut self, tasks: Tasks, cpu_us: u64) {
        let own_max = cpu_us.saturating_sub(self.cpu_us) / START_US_MIN;
        let begun = tasks.last_id.checked_sub(self.last.last_id);
        let most = match begun {
            // If the numbers started again, at least this many have been assigned since.
            _ if own_max >= begun.unwrap_or(tasks.last_id) => tasks.now,
            Some(begun) => self.last.now.saturating_add(begun),
            // Any number is possible.
            None => u64::MAX,
        };
        self.peak = self.peak.max(most).max(tasks.now);
        (self.last, self.cpu_us) = (tasks, cpu_us);
    }

    /// Returns whether one user's tasks can have come so near to `most` that another bot with all
    /// its threads would not fit. `of_user` counts them, and is called only if the machine has that
    /// many.
    pub(super) fn can_have_reached(&self, most: u64, of_user: impl FnOnce() -> u64) -> bool {
        let reached = |tasks: u64| tasks.saturating_add(THREADS_MAX) >= most;
        // The tasks that have ended since may have been this user's.
        let ended = self.peak - self.last.now.min(self.peak);
        reached(self.peak) && reached(of_user().saturating_add(ended))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        memory_bytes_max: 1 << 30,
        ..Limits::BOT
    };

    fn death(exit: Exit, bytes: u64, out_of_memory: bool, unfinished: bool) -> Offence {
        let ended = Ended {
            exit,
            memory_bytes_peak: bytes,
            out_of_memory,
        };
        offence(&ended, &LIMITS, unfinished)
    }

    #[test]
    fn death_is_blamed_on_memory_only_if_that_was_full() {
        let [abort, kill] = [Signal::SIGABRT, Signal::SIGKILL].map(|it| Exit::Signal(it as i32));
        for (exit, mib, out_of_memory, cause) in [
            (abort, 767, false, Cause::Crash),
            (abort, 768, false, Cause::Memory),
            (Exit::Code(1), 1024, false, Cause::Memory),
            (Exit::Code(1), 100, false, Cause::Exit),
            (Exit::Code(0), 1024, false, Cause::Exit),
            (kill, 3, true, Cause::Memory),
            (Exit::Code(251), 800, false, Cause::Memory),
            (Exit::Code(251), 3, false, Cause::Memory),
        ] {
            let found = death(exit, mib << 20, out_of_memory, false).cause;
            assert_eq!(found, cause, "{exit:?} {mib}");
        }
    }

    #[test]
    fn death_is_reported_with_its_peak_of_memory() {
        let exits =
            "exited with code 3 after a line without its newline; peak memory 12 MiB of 1024 MiB";
        let full = "ran out of memory (exited with code 251); peak memory 800 MiB of 1024 MiB";
        let refused = "ran out of memory (exited with code 251); peak memory 3 MiB of 1024 MiB, without what it asked for last and did not get";
        for (code, bytes, unfinished, detail) in [
            (3, (12 << 20) + 1, true, exits),
            (251, 800 << 20, false, full),
            (251, 3 << 20, false, refused),
        ] {
            let found = death(Exit::Code(code), bytes, false, unfinished);
            assert_eq!(found.detail, detail);
        }
    }

    #[test]
    fn program_larger_than_memory_limit_is_memory_fault() {
        let of = |mib: Option<u64>| {
            let offence = death(Exit::Code(127), 2 << 20, false, false);
            of_variables(offence, mib.map(|mib| mib << 20), &LIMITS)
        };
        let large = of(Some(1500));
        assert_eq!(large.cause, Cause::Memory);
        let words = "the variables of the program take 1500 MiB, more than its memory; exited with code 127 without an answer; peak memory 2 MiB of 1024 MiB";
        assert_eq!(large.detail, words);
        for mib in [Some(1024), None] {
            assert_eq!(of(mib).cause, Cause::Exit);
        }
    }

    const MIB: u64 = 1 << 20;

    #[test]
    fn only_more_than_a_bot_may_hold_is_a_fault() {
        let none = Holdings::default();
        let threads = |threads| Holdings { threads, ..none };
        let resident = |mib| Holdings {
            resident_bytes: mib * MIB,
            ..none
        };
        let tables = |mib| Holdings {
            page_table_bytes: mib * MIB,
            ..none
        };
        let timers = |timers| Holdings {
            timers,
            queued: 2048,
            queued_max: 2048,
            ..none
        };
        let signals = |queued, keeps_signals| Holdings {
            queued,
            queued_max: 96_000,
            keeps_signals,
            ..none
        };
        let (flooding, innocent) = (signals(17_759, true), signals(17_759, false));
        let few = signals(QUEUED_MAX, true);
        // Processes of one bot share pages.
        let both = resident(150).and(resident(150));
        let (threads_fault, memory_fault) = (Some(Cause::Threads), Some(Cause::Memory));
        for (row, (now, before, memory_mib, cause)) in [
            (threads(THREADS_MAX), none, 1024, None),
            (threads(THREADS_MAX + 1), none, 1024, threads_fault),
            (tables(128), none, 1024, None),
            (tables(129), none, 1024, memory_fault),
            (tables(64), none, 16, None),
            (tables(65), none, 16, memory_fault),
            (resident(64 + 128), none, 64, None),
            (resident(64 + 129), none, 64, memory_fault),
            (both, both, 64, None),
            (timers(TIMERS_MAX), none, 1024, None),
            (timers(TIMERS_MAX + 1), none, 1024, threads_fault),
            (flooding, flooding, 1024, threads_fault),
            // A signal that was just being delivered.
            (flooding, innocent, 1024, None),
            (innocent, flooding, 1024, None),
            (few, few, 1024, None),
        ]
        .into_iter()
        .enumerate()
        {
            let offence = now.offence(&before, memory_mib * MIB);
            assert_eq!(offence.map(|offence| offence.cause), cause, "row {row}");
        }
        // Others' signals and timers excuse a bot, and its own do not.
        for (holding, is_excused) in [
            (timers(1), true),
            (timers(TIMERS_MAX + 1), false),
            (signals(96_000, false), true),
            (signals(96_000, true), false),
            (signals(48_000, false), false),
        ] {
            assert_eq!(holding.lacks_signals(), is_excused, "{}", holding.queued);
        }
    }

    fn tasks(now: u64, last_id: u64) -> Tasks {
        Tasks { now, last_id }
    }

    #[test]
    fn short_lived_tasks_are_counted_by_task_numbers() {
        let mut peak = TasksPeak::since(tasks(300, 5000));
        peak.add(tasks(310, 5010), 0);
        assert!(!peak.can_have_reached(4000, || panic!("the machine has fewer")));
        peak.add(tasks(305, 8800), 0);
        assert!(peak.can_have_reached(4000, || 100), "3700 of them ended");
        assert!(!peak.can_have_reached(5000, || 100));
        peak.begin();
        assert!(!peak.can_have_reached(4000, || 100), "that was before");
        peak.add(tasks(305, 400), 0);
        assert!(peak.can_have_reached(4000, || 100), "they began again");
    }

    #[test]
    fn bot_able_to_start_threads_is_not_excused() {
        let after = |tasks: Tasks, cpu_us: u64| {
            let mut peak = TasksPeak::since(self::tasks(300, 5000));
            peak.add(self::tasks(305, 5010), 1_000_000);
            peak.begin();
            peak.add(tasks, 1_000_000 + cpu_us);
            peak.can_have_reached(4000, || tasks.now - 100)
        };
        // 39 ms allow for 3,900 threads, one after another; an honest bot that gets no threads
        // takes 2.
        assert!(!after(tasks(305, 8910), 39_000));
        assert!(after(tasks(305, 8910), 2_000));
        assert!(!after(tasks(305, 4200), 39_000), "the numbers began again");
        assert!(after(tasks(305, 4200), 2_000), "the numbers began again");
        assert!(after(tasks(3900, 8910), 39_000), "these have not ended");
    }

    #[test]
    fn users_own_tasks_decide_on_full_machine() {
        let mut peak = TasksPeak::since(tasks(30_000, 5000));
        peak.add(tasks(30_010, 5020), 0);
        assert!(!peak.can_have_reached(4000, || 100));
        assert!(peak.can_have_reached(4000, || 3800));
    }
}
