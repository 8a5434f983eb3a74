//! A silent program whose answer is held back in a buffer.

use super::hints::Author;
use super::probe::Prober;
use super::report::{CheckReport, Topic, Verdict};
use super::situation::first_turn;
use super::sparring::Bout;
use model::fault::Cause;
use model::fixture::Fixture;
use rulebook::JudgeError;
use std::time::Duration;

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
    let mut held_back = None;
    for wait in WAITS {
        let left = prober.left() >= wait;
        held_back = left
            .then(|| prober.held_back(fixture, &at, wait))
            .transpose()?
            .flatten();
        if held_back.is_none() {
            return Ok(());
        }
    }
    let mut checks = report.checks.iter_mut();
    let is_it = |check: &&mut super::report::Check| {
        check.verdict == Verdict::Wrong && [Topic::Start, Topic::Silence].contains(&check.topic)
    };
    if let (Some(check), Some(line)) = (checks.find(is_it), held_back) {
        let line = line.split(LINE_BREAK).next().unwrap_or_default();
        let said = [
            format!(
                "it did answer, but kept the answer in its buffer until its input was closed: {line}"
            ),
            format!("flush after each line{}", author.flush()),
        ];
        check.detail.splice(..0, said);
    }
    Ok(())
}

/// A line break as messages quote it.
const LINE_BREAK: &str = r"\u{a}";
