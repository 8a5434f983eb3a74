//! The machines of a run's games, as a section of the page.

use super::cells::{number, sortable};
use super::gather::Summary;
use super::phrases;
use super::source::{PageMachines, PageSource};
use crate::outputs::MachineRow;
use maud::{Markup, html};
use store::UnequalMachines;

/// Maximum number of rows that are not folded.
const ROWS_MAX: usize = 6;

/// Returns the list of machines; `None` if the journal has none.
pub(super) fn machines(source: &PageSource<'_>, summary: &Summary) -> Option<Markup> {
    let rows = match source.machines {
        PageMachines::Named(lines) => MachineRow::merged(summary.played_on.starts(lines)),
        PageMachines::Counted(machines) => {
            MachineRow::merged(machines.iter().map(MachineRow::from))
        }
    };
    rows.iter().find(|row| row.line.is_some())?;
    let mut lines = rows.iter().filter_map(|row| row.line);
    // Some readers do not see it.
    let has_kernel = lines.any(|line| !line.machine.kernel.is_empty());
    Some(html! {
        p.note {
            "The calibration is the CPU time of a fixed workload."
        }
        @if rows.len() > ROWS_MAX {
            details { summary { (rows.len()) " rows" } (table(&rows, has_kernel)) }
        } @else { (table(&rows, has_kernel)) }
    })
}

fn table(rows: &[MachineRow<'_>], has_kernel: bool) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label="Machines" {
            table.sort {
                thead { tr {
                    (sortable("Machine")) (sortable("Processor"))
                    @if has_kernel { (sortable("Kernel")) }
                    (number("CPUs")) (sortable("Isolation"))
                    (number("Calibration")) (number("Games"))
                } }
                tbody {
                    @for row in rows {
                        @if let Some(line) = row.line {
                            tr {
                                th scope="row" { (phrases::name(&line.host)) }
                                td { (phrases::name(&line.machine.processor)) }
                                @if has_kernel { td { (phrases::name(&line.machine.kernel)) } }
                                td.n { (line.machine.cpus) }
                                td {
                                    (line.machine.isolation.level)
                                    @if line.machine.pinned { ", pinned" }
                                }
                                td.n data-v=(row.calibration_us.0) { (calibration(row)) }
                                td.n data-v=(row.games) { (phrases::count(row.games)) }
                            }
                        } @else {
                            tr {
                                th scope="row" { "not known" }
                                td {}
                                @if has_kernel { td {} }
                                td {} td {}
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

fn calibration(row: &MachineRow<'_>) -> String {
    let (least, most) = row.calibration_us;
    let [least, most] = [least, most].map(phrases::time);
    if least == most {
        return least;
    }
    format!("{least} – {most}")
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
