//! What the games were played on, as the page tells it.

use super::cells::{number, sortable};
use super::gather::Summary;
use super::phrases;
use super::source::{PageMachines, PageSource};
use crate::machines::MachineRow;
use journal::UnequalMachines;
use maud::{Markup, html};

/// More rows are folded.
const ROWS_MAX: usize = 6;

/// Lists the machines; none where the journal tells of none.
pub(super) fn machines(source: &PageSource<'_>, summary: &Summary) -> Option<Markup> {
    let rows: Vec<MachineRow<'_>> = match source.machines {
        PageMachines::Named(lines) => summary.played_on.rows(lines).collect(),
        PageMachines::Counted(machines) => machines.iter().map(MachineRow::from).collect(),
    };
    rows.iter().find(|row| row.line.is_some())?;
    Some(html! {
        p.note {
            "A row for each time that somebody began to play. The calibration is the CPU time of a fixed workload; \
             the load is that of the minute before."
        }
        @if rows.len() > ROWS_MAX {
            details { summary { (rows.len()) " rows" } (table(&rows)) }
        } @else { (table(&rows)) }
    })
}

fn table(rows: &[MachineRow<'_>]) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label="Machines" {
            table.sort {
                thead { tr {
                    (sortable("Machine")) (sortable("Processor")) (sortable("Kernel")) (number("CPUs"))
                    (sortable("Isolation")) (number("Load")) (number("Calibration")) (number("Games"))
                } }
                tbody {
                    @for row in rows {
                        @if let Some(line) = row.line {
                            tr {
                                th scope="row" { (phrases::name(&line.host)) }
                                td { (phrases::name(&line.machine.processor)) }
                                td { (phrases::name(&line.machine.kernel)) }
                                td.n { (line.machine.cpus) }
                                td {
                                    "tier " (format!("{:?}", line.machine.isolation.tier))
                                    @if line.machine.isolation.namespaces { ", namespaces" }
                                    @if line.machine.pinned { ", pinned" }
                                }
                                td.n { (phrases::name(&line.load)) }
                                td.n data-v=(line.calibration_us) { (phrases::time(line.calibration_us)) }
                                td.n data-v=(row.games) { (phrases::count(row.games)) }
                            }
                        } @else {
                            tr {
                                th scope="row" { "not known" }
                                td {} td {} td {} td {} td {} td {}
                                td.n data-v=(row.games) { (phrases::count(row.games)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Says so where the machines differ so much that clocks may have decided games.
pub(super) fn unequal(source: &PageSource<'_>) -> Markup {
    let unequal = UnequalMachines::among(source.machines.lines());
    html! {
        @if let Some(unequal) = unequal {
            p.note {
                strong { "Mixed machines: " }
                (phrases::name(&unequal.fastest.0)) " and " (phrases::name(&unequal.slowest.0))
                " differ in speed: what takes " (phrases::time(unequal.fastest.1)) " on the one takes "
                (phrases::time(unequal.slowest.1)) " on the other. Clocks may have decided games, and nothing is scaled. "
                a href="#machines" { "The machines" }
            }
        }
    }
}
