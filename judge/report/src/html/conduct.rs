//! The section with times, faults and the machines of a run's games, which few readers need.

use super::charts::{self, SMALL};
use super::gather::{EntrantSummary, Summary};
use super::phrases::{self, number, sortable, table, time_cell};
use super::source::{Page, PageMachines, PageSource};
use crate::outputs::MachineRow;
use maud::{Markup, html};
use model::fault::Cause;
use std::collections::BTreeSet;
use store::UnequalMachines;

/// Returns the tables that few readers need, below a fold.
pub(super) fn conduct(page: &Page<'_>) -> Markup {
    let machines = machines(page);
    let title = page.times_called();
    html! {
        details.fold {
            summary {
                (title) ", faults" @if machines.is_some() { " and machines" }
            }
            div {
                h3 id="time" { (title) }
                (times(page))
                h3 id="faults" { "Faults" }
                (faults(page.summary))
                @if let Some(machines) = machines {
                    h3 id="machines" { "Machines" }
                    (machines)
                }
            }
        }
    }
}

fn times(page: &Page<'_>) -> Markup {
    let Page {
        source, summary, ..
    } = *page;
    let conditions = &source.competition.conditions;
    let rows = source.table.rows.iter().map(|row| &row.standing.total);
    let beside = source.table.beside.iter().map(|one| &one.total);
    let cpu: Vec<u64> = rows.chain(beside).map(|total| total.cpu_us).collect();
    let heads = html! {
        (sortable("Entrant"))
        th scope="col" { "Distribution" }
        (number("CPU")) (number("Turns")) (number("Median")) (number("90 %")) (number("99 %")) (number("Longest"))
    };
    let shown = summary
        .conduct
        .iter()
        .enumerate()
        .filter(|(_, conduct)| conduct.turns.count > 0);
    let rows = shown.map(|(number, EntrantSummary { turns, .. })| {
        html! {
            tr {
                (linked(summary, number))
                td.plot { (charts::distribution(page, turns, SMALL)) }
                @if let Some(us) = cpu.get(number) { (time_cell(*us)) } @else { td.n {} }
                td.n data-v=(turns.count) { (phrases::count(turns.count)) }
                @for percent in [50, 90, 99] { (time_cell(turns.percentile(percent))) }
                (time_cell(turns.max_us))
            }
        }
    });
    html! {
        p.note {
            "Distribution of turn times (1 µs to " (phrases::time(page.end_us)) ", logarithmic): share of turns, "
            span.mark.median {} " median"
            @if let Some(limit) = page.limit_us { ", " span.mark.limit {} " limit of " (phrases::time(limit)) }
            @if let Some(bank) = conditions.time.bank_us { "; the bank of a game is " (phrases::time(bank)) }
            @if let Some(words) = conditions.startup_words() { "; " (words) }
            "."
        }
        (table(page.times_called(), &heads, rows))
    }
}

fn linked(summary: &Summary, number: usize) -> Markup {
    html! { th scope="row" { (phrases::entrant(number, &summary.names[number])) } }
}

fn faults(summary: &Summary) -> Markup {
    let at_fault = || {
        summary
            .conduct
            .iter()
            .enumerate()
            .filter(|(_, conduct)| !conduct.causes.is_empty())
    };
    let causes: BTreeSet<Cause> = at_fault()
        .flat_map(|(_, conduct)| conduct.causes.keys().copied())
        .collect();
    if causes.is_empty() {
        return html! { p.well { "No bot made a fault." } };
    }
    let heads = html! {
        (sortable("Entrant"))
        @for cause in &causes { (number(&phrases::cause(*cause))) }
        (sortable("First fault"))
    };
    table(
        "Faults",
        &heads,
        at_fault().map(|(number, conduct)| {
            html! {
                tr {
                    (linked(summary, number))
                    @for cause in &causes {
                        @let count = conduct.causes.get(cause).copied().unwrap_or(0);
                        td.n.zero[count == 0] { (count) }
                    }
                    td.first {
                        @if let Some(first) = conduct.faults.first() {
                            (phrases::game(first.game, first.seat))
                            ": " (first.what)
                        }
                    }
                }
            }
        }),
    )
}

/// Maximum number of rows that are not folded.
const ROWS_MAX: usize = 6;

/// Returns the list of machines; `None` if the journal has none.
fn machines(page: &Page<'_>) -> Option<Markup> {
    let rows = match page.source.machines {
        PageMachines::Named(lines) => MachineRow::merged(page.summary.played_on.starts(lines)),
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
            details { summary { (rows.len()) " rows" } (machine_table(&rows, has_kernel)) }
        } @else { (machine_table(&rows, has_kernel)) }
    })
}

fn machine_table(rows: &[MachineRow<'_>], has_kernel: bool) -> Markup {
    let heads = html! {
        (sortable("Machine")) (sortable("Processor"))
        @if has_kernel { (sortable("Kernel")) }
        (number("CPUs")) (sortable("Isolation"))
        (number("Calibration")) (number("Games"))
    };
    table(
        "Machines",
        &heads,
        rows.iter().map(|row| {
            html! {
                tr {
                    @if let Some(line) = row.line {
                        th scope="row" { (phrases::name(&line.host)) }
                        td { (phrases::name(&line.machine.processor)) }
                        @if has_kernel { td { (phrases::name(&line.machine.kernel)) } }
                        td.n { (line.machine.cpus) }
                        td {
                            (line.machine.isolation.level)
                            @if line.machine.pinned { ", pinned" }
                        }
                        td.n data-v=(row.calibration_us.0) { (calibration(row)) }
                    } @else {
                        th scope="row" { "not known" }
                        td {}
                        @if has_kernel { td {} }
                        td {} td {}
                        td {}
                    }
                    td.n data-v=(row.games) { (phrases::count(row.games)) }
                }
            }
        }),
    )
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
