//! The output of tasks, and the machines that they ran on.

use model::fixture::{Conditions, Fixture};
use model::game_id::GameId;
use model::record::MatchRecord;
use model::stderr::Stderr;
use rulebook::JudgeError;
use std::path::Path;
use store::{Journal, MachineLine, MachineLines, PartLine, PartLines, UnequalMachines};

/// Slurm restarts a task whose node has failed, and the first attempt may continue next to it.
#[derive(Debug)]
pub(crate) struct Attempt {
    lines: PartLines,
    /// Why its games do not count, if so.
    pub(crate) refused: Option<String>,
}

impl Attempt {
    pub(crate) const fn new(lines: PartLines) -> Self {
        Self {
            lines,
            refused: None,
        }
    }

    pub(crate) fn is_at(&self, path: &Path) -> bool {
        self.lines.path() == path
    }

    /// Games of a machine that differs from the others do not count, unless machines may be mixed.
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
