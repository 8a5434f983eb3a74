//! `machines.csv`: the machines of the games, one row for each host and processor.

use super::output::{Gathered, Made, Output, OutputSource, Scored};
use crate::sheet::{Reader, Rows, Sheet, SheetColumns, or_empty, text, yes_or_no};
use model::record::MatchResult;
use std::collections::HashMap;
use store::machines::Machine;
use store::{MachineGames, MachineLine, MachineLines};

pub(super) const OUTPUT: Output = Output {
    name: |_| Some("machines.csv".to_owned()),
    reader: Reader::Staff,
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

/// A machine with its games: one start of a judge there, or all starts on it together. A task of a
/// cluster is a start.
pub(crate) struct MachineRow<'a> {
    /// The line of the first start; `None` if the journal has lost it.
    pub(crate) line: Option<&'a MachineLine>,
    /// The least and the greatest calibration, in microseconds.
    pub(crate) calibration_us: (u64, u64),
    starts: u64,
    pub(crate) games: u64,
}

impl<'a> From<&'a MachineGames> for MachineRow<'a> {
    fn from(one: &'a MachineGames) -> Self {
        Self::new(Some(&one.line), one.games)
    }
}

impl<'a> MachineRow<'a> {
    fn new(line: Option<&'a MachineLine>, games: u64) -> Self {
        let calibration_us = line.map_or(0, |line| line.calibration_us);
        Self {
            line,
            calibration_us: (calibration_us, calibration_us),
            starts: 1,
            games,
        }
    }

    /// Merges the starts on each machine, in the order of the first ones.
    pub(crate) fn merged(starts: impl Iterator<Item = Self>) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for start in starts {
            match all.iter_mut().find(|one| one.is_like(&start)) {
                Some(one) => one.add(&start),
                None => all.push(start),
            }
        }
        all
    }

    /// Returns whether both are the same host with the same processor, as far as the table shows.
    fn is_like(&self, other: &Self) -> bool {
        let shown = |row: &Self| {
            let line = row.line?;
            let Machine {
                kernel,
                processor,
                cpus,
                pinned,
                isolation,
            } = &line.machine;
            let names = [&line.host, processor, kernel, &line.judge].map(String::as_str);
            Some((names, *cpus, *pinned, isolation.level))
        };
        shown(self) == shown(other)
    }

    fn add(&mut self, other: &Self) {
        let ((least, most), (low, high)) = (self.calibration_us, other.calibration_us);
        self.calibration_us = (least.min(low), most.max(high));
        self.starts += other.starts;
        self.games += other.games;
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

    /// Lists the starts.
    pub(crate) fn starts<'a>(
        &'a self,
        lines: &'a MachineLines,
    ) -> impl Iterator<Item = MachineRow<'a>> {
        self.machines.iter().map(|(digest, games)| {
            let line = digest.as_deref().and_then(|digest| lines.get(digest));
            MachineRow::new(line, *games)
        })
    }
}

impl Gathered for PlayedOn {
    fn add(&mut self, _: &OutputSource<'_>, result: &MatchResult, _: bool) {
        Self::add(self, result.machine.as_deref());
    }

    fn csv(&self, _: &OutputSource<'_>, scored: &Scored<'_>) -> Vec<u8> {
        let mut sheet = Sheet::new(columns());
        for row in MachineRow::merged(self.starts(scored.machines)) {
            sheet.row(&row);
        }
        sheet.finish()
    }
}

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
        .with("isolation", |row| {
            known(row, |line| line.machine.isolation.level)
        })
        .with("calibration_us_min", |row| {
            known(row, |_| row.calibration_us.0)
        })
        .with("calibration_us_max", |row| {
            known(row, |_| row.calibration_us.1)
        })
        .with("judge", |row| known(row, |line| text(&line.judge)))
        .with("starts", |row| row.starts)
        .with("games", |row| row.games)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_starts_on_one_host_and_processor_are_one_row() {
        let line =
            |host: &str, processor: &str, calibration_us: u64, part: Option<&str>| MachineLine {
                host: host.to_owned(),
                boot: None,
                machine: serde_json::from_str(&format!(
                    r#"{{"kernel":"6","processor":"{processor}","cpus":2,"pinned":true,"isolation":
                {{"level":"weak","landlock_version":1,"seccomp":true,"ids":null,"counter":null}}}}"#
                ))
                .expect("plain data"),
                load: calibration_us.to_string(),
                calibration_us,
                judge: "1".to_owned(),
                part: part.map(str::to_owned),
                rules_program: None,
            };
        let lines: MachineLines = [
            ("a".to_owned(), line("one", "x", 3_900, Some("1-of-3"))),
            ("b".to_owned(), line("one", "x", 3_800, Some("2-of-3"))),
            ("c".to_owned(), line("one", "y", 3_850, Some("3-of-3"))),
            ("d".to_owned(), line("two", "x", 3_700, None)),
        ]
        .into();
        let mut played = PlayedOn::default();
        for digest in ["a", "b", "c", "a", "d", "lost", "lost too"] {
            played.add(Some(digest));
        }
        let mut sheet = Sheet::new(columns());
        for row in MachineRow::merged(played.starts(&lines)) {
            sheet.row(&row);
        }
        let text = String::from_utf8(sheet.finish()).expect("text");
        assert_eq!(
            text,
            "host,processor,kernel,cpus,pinned,isolation,calibration_us_min,calibration_us_max,judge,starts,games\n\
             one,x,6,2,yes,weak,3800,3900,1,2,3\n\
             one,y,6,2,yes,weak,3850,3850,1,1,1\n\
             two,x,6,2,yes,weak,3700,3700,1,1,1\n\
             ,,,,,,,,,2,2\n"
        );
    }
}
