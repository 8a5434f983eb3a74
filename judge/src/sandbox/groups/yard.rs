//! The place of one run among the machine's groups, and its sweeping.

use super::name::Owner;
use super::{Groups, Version, leaf};
use crate::error::JudgeError;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{BufRead, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// How often a sweep tries to remove a group, and the pause in between.
const TRIES_MAX: u32 = 2000;
const TRY_PAUSE: Duration = Duration::from_millis(1);

/// A folder in each hierarchy, below which a run's groups lie, one for each player of each
/// worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Yard {
    groups: Groups,
    name: String,
}

/// A yard that is in use; dropping it ends and removes all of its groups. A process beside us
/// does the same if we die before.
#[derive(Debug)]
pub struct OpenYard {
    yard: Yard,
    /// What its own folder hands down that it did not before.
    enabled: Vec<String>,
    sweeper: Child,
}

impl Yard {
    /// Takes a place for the calling process. Where a limit cannot be put on groups after
    /// all, it is taken out of what the yard offers. `sweeper` is a program that calls
    /// [`sweep_when_left`].
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn open(mut groups: Groups, sweeper: Command) -> Result<OpenYard, JudgeError> {
        let name = Owner::this().name();
        for folder in groups.folders() {
            let run = folder.join(&name);
            fs::create_dir_all(&run)
                .map_err(|e| JudgeError::io("make the control group", &run, e))?;
        }
        let mut enabled = Vec::new();
        if let (Some(folder), controllers) = handed_down(&groups) {
            enabled = leaf::missing(&folder, &controllers);
            let run = folder.join(&name);
            if leaf::descend(&folder, &run, &controllers).is_err() {
                leaf::ascend(&folder, &run, &enabled);
                let older = |place: &super::Place| place.version == Version::One;
                groups.memory = groups.memory.filter(older);
                groups.tasks = groups.tasks.filter(older);
            }
        }
        let yard = Self { groups, name };
        let sweeper = yard.employ(sweeper)?;
        Ok(OpenYard {
            yard,
            enabled,
            sweeper,
        })
    }

    /// Tells what its groups are good for.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// Names a worker's group.
    pub(super) fn slot(&self, worker: u32, number: u32) -> PathBuf {
        Path::new(&self.name).join(format!("{worker}-{number}"))
    }

    /// Ends and removes all groups of a worker that is gone.
    pub fn sweep_worker(&self, worker: u32) {
        let prefix = format!("{worker}-");
        for folder in self.groups.folders() {
            for slot in below(&folder.join(&self.name)) {
                if file_name(&slot).starts_with(&prefix) {
                    end(&slot);
                }
            }
        }
    }

    fn employ(&self, mut sweeper: Command) -> Result<Child, JudgeError> {
        let child = sweeper
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            // An interrupt from the terminal is not for it.
            .process_group(0)
            .spawn();
        let child = child.map_err(|source| JudgeError::Launch {
            program: sweeper.get_program().into(),
            source,
        })?;
        let mut line = serde_json::to_vec(self).expect("plain data");
        line.push(b'\n');
        let mut stdin = child.stdin.as_ref().expect("it is piped");
        // One that has died cannot be told; then the next run sweeps.
        let _ = stdin.write_all(&line);
        Ok(child)
    }
}

impl OpenYard {
    /// Gives what workers need to know of it.
    pub fn yard(&self) -> &Yard {
        &self.yard
    }
}

impl Drop for OpenYard {
    fn drop(&mut self) {
        let Yard { groups, name } = &self.yard;
        if let (Some(folder), _) = handed_down(groups) {
            leaf::ascend(&folder, &folder.join(name), &self.enabled);
        }
        // It sweeps when its input ends.
        drop(self.sweeper.stdin.take());
        let _ = self.sweeper.wait();
    }
}

/// Serves as the sweeper of a yard: reads it from standard input, waits until whoever opened it
/// is gone or has closed it, and ends and removes all its groups.
///
/// # Errors
/// When the yard cannot be read.
pub fn sweep_when_left() -> Result<(), JudgeError> {
    let mut lines = std::io::stdin().lock().lines();
    let Some(Ok(line)) = lines.next() else {
        return Ok(());
    };
    let yard: Yard = serde_json::from_str(&line).map_err(|source| JudgeError::Format {
        what: "the place of control groups".to_owned(),
        source,
    })?;
    while let Some(Ok(_)) = lines.next() {}
    for folder in yard.groups.folders() {
        end(&folder.join(&yard.name));
    }
    Ok(())
}

/// Gives the controllers of version 2 that groups need, and the folder that must hand them
/// down; none if none does.
fn handed_down(groups: &Groups) -> (Option<PathBuf>, Vec<&'static str>) {
    let needed = [(&groups.memory, "memory"), (&groups.tasks, "pids")];
    let needed = needed.into_iter().filter_map(|(place, controller)| {
        let place = place.as_ref()?;
        (place.version == Version::Two).then_some((place.folder.clone(), controller))
    });
    let (mut folders, controllers): (Vec<PathBuf>, Vec<_>) = needed.unzip();
    (folders.pop(), controllers)
}

/// Ends and removes what judges that are gone have left.
pub(super) fn sweep_dead(groups: &Groups) {
    for folder in groups.folders() {
        for group in below(folder) {
            let owner = Owner::of(&file_name(&group));
            if owner.is_some_and(|owner| !owner.lives()) {
                end(&group);
            }
        }
    }
}

/// Ends all processes below a folder, removes the groups in it, and then itself.
fn end(folder: &Path) {
    for group in below(folder) {
        end(&group);
    }
    for _ in 0..TRIES_MAX {
        if fs::remove_dir(folder).is_ok() || !folder.exists() {
            return;
        }
        // One of the two there may be; a frozen group of version 1 must thaw to end.
        let _ = fs::write(folder.join("cgroup.kill"), "1");
        let members = fs::read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
        for pid in members
            .lines()
            .filter_map(|line| line.parse().ok())
            .filter(|&pid| pid > 0)
        {
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
        if folder.join("freezer.state").exists() {
            let _ = fs::write(folder.join("freezer.state"), "THAWED");
        }
        sleep(TRY_PAUSE);
    }
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.map(|entry| entry.path()).collect()
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}
