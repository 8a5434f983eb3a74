//! Examination of one submission for its author. It builds the submission, plays sample games in
//! every seat, and probes what no game tests. Its report says in plain words what is wrong.
//!
//! The coordinator and its workers play the games, as in a run; the findings come from their
//! records. Only `probe` talks to a bot itself.

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
use intake::ProgramCache;
use model::clock::ClockMode;
use model::competition::Competition;
use model::fault::{Cause, Fault};
use model::text::readable;
use rulebook::{JudgeError, Loaded};
use run::watch::{VersionReport, VersionToCheck};
use run::{open_run_cgroups, toolchains};
use sandbox::OpenRunCgroups;
use serde_json::value::to_raw_value;
use std::fmt;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;
use system::cleanup::TemporaryFolder;

pub(crate) use report::FailedGame;
pub use report::{Check, CheckReport, SampleGames, Topic, TurnTimes, Verdict};
pub use stages::{Examination, examine, unknown};

/// Number of initial states of the sample games.
const STATES: u32 = 2;

/// Time after which the examination ends.
const LIMIT: Duration = Duration::from_secs(60);

/// Examines a version of a watch.
pub fn examine_version(version: VersionToCheck<'_>) -> Result<VersionReport, JudgeError> {
    let VersionToCheck {
        mut submission,
        loaded,
        mut isolation,
        run,
        now,
        stop,
    } = version;
    let Loaded {
        rules, competition, ..
    } = loaded;
    let toolchains = toolchains(&loaded.toolchains, &mut isolation)?;
    submission.admit(&**rules);
    let folder = TemporaryFolder::new("check", Permissions::from_mode(0o755))
        .map_err(|e| JudgeError::io("make a folder in", std::env::temp_dir(), e))?;
    let run_cgroups = open_run_cgroups(&mut isolation, competition.conditions.processes)?;
    let exam = Examination {
        competition: Competition {
            states: STATES,
            // The report must not reveal the run's draw.
            seed: None,
            conditions: competition
                .conditions
                .clone()
                .with_clock_of(&submission.name),
            ..competition.clone()
        },
        folder: folder.path(),
        isolation: &isolation,
        toolchains: &toolchains,
        run_cgroups: run_cgroups
            .as_ref()
            .map(OpenRunCgroups::run_cgroups)
            .cloned(),
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
        pin: true,
        limit: LIMIT,
        // The run has just tried to build it.
        failed_of: Some(run),
        cache: ProgramCache::of_user(),
        graded: false,
        received: now,
        interrupted: stop,
        progress: &|_| (),
    };
    let report = examine(&exam, submission)?;
    Ok(VersionReport {
        ok: report.ok,
        text: report.text(Paint::Plain, None),
        json: to_raw_value(&report).expect("plain data"),
    })
}

/// Text from strangers, escaped for a terminal.
struct Readable<'a>(&'a str);

impl fmt::Display for Readable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&readable(self.0))
    }
}

/// Returns a sentence that describes a fault; `said` is the error on standard error, if it died.
fn headline(fault: &Fault, author: &Author, mode: ClockMode, said: Option<&str>) -> String {
    let verdict = fault.verdict(mode, said);
    // A kit flushes its output itself.
    if fault.cause == Cause::Silence && author.kit.is_some() {
        verdict.what
    } else {
        verdict.to_string()
    }
}

/// Returns advice on a fault, line by line; the faulty line comes first.
fn remedy(fault: &Fault, author: &Author, said: Option<&str>) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(line) = fault.line.as_ref().filter(|_| fault.raised.is_none()) {
        lines.push(format!("the line: {line}"));
    }
    lines.extend(fault.remedy(author.advice(), author.lifetime, said));
    // A student's prints do not end up in the answer.
    let is_print = author.kit.is_none() && matches!(fault.cause, Cause::Unasked | Cause::Flood);
    let is_meant = fault.cause != Cause::IllegalMove && is_meant_for_people(fault);
    if is_print || is_meant {
        lines.push(format!(
            "print to standard error instead{}",
            author.stderr()
        ));
    }
    lines
}

/// Returns whether a line was meant for a person, rather than being a malformed answer.
fn is_meant_for_people(fault: &Fault) -> bool {
    let line = fault.line.as_deref().map(str::trim_start);
    line.is_some_and(|line| line.starts_with(|c: char| c.is_alphabetic()))
}
