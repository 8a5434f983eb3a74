//! A bot's faults, which are charged to it. Failures of the judge are errors of the crate `rulebook`.

use crate::advice;
use crate::clock::ClockMode;
use crate::numbers::time;
use alloc::string::String;
use core::fmt::{self, Write as _};
use core::ops::Not;
use core::time::Duration;
use engines::quote::safe_sentence;
pub use engines::quote::{QUOTE_CHARS_MAX, SENTENCE_CHARS_MAX, quote};
use engines::{Forfeit, Seat};
use serde::{Deserialize, Serialize};

/// A fault of a bot, with its time and the evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// The seat at fault.
    pub seat: Seat,
    /// The number of plies before it.
    pub ply: u32,
    /// The question to the bot at that time.
    pub phase: Phase,
    /// The kind of fault.
    pub cause: Cause,
    /// The rule broken, the reader's complaint, or the limit, up to [`SENTENCE_CHARS_MAX`].
    pub detail: String,
    /// The exception that the submission's code raised instead of an answer, if a kit reported one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raised: Option<String>,
    /// The offending line, shortened to [`QUOTE_CHARS_MAX`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// The end of the process, if that is the fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<Exit>,
    /// Whether other programs of its user may have used what the bot needed when it ended.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub went_short: bool,
    /// The CPU time of the request in which it happened, in microseconds.
    pub cpu_us: u64,
    /// The wall time of that request, in microseconds.
    pub wall_us: u64,
}

/// A player's fault before its seat and ply are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offence {
    /// The kind of fault.
    pub cause: Cause,
    /// The fault in words.
    pub detail: String,
    /// See [`Fault::raised`].
    pub raised: Option<String>,
    /// The offending bytes, if there are any.
    pub line: Option<String>,
    /// The end of the process, if that is the fault.
    pub exit: Option<Exit>,
}

impl Offence {
    /// Makes an offence without a line or an exit status.
    pub fn new(cause: Cause, detail: impl Into<String>) -> Self {
        Self {
            cause,
            // The detail may repeat the bot's own text.
            detail: safe_sentence(&detail.into()),
            raised: None,
            line: None,
            exit: None,
        }
    }

    /// Makes the offence of an exception that the submission's code raised instead of an answer.
    pub fn raised(exception: &str) -> Self {
        let mut detail = format!("the bot's code raised {exception}");
        if let Some(advice) = advice::on_output(exception) {
            write!(detail, "; {advice}").expect("in memory");
        }
        Self {
            raised: Some(safe_sentence(exception)),
            ..Self::new(Cause::Malformed, detail)
        }
    }

    /// Makes the offence of a silence for the whole limit; it asks about flushing.
    pub fn silence(limit: Duration) -> Self {
        let detail = no_answer_within(limit) + " (did you flush the output?)";
        Self::new(Cause::Silence, detail)
    }

    /// Names silences that add up to more than a seat may have in a game.
    pub fn idle(limit: Duration) -> Self {
        let detail = format!(
            "silent for more than {} s in this game, all turns together",
            limit.as_secs_f64()
        );
        Self::new(Cause::Idle, detail)
    }

    /// Removes that question from a silence if the machine was overloaded meanwhile.
    #[must_use]
    pub fn on_overloaded_machine(mut self, limit: Duration) -> Self {
        if self.cause == Cause::Silence {
            self.detail = no_answer_within(limit);
        }
        self
    }

    /// Makes the offence of a clock that has run out; `left_us` is from the start of the turn.
    pub fn overtime(mode: ClockMode, spent_us: u64, left_us: u64) -> Self {
        let (kind, took, left) = (mode.called(), time(spent_us), time(left_us));
        let detail = if took == left {
            let asks = if left_us >= LOOP_US_MIN { LOOP } else { "" };
            format!("{ALL_USED}{left} of {kind} that were left{asks}")
        } else {
            format!("took {took} of {kind}; {left} were left")
        };
        Self::new(Cause::Time, detail)
    }

    /// Adds the offending line.
    #[must_use]
    pub fn quoting(mut self, line: &[u8]) -> Self {
        self.line = Some(quote(line));
        self
    }
}

const LOOP_US_MIN: u64 = 1_000_000;

/// The end of the detail on a bot that seems to loop.
pub(crate) const ALL_USED: &str = "used all of the ";
pub(crate) const LOOP: &str = "; an endless loop?";

fn no_answer_within(limit: Duration) -> String {
    format!("no answer within {} s", limit.as_secs_f64())
}

/// The question to a bot when a fault happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// `hello`: start-up of the program.
    Hello,
    /// `start`: initialisation for a game.
    Start,
    /// `turn`: a move, or outside of games a course's function.
    Turn,
}

impl Phase {
    /// Returns the name that files use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hello => "hello",
            Self::Start => "start",
            Self::Turn => "turn",
        }
    }
}

/// The kinds of fault; `protocol.md` lists them for bot authors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// A readable move that the rules forbid.
    IllegalMove,
    /// A line that is not the expected answer.
    Malformed,
    /// The clock ran out.
    Time,
    /// No answer within the wall-clock backstop.
    Silence,
    /// More silence in one game than a seat may have, all turns together.
    Idle,
    /// The process was ended by a signal.
    Crash,
    /// The process died from lack of memory.
    Memory,
    /// The process exited.
    Exit,
    /// The process closed its standard output but did not end.
    Closed,
    /// A line longer than the limit.
    Flood,
    /// Unexpected output, before a question or after the answer's newline.
    Unasked,
    /// Too much of a shared resource: threads, signals, or time off turn by a timer that undoes a stop.
    Threads,
}

