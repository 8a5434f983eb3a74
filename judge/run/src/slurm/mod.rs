//! Plays the games of a run as tasks of a Slurm cluster, instead of by workers on this machine.
//! Slurm decides where and when a task runs. This module divides the missing games into parts,
//! submits them, collects the tasks' output, and resubmits lost games.
//!
//! Nothing depends on locks. Every attempt at a task writes a file of its own, and the same game
//! may come twice. Only games that are missing in the run's journal are submitted.

mod array;
mod client;
mod follow;
mod listing;
mod loss;

pub use array::SLURM;
pub use follow::play;

use model::competition::SlurmSettings;
use model::fixture::{Conditions, Fixture};
use model::game_id::GameId;
use model::record::MatchRecord;
use model::stderr::Stderr;
use rulebook::JudgeError;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use store::parts::PartPlan;
use store::{Journal, MachineLine, MachineLines, PartLine, PartLines, UnequalMachines};
use system::files::write_whole;

/// Checks that Slurm's commands are installed.
pub fn check() -> Result<(), JudgeError> {
    client::check().map_err(client::Refusal::error)
}

/// Estimates how long each of some games takes, in microseconds; the journal has finished games of
/// the run.
pub type CostsUs<'a> = dyn Fn(&[&Fixture], &Journal) -> Result<Vec<f64>, JudgeError> + 'a;

/// The settings for playing a run on a cluster.
pub struct SlurmPlan<'a> {
    /// The run's folder, absolute; it has this path on all nodes.
    pub run: &'a Path,
    /// The program that plays parts, with the verb `part`; it has this path on all nodes.
    pub judge: &'a str,
    /// Further flags for it.
    pub flags: &'a [String],
    /// The competition's settings for the cluster.
    pub settings: &'a SlurmSettings,
    /// The memory that a task needs, in MiB.
    pub memory_mib: u64,
    /// The common data of all parts.
    pub part: PartPlan<'a>,
    /// Called before each submission.
    pub costs_us: &'a CostsUs<'a>,
    /// Whether games from machines of different speed may count together.
    pub mixed: bool,
    /// Set from outside to finish the games in play and start no more.
    pub stop: Arc<AtomicBool>,
    /// The arrays to cancel if the program is ended early.
    pub arrays: ActiveArrays,
}

/// Marker that one of our judges has cancelled the array. A different thread from the note's
/// creates it.
const CANCELLED: &str = "cancelled";

/// The active arrays, including one that is being submitted.
#[derive(Clone, Debug, Default)]
pub struct ActiveArrays(Arc<Mutex<Vec<ActiveArray>>>);

/// An active array.
#[derive(Clone, Debug)]
pub(crate) struct ActiveArray {
    /// The job's name.
    pub(crate) name: String,
    /// The job's number, once Slurm has reported it.
    pub(crate) job: Option<u64>,
    /// The array's folder.
    pub(crate) folder: PathBuf,
}

/// Number of searches for an array that is being submitted, and the time between them.
const LOOKS: u32 = 10;
const BETWEEN: Duration = Duration::from_secs(1);

impl ActiveArray {
    /// Cancels the array; returns whether it is known to end.
    fn cancel(&self) -> bool {
        // Without the mark, the next judge thinks that somebody else cancelled it.
        let _ = mark_cancelled(&self.folder);
        if let Some(job) = self.job {
            return client::cancel(&[job]).is_ok();
        }
        for _ in 0..LOOKS {
            if client::cancel_name(&self.name).unwrap_or(false) {
                return true;
            }
            thread::sleep(BETWEEN);
        }
        false
    }

    /// Returns the command that ends it.
    fn command(&self) -> String {
        self.job.map_or_else(
            || format!("scancel --name={}", self.name),
            |job| format!("scancel {job}"),
        )
    }
}

impl ActiveArrays {
    pub(crate) fn set(&self, arrays: impl Iterator<Item = ActiveArray>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = arrays.collect();
    }

    /// Cancels all arrays, within a few seconds. Returns the commands for those that may still be
    /// active. The next start collects the output of their tasks.
    pub fn cancel(&self) -> Vec<String> {
        let arrays = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        arrays
            .iter()
            .filter(|array| !array.cancel())
            .map(ActiveArray::command)
            .collect()
    }
}

/// Marks an array's folder as cancelled by one of our judges.
pub(crate) fn mark_cancelled(folder: &Path) -> Result<(), JudgeError> {
    write_whole(&folder.join(CANCELLED), b"")
}

/// Returns whether one of our judges has cancelled the array of a folder.
pub(crate) fn is_cancelled(folder: &Path) -> bool {
    folder.join(CANCELLED).exists()
}

/// One attempt at a task. Slurm restarts a task whose node has failed, and the first attempt may
/// continue beside the second.
#[derive(Debug)]
pub(crate) struct Attempt {
    lines: PartLines,
    /// Why its games do not count, if so.
    pub(crate) refused: Option<String>,
}

impl Attempt {
    /// Starts to read.
    pub(crate) const fn new(lines: PartLines) -> Self {
        Self {
            lines,
            refused: None,
        }
    }

    /// Returns whether this attempt writes into a file.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        self.lines.path() == path
    }

    /// Appends new output to the run's journal, and passes new games to `take`. Games of a machine
    /// that differs from the others do not count, unless machines may be mixed.
    pub(crate) fn read(
        &mut self,
        machines: &mut Machines,
        conditions: &Conditions,
        journal: &mut Journal,
        take: &mut dyn FnMut(&MatchRecord, &[Stderr]),
    ) -> Result<(), JudgeError> {
        let refused = &mut self.refused;
        self.lines.read_new(&mut |line| match line {
            PartLine::Machine(machine) => {
                *refused = if machine.is_of_another_game(conditions) {
                    Some("an earlier version of the game played it".to_owned())
                } else {
                    let unequal = machines.admit(&machine);
                    unequal.map(|unequal| unlike(&machine.host, &unequal))
                };
                if refused.is_none() {
                    journal.append_machine(&machine)?;
                }
                Ok(())
            }
            PartLine::Game { record, stderr } => {
                if refused.is_none() && !journal.contains(record.fixture) {
                    journal.append(&record)?;
                    take(&record, &stderr);
                }
                Ok(())
            }
            // Its game is missing, and is played again.
            PartLine::Unfit { .. } => Ok(()),
        })
    }
}

/// The machines whose games count in a run.
#[derive(Debug)]
pub(crate) struct Machines {
    lines: MachineLines,
    mixed: bool,
}

impl Machines {
    /// Starts with the machines of the finished games; `mixed` ones may differ in speed.
    pub(crate) fn of(
        journal: &Journal,
        fixtures: &[Fixture],
        mixed: bool,
    ) -> Result<Self, JudgeError> {
        let ids: Vec<GameId> = fixtures.iter().map(|one| one.id).collect();
        let lines = journal.games().machines_of(&ids)?;
        Ok(Self { lines, mixed })
    }

    /// Adds another machine; returns the difference if it differs too much.
    fn admit(&mut self, machine: &MachineLine) -> Option<UnequalMachines> {
        let all = self.lines.values().chain([machine]);
        let unequal = UnequalMachines::among(all).filter(|_| !self.mixed);
        if unequal.is_none() {
            self.lines.insert(machine.digest(), machine.clone());
        }
        unequal
    }
}

fn unlike(host: &str, unequal: &UnequalMachines) -> String {
    format!(
        "{host} is not like the other machines of this run, so its games do not count: {}; name one CPU model with \
         constraint in [slurm], or accept mixed machines with --mixed",
        unequal.words()
    )
}
