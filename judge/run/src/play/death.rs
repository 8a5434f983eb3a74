//! Derives the cause of a fault from the end of a bot's process.

use model::fault::{Cause, Exit, Fault, Offence};
use nix::sys::signal::Signal;
use sandbox::{Ended, Limits};

/// Out of memory, in `protocol.md`. GHC's programs exit with it when their heap is exhausted.
pub(super) const EXIT_OUT_OF_MEMORY: i32 = 251;

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

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        memory_bytes_max: 1 << 30,
        ..Limits::BOT
    };

    fn cause(exit: Exit, memory_mib: u64) -> Cause {
        let ended = Ended {
            exit,
            memory_bytes_peak: memory_mib << 20,
            out_of_memory: false,
        };
        offence(&ended, &LIMITS, false).cause
    }

    #[test]
    fn death_with_full_memory_is_memory_fault() {
        let abort = Exit::Signal(Signal::SIGABRT as i32);
        assert_eq!(cause(abort, 767), Cause::Crash);
        assert_eq!(cause(abort, 768), Cause::Memory);
        assert_eq!(cause(Exit::Code(1), 1024), Cause::Memory);
        assert_eq!(cause(Exit::Code(1), 100), Cause::Exit);
        assert_eq!(cause(Exit::Code(0), 1024), Cause::Exit);
    }

    #[test]
    fn kernel_oom_kill_is_always_memory_fault() {
        let ended = Ended {
            exit: Exit::Signal(Signal::SIGKILL as i32),
            memory_bytes_peak: 3 << 20,
            out_of_memory: true,
        };
        assert_eq!(offence(&ended, &LIMITS, false).cause, Cause::Memory);
    }

    #[test]
    fn program_larger_than_memory_limit_is_memory_fault() {
        let ended = Ended {
            exit: Exit::Code(127),
            memory_bytes_peak: 2 << 20,
            out_of_memory: false,
        };
        let of = |mib: Option<u64>| {
            let offence = offence(&ended, &LIMITS, false);
            of_variables(offence, mib.map(|mib| mib << 20), &LIMITS)
        };
        let large = of(Some(1500));
        assert_eq!(large.cause, Cause::Memory);
        assert_eq!(
            large.detail,
            "the variables of the program take 1500 MiB, more than its memory; exited with code 127 without an \
             answer; peak memory 2 MiB of 1024 MiB"
        );
        for mib in [Some(1024), None] {
            assert_eq!(of(mib).cause, Cause::Exit);
        }
    }

    #[test]
    fn exit_code_251_reports_memory_fault() {
        let said = |mib: u64| {
            let ended = Ended {
                exit: Exit::Code(251),
                memory_bytes_peak: mib << 20,
                out_of_memory: false,
            };
            let offence = offence(&ended, &LIMITS, false);
            assert_eq!(offence.cause, Cause::Memory);
            offence.detail
        };
        let begin = "ran out of memory (exited with code 251); peak memory";
        assert_eq!(said(800), format!("{begin} 800 MiB of 1024 MiB"));
        assert_eq!(
            said(3),
            format!("{begin} 3 MiB of 1024 MiB, without what it asked for last and did not get")
        );
    }

    #[test]
    fn the_peak_is_reported_where_a_program_died() {
        let ended = Ended {
            exit: Exit::Code(3),
            memory_bytes_peak: (12 << 20) + 1,
            out_of_memory: false,
        };
        assert_eq!(
            offence(&ended, &LIMITS, true).detail,
            "exited with code 3 after a line without its newline; peak memory 12 MiB of 1024 MiB"
        );
    }
}
