//! A fault in the words of somebody who wants to mend it.

use super::hints::Dialect;
use crate::author_log::readable;
use crate::fault::{Cause, Fault, Phase, RAISED};
use std::fmt;

/// Text from strangers, shown without effect on a terminal.
pub(super) struct Shown<'a>(pub(super) &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&readable(self.0))
    }
}

/// Says what a fault is, in one sentence.
pub(super) fn headline(fault: &Fault) -> String {
    let Fault { detail, .. } = fault;
    match fault.cause {
        Cause::Malformed if is_print(fault) => {
            "something was printed on standard output that is no answer".to_owned()
        }
        Cause::Malformed => match exception(fault) {
            Some(exception) => format!("raises {exception}"),
            None => format!("an answer cannot be read: {}", readers_words(detail)),
        },
        Cause::Unasked => format!("something was printed that nobody asked for: {detail}"),
        Cause::Flood => format!("the output has {detail}"),
        Cause::Silence => match fault.phase {
            Phase::Hello => format!("does not become ready: {detail}"),
            Phase::Start | Phase::Turn => format!("falls silent: {detail}"),
        },
        Cause::IllegalMove => format!("an illegal move: {detail}"),
        Cause::Crash => format!("crashes: {detail}"),
        Cause::Memory => format!("takes too much memory: {detail}"),
        Cause::Exit => format!("ends too early: {detail}"),
        Cause::Closed => detail.clone(),
        Cause::Threads => format!("has too many threads: {detail}"),
        Cause::Time => format!("takes too long: {detail}"),
    }
}

/// Says what to do about a fault, line by line; what the line was comes first.
pub(super) fn remedy(fault: &Fault, dialect: Dialect) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(line) = fault.line.as_ref().filter(|_| exception(fault).is_none()) {
        lines.push(format!("the line: {line}"));
    }
    match fault.cause {
        Cause::Malformed if is_print(fault) => lines.extend(print_elsewhere(dialect)),
        Cause::Malformed if exception(fault).is_some() => {
            lines.push("the turn is lost, and the game goes on".to_owned());
        }
        Cause::Malformed => lines.push(asked_for(fault.phase).to_owned()),
        Cause::Unasked => {
            lines.push(
                "one line answers one question, and nothing comes before or after it".to_owned(),
            );
            lines.extend(print_elsewhere(dialect));
        }
        Cause::Flood => lines.extend(print_elsewhere(dialect)),
        Cause::Silence => {
            lines.push("the program lives and waits: either it never answers, or its answer stays in its buffer".to_owned());
            lines.push(format!("flush after each line{}", dialect.flush()));
        }
        Cause::IllegalMove => {}
        Cause::Crash | Cause::Exit => {
            lines.push("it must go on answering until its input ends".to_owned());
        }
        Cause::Memory => lines.push("keep less at a time".to_owned()),
        Cause::Threads => lines.push("let threads end, or use them again".to_owned()),
        Cause::Closed => lines.push("leave standard output open until the input ends".to_owned()),
        Cause::Time => lines
            .push("make it answer earlier; `clock` in every turn tells what is left".to_owned()),
    }
    lines
}

fn print_elsewhere(dialect: Dialect) -> [String; 2] {
    [
        "standard output is for answers only".to_owned(),
        format!(
            "print to standard error instead{}; what is written there is kept for you",
            dialect.stderr()
        ),
    ]
}

fn asked_for(phase: Phase) -> &'static str {
    match phase {
        Phase::Hello | Phase::Start => "asked for was a line such as {\"ready\":{}}",
        Phase::Turn => {
            "asked for was a line such as {\"move\":…}, with a move as protocol.md describes it"
        }
    }
}

/// Gives the exception, where the submission's code raised one.
pub(super) fn exception(fault: &Fault) -> Option<&str> {
    fault.detail.strip_prefix(RAISED)
}

/// Tells a line that was meant for a person from an answer gone wrong.
fn is_print(fault: &Fault) -> bool {
    fault
        .line
        .as_ref()
        .is_some_and(|line| !line.trim().is_empty() && !line.trim_start().starts_with('{'))
}

/// The position in a line of one's own says little to somebody who is not debugging JSON.
fn readers_words(detail: &str) -> &str {
    detail.split(" at line ").next().unwrap_or(detail)
}
