//! Examines one submission for its author: builds it, plays sample games, and probes the rest.

mod findings;
mod hints;
mod homework;
mod idle;
mod probe;
mod report;
mod situation;
mod sparring;
mod stages;
mod time;

use crate::terminal::Paint;
use hints::Author;
use model::competition::Competition;
use model::fault::{Cause, Fault};
use rulebook::JudgeError;
use run::watch::{VersionReport, VersionToCheck};
use run::{open_run_cgroups, toolchains};
use serde_json::value::to_raw_value;
use std::time::Duration;

pub(crate) use report::{Check, CheckReport, FailedGame, Verdict};
#[cfg(test)]
pub(crate) use report::{SampleGames, Topic, TurnTimes};
pub(crate) use stages::{Examination, examine, unknown};

const STATES: u32 = 2;

const LIMIT: Duration = Duration::from_secs(60);

pub(crate) fn examine_version(version: VersionToCheck<'_>) -> Result<VersionReport, JudgeError> {
    let VersionToCheck {
        submission,
        loaded,
        mut isolation,
        run,
        cache,
        now,
        stop,
    } = version;
    let competition = &loaded.competition;
    let toolchains = toolchains(&loaded.toolchains, &mut isolation)?;
    let run_cgroups = open_run_cgroups(&mut isolation, competition.conditions.processes)?;
    let exam = Examination {
        competition: Competition {
            states: STATES,
            // The report must not reveal the run's draw.
            seed: None,
            ..competition.clone()
        },
        isolation: &isolation,
        toolchains: &toolchains,
        run_cgroups: run_cgroups.as_ref(),
        limit: LIMIT,
        // The run has just tried to build it.
        failed_of: Some(run),
        cache,
        graded: false,
        received: now,
        interrupted: stop,
        progress: &|_| (),
    };
    let report = examine(exam, submission)?;
    Ok(VersionReport {
        ok: report.ok,
        text: report.text(Paint::Plain, None),
        json: to_raw_value(&report).expect("plain data"),
    })
}

/// Returns advice on a fault, line by line; the faulty line comes first.
fn remedy(fault: &Fault, author: &Author, said: Option<&str>, overloaded: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(line) = fault.line.as_ref().filter(|_| fault.raised.is_none()) {
        lines.push(format!("the line: {line}"));
    }
    lines.extend(fault.remedy(author.advice(), author.lifetime, said, overloaded));
    // A student's prints do not end up in the answer.
    let is_print = author.kit.is_none() && matches!(fault.cause, Cause::Unasked | Cause::Flood);
    if is_print || is_for_people(fault) {
        lines.push(format!(
            "print to standard error instead{}",
            author.stderr()
        ));
    }
    lines
}

fn is_for_people(fault: &Fault) -> bool {
    let line = fault.line.as_deref().map(str::trim_start);
    fault.cause != Cause::IllegalMove
        && line.is_some_and(|line| line.starts_with(|c: char| c.is_alphabetic()))
}
