//! Faults in words for people: what happened before how much, and what to do about it. All commands
//! use these words. Records have shorter ones for programs, in [`Fault::detail`].

use crate::advice;
use crate::clock::ClockMode;
use crate::fault::{Cause, Fault, Phase};
use crate::numbers::time;
use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;
use engines::{Advice, Lifetime};

/// What happened, and a question to the author about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// What happened.
    pub what: String,
    /// What the author may have to look for; empty if nothing is suspected.
    pub asks: &'static str,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let between = if self.asks.is_empty() { "" } else { ": " };
        write!(f, "{}{between}{}", self.what, self.asks)
    }
}

impl From<String> for Verdict {
    fn from(what: String) -> Self {
        Self { what, asks: "" }
    }
}

/// The least time, in µs, that a bot seldom uses to the end unless it loops for ever.
const LOOP_US_MIN: u64 = 1_000_000;

/// The part of a wait in which a bot computes that only waits.
const IDLE_PART: u64 = 20;

/// The question after a silence to those who write their own output.
const WAITS: &str = "does it wait for input, or is its answer still in a buffer?";

impl Fault {
    /// Says what happened, by a clock that counts this time. `said` is the error on the bot's standard
    /// error, if it died.
    pub fn verdict(&self, mode: ClockMode, said: Option<&str>) -> Verdict {
        let detail = &self.detail;
        if self.was_not_started() {
            return detail.to_owned().into();
        }
        let what = match self.cause {
            Cause::Time => return self.out_of_time(mode),
            Cause::Silence => return self.silent(),
            Cause::Closed => return detail.to_owned().into(),
            Cause::Flood => return format!("prints {detail}").into(),
            Cause::Malformed => match &self.raised {
                Some(exception) => return format!("raises {exception}").into(),
                None => "gives an unreadable answer",
            },
            _ if self.was_refused_memory(said) => "asks for more memory than it may have",
            Cause::Unasked => "prints something unasked",
            Cause::Idle => "waits too long",
            Cause::IllegalMove => "makes an illegal move",
            Cause::Crash => "crashes",
            Cause::Memory => "uses too much memory",
            Cause::Exit => "ends too early",
            Cause::Threads => "uses too much of what all bots share",
        };
        format!("{what}: {detail}").into()
    }

    /// Returns whether the bot was not started again. It has used no time then.
    fn was_not_started(&self) -> bool {
        self.phase == Phase::Hello && self.wall_us == 0
    }

    fn was_refused_memory(&self, said: Option<&str>) -> bool {
        let died = matches!(self.cause, Cause::Memory | Cause::Crash | Cause::Exit);
        died && said.is_some_and(advice::is_refused_memory)
    }

    /// The judge stops waiting when the time is over, so no answer has come.
    fn out_of_time(&self, mode: ClockMode) -> Verdict {
        let spent_us = mode.counted(self.cpu_us, self.wall_us);
        let computed = mode == ClockMode::Cpu || self.cpu_us >= self.wall_us / 2;
        Verdict {
            what: format!("gave no answer and used all of its {}", rounded(spent_us)),
            asks: match spent_us {
                LOOP_US_MIN.. if computed => "an endless loop?",
                LOOP_US_MIN.. => WAITS,
                _ => "",
            },
        }
    }

    fn silent(&self) -> Verdict {
        let waited = rounded(self.wall_us);
        let idle = if self.cpu_us < self.wall_us / IDLE_PART {
            " and did not compute"
        } else {
            ""
        };
        let what = match self.phase {
            Phase::Hello => format!("did not become ready in {waited}{idle}"),
            Phase::Start | Phase::Turn => format!("gave no answer in {waited}{idle}"),
        };
        let asks = match self.line {
            Some(_) => "does its line lack the newline?",
            None => WAITS,
        };
        Verdict { what, asks }
    }

    /// Returns advice, line by line. `kit` has the words of the kit that the program is built with, if
    /// any; `said` as in [`Fault::verdict`].
    pub fn remedy(
        &self,
        kit: Option<&Advice>,
        lifetime: Lifetime,
        said: Option<&str>,
    ) -> Vec<String> {
        let words = match self.cause {
            Cause::IllegalMove => return Vec::new(),
            _ if self.was_not_started() => return Vec::new(),
            _ if self.was_refused_memory(said) => {
                "ask for less at once: bots.memory_mib of the competition is the limit"
            }
            Cause::Unasked => "one line answers one question, and nothing comes before or after it",
            Cause::Malformed if self.raised.is_some() => "the turn is lost, and the game continues",
            Cause::Malformed | Cause::Flood => kit.map_or(asked_for(self.phase), |kit| kit.answer),
            Cause::Idle => {
                "it neither computed nor waited for a CPU in that time: remove sleeps and waits"
            }
            Cause::Silence if kit.is_some() => {
                "in that time it neither answered nor computed: does it sleep, or wait for input or a thread?"
            }
            Cause::Silence => {
                "the program is alive but idle: it answers never or too late, or its answer stays in its buffer"
            }
            Cause::Crash | Cause::Exit if kit.is_some() => lost(lifetime),
            Cause::Crash | Cause::Exit if self.phase == Phase::Hello => {
                "it ended before its first answer; look at its standard error"
            }
            Cause::Crash | Cause::Exit => "it must keep answering until its input ends",
            Cause::Memory => "keep less in memory at once",
            Cause::Threads => {
                "end or reuse threads, do not keep signals blocked, and start no timer that sends SIGCONT"
            }
            Cause::Closed => "leave standard output open until the input ends",
            Cause::Time => kit.map_or(
                "make it answer earlier: `clock` in every turn says how much time is left",
                |kit| kit.time,
            ),
        };
        let told = self.raised.as_deref().and_then(advice::on_output);
        let told = told.map(|told| told.to_string());
        told.into_iter().chain([words.to_owned()]).collect()
    }
}

