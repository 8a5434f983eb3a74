//! Control groups for a run whose bots may start processes.

use crate::builtin;
use sandbox::{Isolation, OpenYard, Yard};
use std::process::Command;
use system::error::JudgeError;

/// Takes the place of control groups where bots may start processes, after sweeping what
/// killed runs have left there.
///
/// # Errors
/// When bots may start processes and this machine cannot count and end them, with what is
/// missing.
pub(super) fn open_yard(
    isolation: &mut Isolation,
    processes: bool,
) -> Result<Option<OpenYard>, JudgeError> {
    isolation.admit_processes(processes)?;
    isolation.groups.sweep();
    if !processes {
        return Ok(None);
    }
    let mut sweeper = Command::new(builtin::THIS_PROGRAM);
    sweeper.arg("sweeper");
    let yard = Yard::open(isolation.groups.clone(), sweeper)?;
    isolation.groups = yard.yard().groups().clone();
    Ok(Some(yard))
}
