//! The reason of a program's silence: an answer held back in a buffer, or none.

use super::hints::Author;
use super::probe::{LateAnswer, Prober};
use super::report::{CheckReport, Topic, Verdict};
use super::situation::first_turn;
use super::sparring::Bout;
use error::JudgeError;
use std::time::Duration;
use words::fault::Cause;
use words::fixture::Fixture;

/// Time until the input of a silent program is closed, in one conversation and in another. A
/// program that answers promptly after both was waiting for the end of its input, and was not
/// merely slow.
const WAITS: [Duration; 2] = [Duration::from_secs(3), Duration::from_millis(4500)];

/// Adds to a reported silence how the program behaves when its input is closed.
///
/// # Errors
/// When the judge or the machine fails.
pub(super) fn tell(
    report: &mut CheckReport,
    prober: &Prober<'_>,
    fixtures: &[Fixture],
    bouts: &[Bout],
    author: Author,
) -> Result<(), JudgeError> {
    let silent = |bout: &&Bout| bout.has(|fault| fault.cause == Cause::Silence);
    let Some(bout) = bouts.iter().find(silent) else {
        return Ok(());
    };
    let Some((fixture, at)) = first_turn(prober.rules, fixtures, bout.seat)? else {
        return Ok(());
    };
    let mut said = Vec::new();
    for wait in WAITS {
        if prober.left() < wait {
            break;
        }
        let reply = prober.asked_once_more(fixture, &at, wait)?;
        let is_held_back = matches!(reply, LateAnswer::HeldBack(_));
        said = words(reply, author);
        if !is_held_back {
            break;
        }
    }
    let mut checks = report.checks.iter_mut();
    let is_it = |check: &&mut super::report::Check| {
        check.verdict == Verdict::Wrong && [Topic::Start, Topic::Silence].contains(&check.topic)
    };
    if let Some(check) = checks.find(is_it) {
        check.detail.splice(..0, said);
    }
    Ok(())
}

/// A line break as messages quote it.
const LINE_BREAK: &str = r"\u{a}";

fn words(reply: LateAnswer, author: Author) -> Vec<String> {
    match reply {
        LateAnswer::HeldBack(line) => vec![
            format!(
                "it did answer, but kept the answer in its buffer until its input was closed: {}",
                line.split(LINE_BREAK).next().unwrap_or_default()
            ),
            format!("flush after each line{}", author.flush()),
        ],
        LateAnswer::Late => vec![
            "when asked again, it answered by itself: it sometimes sleeps, or waits for something"
                .to_owned(),
        ],
        LateAnswer::Nothing => vec!["it wrote nothing even after its input was closed".to_owned()],
    }
}
