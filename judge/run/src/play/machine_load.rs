//! Decides whether the machine was too busy to blame a bot for its silence.
//!
//! Only the effect of others counts: the CPU time of the bot's own threads and of the judge is
//! subtracted from its waits and from the delay of the judge's wake-ups.
//!
//! The kernel adds a wait when it is over. A thread that is runnable at two checks and has not run
//! in between has waited all that time.

use super::machine::Threads;
use std::time::Duration;

/// The machine is overloaded if it withheld at least one part in this many.
const PARTS: u32 = 10;

/// Delay that timers may have on any machine.
const LATE_MIN: Duration = Duration::from_millis(1);

#[derive(Default)]
pub(super) struct Interval {
    pub(super) length: Duration,
    /// CPU time of the bot, all threads together.
    pub(super) cpu: Duration,
    /// CPU time of the judge's thread that waits for it.
    pub(super) judge: Duration,
    /// The longest wait of any thread: a thousand waiting threads are no excuse for silence.
    pub(super) waited: Duration,
    /// The part of `waited` that neither the bot's other threads nor the judge can have caused.
    pub(super) crowded: Duration,
    pub(super) late: Duration,
}

impl Interval {
    /// A thread that is missing in an incomplete first list may be old. A wait that is not over is
    /// added to `after`, so that it does not count again when the kernel reports it.
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
            // On another CPU it may be running, and the kernel has not yet recorded for how long.
            let crowded = waited.saturating_sub(self.cpu.saturating_sub(ran) + self.judge);
            self.waited = self.waited.max(waited);
            self.crowded = self.crowded.max(crowded);
            if let Some(then) = then {
                now.waited = now.waited.max(then.waited + crowded);
            }
        }
    }
}

#[derive(Default)]
pub(super) struct MachineLoad {
    observed: Duration,
    crowded: Duration,
    late: Duration,
    stolen_before: Option<Duration>,
}

impl MachineLoad {
    /// `stolen`: the time that others on the same hardware had already taken, if known.
    pub(super) fn since(stolen: Option<Duration>) -> Self {
        Self {
            stolen_before: stolen,
            ..Self::default()
        }
    }

    /// `stolen` is the same at its end, and called only if the earlier value is unknown.
    pub(super) fn add(&mut self, interval: &Interval, stolen: impl FnOnce() -> Duration) {
        self.stolen_before.get_or_insert_with(stolen);
        self.observed += interval.length;
        self.crowded += interval.crowded;
        if interval.late >= LATE_MIN {
            self.late += interval.late.saturating_sub(interval.cpu + interval.judge);
        }
    }

