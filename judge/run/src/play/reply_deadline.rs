//! Decides how long the judge waits for an answer, by CPU time and silence. Pure.

use super::machine::Threads;
use super::machine_load::{Interval, MachineLoad};
use referee::table::player::Allowance;
use rulebook::Result;
use std::time::Duration;

const SAMPLE_INTERVAL_MIN: Duration = Duration::from_micros(200);

/// Readings per wall time limit: a wait for a CPU shows only in the difference of two.
const SAMPLES_MIN: u32 = 10;

pub(super) trait Gauges {
    /// Returns the bot's CPU time since it was last charged.
    fn cpu(&self) -> Result<Duration>;

    /// Returns the CPU time of the judge's thread that waits for it, since that began.
    fn judge_cpu(&self) -> Result<Duration>;

    fn threads(&self) -> Threads;

    /// Returns how long others on the same hardware have kept the machine from working.
    fn stolen(&self) -> Duration;
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Exhausted {
    /// The CPU time that was allowed has been used.
    Cpu,
    /// The bot neither computed nor waited for a CPU for as long as allowed.
    Silence,
    /// With this wait it has been silent for as long as is allowed in the whole game.
    Idle,
}

/// Silence that does not count against the game's allowance, so that quick answers need no clock.
const IDLE_FREE: Duration = Duration::from_millis(20);

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Waited {
    /// Silence that counts against the game's allowance.
    pub(super) idle: Duration,
    pub(super) overloaded: bool,
}

/// Clocks are read only when the time could have run out, so a quick answer costs nothing here.
pub(super) struct ReplyDeadline {
    allowance: Allowance,
    cpus: u32,
    last: Measurement,
    idle: Duration,
    counted: Duration,
    sample_at: Duration,
    wake_at: Duration,
    late: Duration,
    load: MachineLoad,
}

#[derive(Default)]
struct Measurement {
    at: Duration,
    cpu: Duration,
    judge: Option<Duration>,
    threads: Option<Threads>,
    /// Time that a hypervisor had taken by then; measured where the game limits silence.
    stolen: Duration,
}

impl ReplyDeadline {
    /// The bot has used `cpu` since the last charge; a hypervisor had taken `stolen`, if known.
    pub(super) fn new(
        allowance: Allowance,
        cpus: u32,
        cpu: Duration,
        stolen: Option<Duration>,
    ) -> Self {
        let mut deadline = Self {
            allowance,
            cpus,
            last: Measurement {
                cpu,
                ..Measurement::default()
            },
            idle: Duration::ZERO,
            counted: Duration::ZERO,
            sample_at: Duration::ZERO,
            // Only a process that takes the judge's CPU can keep it from continuing at once.
            wake_at: Duration::ZERO,
            late: Duration::ZERO,
            load: MachineLoad::since(stolen),
        };
        deadline.sample_at = deadline.next_sample();
        deadline
    }

    /// Returns how long to wait before the next call; `elapsed` is the time since the question.
    pub(super) fn left(
        &mut self,
        elapsed: Duration,
        gauges: &impl Gauges,
    ) -> Result<Result<Duration, Exhausted>> {
        self.wake(elapsed);
        if self.last.judge.is_none() {
            self.last.judge = Some(gauges.judge_cpu()?);
        }
        if elapsed >= self.sample_at || self.silence(elapsed) >= self.allowance.wall {
            self.sample(elapsed, gauges)?;
            let limit = self.allowance.cpu_us.map(Duration::from_micros);
            if limit.is_some_and(|limit| self.last.cpu >= limit) {
                return Ok(Err(Exhausted::Cpu));
            }
            if self.idle_left().is_some_and(|left| left.is_zero()) && elapsed > IDLE_FREE {
                return Ok(Err(Exhausted::Idle));
            }
        }
        let left = self
            .allowance
            .wall
            .saturating_sub(self.silence(elapsed))
            .min(self.sample_at.saturating_sub(elapsed));
        if left.is_zero() {
            return Ok(Err(Exhausted::Silence));
        }
        self.wake_at = elapsed + left;
        Ok(Ok(left))
    }

