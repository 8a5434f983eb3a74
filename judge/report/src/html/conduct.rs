//! Times, faults and machines of a run's games, and the drawings of turn times and of results by initial state.

#![expect(clippy::cast_precision_loss, reason = "a picture")]

use super::phrases::{
    self, count_cell, counted, entrant, exact_time, game, name, number, sortable, table, time,
    time_cell,
};
use super::{EntrantSummary, Histogram, Page, State, Summary, position};
use crate::run_data::RunData;
use crate::submission_result::table_rows;
use crate::words::joined;
use maud::{Markup, html};
use model::fault::Cause;
use std::collections::{BTreeMap, BTreeSet};
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
    let conditions = &page.competition.conditions;
    let cpu: Vec<u64> = table_rows(page.table)
        .filter_map(|(_, result)| Some(result.tallies()?.1.cpu_us))
        .collect();
    let heads = html! {
        (sortable("Entrant"))
        th scope="col" { "Distribution" }
        (number("CPU")) (number("Turns")) (number("Median")) (number("90 %")) (number("99 %")) (number("Longest"))
    };
    let rows = rows_of(
        page.summary,
        |one| one.turns.count > 0,
        |number, EntrantSummary { turns, .. }| {
            html! {
                    td.plot { (distribution(page, turns, false)) }
                    @if let Some(us) = cpu.get(number) { (time_cell(*us)) } @else { td.n {} }
                    (count_cell(turns.count))
                    @for percent in [50, 90, 99] { (time_cell(turns.percentile(percent))) }
                    (time_cell(turns.max_us))
            }
        },
    );
    html! {
        p.note {
            "Distribution of turn times (1 µs to " (time(page.end_us)) ", logarithmic): share of turns, "
            span.mark.median {} " median"
            @if let Some(limit) = page.limit_us { ", " span.mark.limit {} " limit of " (time(limit)) }
            @if let Some(bank) = conditions.time.bank_us { "; the bank of a game is " (time(bank)) }
            @for name in conditions.clocks.keys() { "; " (name) " has a clock of its own" }
            @if let Some(words) = conditions.startup_words() { "; " (words) }
            "."
        }
        (table(&page.times_called(), &heads, rows))
    }
}

/// Returns a row for each of some entrants: its name, and the cells.
fn rows_of<'a>(
    summary: &'a Summary,
    is_shown: fn(&EntrantSummary) -> bool,
    cells: impl Fn(usize, &'a EntrantSummary) -> Markup,
) -> impl Iterator<Item = Markup> {
    summary
        .conduct
        .iter()
        .zip(&summary.names)
        .enumerate()
        .filter(move |(_, (one, _))| is_shown(one))
        .map(move |(number, (one, name))| {
            html! { tr { th scope="row" { (entrant(number, name)) } (cells(number, one)) } }
        })
}

fn faults(summary: &Summary) -> Markup {
    let causes: BTreeSet<Cause> = summary
        .conduct
        .iter()
        .flat_map(|one| one.causes.keys().copied())
        .collect();
    if causes.is_empty() {
        return html! { p.well { "No bot made a fault." } };
    }
    let heads = html! {
        (sortable("Entrant"))
        @for cause in &causes { (number(&phrases::cause(*cause))) }
        (sortable("First fault"))
    };
    let rows = rows_of(
        summary,
        |one| !one.causes.is_empty(),
        |_, one| {
            html! {
                @for cause in &causes {
                    @match one.causes.get(cause) {
                        Some(&count) => { (count_cell(count)) }
                        None => { td.n.zero data-v="0" { "0" } }
                    }
                }
                td.first { @if let Some(first) = one.faults.first() { (game(first.game, first.seat)) ": " (first.what) } }
            }
        },
    );
    table("Faults", &heads, rows)
}

const ROWS_MAX: usize = 6;

