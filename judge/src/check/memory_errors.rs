//! The line of a submission that made it crash, where sanitizers can find it.

use super::probe::Prober;
use super::report::{CheckReport, Topic, Verdict};
use super::situation::Situation;
use super::sparring::Bout;
use engines::Lifetime;
use intake::{Sanitized, Site, Submission, run_with_sanitizers};
use model::fault::Phase;
use model::fixture::Fixture;
use rulebook::JudgeError;
use std::path::Path;

/// Maximum number of calls shown.
const CALLS_MAX: usize = 8;

/// Repeats the conversation of a crash with the submission built with sanitizers.
///
/// # Errors
/// When the judge or the machine fails.
pub(super) fn find(
    site: &Site<'_>,
    sources: &Submission,
    prober: &Prober<'_>,
    bout: &Bout,
    fixtures: &[Fixture],
    folder: &Path,
) -> Result<Option<Sanitized>, JudgeError> {
    let fixture = fixtures
        .iter()
        .find(|fixture| fixture.id == bout.record.fixture);
    let mine = |fault: &&model::fault::Fault| fault.seat == bout.seat && fault.phase == Phase::Turn;
    let fault = bout.record.faults.iter().find(mine);
    let (Some(fixture), Some(fault)) = (fixture, fault) else {
        return Ok(None);
    };
    let mut turns = Situation::along(prober.rules, &bout.record, fault)?;
    if site.conditions.lifetime == Lifetime::Turn {
        turns.drain(..turns.len().saturating_sub(1));
    }
    let conversation = prober.conversation(fixture, bout.seat, &turns)?;
    run_with_sanitizers(
        &mut sources.clone(),
        site,
        folder,
        &conversation,
        prober.left(),
    )
}

/// Puts the sanitizers' report in front of the details of the crash.
pub(super) fn tell(report: &mut CheckReport, said: Option<Sanitized>) {
    let mut checks = report.checks.iter_mut();
    let is_crash = |check: &&mut super::report::Check| {
        check.topic == Topic::Crash && check.verdict == Verdict::Wrong
    };
    let (Some(said), Some(check)) = (said, checks.find(is_crash)) else {
        return;
    };
    let mut lines = vec![format!(
        "built with -g -fsanitize=address,undefined and asked the same question: {}",
        said.headline
    )];
    if said.calls.len() > 1 {
        lines.push("called from:".to_owned());
        lines.extend(
            said.calls
                .iter()
                .skip(1)
                .take(CALLS_MAX)
                .map(|call| format!("  {call}")),
        );
    }
    check.detail.splice(..0, lines);
}
