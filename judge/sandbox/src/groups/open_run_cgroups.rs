//! The control groups of an active run, with a process that sweeps them if the judge dies.

use super::leaf;
use super::places::{CgroupFolder, CgroupVersion, ControlGroups, PREFIX};
use super::run_cgroups::{RunCgroups, delegated};
use super::sweeper::Duty;
use rulebook::JudgeError;
use std::fs;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use system::owner::Owner;

/// Control groups of an active run. Dropping this ends and removes all of them. A separate process
/// does the same if the judge dies first.
#[derive(Debug)]
pub struct OpenRunCgroups {
    duty: Duty,
    sweeper: Child,
}

impl RunCgroups {
    /// Creates the run's groups for the calling process. If a limit cannot be put on groups after
    /// all, removes it from the groups' capabilities. `sweeper` is a program that calls
    /// [`sweep_when_left`](super::sweep_when_left).
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn open(mut groups: ControlGroups, sweeper: Command) -> Result<OpenRunCgroups, JudgeError> {
        let name = format!("{PREFIX}{}", Owner::this());
        for folder in groups.folders() {
            let run = folder.join(&name);
            fs::create_dir_all(&run)
                .map_err(|e| JudgeError::io("make the control group", &run, e))?;
        }
        let mut enabled = Vec::new();
        if let (Some(folder), controllers) = delegated(&groups) {
            enabled = leaf::missing(&folder, &controllers);
            let run = folder.join(&name);
            if leaf::descend(&folder, &run, &controllers).is_err() {
                leaf::ascend(&folder, &run, &enabled);
                let older = |place: &CgroupFolder| place.version == CgroupVersion::One;
                groups.memory = groups.memory.filter(older);
                groups.tasks = groups.tasks.filter(older);
            }
        }
        let run_cgroups = Self { groups, name };
        let duty = Duty {
            run_cgroups,
            enabled,
        };
        // Start it only after this process has moved: no other may be in the folder at that moment.
        match employ(&duty, sweeper) {
            Ok(sweeper) => Ok(OpenRunCgroups { duty, sweeper }),
            Err(error) => {
                duty.do_now();
                Err(error)
            }
        }
    }
}

impl OpenRunCgroups {
    /// Returns the data that workers need about it.
    pub fn run_cgroups(&self) -> &RunCgroups {
        &self.duty.run_cgroups
    }
}

impl Drop for OpenRunCgroups {
    fn drop(&mut self) {
        self.duty.leave_leaf();
        // The sweeper starts when its input ends.
        drop(self.sweeper.stdin.take());
        let is_swept = self.sweeper.wait().is_ok_and(|status| status.success());
        if !is_swept {
            // The sweeper was killed.
            self.duty.do_now();
        }
    }
}

fn employ(duty: &Duty, mut sweeper: Command) -> Result<Child, JudgeError> {
    let child = sweeper
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        // An interrupt from the terminal must not reach it.
        .process_group(0)
        .spawn();
    let child = child.map_err(|source| JudgeError::Launch {
        program: sweeper.get_program().into(),
        source,
    })?;
    let mut line = serde_json::to_vec(duty).expect("plain data");
    line.push(b'\n');
    let mut stdin = child.stdin.as_ref().expect("it is piped");
    // If the sweeper has died, the next run sweeps.
    let _ = stdin.write_all(&line);
    Ok(child)
}
