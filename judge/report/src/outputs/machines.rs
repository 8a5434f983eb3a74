//! `machines.csv`: the machines of the games.

use super::output::{Gathered, Made, Output, OutputSource, Scored};
use crate::sheet::{Reader, Rows, Sheet, SheetColumns, or_empty, text, text_or_empty, yes_or_no};
use journal::{MachineGames, MachineLine, MachineLines};
use std::collections::HashMap;
use words::record::MatchResult;

pub(super) const OUTPUT: Output = Output {
    name: |_| Some("machines.csv".to_owned()),
    reader: Reader::Staff,
    came_later: false,
    made: Made::Gathered(|_| Box::new(PlayedOn::default())),
};

/// Number of games played on each machine, in the order of their first games.
#[derive(Debug, Default)]
pub(crate) struct PlayedOn {
    /// By the machine's digest in the games' records; `None` for games by judges that did not
    /// record it.
    machines: Vec<(Option<String>, u64)>,
    places: HashMap<Option<String>, usize>,
}

/// A machine and its games.
pub(crate) struct MachineRow<'a> {
    /// See [`PlayedOn`].
    pub(crate) digest: Option<&'a str>,
    /// The machine's line; `None` if the journal has lost it.
    pub(crate) line: Option<&'a MachineLine>,
    pub(crate) games: u64,
}

impl<'a> From<&'a MachineGames> for MachineRow<'a> {
    fn from(one: &'a MachineGames) -> Self {
        Self {
            digest: None,
            line: Some(&one.line),
            games: one.games,
        }
    }
}

impl PlayedOn {
    /// Counts a game.
    pub(crate) fn add(&mut self, machine: Option<&str>) {
        let machine = machine.map(str::to_owned);
        let next = self.machines.len();
        let place = *self.places.entry(machine.clone()).or_insert(next);
        if place == next {
            self.machines.push((machine, 0));
        }
        self.machines[place].1 += 1;
    }

    /// Lists the machines.
    pub(crate) fn rows<'a>(
        &'a self,
        lines: &'a MachineLines,
    ) -> impl Iterator<Item = MachineRow<'a>> {
        self.machines.iter().map(|(digest, games)| {
            let digest = digest.as_deref();
            MachineRow {
                digest,
                line: digest.and_then(|digest| lines.get(digest)),
                games: *games,
            }
        })
    }
}

impl Gathered for PlayedOn {
    fn add(&mut self, _: &OutputSource<'_>, result: &MatchResult, _: bool) {
        Self::add(self, result.machine.as_deref());
    }

    fn csv(&self, _: &OutputSource<'_>, scored: &Scored<'_>) -> Vec<u8> {
        let mut sheet = Sheet::new(columns());
        for row in self.rows(scored.machines) {
            sheet.row(&row);
        }
        sheet.finish()
    }
}

/// The rows of `machines.csv`.
enum MachineRows {}

impl Rows for MachineRows {
    type Row<'a> = MachineRow<'a>;
}

fn columns() -> SheetColumns<'static, MachineRows> {
    /// Returns the cell of a fact about a machine; empty if the machine is unknown.
    fn known<T: ToString>(row: &MachineRow<'_>, of: impl Fn(&MachineLine) -> T) -> String {
        or_empty(row.line.map(of))
    }
    SheetColumns::<MachineRows>::new()
        .with("machine", |row| text_or_empty(row.digest))
        .with("host", |row| known(row, |line| text(&line.host)))
        .with("processor", |row| {
            known(row, |line| text(&line.machine.processor))
        })
        .with("kernel", |row| {
            known(row, |line| text(&line.machine.kernel))
        })
        .with("cpus", |row| known(row, |line| line.machine.cpus))
        .with("pinned", |row| {
            known(row, |line| yes_or_no(line.machine.pinned))
        })
        .with("tier", |row| {
            known(row, |line| line.machine.isolation.tier.name())
        })
        .with("namespaces", |row| {
            known(row, |line| yes_or_no(line.machine.isolation.namespaces))
        })
        .with("load", |row| known(row, |line| text(&line.load)))
        .with("calibration_us", |row| {
            known(row, |line| line.calibration_us)
        })
        .with("judge", |row| known(row, |line| text(&line.judge)))
        .with("part", |row| {
            text_or_empty(row.line.and_then(|line| line.part.as_deref()))
        })
        .with("games", |row| row.games)
}