impl Cause {
    /// Returns the name that files and messages use.
    pub fn name(self) -> &'static str {
        match self {
            Self::IllegalMove => "illegal-move",
            Self::Malformed => "malformed",
            Self::Time => "time",
            Self::Silence => "silence",
            Self::Idle => "idle",
            Self::Crash => "crash",
            Self::Memory => "memory",
            Self::Exit => "exit",
            Self::Closed => "closed",
            Self::Flood => "flood",
            Self::Unasked => "unasked",
            Self::Threads => "threads",
        }
    }

    /// Returns whether the program has ended, and its last words may say why.
    pub fn is_death(self) -> bool {
        matches!(self, Self::Crash | Self::Memory | Self::Exit)
    }

    /// Returns whether a bot ran out of wall time, which an overloaded machine may have withheld.
    pub fn is_wall_timeout(self, mode: ClockMode) -> bool {
        match self {
            Self::Silence | Self::Idle => true,
            Self::Time => mode == ClockMode::Wall,
            _ => false,
        }
    }

    /// Returns whether others may have used what it needed: threads, or room for signals.
    pub fn may_come_of_shortage(self) -> bool {
        self.is_death() || self == Self::Closed
    }

    /// Returns the consequence: gone, if it never became ready or its stream cannot be followed.
    pub fn forfeit(self, phase: Phase) -> Forfeit {
        let ready = phase == Phase::Turn || (phase == Phase::Start && self == Self::Time);
        match self {
            _ if !ready => Forfeit::Gone,
            Self::IllegalMove => Forfeit::Illegal,
            Self::Malformed | Self::Unasked => Forfeit::Malformed,
            Self::Time | Self::Silence | Self::Idle => Forfeit::Time,
            Self::Crash
            | Self::Memory
            | Self::Exit
            | Self::Closed
            | Self::Flood
            | Self::Threads => Forfeit::Gone,
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The way in which a process ended by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exit {
    /// It exited with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

impl fmt::Display for Exit {
    /// Writes `code 1`, or `signal 11 SIGSEGV` if the signal has a name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Code(code) => write!(f, "code {code}"),
            Self::Signal(number) => {
                let known = usize::try_from(number.saturating_sub(1))
                    .ok()
                    .and_then(|at| SIGNALS.get(at));
                let name = known.map_or_else(String::new, |name| format!(" {name}"));
                write!(f, "signal {number}{name}")
            }
        }
    }
}

/// The names of signals from 1 on, on Linux (signal(7), the column for x86 and ARM).
const SIGNALS: [&str; 31] = [
    "SIGHUP",
    "SIGINT",
    "SIGQUIT",
    "SIGILL",
    "SIGTRAP",
    "SIGABRT",
    "SIGBUS",
    "SIGFPE",
    "SIGKILL",
    "SIGUSR1",
    "SIGSEGV",
    "SIGUSR2",
    "SIGPIPE",
    "SIGALRM",
    "SIGTERM",
    "SIGSTKFLT",
    "SIGCHLD",
    "SIGCONT",
    "SIGSTOP",
    "SIGTSTP",
    "SIGTTIN",
    "SIGTTOU",
    "SIGURG",
    "SIGXCPU",
    "SIGXFSZ",
    "SIGVTALRM",
    "SIGPROF",
    "SIGWINCH",
    "SIGIO",
    "SIGPWR",
    "SIGSYS",
];

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn what_a_bot_wrote_makes_no_long_fault() {
        let reported = Offence::new(Cause::Malformed, "unknown field `a\n\u{1b}[2J`");
        assert_eq!(reported.detail, "unknown field `a\\u{a}\\u{1b}[2J`");
        let long = "\u{1b}x".repeat(1 << 20);
        let offence = Offence::raised(&long).quoting(long.as_bytes());
        let raised = offence.raised.expect("it was raised");
        for text in [&offence.detail, &raised, &offence.line.expect("quoted")] {
            assert!(text.chars().count() <= SENTENCE_CHARS_MAX + 1, "{text}");
        }
        let again = Offence::raised(&raised);
        assert_eq!((again.detail, again.raised), (offence.detail, Some(raised)));
    }

    #[test]
    fn overtime_says_what_happened_before_how_much() {
        let looped = "used all of the 10.30 s of CPU time that were left; an endless loop?";
        let all = "used all of the 812 µs of CPU time that were left";
        let more = "took 2.00 s of CPU time; 40.0 ms were left";
        for (spent_us, left_us, detail) in [
            (10_300_014, 10_300_000, looped),
            (812, 812, all),
            (2_000_000, 40_000, more),
        ] {
            let offence = Offence::overtime(ClockMode::Cpu, spent_us, left_us);
            assert_eq!(offence.detail, detail);
        }
    }

    #[test]
    fn process_exit_shows_signal_name() {
        assert_eq!(Exit::Code(3).to_string(), "code 3");
        assert_eq!(Exit::Signal(11).to_string(), "signal 11 SIGSEGV");
        assert_eq!(Exit::Signal(40).to_string(), "signal 40");
    }

    #[test]
    fn cause_names_in_files_match_serde() {
        for cause in [
            Cause::IllegalMove,
            Cause::Malformed,
            Cause::Time,
            Cause::Silence,
            Cause::Idle,
            Cause::Crash,
            Cause::Memory,
            Cause::Exit,
            Cause::Closed,
            Cause::Flood,
            Cause::Unasked,
            Cause::Threads,
        ] {
            let json = serde_json::to_string(&cause).expect("plain data");
            assert_eq!(json, format!("\"{cause}\""));
        }
    }
}
