//! Whether the machine was too busy for a bot's silence to be held against it.
//!
//! Only what others did counts. A bot has its CPU to itself but for the judge, so whatever its
//! own threads used, they took from each other: their CPU time is taken off what any of them
//! waited, and off how late the judge was woken. Nothing that a bot does can be counted twice,
//! or as somebody else's doing.
//!
//! The kernel adds a wait to a thread's account when the wait is over. So a thread that could run
//! at one look and at the next, and has not run in between, has waited all that time: whoever
//! never gets the CPU is not taken for silent.

use super::machine::Threads;
use std::time::Duration;

/// The machine is overloaded when it withheld at least one part in so many.
const PARTS: u32 = 10;

/// Timers are allowed to come this late on any machine.
const LATE_MIN: Duration = Duration::from_millis(1);

/// What happened from one look at the clocks to the next.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Interval {
    /// How long it was.
    pub(super) length: Duration,
    /// CPU time of the bot, all threads together.
    pub(super) cpu: Duration,
    /// How long a thread of the bot waited for a CPU, the longest of them, so that a thousand
    /// waiting threads are no excuse for silence.
    pub(super) waited: Duration,
    /// The part of such waiting that the bot's other threads cannot have caused.
    pub(super) crowded: Duration,
    /// How much later than it asked for the judge was woken.
    pub(super) late: Duration,
}

impl Interval {
    /// Adds what the threads went through from one listing to the next. One that is not in the
    /// first is new only if that was complete; what another has waited, it may have waited long
    /// ago. A wait that is not over is added to `after`, so that it does not count again when the
    /// kernel tells of it.
    pub(super) fn add_threads(&mut self, before: &Threads, after: &mut Threads) {
        for now in &mut after.times {
            let then = before.times.iter().find(|thread| thread.id == now.id);
            let (ran, waited) = match then {
                Some(then) if then.runnable && now.runnable && then.ran == now.ran => {
                    (Duration::ZERO, self.length)
                }
                Some(then) => (
                    now.ran.saturating_sub(then.ran),
                    now.waited.saturating_sub(then.waited),
                ),
                None if before.are_all => (now.ran, now.waited),
                None => continue,
            };
            let waited = waited.min(self.length);
            // On another CPU it may be running, and the kernel has not yet noted for how long.
            let crowded = waited.saturating_sub(self.cpu.saturating_sub(ran));
            self.waited = self.waited.max(waited);
            self.crowded = self.crowded.max(crowded);
            if let Some(then) = then {
                now.waited = now.waited.max(then.waited + crowded);
            }
        }
    }
}

/// What the machine withheld during a wait.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MachineLoad {
    observed: Duration,
    crowded: Duration,
    late: Duration,
    stolen_before: Option<Duration>,
}

impl MachineLoad {
    /// Begins; `stolen` is what others on the same hardware had taken before, if that is known.
    pub(super) fn since(stolen: Option<Duration>) -> Self {
        Self {
            stolen_before: stolen,
            ..Self::default()
        }
    }

    /// Adds an interval; `stolen` gives what others on the same hardware had taken at its end,
    /// and is asked where nothing is known from before.
    pub(super) fn add(&mut self, interval: &Interval, stolen: impl FnOnce() -> Duration) {
        self.stolen_before.get_or_insert_with(stolen);
        self.observed += interval.length;
        self.crowded += interval.crowded;
        if interval.late >= LATE_MIN {
            self.late += interval.late.saturating_sub(interval.cpu);
        }
    }