    pub(super) fn wake_within(&mut self, elapsed: Duration, left: Duration) {
        self.wake_at = self.wake_at.min(elapsed + left);
    }

    /// Measures a last time: the answer may have arrived with a late wake-up.
    pub(super) fn waited(&mut self, elapsed: Duration, gauges: &impl Gauges) -> Result<Waited> {
        let is_idle_limited = self.allowance.idle.is_some() && elapsed > IDLE_FREE;
        if elapsed < self.allowance.wall && !is_idle_limited {
            return Ok(Waited::default());
        }
        self.wake(elapsed);
        self.sample(elapsed, gauges)?;
        Ok(Waited {
            idle: self.counted,
            overloaded: self.load.is_overload(gauges.stolen()),
        })
    }

    fn idle_left(&self) -> Option<Duration> {
        let allowed = self.allowance.idle;
        allowed.map(|allowed| allowed.saturating_sub(self.counted))
    }

    /// Adds the delay of a wake-up, once for each time that the judge asked to be woken.
    fn wake(&mut self, elapsed: Duration) {
        self.late += elapsed.saturating_sub(self.wake_at);
        self.wake_at = self.wake_at.max(elapsed);
    }

    fn silence(&self, elapsed: Duration) -> Duration {
        self.idle + elapsed.saturating_sub(self.last.at)
    }

    /// No interval counts as more activity than its own length: CPU time of many threads does not
    /// offset silence at another time.
    fn sample(&mut self, elapsed: Duration, gauges: &impl Gauges) -> Result {
        let mut now = Measurement {
            at: elapsed,
            cpu: gauges.cpu()?,
            // Read before the threads, so that listing them counts with the wait that it causes.
            judge: Some(gauges.judge_cpu()?),
            threads: Some(gauges.threads()),
            stolen: match self.allowance.idle {
                Some(_) => gauges.stolen(),
                None => Duration::ZERO,
            },
        };
        let mut interval = Interval {
            length: elapsed.saturating_sub(self.last.at),
            cpu: now.cpu.saturating_sub(self.last.cpu),
            late: std::mem::take(&mut self.late),
            ..Interval::default()
        };
        if let (Some(before), Some(after)) = (self.last.judge, now.judge) {
            interval.judge = after.saturating_sub(before);
        }
        // The bot's wait before the first measurement is unknown, and not credited.
        if let (Some(before), Some(after)) = (&self.last.threads, &mut now.threads) {
            interval.add_threads(before, after);
        }
        // Without a limit on CPU time, wall time is the only limit.
        self.idle += match self.allowance.cpu_us {
            Some(_) => interval
                .length
                .saturating_sub(interval.cpu + interval.waited),
            None => interval.length,
        };
        // Before the first sample it is not known what the machine withheld.
        if self.allowance.idle.is_some() && self.last.threads.is_some() {
            let stolen = now.stolen.saturating_sub(self.last.stolen);
            let excused = interval.cpu + interval.waited + interval.late + stolen;
            self.counted += interval.length.saturating_sub(excused);
        }
        self.load.add(&interval, || gauges.stolen());
        self.last = now;
        self.sample_at = elapsed + self.next_sample();
        Ok(())
    }

