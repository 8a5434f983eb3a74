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
use engines::Lifetime;
use hints::Author;
use intake::ProgramCache;
use model::advice;
use model::competition::Competition;
use model::fault::{Cause, FLUSH, Fault, Phase};
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

/// Returns a sentence that describes a fault.
fn headline(fault: &Fault, author: &Author) -> String {
    let mut detail = fault.detail.as_str();
    let what = match (fault.cause, &fault.raised) {
        (Cause::Malformed, Some(exception)) => return format!("raises {exception}"),
        (Cause::Malformed, None) => "gives an unreadable answer",
        (Cause::Unasked, _) => "prints something unasked",
        (Cause::Flood, _) => return format!("prints {detail}"),
        (Cause::Silence, _) => {
            // A kit flushes its output itself.
            let is_kits = author.kit.is_some();
            detail = if is_kits {
                detail.trim_end_matches(FLUSH)
            } else {
                detail
            };
            match fault.phase {
                Phase::Hello => "does not become ready",
                Phase::Start | Phase::Turn => "falls silent",
            }
        }
        (Cause::Idle, _) => "waits too long",
        (Cause::IllegalMove, _) => "makes an illegal move",
        (Cause::Crash, _) => "crashes",
        (Cause::Memory, _) => "uses too much memory",
        (Cause::Exit, _) => "ends too early",
        (Cause::Closed, _) => return detail.to_owned(),
        (Cause::Threads, _) => "uses too much of what all bots share",
        (Cause::Time, _) => "takes too long",
    };
    format!("{what}: {detail}")
}

/// Returns advice on a fault, line by line; the faulty line comes first.
fn remedy(fault: &Fault, author: &Author) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(line) = fault.line.as_ref().filter(|_| fault.raised.is_none()) {
        lines.push(format!("the line: {line}"));
    }
    let own = author.advice();
    let words = match fault.cause {
        Cause::IllegalMove => return lines,
        Cause::Unasked => "one line answers one question, and nothing comes before or after it",
        Cause::Malformed if fault.raised.is_some() => "the turn is lost, and the game continues",
        Cause::Malformed | Cause::Flood => own.map_or(asked_for(fault.phase), |own| own.answer),
        Cause::Idle => {
            "it neither computed nor waited for a CPU in that time: remove sleeps and waits"
        }
        Cause::Silence if own.is_some() => {
            "in that time it neither answered nor computed: does it sleep, or wait for input or a thread?"
        }
        Cause::Silence => {
            "the program is alive but idle: it answers never or too late, or its answer stays in its buffer"
        }
        Cause::Crash | Cause::Exit if own.is_some() => lost(author.lifetime),
        Cause::Crash | Cause::Exit if fault.phase == Phase::Hello => {
            "it ended before its first answer; look at its standard error"
        }
        Cause::Crash | Cause::Exit => "it must keep answering until its input ends",
        Cause::Memory => "keep less in memory at once",
        Cause::Threads => {
            "end or reuse threads, do not keep signals blocked, and start no timer that sends SIGCONT"
        }
        Cause::Closed => "leave standard output open until the input ends",
        Cause::Time => own.map_or(
            "make it answer earlier: `clock` in every turn says how much time is left",
            |own| own.time,
        ),
    };
    let told = fault.raised.as_deref().and_then(advice::on_output);
    lines.extend(told.map(|told| told.to_string()));
    lines.push(words.to_owned());
    // A student's prints do not end up in the answer.
    let is_print = own.is_none() && matches!(fault.cause, Cause::Unasked | Cause::Flood);
    if is_print || is_meant_for_people(fault) {
        lines.push(format!(
            "print to standard error instead{}",
            author.stderr()
        ));
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

fn asked_for(phase: Phase) -> &'static str {
    match phase {
        Phase::Hello | Phase::Start => "expected a line such as {\"ready\":{}}",
        Phase::Turn => {
            "expected a line such as {\"move\":…}, with a move as in PROTOCOL.md, which judge new writes"
        }
    }
}

/// Returns whether a line was meant for a person, rather than being a malformed answer.
fn is_meant_for_people(fault: &Fault) -> bool {
    let line = fault.line.as_deref().map(str::trim_start);
    line.is_some_and(|line| line.starts_with(|c: char| c.is_alphabetic()))
}
