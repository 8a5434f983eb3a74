//! What a bot holds of what the kernel has, and how much of it a bot may hold. Its limits leave
//! open what is counted for all programs of a user together (threads, queued signals) and what no
//! limit counts (page tables). It is given what a look shows and looks at nothing itself.

use words::fault::{Cause, Offence};

/// The most threads of a bot.
pub(super) const THREADS_MAX: u64 = 256;

/// The page tables of a bot may take this part of its memory. Memory that is in use needs one part
/// in 512, however much more is reserved.
const PAGE_TABLES_PART: u64 = 8;
/// So much may they take in any case, in bytes.
const PAGE_TABLES_BYTES_MIN: u64 = 64 << 20;

/// The most signals that the programs of a bot's user may have queued before it is asked who did
/// that. Only real-time signals queue up; hardly any program uses them.
const QUEUED_MAX: u64 = 1024;

/// What a bot holds, as one look shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Holdings {
    /// Its threads, those of all its processes together.
    pub(super) threads: u64,
    /// What its page tables take.
    pub(super) page_table_bytes: u64,
    /// Signals that wait for programs of its user, others' programs too.
    pub(super) queued: u64,
    /// How many may.
    pub(super) queued_max: u64,
    /// It blocks a real-time signal that waits for it.
    pub(super) keeps_signals: bool,
}

impl Holdings {
    /// Adds what another process of the same bot holds.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            threads: self.threads + other.threads,
            page_table_bytes: self.page_table_bytes + other.page_table_bytes,
            queued: self.queued.max(other.queued),
            queued_max: self.queued_max.max(other.queued_max),
            keeps_signals: self.keeps_signals || other.keeps_signals,
        }
    }

    /// Returns what is wrong with it, if anything is; `before` is the look before.
    pub(super) fn offence(&self, before: &Self, memory_bytes_max: u64) -> Option<Offence> {
        if self.threads > THREADS_MAX {
            let threads = self.threads;
            let detail = format!("has {threads} threads, and a bot may have {THREADS_MAX}");
            return Some(Offence::new(Cause::Threads, detail));
        }
        let page_tables_max = page_tables_max(memory_bytes_max);
        if self.page_table_bytes > page_tables_max {
            let detail = format!(
                "its page tables take {} MiB, and they may take {} MiB",
                self.page_table_bytes >> 20,
                page_tables_max >> 20
            );
            return Some(Offence::new(Cause::Memory, detail));
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

    /// Whether so many signals wait that whoever keeps some may be the one. In one look alone that
    /// may be chance: the number is that of all programs of the user.
    fn floods(&self) -> bool {
        self.queues_many() && self.keeps_signals
    }

    /// Returns whether more signals wait than programs leave there by chance.
    pub(super) fn queues_many(&self) -> bool {
        self.queued > QUEUED_MAX
    }

    /// Returns whether others have left hardly any room for a signal.
    pub(super) fn lacks_signals(&self) -> bool {
        self.queued_max > 0 && !self.keeps_signals && self.queued >= self.queued_max / 8 * 7
    }
}

fn page_tables_max(memory_bytes_max: u64) -> u64 {
    (memory_bytes_max / PAGE_TABLES_PART).max(PAGE_TABLES_BYTES_MIN)
}

/// The tasks (processes and threads) of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tasks {
    /// How many there are.
    pub(super) now: u64,
    /// The number that was given last; each gets the next one.
    pub(super) last_id: u64,
}

/// To start a task and have it end takes more CPU time than this, in microseconds. The barest
/// thread, by system calls alone, took 7.5 where that was measured.
const START_US_MIN: u64 = 4;

/// The most tasks that there can have been, also between two looks, as far as one bot has not
/// started them itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct TasksPeak {
    last: Tasks,
    /// What the bot had used then, in µs.
    cpu_us: u64,
    peak: u64,
}

impl TasksPeak {
    /// Begins before the bot does.
    pub(super) fn since(tasks: Tasks) -> Self {
        Self {
            last: tasks,
            cpu_us: 0,
            peak: tasks.now,
        }
    }

    /// Forgets what was before the last look.
    pub(super) fn begin(&mut self) {
        self.peak = self.last.now;
    }

    /// Adds a look; `cpu_us` is what the bot has used in all.
    ///
    /// Tasks that began and ended since the last look count only where the bot cannot have started
    /// all of them: else it would have its games played again by starting thread after thread.
    pub(super) fn add(&mut self, tasks: Tasks, cpu_us: u64) {
        let own_max = cpu_us.saturating_sub(self.cpu_us) / START_US_MIN;
        let begun = tasks.last_id.checked_sub(self.last.last_id);
        let most = match begun {
            // Where the numbers began again, so many have been given since, or more.
            _ if own_max >= begun.unwrap_or(tasks.last_id) => tasks.now,
            Some(begun) => self.last.now.saturating_add(begun),
            // Anything may have happened.
            None => u64::MAX,
        };
        self.peak = self.peak.max(most).max(tasks.now);
        (self.last, self.cpu_us) = (tasks, cpu_us);
    }