    fn next_sample(&self) -> Duration {
        let regular = self.allowance.wall / SAMPLES_MIN;
        let to_limit = self.allowance.cpu_us.map_or(Duration::MAX, |us| {
            Duration::from_micros(us).saturating_sub(self.last.cpu) / self.cpus
        });
        let to_idle = match self.idle_left() {
            None => Duration::MAX,
            Some(_) if self.last.threads.is_none() => IDLE_FREE,
            Some(left) => left,
        };
        to_limit.min(regular).min(to_idle).max(SAMPLE_INTERVAL_MIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::machine::ThreadTimes;
    use std::cell::Cell;

    /// A machine that gives these percentages of the time to the bot, to its wait for a CPU, and to
    /// a hypervisor.
    #[derive(Default)]
    struct FakeMachine {
        now: Cell<Duration>,
        ran: u32,
        waited: u32,
        stolen: u32,
        /// The percentage that the judge itself uses.
        judge: u32,
        /// Whether the bot was always runnable, but the kernel does not yet report its wait.
        starved: bool,
    }

    impl FakeMachine {
        fn part(&self, percent: u32) -> Duration {
            self.now.get() * percent / 100
        }
    }

    impl Gauges for FakeMachine {
        fn cpu(&self) -> Result<Duration> {
            Ok(self.part(self.ran))
        }

        fn judge_cpu(&self) -> Result<Duration> {
            Ok(self.part(self.judge))
        }

        fn threads(&self) -> Threads {
            let times = vec![ThreadTimes {
                id: 1,
                ran: self.part(self.ran),
                waited: self.part(self.waited),
                runnable: self.starved,
            }];
            Threads {
                times,
                are_all: true,
            }
        }

        fn stolen(&self) -> Duration {
            self.part(self.stolen)
        }
    }

    const SECONDS: fn(u64) -> Duration = Duration::from_secs;
    const NONE: Duration = Duration::ZERO;
    const MINUTE: Option<u64> = Some(60_000_000);

    fn deadline(
        cpu_us: Option<u64>,
        idle: Option<Duration>,
        stolen: Option<Duration>,
    ) -> ReplyDeadline {
        let allowance = Allowance {
            cpu_us,
            wall: SECONDS(10),
            idle,
        };
        ReplyDeadline::new(allowance, 1, NONE, stolen)
    }

    /// Waits until the wait ends or the answer comes; each wake-up is late by `late`.
    fn wait(
        machine: &FakeMachine,
        mut deadline: ReplyDeadline,
        (answer, late): (Duration, Duration),
    ) -> (Option<Exhausted>, Waited) {
        let mut ended = None;
        while ended.is_none() && machine.now.get() < answer {
            let now = machine.now.get();
            match deadline.left(now, machine).expect("the clocks are read") {
                Ok(left) => machine.now.set((now + left + late).min(answer)),
                Err(exhausted) => ended = Some(exhausted),
            }
        }
        let waited = deadline.waited(machine.now.get(), machine);
        (ended, waited.expect("the clocks are read"))
    }

    fn machine([ran, waited, stolen, judge]: [u32; 4]) -> FakeMachine {
        FakeMachine {
            ran,
            waited,
            stolen,
            judge,
            ..FakeMachine::default()
        }
    }

    #[test]
    fn wait_ends_by_what_the_bot_does() {
        use Exhausted::{Cpu, Silence};
        let ms = Duration::from_millis;
        let (any, exactly) = (NONE..=Duration::MAX, |at| SECONDS(at)..=SECONDS(at));
        let longer = SECONDS(19) + Duration::from_nanos(1)..=Duration::MAX;
        // (time of bot, its wait, hypervisor, judge; limit on CPU time; lateness of wake-ups; when
        // it ends, how, overload)
        let rows = [
            ([0; 4], MINUTE, NONE, exactly(10), Silence, false),
            ([100, 0, 0, 0], MINUTE, NONE, exactly(60), Cpu, false),
            // Without a limit on CPU time, wall time is limited.
            ([100, 0, 0, 0], None, NONE, exactly(10), Silence, false),
            // Half of the time is silence.
            ([10, 40, 0, 0], MINUTE, NONE, longer, Silence, true),
            ([0, 40, 0, 0], None, NONE, exactly(10), Silence, true),
            // The bot waits for the judge's own checks, which also make wake-ups late.
            ([0, 20, 0, 20], MINUTE, NONE, any.clone(), Silence, false),
            ([0, 20, 0, 20], None, ms(200), any.clone(), Silence, false),
            ([0, 40, 0, 20], MINUTE, NONE, any.clone(), Silence, true),
            ([0, 0, 20, 0], MINUTE, NONE, any.clone(), Silence, true),
            // A single wake-up, an hour late.
            ([0; 4], MINUTE, SECONDS(3600), any, Silence, true),
        ];
        for (row, (parts, cpu_us, late, expected, how, is_overload)) in rows.into_iter().enumerate()
        {
            let machine = machine(parts);
            let deadline = deadline(cpu_us, None, None);
            let ended = wait(&machine, deadline, (Duration::MAX, late));
            let at = machine.now.get();
            assert!(expected.contains(&at), "row {row}: {at:?}");
            let found = (ended.0, ended.1.overloaded);
            assert_eq!(found, (Some(how), is_overload), "row {row}");
        }
    }

    #[test]
    fn starved_bot_is_not_silent_but_machine_overloaded() {
        // With a limit on CPU time, such a wait is not silence.
        for (cpu_us, until, how) in [
            (None, SECONDS(10), Some(Exhausted::Silence)),
            (MINUTE, SECONDS(3600), None),
        ] {
            let machine = FakeMachine {
                starved: true,
                ..FakeMachine::default()
            };
            let deadline = deadline(cpu_us, None, None);
            let (ended, waited) = wait(&machine, deadline, (SECONDS(3600), NONE));
            assert_eq!((machine.now.get(), ended), (until, how));
            assert!(waited.overloaded);
        }
    }

    /// Waits with 5 s of silence left in the game.
    fn idle(parts: [u32; 4], answer: Duration, late: Duration) -> (Option<Exhausted>, Waited) {
        let deadline = deadline(Some(600_000_000), Some(SECONDS(5)), None);
        wait(&machine(parts), deadline, (answer, late))
    }

    #[test]
    fn silence_counts_after_grace_and_ends_wait() {
        let busy = [100, 0, 0, 0];
        for (parts, answer, how, counted) in [
            ([0; 4], IDLE_FREE, None, NONE),
            ([0; 4], SECONDS(3), None, Duration::from_millis(2980)),
            ([0; 4], SECONDS(3600), Some(Exhausted::Idle), SECONDS(5)),
            (busy, SECONDS(60), None, NONE),
        ] {
            let counted = Waited {
                idle: counted,
                overloaded: false,
            };
            assert_eq!(idle(parts, answer, NONE), (how, counted), "{answer:?}");
        }
    }

    #[test]
    fn time_withheld_by_machine_is_not_silence() {
        let (late, ms) = (Duration::from_millis(200), Duration::from_millis(1));
        // Crowded, robbed, woken late.
        for (parts, answer, late, less_than) in [
            ([20, 80, 0, 0], SECONDS(60), NONE, Duration::from_nanos(1)),
            ([20, 0, 80, 0], SECONDS(10), NONE, ms),
            ([0; 4], SECONDS(4), late, SECONDS(4).saturating_sub(late)),
        ] {
            let (ended, waited) = idle(parts, answer, late);
            assert_eq!(ended, None);
            assert!(waited.idle < less_than, "{waited:?}");
        }
    }

    #[test]
    fn answer_with_late_wakeup_is_marked_overloaded() {
        let late = SECONDS(20);
        for (parts, samples, late, is_overload, why) in [
            ([0; 4], 3, late, true, "it is late"),
            ([0; 4], 0, late, true, "before the first sample"),
            ([0; 4], 10, NONE, false, "it is in time"),
            ([100, 0, 0, 0], 0, late, false, "the bot itself kept us"),
            ([80, 0, 20, 0], 0, late, true, "a hypervisor kept us"),
        ] {
            let machine = machine(parts);
            let mut deadline = deadline(None, None, Some(machine.stolen()));
            for _ in 0..samples {
                let now = machine.now.get();
                let left = deadline.left(now, &machine).expect("the clocks are read");
                machine.now.set(now + left.expect("there is time"));
            }
            machine.now.set(machine.now.get() + late);
            let waited = deadline.waited(machine.now.get(), &machine);
            let waited = waited.expect("the clocks are read");
            assert_eq!(waited.overloaded, is_overload, "{why}");
        }
    }
}
