//! The machines of a run's games, as a section of the page.

use super::cells::{number, sortable};
use super::gather::Summary;
use super::phrases;
use super::source::{PageMachines, PageSource};
use crate::outputs::MachineRow;
use journal::{MachineLine, UnequalMachines};
use maud::{Markup, html};

/// Maximum number of rows that are not folded.
const ROWS_MAX: usize = 6;

/// A row of the table.
struct Row<'a> {
    /// `None` if the journal has lost it.
    line: Option<&'a MachineLine>,
    /// The least and the greatest calibration, in microseconds.
    calibration_us: (u64, u64),
    games: u64,
}

impl<'a> Row<'a> {
    fn new(machine: &MachineRow<'a>) -> Self {
        let calibration_us = machine.line.map_or(0, |line| line.calibration_us);
        Self {
            line: machine.line,
            calibration_us: (calibration_us, calibration_us),
            games: machine.games,
        }
    }

    /// Returns whether two rows differ at most in calibration. Rows with a load are never alike.
    fn is_like(&self, other: &Self) -> bool {
        match (self.line, other.line) {
            (Some(one), Some(other)) => {
                one.load.is_empty()
                    && (&one.host, &one.machine, &one.load)
                        == (&other.host, &other.machine, &other.load)
            }
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    fn add(&mut self, other: &Self) {
        let ((least, most), (low, high)) = (self.calibration_us, other.calibration_us);
        self.calibration_us = (least.min(low), most.max(high));
        self.games += other.games;
    }

    fn calibration(&self) -> String {
        let (least, most) = self.calibration_us;
        let [least, most] = [least, most].map(phrases::time);
        if least == most {
            return least;
        }
        format!("{least} – {most}")
    }
}

/// Returns the list of machines; `None` if the journal has none.
pub(super) fn machines(source: &PageSource<'_>, summary: &Summary) -> Option<Markup> {
    let rows: Vec<MachineRow<'_>> = match source.machines {
        PageMachines::Named(lines) => summary.played_on.rows(lines).collect(),
        PageMachines::Counted(machines) => machines.iter().map(MachineRow::from).collect(),
    };
    rows.iter().find(|row| row.line.is_some())?;
    let rows = put_together(rows.iter().map(Row::new));
    let is_told = |what: fn(&MachineLine) -> &str| {
        let mut lines = rows.iter().filter_map(|row| row.line);
        lines.any(|line| !what(line).is_empty())
    };
    let columns = Columns {
        kernel: is_told(|line| &line.machine.kernel),
        load: is_told(|line| &line.load),
    };
    Some(html! {
        p.note {
            @if columns.load { "One row each time that a machine began to play. " }
            "The calibration is the CPU time of a fixed workload"
            @if columns.load { "; the load is that of the minute before" }
            "."
        }
        @if rows.len() > ROWS_MAX {
            details { summary { (rows.len()) " rows" } (table(&rows, columns)) }
        } @else { (table(&rows, columns)) }
    })
}

/// Merges rows that are alike.
fn put_together<'a>(rows: impl Iterator<Item = Row<'a>>) -> Vec<Row<'a>> {
    let mut all: Vec<Row<'a>> = Vec::new();
    for row in rows {
        match all.iter_mut().find(|one| one.is_like(&row)) {
            Some(one) => one.add(&row),
            None => all.push(row),
        }
    }
    all
}

/// The optional columns: some readers do not see all of them.
#[derive(Clone, Copy)]
struct Columns {
    kernel: bool,
    load: bool,
}

fn table(rows: &[Row<'_>], columns: Columns) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label="Machines" {
            table.sort {
                thead { tr {
                    (sortable("Machine")) (sortable("Processor"))
                    @if columns.kernel { (sortable("Kernel")) }
                    (number("CPUs")) (sortable("Isolation"))
                    @if columns.load { (number("Load")) }
                    (number("Calibration")) (number("Games"))
                } }
                tbody {
                    @for row in rows {
                        @if let Some(line) = row.line {
                            tr {
                                th scope="row" { (phrases::name(&line.host)) }
                                td { (phrases::name(&line.machine.processor)) }
                                @if columns.kernel { td { (phrases::name(&line.machine.kernel)) } }
                                td.n { (line.machine.cpus) }
                                td {
                                    "tier " (line.machine.isolation.tier.name())
                                    @if line.machine.isolation.namespaces { ", namespaces" }
                                    @if line.machine.pinned { ", pinned" }
                                }
                                @if columns.load { td.n { (phrases::name(&line.load)) } }
                                td.n data-v=(row.calibration_us.0) { (row.calibration()) }
                                td.n data-v=(row.games) { (phrases::count(row.games)) }
                            }
                        } @else {
                            tr {
                                th scope="row" { "not known" }
                                td {}
                                @if columns.kernel { td {} }
                                td {} td {}
                                @if columns.load { td {} }
                                td {}
                                td.n data-v=(row.games) { (phrases::count(row.games)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Returns a warning if the machines differ so much that clocks may have decided games.
pub(super) fn unequal(source: &PageSource<'_>) -> Markup {
    let unequal = UnequalMachines::among(source.machines.lines());
    html! {
        @if let Some(unequal) = unequal {
            p.note {
                strong { "Mixed machines: " }
                (phrases::name(&unequal.fastest.0)) " and " (phrases::name(&unequal.slowest.0))
                " differ in speed: what takes " (phrases::time(unequal.fastest.1)) " on the one takes "
                (phrases::time(unequal.slowest.1)) " on the other. Clocks may have decided games, and judge scales no times. "
                a href="#machines" { "The machines" }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_the_calibration_tells_apart_is_one_row_unless_the_load_is_told() {
        let machine = r#"{"kernel":"","processor":"x","cpus":2,"pinned":true,"isolation":
            {"tier":"B","landlock_version":1,"seccomp":true,"ids":null,"counter":null}}"#;
        let line = |host: &str, calibration_us, load: &str| MachineLine {
            host: host.to_owned(),
            boot: None,
            machine: serde_json::from_str(machine).expect("plain data"),
            load: load.to_owned(),
            calibration_us,
            judge: "1".to_owned(),
            part: None,
            startup_default_ms: None,
            idle_default_ms: None,
        };
        let together = |all: &[MachineLine]| {
            let rows = all.iter().map(|line| {
                Row::new(&MachineRow {
                    line: Some(line),
                    games: 2,
                })
            });
            let rows = put_together(rows);
            let told = rows.iter().map(|row| (row.calibration(), row.games));
            told.collect::<Vec<_>>()
        };
        let told = |calibration: &str, games| (calibration.to_owned(), games);
        assert_eq!(
            together(&[
                line("1", 3_910, ""),
                line("2", 3_910, ""),
                line("1", 3_850, "")
            ]),
            [told("3.85 ms – 3.91 ms", 4), told("3.91 ms", 2)]
        );
        let twice = [line("1", 3_910, "0.5"), line("1", 3_910, "0.5")];
        assert_eq!(together(&twice).len(), 2);
    }
}
