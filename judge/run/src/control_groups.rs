//! Control groups for a run whose bots may start processes.

use rulebook::JudgeError;
use sandbox::{Isolation, OpenRunCgroups, RunCgroups};

/// Opens the run's control groups if bots may start processes, after removing those that killed
/// runs have left.
///
/// # Errors
/// When bots may start processes, and this machine cannot count and end them. The message names the
/// missing part.
pub fn open_run_cgroups(
    isolation: &mut Isolation,
    processes: bool,
) -> Result<Option<OpenRunCgroups>, JudgeError> {
    isolation.admit_processes(processes)?;
    let Some(groups) = isolation.groups.as_mut() else {
        return Ok(None);
    };
    groups.sweep();
    if !processes {
        return Ok(None);
    }
    let run_cgroups = RunCgroups::open(groups.clone())?;
    groups.clone_from(run_cgroups.run_cgroups().groups());
    Ok(Some(run_cgroups))
}
