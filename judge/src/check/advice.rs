//! Explanations of faults and advice on fixing them, in the words of an author.

use super::hints::Author;
use engines::Lifetime;
use std::fmt;
use words::fault::{Cause, Fault, Phase, no_answer_within};
use words::text::readable;

/// Text from strangers, escaped for a terminal.
pub(super) struct Readable<'a>(pub(super) &'a str);

impl fmt::Display for Readable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&readable(self.0))
    }
}

/// Returns a sentence that describes a fault.
pub(super) fn headline(fault: &Fault, author: &Author) -> String {
    let detail = &fault.detail;
    match fault.cause {
        Cause::Malformed if encoding(fault).is_some() => {
            encoding(fault).unwrap_or_default().to_owned()
        }
        Cause::Malformed if is_print(fault) => {
            "prints something that is not an answer on standard output".to_owned()
        }
        Cause::Malformed => match &fault.raised {
            Some(exception) => format!("raises {exception}"),
            None => format!("gives an unreadable answer: {detail}"),
        },
        Cause::Unasked => format!("prints something unasked: {detail}"),
        Cause::Flood => format!("prints {detail}"),
        Cause::Silence => {
            let detail = match author.kit {
                // A kit flushes its output itself.
                Some(_) => no_answer_within(author.waits.limit(fault.phase)),
                None => detail.clone(),
            };
            match fault.phase {
                Phase::Hello => format!("does not become ready: {detail}"),
                Phase::Start | Phase::Turn => format!("falls silent: {detail}"),
            }
        }
        Cause::Idle => format!("waits too long: {detail}"),
        Cause::IllegalMove => format!("makes an illegal move: {detail}"),
        Cause::Crash => format!("crashes: {detail}"),
        Cause::Memory => format!("uses too much memory: {detail}"),
        Cause::Exit => format!("ends too early: {detail}"),
        Cause::Closed => detail.clone(),
        Cause::Threads => format!("uses too much of what all bots share: {detail}"),
        Cause::Time => format!("takes too long: {detail}"),
    }
}

/// Returns advice on a fault, line by line; the faulty line comes first.
pub(super) fn remedy(fault: &Fault, author: &Author) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(line) = fault.line.as_ref().filter(|_| fault.raised.is_none()) {
        lines.push(format!("the line: {line}"));
    }
    let advice = author.advice();
    match fault.cause {
        Cause::Malformed if encoding(fault).is_some() => {
            lines.push("write UTF-8 without a byte order mark, which is the default of most languages".to_owned());
        }
        Cause::Malformed if is_print(fault) => lines.extend(print_elsewhere(author)),
        Cause::Malformed if fault.raised.is_some() => {
            lines.push("the turn is lost, and the game continues".to_owned());
        }
        Cause::Malformed => {
            lines.push(
                advice
                    .map_or(asked_for(fault.phase), |a| a.answer)
                    .to_owned(),
            );
        }
        Cause::Unasked => {
            lines.push(
                "one line answers one question, and nothing comes before or after it".to_owned(),
            );
            lines.extend(print_elsewhere(author));
        }
        Cause::Flood => match advice {
            // A student's prints do not end up in the answer.
            Some(advice) => lines.push(format!("the answer is too long: {}", advice.answer)),
            None => lines.extend(print_elsewhere(author)),
        },
        Cause::Idle => lines.push(
            "it neither computed nor waited for a CPU in that time: remove sleeps and waits".to_owned(),
        ),
        Cause::Silence if advice.is_some() => {
            lines.push("in that time it neither answered nor computed: does it sleep, or wait for input or a thread?".to_owned());
        }
        Cause::Silence => {
            lines.push("the program is alive but idle: it answers never or too late, or its answer stays in its buffer".to_owned());
        }
        Cause::IllegalMove => {}
        Cause::Crash | Cause::Exit => {
            let go_on = if fault.phase == Phase::Hello {
                "it ended before its first answer; look at its standard error"
            } else {
                "it must keep answering until its input ends"
            };
            lines.push(advice.map_or(go_on, |_| lost(author.lifetime)).to_owned());
        }
        Cause::Memory => lines.push("keep less in memory at once".to_owned()),
        Cause::Threads => lines.push(
            "end or reuse threads, do not keep signals blocked, and start no timer that sends SIGCONT".to_owned(),
        ),
        Cause::Closed => lines.push("leave standard output open until the input ends".to_owned()),
        Cause::Time => {
            let clock = "`clock` in every turn says how much time is left";
            let tells = advice.map_or(clock, |advice| advice.time);
            lines.push(format!("make it answer earlier; {tells}"));
        }
    }
    lines
}

/// Returns the effect on a student's game of the end of the program.
fn lost(lifetime: Lifetime) -> &'static str {
    match lifetime {
        Lifetime::Turn | Lifetime::Game => "the program has ended, so the game is lost",
        Lifetime::Match => "the program has ended, so all its remaining games are lost",
    }
}

fn print_elsewhere(author: &Author) -> [String; 2] {
    [
        "standard output is for answers only".to_owned(),
        format!(
            "print to standard error instead{}; the judge keeps that output for you",
            author.stderr()
        ),
    ]
}

fn asked_for(phase: Phase) -> &'static str {
    match phase {
        Phase::Hello | Phase::Start => "expected a line such as {\"ready\":{}}",
        Phase::Turn => {
            "expected a line such as {\"move\":…}, with a move as in PROTOCOL.md, which judge new writes"
        }
    }
}

/// Describes an odd encoding of a line, if any. The line may be in escaped form.
fn encoding(fault: &Fault) -> Option<&'static str> {
    let line = fault.line.as_deref()?;
    let has =
        |sign: char| line.contains(sign) || line.contains(&*sign.escape_unicode().to_string());
    if has('\0') {
        return Some("gives an answer that is not UTF-8: it looks like UTF-16");
    }
    let begins = [&*'\u{feff}'.to_string(), "\\u{feff}"];
    let has_mark = begins.iter().any(|mark| line.starts_with(mark));
    has_mark.then_some("begins an answer with a byte order mark (BOM), which does not belong there")
}

/// Error messages of the system about forbidden or missing things, each with plain words.
const REFUSED: [(&str, &str); 4] = [
    ("Read-only file system", NO_FILES),
    ("Permission denied", NO_FILES),
    (
        "Operation not permitted",
        "the sandbox refuses it: bots may not start processes, open connections or change files",
    ),
    (
        "ModuleNotFoundError: No module named",
        "that module is neither part of the submission nor installed for all users of this machine",
    ),
];
const NO_FILES: &str = "bots may not write files, and may read only their own files and the system's: keep the data in memory";

/// Returns in plain words what the sandbox or the system refused a program, by its last output.
pub(super) fn refused(said: &str) -> Option<&'static str> {
    let found = REFUSED.iter().find(|(words, _)| said.contains(words));
    found.map(|(_, plain)| *plain)
}

/// Returns whether a line was meant for a person, rather than being a malformed answer.
fn is_print(fault: &Fault) -> bool {
    fault
        .line
        .as_ref()
        .is_some_and(|line| !line.trim().is_empty() && !line.trim_start().starts_with('{'))
}
