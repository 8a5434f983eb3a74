//! Control groups for a run whose bots may start processes.

use crate::programs::THIS_PROGRAM;
use error::JudgeError;
use sandbox::{Isolation, OpenRunCgroups, RunCgroups};
use std::process::Command;

/// Takes the place of control groups where bots may start processes, after sweeping what
/// killed runs have left there.
///
/// # Errors
/// When bots may start processes and this machine cannot count and end them, with what is
/// missing.
pub fn open_run_cgroups(
    isolation: &mut Isolation,
    processes: bool,
) -> Result<Option<OpenRunCgroups>, JudgeError> {
    isolation.admit_processes(processes)?;
    isolation.groups.sweep();
    if !processes {
        return Ok(None);
    }
    let mut sweeper = Command::new(THIS_PROGRAM);
    sweeper.arg("sweeper");
    let run_cgroups = RunCgroups::open(isolation.groups.clone(), sweeper)?;
    isolation.groups = run_cgroups.run_cgroups().groups().clone();
    Ok(Some(run_cgroups))
}
