//! The machines of the games, one row for each host and processor.

use std::collections::HashMap;
use store::machines::Machine;
use store::{MachineGames, MachineLine, MachineLines};

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
        let rows = MachineRow::merged(played.starts(&lines));
        let told = rows.iter().map(|row| {
            let of = row.line.map(|line| (&*line.host, &*line.machine.processor));
            (of, row.calibration_us, row.games)
        });
        assert_eq!(
            told.collect::<Vec<_>>(),
            [
                (Some(("one", "x")), (3800, 3900), 3),
                (Some(("one", "y")), (3850, 3850), 1),
                (Some(("two", "x")), (3700, 3700), 1),
                (None, (0, 0), 2),
            ]
        );
    }
}
