//! The section with times, faults and the machines of a run's games, which few readers need.

use super::charts::{self, SMALL};
use super::gather::{EntrantSummary, Summary};
use super::phrases::{self, number, sortable, table, time_cell};
use super::source::Page;
use crate::run_data::RunData;
use maud::{Markup, html};
use model::fault::Cause;
use std::collections::BTreeSet;
use store::machines::Machine;
use store::{MachineGames, MachineLine};

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
    let Page { table, summary, .. } = *page;
    let conditions = &page.competition.conditions;
    let rows = table.rows.iter().map(|row| &row.total);
    let unranked = table.unranked.iter().map(|one| &one.total);
    let cpu: Vec<u64> = rows.chain(unranked).map(|total| total.cpu_us).collect();
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
            @for name in conditions.clocks.keys() { "; " (name) " has a clock of its own" }
            @if let Some(words) = conditions.startup_words() { "; " (words) }
            "."
        }
        (phrases::table(page.times_called(), &heads, rows))
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
                        td.n.zero[count == 0] data-v=(count) { (phrases::count(count)) }
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

const ROWS_MAX: usize = 6;

/// A machine with its games: all starts of a judge on it together. A task of a cluster is a start.
struct MachineRow<'a> {
    line: &'a MachineLine,
    /// The least and the greatest calibration, in microseconds.
    calibration_us: (u64, u64),
    games: u64,
}

fn merged(starts: &[MachineGames]) -> Vec<MachineRow<'_>> {
    // As far as the table shows.
    let shown = |line: &MachineLine| {
        let Machine {
            kernel,
            processor,
            cpus,
            pinned,
            isolation,
        } = line.machine.clone();
        let names = [line.host.clone(), processor, kernel, line.judge.clone()];
        (names, cpus, pinned, isolation.level)
    };
    let mut rows: Vec<MachineRow<'_>> = Vec::new();
    for MachineGames { line, games } in starts {
        let us = line.calibration_us;
        if let Some(row) = rows.iter_mut().find(|row| shown(row.line) == shown(line)) {
            let (least, most) = row.calibration_us;
            row.calibration_us = (least.min(us), most.max(us));
            row.games += games;
        } else {
            rows.push(MachineRow {
                line,
                calibration_us: (us, us),
                games: *games,
            });
        }
    }
    rows
}

fn machines(page: &Page<'_>) -> Option<Markup> {
    let rows = merged(&page.run.machines);
    // Some readers do not see it.
    let has_kernel = !rows.first()?.line.machine.kernel.is_empty();
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
            let MachineLine { host, machine, .. } = row.line;
            html! {
                tr {
                    th scope="row" { (phrases::name(host)) }
                    td { (phrases::name(&machine.processor)) }
                    @if has_kernel { td { (phrases::name(&machine.kernel)) } }
                    td.n { (machine.cpus) }
                    td {
                        (machine.isolation.level)
                        @if machine.pinned { ", pinned" }
                    }
                    td.n data-v=(row.calibration_us.0) { (calibration(row)) }
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

pub(super) fn unequal(run: &RunData<'_>) -> Markup {
    html! {
        @if let Some(unequal) = run.unequal() {
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
    fn starts_on_one_host_and_processor_share_row() {
        let start = |host: &str, processor: &str, calibration_us: u64, games| MachineGames {
            line: MachineLine {
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
                part: Some(format!("{games}-of-9")),
                rules_program: None,
            },
            games,
        };
        let starts = [
            start("one", "x", 3_900, 2),
            start("one", "x", 3_800, 1),
            start("one", "y", 3_850, 1),
            start("two", "x", 3_700, 1),
        ];
        let reported: Vec<_> = merged(&starts)
            .iter()
            .map(|row| {
                let of = (&*row.line.host, &*row.line.machine.processor);
                (of, row.calibration_us, row.games)
            })
            .collect();
        assert_eq!(
            reported,
            [
                (("one", "x"), (3800, 3900), 3),
                (("one", "y"), (3850, 3850), 1),
                (("two", "x"), (3700, 3700), 1),
            ]
        );
    }
}