    /// Returns whether the tasks of one user can have come so near to `most` that another bot with
    /// all its threads would not fit. `of_user` counts them at the time of the last look, and is
    /// asked only where the machine has so many.
    pub(super) fn can_have_reached(&self, most: u64, of_user: impl FnOnce() -> u64) -> bool {
        let reached = |tasks: u64| tasks.saturating_add(THREADS_MAX) >= most;
        // Whoever has ended since may have been this user's.
        let ended = self.peak - self.last.now.min(self.peak);
        reached(self.peak) && reached(of_user().saturating_add(ended))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn cause(now: Holdings, before: Holdings, memory_mib: u64) -> Option<Cause> {
        let offence = now.offence(&before, memory_mib * MIB);
        offence.map(|offence| offence.cause)
    }

    #[test]
    fn a_bot_may_have_so_many_threads_and_no_more() {
        let holding = |threads| Holdings {
            threads,
            ..Holdings::default()
        };
        let of = |threads| cause(holding(threads), Holdings::default(), 1024);
        assert_eq!(of(THREADS_MAX), None);
        assert_eq!(of(THREADS_MAX + 1), Some(Cause::Threads));
    }

    #[test]
    fn page_tables_may_take_an_eighth_of_the_memory_or_64_mib() {
        let holding = |mib| Holdings {
            page_table_bytes: mib * MIB,
            ..Holdings::default()
        };
        let of = |mib, memory_mib| cause(holding(mib), Holdings::default(), memory_mib);
        assert_eq!(of(128, 1024), None);
        assert_eq!(of(129, 1024), Some(Cause::Memory));
        assert_eq!(of(64, 16), None);
        assert_eq!(of(65, 16), Some(Cause::Memory));
    }

    #[test]
    fn whoever_keeps_signals_while_very_many_wait_is_blamed_at_the_second_look() {
        let flooding = Holdings {
            queued: 17_759,
            queued_max: 96_000,
            keeps_signals: true,
            ..Holdings::default()
        };
        let innocent = Holdings {
            keeps_signals: false,
            ..flooding
        };
        assert_eq!(cause(flooding, flooding, 1024), Some(Cause::Threads));
        // One that was just being delivered.
        assert_eq!(cause(flooding, innocent, 1024), None);
        assert_eq!(cause(innocent, flooding, 1024), None);
        let few = Holdings {
            queued: QUEUED_MAX,
            ..flooding
        };
        assert_eq!(cause(few, few, 1024), None);
    }

    #[test]
    fn others_signals_leave_no_room_and_ones_own_are_no_excuse() {
        let full = Holdings {
            queued: 96_000,
            queued_max: 96_000,
            ..Holdings::default()
        };
        assert!(full.lacks_signals());
        let own = Holdings {
            keeps_signals: true,
            ..full
        };
        assert!(!own.lacks_signals());
        let half = Holdings {
            queued: 48_000,
            ..full
        };
        assert!(!half.lacks_signals());
    }

    fn tasks(now: u64, last_id: u64) -> Tasks {
        Tasks { now, last_id }
    }

    #[test]
    fn tasks_that_began_and_ended_between_two_looks_are_told_by_their_numbers() {
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
    fn who_has_had_the_time_to_start_all_of_them_itself_is_not_excused_by_them() {
        let after = |tasks: Tasks, cpu_us: u64| {
            let mut peak = TasksPeak::since(self::tasks(300, 5000));
            peak.add(self::tasks(305, 5010), 1_000_000);
            peak.begin();
            peak.add(tasks, 1_000_000 + cpu_us);
            peak.can_have_reached(4000, || tasks.now - 100)
        };
        // 39 ms for 3,900 threads, one after another; an honest bot that gets no threads takes 2.
        assert!(!after(tasks(305, 8910), 39_000));
        assert!(after(tasks(305, 8910), 2_000));
        assert!(!after(tasks(305, 4200), 39_000), "the numbers began again");
        assert!(after(tasks(305, 4200), 2_000), "the numbers began again");
        assert!(after(tasks(3900, 8910), 39_000), "these have not ended");
    }

    #[test]
    fn on_a_machine_full_of_others_tasks_the_users_own_decide() {
        let mut peak = TasksPeak::since(tasks(30_000, 5000));
        peak.add(tasks(30_010, 5020), 0);
        assert!(!peak.can_have_reached(4000, || 100));
        assert!(peak.can_have_reached(4000, || 3800));
    }
}