    /// Returns whether one of these makes up a tenth or more of the time observed: the wait of a
    /// thread of the bot for a CPU that others had; the delay of the judge's own wake-ups beyond
    /// what the bot used; the time that a hypervisor gave to others. `stolen` is what it
    /// has given them by now.
    pub(super) fn is_overload(&self, stolen: Duration) -> bool {
        let stolen = stolen.saturating_sub(self.stolen_before.unwrap_or(stolen));
        let most = self.crowded.max(self.late).max(stolen);
        !most.is_zero() && most * PARTS >= self.observed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::ThreadTimes;

    const SECOND: Duration = Duration::from_secs(1);

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn thread(id: u32, ran_ms: u64, waited_ms: u64) -> ThreadTimes {
        ThreadTimes {
            id,
            ran: ms(ran_ms),
            waited: ms(waited_ms),
            runnable: false,
        }
    }

    /// One that could run at the moment.
    fn runnable(ran_ms: u64, waited_ms: u64) -> Threads {
        all(&[ThreadTimes {
            runnable: true,
            ..thread(1, ran_ms, waited_ms)
        }])
    }

    fn all(times: &[ThreadTimes]) -> Threads {
        Threads {
            times: times.to_vec(),
            are_all: true,
        }
    }

    /// A second in which a bot used so much CPU time and its threads went through this.
    fn second(cpu_ms: u64, late_ms: u64, threads: &[ThreadTimes]) -> Interval {
        let mut interval = Interval {
            length: SECOND,
            cpu: ms(cpu_ms),
            late: ms(late_ms),
            ..Interval::default()
        };
        interval.add_threads(&all(&[]), &mut all(threads));
        interval
    }

    fn overload(interval: Interval, stolen_ms: u64) -> bool {
        let mut load = MachineLoad::default();
        load.add(&interval, || ms(5000));
        load.is_overload(ms(5000 + stolen_ms))
    }

    #[test]
    fn an_idle_machine_is_not_overloaded() {
        assert!(!overload(second(0, 0, &[thread(1, 0, 0)]), 0));
        assert!(!overload(second(900, 0, &[thread(1, 900, 50)]), 0));
        assert!(!overload(Interval::default(), 0), "nothing was observed");
    }

    #[test]
    fn a_tenth_of_the_time_is_an_overload_whoever_took_it() {
        assert!(overload(second(0, 100, &[]), 0), "the judge came late");
        assert!(!overload(second(0, 99, &[]), 0));
        assert!(overload(second(0, 0, &[]), 100), "a hypervisor took it");
        assert!(!overload(second(0, 0, &[]), 99));
        let shared = thread(1, 500, 100);
        assert!(overload(second(500, 0, &[shared]), 0), "other programs");
        let shared = thread(1, 500, 99);
        assert!(!overload(second(500, 0, &[shared]), 0));
    }

    #[test]
    fn threads_that_wait_for_each_other_are_no_overload() {
        let crowd: Vec<ThreadTimes> = (0..10).map(|id| thread(id, 100, 900)).collect();
        let interval = second(1000, 0, &crowd);
        assert_eq!(interval.waited, ms(900));
        assert!(!overload(interval, 0));
        assert!(
            !overload(second(1000, 900, &crowd), 0),
            "nor if they delay the judge"
        );
        let crowd: Vec<ThreadTimes> = (0..10).map(|id| thread(id, 50, 950)).collect();
        assert!(overload(second(500, 0, &crowd), 0), "others had half of it");
    }

    #[test]
    fn only_what_came_to_a_thread_since_the_last_look_counts() {
        let mut interval = second(10, 0, &[]);
        interval.add_threads(
            &all(&[thread(1, 5000, 800), thread(2, 0, 0)]),
            &mut all(&[thread(1, 5010, 830), thread(3, 0, 5)]),
        );
        assert_eq!((interval.waited, interval.crowded), (ms(30), ms(30)));
    }

    #[test]
    fn a_thread_that_was_not_listed_is_not_taken_for_a_new_one() {
        let (before, mut after) = (all(&[thread(1, 0, 0)]), all(&[thread(2, 100, 900)]));
        let some = Threads {
            are_all: false,
            ..before.clone()
        };
        let mut interval = second(0, 0, &[]);
        interval.add_threads(&some, &mut after);
        assert_eq!((interval.waited, interval.crowded), (ms(0), ms(0)));
        interval.add_threads(&before, &mut after);
        assert_eq!(interval.waited, ms(900));
        interval.add_threads(&before, &mut all(&[thread(2, 100, 9000)]));
        assert_eq!(interval.waited, SECOND, "longer than the interval");
    }

    /// A second in which the bot used so much CPU time, from one listing to another; returns the
    /// wait of a thread, the part of it that others caused, and its account after that.
    fn from_to(cpu_ms: u64, before: &Threads, mut after: Threads) -> [Duration; 3] {
        let mut interval = second(cpu_ms, 0, &[]);
        interval.add_threads(before, &mut after);
        [interval.waited, interval.crowded, after.times[0].waited]
    }

    #[test]
    fn who_could_run_all_along_and_never_did_has_waited_all_along() {
        let counted = from_to(0, &runnable(5, 40), runnable(5, 40));
        assert_eq!(counted, [SECOND, SECOND, ms(1040)]);
        let asleep = all(&[thread(1, 5, 40)]);
        for (before, after) in [
            (&asleep, &runnable(5, 40)),
            (&runnable(5, 40), &asleep),
            (&asleep, &asleep),
        ] {
            let counted = from_to(0, before, after.clone());
            assert_eq!(counted, [ms(0), ms(0), ms(40)], "it may have slept");
        }
        let ran = from_to(1, &runnable(5, 40), runnable(6, 50));
        assert_eq!(ran, [ms(10), ms(10), ms(50)], "the kernel tells");
    }

    #[test]
    fn a_wait_counts_once_though_the_kernel_tells_of_it_at_its_end() {
        let mut before = runnable(5, 40);
        let mut counted = Duration::ZERO;
        // It waits for two seconds and a half, and then runs.
        for mut after in [runnable(5, 40), runnable(5, 40), runnable(505, 2540)] {
            let mut interval = second(0, 0, &[]);
            interval.add_threads(&before, &mut after);
            counted += interval.waited;
            before = after;
        }
        assert_eq!(counted, ms(2500));
    }

    #[test]
    fn who_runs_on_another_cpu_is_not_taken_for_starved() {
        // What it has run is noted by the kernel's ticks only; its CPU clock is exact.
        let counted = from_to(1000, &runnable(5, 40), runnable(5, 40));
        assert_eq!(counted, [SECOND, ms(0), ms(40)]);
    }

    #[test]
    fn a_timer_that_comes_a_moment_late_is_no_overload() {
        let interval = Interval {
            length: ms(2),
            late: Duration::from_micros(900),
            ..Interval::default()
        };
        assert!(!overload(interval, 0));
    }
}