/// A machine with its games: all starts of a judge on it together. A task of a cluster is a start.
struct MachineRow<'a> {
    line: &'a MachineLine,
    /// The least and the greatest calibration, in microseconds.
    calibration_us: [u64; 2],
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
            let [least, most] = row.calibration_us;
            row.calibration_us = [least.min(us), most.max(us)];
            row.games += games;
        } else {
            rows.push(MachineRow {
                line,
                calibration_us: [us, us],
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
    let heads = html! {
        (sortable("Machine")) (sortable("Processor"))
        @if has_kernel { (sortable("Kernel")) }
        (number("CPUs")) (sortable("Isolation"))
        (number("Calibration")) (number("Games"))
    };
    let table = table("Machines", &heads, rows.iter().map(|row| {
        let MachineLine { host, machine, .. } = row.line;
        let [least, most] = row.calibration_us.map(time);
        html! {
            tr {
                th scope="row" { (name(host)) }
                td { (name(&machine.processor)) }
                @if has_kernel { td { (name(&machine.kernel)) } }
                td.n { (machine.cpus) }
                td { (machine.isolation.level) @if machine.pinned { ", pinned" } }
                td.n data-v=(row.calibration_us[0]) { (least) @if most != least { " – " (most) } }
                (count_cell(row.games))
            }
        }
    }));
    Some(html! {
        p.note { "The calibration is the CPU time of a fixed workload." }
        @if rows.len() > ROWS_MAX { details { summary { (rows.len()) " rows" } (table) } } @else { (table) }
    })
}

pub(super) fn unequal(run: &RunData<'_>) -> Markup {
    html! {
        @if let Some(unequal) = run.unequal() {
            p.note {
                strong { "Mixed machines: " }
                (name(&unequal.fastest.0)) " and " (name(&unequal.slowest.0))
                " differ in speed: what takes " (time(unequal.fastest.1)) " on the one takes "
                (time(unequal.slowest.1)) " on the other. Clocks may have decided games, and judge scales no times. "
                a href="#machines" { "The machines" }
            }
        }
    }
}

const STATES_MAX: usize = 1000;
const AXIS_NUMBERS: usize = 20;
const STATE_HEIGHT: f64 = 60.0;
const TICKS_US: [u64; 8] = [
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
];

/// Draws the distribution of turn times on a logarithmic axis from 1 µs, with the limit; if large, with times.
pub(super) fn distribution(page: &Page<'_>, turns: &Histogram, is_large: bool) -> Markup {
    let (width, height, bins, names) = if is_large {
        (640, 96, 80, 16)
    } else {
        (240, 26, 60, 0)
    };
    let end_us = page.end_us;
    let at = |us: u64| position(us, end_us) * f64::from(width);
    let line = |at: f64| format!("M{at:.1} 0V{height}");
    let ticks = TICKS_US.iter().filter(|us| **us < end_us);
    html! {
        svg.dist viewBox=(format!("0 0 {width} {}", height + names)) width=(width) height=(height + names) aria-hidden="true" {
            @for us in ticks.clone() { path.tick d=(line(at(*us))) {} }
            path.bars d=(bars(&turns.shape(end_us, bins), width.into(), height.into())) {}
            path.median d=(line(at(turns.percentile(50)))) {}
            @if let Some(limit) = page.limit_us {
                path.limit d=(line(at(limit).min(f64::from(width - 1)))) {}
            }
            @if is_large {
                path.axis d=(format!("M0 {height}H{width}")) {}
                @for us in ticks { text x=(format!("{:.1}", at(*us))) y=(height + 13) { (exact_time(*us)) } }
            }
        }
    }
}

fn bars(shape: &[f64], width: f64, bottom: f64) -> String {
    let top = shape.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let step = width / shape.len() as f64;
    let bar = |(bin, share): (usize, &f64)| {
        // A rare turn must be visible, too.
        let height = (share / top * (bottom - 2.0)).max(1.5);
        let x = bin as f64 * step;
        (*share > 0.0).then(|| format!("M{x:.0} {bottom}v-{height:.1}h{step:.0}v{height:.1}z"))
    };
    shape.iter().enumerate().filter_map(bar).collect()
}

pub(super) fn seat_class(seat: usize) -> String {
    format!("seat s{seat}")
}

/// Draws a column for each initial state; `what` and `title` are the words for one of them and for all.
pub(super) fn states(
    states: &BTreeMap<u32, State>,
    roles: &[&str],
    (what, title): (&str, &str),
) -> Markup {
    let count = states.len().min(STATES_MAX);
    let width = (960.0 / count.max(1) as f64).clamp(5.0, 28.0).floor();
    let bar = format!("{:.0}", width - if width > 8.0 { 2.0 } else { 1.0 });
    let whole = format!("{:.0}", width * count as f64 + 36.0);
    html! {
        div.wide role="region" aria-label=(title) {
            svg.states viewBox=(format!("-34 -6 {whole} {:.0}", STATE_HEIGHT + 24.0)) width=(whole) height=(STATE_HEIGHT + 24.0) {
                @for percent in [0, 50, 100] {
                    text x="-18" y=(format!("{:.0}", STATE_HEIGHT * (1.0 - f64::from(percent) / 100.0) + 4.0)) { (percent) " %" }
                }
                @for (at, number) in states.keys().enumerate().take(count).step_by(count.div_ceil(AXIS_NUMBERS)) {
                    text x=(format!("{:.1}", (at as f64 + 0.5) * width)) y=(STATE_HEIGHT + 15.0) { (number) }
                }
                @for (at, (number, state)) in states.iter().enumerate().take(count) {
                    @let reported = reported(what, *number, state, roles);
                    @let x = format!("{:.0}", at as f64 * width);
                    a href=(format!("#g={}", state.game)) tabindex=(if at == 0 { "0" } else { "-1" })
                        aria-label=(reported) {
                        title { (reported) }
                        rect.ground x=(x) y="0" width=(bar) height=(STATE_HEIGHT) {}
                        @for (class, y, height) in parts(state) {
                            rect class=(class) x=(x) y=(format!("{y:.1}")) width=(bar) height=(format!("{height:.1}")) {}
                        }
                    }
                }
            }
        }
        @if states.len() > STATES_MAX {
            p.note { "The first " (STATES_MAX) " of " (states.len()) " are shown." }
        }
    }
}

/// Stacks the results of a state's games: (class, upper end, height).
fn parts(state: &State) -> Vec<(String, f64, f64)> {
    let all = state.won.iter().sum::<u64>() + state.drawn;
    let mut y = 0.0;
    state
        .won
        .iter()
        .enumerate()
        .map(|(seat, &won)| (seat_class(seat), won))
        .chain([("drawn".to_owned(), state.drawn)])
        .map(|(class, games)| {
            let height = STATE_HEIGHT * games as f64 / all.max(1) as f64;
            y += height;
            (class, y - height, height)
        })
        .filter(|(_, _, height)| *height > 0.0)
        .collect()
}

fn reported(what: &str, number: u32, state: &State, roles: &[&str]) -> String {
    let wins = roles.iter().zip(&state.won);
    let turns = state.turns / state.games.max(1);
    format!(
        "{what} {number}: {}, {}, drawn {}; {turns} turns on average",
        counted(state.games, "game"),
        joined(wins.map(|(role, won)| format!("{role} won {won}")), ", "),
        state.drawn
    )
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
                (("one", "x"), [3800, 3900], 3),
                (("one", "y"), [3850, 3850], 1),
                (("two", "x"), [3700, 3700], 1),
            ]
        );
    }
}
