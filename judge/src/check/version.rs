//! Examination of a version that a watch has received, between the watch's games.

use super::stages::{Examination, examine};
use crate::terminal::Paint;
use model::competition::Competition;
use rulebook::JudgeError;
use rulebook::Loaded;
use run::watch::{VersionReport, VersionToCheck};
use run::{open_run_cgroups, toolchains};
use sandbox::OpenRunCgroups;
use serde_json::value::to_raw_value;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;
use system::cleanup::TemporaryFolder;

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
