//! Faults in words for people. Records have shorter ones for programs, in [`Fault::detail`].

use crate::advice;
use crate::fault::{ALL_USED, Cause, Fault, LOOP, Phase, quote};
use crate::numbers::time;
use alloc::borrow::ToOwned as _;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use engines::{Advice, Lifetime};

/// The part of a wait in which a bot computes that only waits.
const IDLE_PART: u64 = 20;

impl Fault {
    /// Says what happened, after the error that the bot has `said` on standard error if it died.
    pub fn verdict(&self, said: Option<&str>) -> String {
        let said_first = said.map_or_else(String::new, |said| quote(said) + "; ");
        said_first + &self.what(said)
    }

    fn what(&self, said: Option<&str>) -> String {
        let detail = &self.detail;
        if self.was_not_started() {
            return detail.to_owned();
        }
        let what = match self.cause {
            Cause::Time => return self.out_of_time(),
            Cause::Silence => return self.silent(),
            Cause::Closed => return detail.to_owned(),
            Cause::Flood => return format!("prints {detail}"),
            Cause::Malformed => match &self.raised {
                Some(exception) => return format!("raises {exception}"),
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
        format!("{what}: {detail}")
    }

    fn was_not_started(&self) -> bool {
        self.phase == Phase::Hello && self.wall_us == 0
    }

    fn was_refused_memory(&self, said: Option<&str>) -> bool {
        self.cause.is_death() && said.is_some_and(advice::is_refused_memory)
    }

    /// An answer may have come late. Only the words of the record tell a bot that loops.
    fn out_of_time(&self) -> String {
        let looped = self
            .detail
            .strip_suffix(LOOP)
            .and_then(|detail| detail.strip_prefix(ALL_USED)?.split_once(" of "));
        let Some((spent, _)) = looped else {
            return self.detail.clone();
        };
        let how = if self.was_idle() {
            " without computing"
        } else {
            ": an endless loop?"
        };
        format!("gave no answer and used all of its {spent}{how}")
    }

    fn silent(&self) -> String {
        let what = match self.phase {
            Phase::Hello => "did not become ready",
            Phase::Start | Phase::Turn => "gave no answer",
        };
        let idle = if self.was_idle() {
            " and did not compute"
        } else {
            ""
        };
        format!("{what} in {}{idle}", rounded(self.wall_us))
    }

    fn was_idle(&self) -> bool {
        self.cpu_us < self.wall_us / IDLE_PART
    }

    fn asks(&self, has_kit: bool) -> &'static str {
        match (self.was_idle(), has_kit) {
            _ if self.line.is_some() => "does its line lack the newline?",
            (true, true) => "does it sleep, or wait for input or a thread?",
            (true, false) => "does it wait for input, or is its answer still in a buffer?",
            (false, true) => "does it compute or wait too long?",
            (false, false) => {
                "does it compute or wait too long, or is its answer still in a buffer?"
            }
        }
    }

    /// Returns advice by lines; `kit` has the kit's words, and `said` is as in [`Fault::verdict`].
    pub fn remedy(
        &self,
        kit: Option<&Advice>,
        lifetime: Lifetime,
        said: Option<&str>,
        overloaded: bool,
    ) -> Vec<String> {
        let words = match self.cause {
            Cause::IllegalMove => return Vec::new(),
            _ if self.was_not_started() => return Vec::new(),
            _ if self.was_refused_memory(said) => {
                "use less memory: bots.memory_mib of the competition is the limit"
            }
            Cause::Unasked => "one line answers one question, and nothing comes before or after it",
            Cause::Malformed if self.raised.is_some() => "the turn is lost, and the game continues",
            Cause::Malformed | Cause::Flood => kit.map_or(asked_for(self.phase), |kit| kit.answer),
            Cause::Idle => {
                "it neither computed nor waited for a CPU in that time: remove sleeps and waits, and flush each answer"
            }
            Cause::Silence if overloaded => return Vec::new(),
            Cause::Silence => self.asks(kit.is_some()),
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
        let advice = self.raised.as_deref().and_then(advice::on_output);
        let lines = advice.iter().map(ToString::to_string);
        lines.chain([words.to_owned()]).collect()
    }
}

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

/// Writes a time that was waited, without the little by which the judge noticed its end later.
fn rounded(us: u64) -> String {
    let unit = match us {
        100_000.. => 5_000,
        10_000.. => 1_000,
        _ => 1,
    };
    time((us + unit / 2) / unit * unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ClockMode;
    use crate::fault::{Exit, Offence};

    fn fault(cause: Cause, cpu_us: u64, wall_us: u64) -> Fault {
        let fault = serde_json::json!({"seat": 0, "ply": 3, "phase": "turn", "cause": cause,
            "detail": "what the record says", "cpu_us": cpu_us, "wall_us": wall_us});
        serde_json::from_value(fault).expect("a fault")
    }

    #[test]
    fn what_happened_comes_before_how_much() {
        let what = "what the record says";
        let looped = "used all of the 2.00 s of wall time that were left; an endless loop?";
        let late = "took 51 µs of CPU time; 50 µs were left";
        let words = |what: &str| format!("gave no answer {what}");
        let (time, silence) = (Cause::Time, Cause::Silence);
        let spent = words("and used all of its 2.00 s: an endless loop?");
        let idle = words("and used all of its 2.00 s without computing");
        let silent = words("in 3.00 s and did not compute");
        let exit = "ends too early: what the record says".to_owned();
        for (cause, detail, cpu_us, wall_us, expected) in [
            (time, looped, 1_900_000, 2_000_400, spent),
            (time, looped, 900, 2_000_400, idle),
            (time, late, 51, 51, late.to_owned()),
            (silence, what, 900, 3_000_700, silent),
            (silence, what, 1_900_000, 5_000_700, words("in 5.00 s")),
            (Cause::Exit, what, 900, 900, exit),
        ] {
            let fault = Fault {
                detail: detail.to_owned(),
                ..fault(cause, cpu_us, wall_us)
            };
            assert_eq!(fault.verdict(None), expected);
        }
        let offence = Offence::overtime(ClockMode::Cpu, 10_300_014, 10_300_000);
        let looped = Fault {
            detail: offence.detail,
            ..fault(offence.cause, 10_300_014, 10_400_000)
        };
        let words = "gave no answer and used all of its 10.30 s: an endless loop?";
        assert_eq!(looped.verdict(None), words);
    }

    #[test]
    fn a_silence_is_a_question_to_the_author() {
        let remedy =
            |fault: &Fault, overloaded| fault.remedy(None, Lifetime::Game, None, overloaded);
        let silence = fault(Cause::Silence, 900, 3_000_700);
        let asks = "does it wait for input, or is its answer still in a buffer?";
        assert_eq!(remedy(&silence, false), [asks]);
        assert!(remedy(&silence, true).is_empty());
        let of_student = "does it sleep, or wait for input or a thread?";
        assert_eq!(silence.asks(true), of_student);
        let unfinished = Fault {
            line: Some("{\"move\":3}".to_owned()),
            ..silence.clone()
        };
        let found = remedy(&unfinished, false);
        assert_eq!(found, ["does its line lack the newline?"]);
        let unstarted = Fault {
            phase: Phase::Hello,
            wall_us: 0,
            ..silence
        };
        assert_eq!(unstarted.verdict(None), "what the record says");
        assert!(remedy(&unstarted, false).is_empty());
    }

    #[test]
    fn long_last_line_keeps_cause_in_verdict() {
        let said = "x".repeat(999);
        let words = fault(Cause::Exit, 5, 5).verdict(Some(&said));
        let end = "…; ends too early: what the record says";
        assert!(words.ends_with(end), "{words}");
    }

    #[test]
    fn one_allocation_beyond_the_limit_is_named() {
        let died = Fault {
            exit: Some(Exit::Code(1)),
            ..fault(Cause::Exit, 5, 5)
        };
        let more = "asks for more memory than it may have: ";
        for (said, what) in [
            ("MemoryError", more),
            ("memory allocation of 8589934592 bytes failed", more),
            ("KeyError: 'memory'", "ends too early: "),
        ] {
            let verdict = died.verdict(Some(said));
            assert!(verdict.starts_with(&format!("{said}; {what}")), "{verdict}");
        }
    }
}