/// Returns the effect on a student's game of the end of the program.
fn lost(lifetime: Lifetime) -> &'static str {
    match lifetime {
        Lifetime::Turn | Lifetime::Game => "the program has ended, so the game is lost",
        Lifetime::Match => "the program has ended, so all its remaining games are lost",
    }
}

fn asked_for(phase: Phase) -> &'static str {
    match phase {
        Phase::Hello | Phase::Start => "expected a line such as {\"ready\":{}}",
        Phase::Turn => {
            "expected a line such as {\"move\":…}, with a move as in PROTOCOL.md, which judge new writes"
        }
    }
}

/// Writes a time that was waited, without the little that the judge noticed its end later.
fn rounded(us: u64) -> String {
    let unit = 10_u64.pow(us.checked_ilog10().unwrap_or(0).saturating_sub(2));
    time((us + unit / 2) / unit * unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Exit;
    use engines::Seat;

    fn fault(cause: Cause, cpu_us: u64, wall_us: u64) -> Fault {
        Fault {
            seat: Seat::new(0),
            ply: 3,
            phase: Phase::Turn,
            cause,
            detail: "what the record says".to_owned(),
            raised: None,
            line: None,
            exit: None,
            went_short: false,
            cpu_us,
            wall_us,
        }
    }

    #[test]
    fn what_happened_comes_before_how_much() {
        const ASKS: &str = "does it wait for input, or is its answer still in a buffer?";
        let (cpu, wall) = (ClockMode::Cpu, ClockMode::Wall);
        for (cause, mode, cpu_us, wall_us, expected) in [
            (
                Cause::Time,
                cpu,
                10_300_014,
                10_400_000,
                "gave no answer and used all of its 10.30 s: an endless loop?".to_owned(),
            ),
            (
                Cause::Time,
                cpu,
                500_100,
                500_300,
                "gave no answer and used all of its 500.0 ms".to_owned(),
            ),
            (
                Cause::Time,
                wall,
                1_900_000,
                2_000_400,
                "gave no answer and used all of its 2.00 s: an endless loop?".to_owned(),
            ),
            (
                Cause::Time,
                wall,
                900,
                2_000_400,
                format!("gave no answer and used all of its 2.00 s: {ASKS}"),
            ),
            (
                Cause::Silence,
                cpu,
                900,
                3_000_700,
                format!("gave no answer in 3.00 s and did not compute: {ASKS}"),
            ),
            (
                Cause::Silence,
                cpu,
                1_900_000,
                5_000_700,
                format!("gave no answer in 5.00 s: {ASKS}"),
            ),
            (
                Cause::Exit,
                cpu,
                900,
                900,
                "ends too early: what the record says".to_owned(),
            ),
        ] {
            let verdict = fault(cause, cpu_us, wall_us).verdict(mode, None);
            assert_eq!(verdict.to_string(), expected);
        }
        let silence = fault(Cause::Silence, 900, 3_000_700);
        let unfinished = Fault {
            line: Some("{\"move\":3}".to_owned()),
            ..silence.clone()
        };
        let asks = unfinished.verdict(cpu, None).asks;
        assert_eq!(asks, "does its line lack the newline?");
        let unstarted = Fault {
            phase: Phase::Hello,
            wall_us: 0,
            ..silence
        };
        let told = unstarted.verdict(cpu, None).to_string();
        assert_eq!(told, "what the record says");
        assert!(unstarted.remedy(None, Lifetime::Game, None).is_empty());
    }

    #[test]
    fn one_allocation_beyond_the_limit_is_named() {
        let died = Fault {
            exit: Some(Exit::Code(1)),
            ..fault(Cause::Exit, 5, 5)
        };
        for (said, what) in [
            ("MemoryError", "asks for more memory than it may have: "),
            (
                "memory allocation of 8589934592 bytes failed",
                "asks for more memory than it may have: ",
            ),
            ("KeyError: 'memory'", "ends too early: "),
        ] {
            let verdict = died.verdict(ClockMode::Cpu, Some(said));
            assert!(verdict.what.starts_with(what), "{said}: {verdict}");
        }
    }
}
