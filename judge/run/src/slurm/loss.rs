//! Evaluates tasks that have ended: finds those with unplayed games, and describes them for the
//! user.

use crate::slurm::array::{Array, End, Stand, Way};
use crate::slurm::listing::{Listed, Phase};
use model::fixture::{Conditions, Fixture};
use model::game_id::GameId;
use model::numbers::counted;
use model::record::MatchRecord;
use model::stderr::Stderr;
use rulebook::JudgeError;
use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};
use store::{Journal, MachineLine, MachineLines, PartLine, PartLines, UnequalMachines};

/// A task that has ended with games missing.
pub(crate) struct Loss {
    pub(crate) end: End,
    /// The fixtures that it has not played.
    pub(crate) left: Vec<GameId>,
    pub(crate) has_played: bool,
    /// See [`Task::is_watched`](crate::slurm::array::Task::is_watched).
    pub(crate) is_watched: bool,
    /// The message for the user.
    pub(crate) words: String,
}

/// Closes the tasks of an array that have ended. Returns those with unplayed games, unless one of
/// our judges has cancelled the array. Missing games may still come for `settle` after the end of
/// their task.
pub(crate) fn losses(
    array: &mut Array,
    missing: &HashSet<GameId>,
    settle: Duration,
) -> Result<Vec<Loss>, JudgeError> {
    let mut ended = Vec::new();
    for (task, number) in array.tasks.iter_mut().zip(1..) {
        let Stand::Ended(end) = &task.stand else {
            continue;
        };
        if task.refused.is_none() && end.since.elapsed() < settle {
            continue;
        }
        let mut end = end.clone();
        if let Some(reason) = &task.refused {
            end.words.clone_from(reason);
            end.how = Way::Lost;
        }
        task.stand = Stand::Over;
        ended.push((number, end));
    }
    if ended.is_empty() {
        return Ok(Vec::new());
    }
    array.write_closed()?;
    if array.is_cancelled() {
        return Ok(Vec::new());
    }
    Ok(ended
        .into_iter()
        .filter_map(|(number, end)| Loss::of(array, number, end, missing))
        .collect())
}

impl Loss {
    /// Describes the end of a task; none if it has played everything.
    fn of(array: &Array, number: usize, end: End, missing: &HashSet<GameId>) -> Option<Self> {
        let task = &array.tasks[number - 1];
        let left: Vec<GameId> = task.missing(missing).collect();
        if left.is_empty() {
            return None;
        }
        let job = array.job().unwrap_or_default();
        let (line, log) = array.log(number);
        let line = line.map_or_else(String::new, |line| format!(", which ends with: {line}"));
        let words = format!(
            "task {number} of Slurm array {job} has ended ({}) without {} of its {}; its log is {}{line}",
            end.words,
            left.len(),
            counted(task.games.len() as u64, "game"),
            log.display(),
        );
        Some(Self {
            has_played: task.taken > 0,
            is_watched: task.is_watched,
            end,
            left,
            words,
        })
    }
}

/// Returns how a task has ended, if it has. A task that is no longer listed ended some minutes ago.
pub(crate) fn end_of(listed: Option<&Listed>) -> Option<End> {
    let how = match listed.map(Listed::phase) {
        Some(Phase::Waiting) if listed.is_some_and(Listed::was_not_launched) => Way::Lost,
        Some(Phase::Waiting | Phase::Running) => return None,
        Some(Phase::Completed) => Way::Completed,
        Some(Phase::Cancelled) => Way::Cancelled,
        Some(Phase::Lost) | None => Way::Lost,
    };
    Some(End {
        how,
        words: listed.map_or_else(|| "Slurm no longer lists it".to_owned(), Listed::end),
        nodes: listed.map_or_else(String::new, |one| one.nodes.clone()),
        since: Instant::now(),
    })
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