    /// Returns whether a tenth or more of the time is one of: the wait of a thread for a CPU that
    /// others had; the delay of wake-ups beyond the CPU time of both; the time of other guests.
    pub(super) fn is_overload(&self, stolen: Duration) -> bool {
        let stolen = stolen.saturating_sub(self.stolen_before.unwrap_or(stolen));
        let most = self.crowded.max(self.late).max(stolen);
        !most.is_zero() && most * PARTS >= self.observed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::machine::ThreadTimes;

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

    /// Returns the times of a thread that is runnable now.
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

    /// Returns a second in which a bot used this CPU time and its threads had these times.
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

    fn overload(interval: &Interval, stolen_ms: u64) -> bool {
        let mut load = MachineLoad::default();
        load.add(interval, || ms(5000));
        load.is_overload(ms(5000 + stolen_ms))
    }

    #[test]
    fn tenth_of_time_is_overload_from_any_source() {
        let shared = |waited_ms| second(500, 0, &[thread(1, 500, waited_ms)]);
        let slightly_late = Interval {
            length: ms(2),
            late: Duration::from_micros(900),
            ..Interval::default()
        };
        for (what, interval, stolen_ms, is_overload) in [
            ("idle", second(0, 0, &[thread(1, 0, 0)]), 0, false),
            ("busy", second(900, 0, &[thread(1, 900, 50)]), 0, false),
            ("nothing was observed", Interval::default(), 0, false),
            ("the judge came late", second(0, 100, &[]), 0, true),
            ("the judge came late", second(0, 99, &[]), 0, false),
            ("a hypervisor took it", second(0, 0, &[]), 100, true),
            ("a hypervisor took it", second(0, 0, &[]), 99, false),
            ("other programs", shared(100), 0, true),
            ("other programs", shared(99), 0, false),
            ("any timer is a little late", slightly_late, 0, false),
        ] {
            assert_eq!(overload(&interval, stolen_ms), is_overload, "{what}");
        }
    }

    #[test]
    fn threads_waiting_for_each_other_are_no_overload() {
        let crowd: Vec<ThreadTimes> = (0..10).map(|id| thread(id, 100, 900)).collect();
        let interval = second(1000, 0, &crowd);
        assert_eq!(interval.waited, ms(900));
        assert!(!overload(&interval, 0));
        let holds = !overload(&second(1000, 900, &crowd), 0);
        assert!(holds, "nor if they delay the judge");
        let crowd: Vec<ThreadTimes> = (0..10).map(|id| thread(id, 50, 950)).collect();
        let holds = overload(&second(500, 0, &crowd), 0);
        assert!(holds, "others had half of it");
    }

    #[test]
    fn the_judges_own_work_is_no_overload() {
        let waits = [thread(1, 0, 200)];
        let mut interval = Interval {
            judge: ms(200),
            late: ms(200),
            ..second(0, 0, &[])
        };
        interval.add_threads(&all(&[]), &mut all(&waits));
        assert_eq!((interval.waited, interval.crowded), (ms(200), ms(0)));
        assert!(!overload(&interval, 0));
        assert!(overload(&second(0, 0, &waits), 0), "others had it");
    }

    #[test]
    fn only_thread_times_since_last_check_count() {
        let mut interval = second(10, 0, &[]);
        interval.add_threads(
            &all(&[thread(1, 5000, 800), thread(2, 0, 0)]),
            &mut all(&[thread(1, 5010, 830), thread(3, 0, 5)]),
        );
        assert_eq!((interval.waited, interval.crowded), (ms(30), ms(30)));
    }

    #[test]
    fn unlisted_thread_is_not_counted_as_new() {
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

    /// Measures a second in which the bot used this CPU time, between two listings. Returns the
    /// wait of a thread, the part of it that others caused, and its account afterwards.
    fn from_to(cpu_ms: u64, before: &Threads, mut after: Threads) -> [Duration; 3] {
        let mut interval = second(cpu_ms, 0, &[]);
        interval.add_threads(before, &mut after);
        [interval.waited, interval.crowded, after.times[0].waited]
    }

    #[test]
    fn runnable_thread_that_never_ran_waited_all_along() {
        let counted = from_to(0, &runnable(5, 40), runnable(5, 40));
        assert_eq!(counted, [SECOND, SECOND, ms(1040)]);
        let asleep = all(&[thread(1, 5, 40)]);
        let awake = runnable(5, 40);
        for (before, after) in [(&asleep, &awake), (&awake, &asleep), (&asleep, &asleep)] {
            let counted = from_to(0, before, after.clone());
            assert_eq!(counted, [ms(0), ms(0), ms(40)], "it may have slept");
        }
        let ran = from_to(1, &runnable(5, 40), runnable(6, 50));
        assert_eq!(ran, [ms(10), ms(10), ms(50)], "the kernel tells");
    }

    #[test]
    fn wait_counts_once_when_kernel_reports_at_end() {
        let mut before = runnable(5, 40);
        let mut counted = Duration::ZERO;
        // It waits for two and a half seconds, and then runs.
        for mut after in [runnable(5, 40), runnable(5, 40), runnable(505, 2540)] {
            let mut interval = second(0, 0, &[]);
            interval.add_threads(&before, &mut after);
            counted += interval.waited;
            before = after;
        }
        assert_eq!(counted, ms(2500));
    }

    #[test]
    fn thread_on_another_cpu_is_not_starved() {
        // The kernel records its running time at ticks only; its CPU clock is exact.
        let counted = from_to(1000, &runnable(5, 40), runnable(5, 40));
        assert_eq!(counted, [SECOND, ms(0), ms(40)]);
    }
}
