//! The page around its tables, in words and numbers. Foreign text is always escaped, and names are
//! in `bdi`, which keeps their own writing direction.

use super::cells::{bdi, number, sortable, time_cell};
use super::charts::{self, Axis, SMALL, times_called};
use super::first::first;
use super::gather::Summary;
use super::machines::machines;
use super::occasion::occasion;
use super::source::{Audience, PageSource};
use super::standings::announced;
use super::time_chart::history;
use super::yours::{first_lines, yours};
use super::{entrants, phrases};
use crate::uncertainty::has_one_start;
use maud::{Markup, html};
use model::fault::Cause;
use rulebook::JudgeError;
use std::collections::BTreeSet;

/// Maximum number of entrants with a row and a column in the table of pairs.
pub(super) const PAIRED_MAX: usize = 100;

/// Number of entrants up to which the table of pairs is in the column of the standings.
const PAIRS_BESIDE_MAX: usize = 8;

/// A section's anchor, title and content.
type Section = (&'static str, &'static str, Markup);

/// Returns the content of a run's page.
pub(super) fn body(
    source: &PageSource<'_>,
    summary: &Summary,
    reader: Audience<'_>,
) -> Result<String, JudgeError> {
    let roles = rulebook::schedule::roles(source.competition)?;
    let mut sections: Vec<Section> = Vec::new();
    let mut beside: Vec<Section> = Vec::new();
    if let Some(winners) = announced(source, summary) {
        sections.push(("winners", "Winners", winners));
    }
    if let Some(yours) = reader.given.and_then(yours) {
        sections.insert(0, ("yours", "Your submission", yours));
    }
    if let Some(broken) = entrants::no_result(source) {
        sections.insert(0, ("broken", "No result", broken));
    }
    if let Some(history) = history(source, summary, reader) {
        sections.push(("history", "History", history));
    }
    if !summary.games.is_empty() {
        let is_small = summary.names.len() <= PAIRS_BESIDE_MAX;
        let of_pairs = if is_small { &mut beside } else { &mut sections };
        of_pairs.push(("pairs", "Head to head", pairs(summary, roles)));
        sections.extend([
            ("games", "Games", html! { div id="game-list" {} }),
            ("states", called(source).1, states(source, summary, roles)),
            (
                "conduct",
                "Time, faults and machines",
                conduct(source, summary),
            ),
        ]);
    }
    let page = html! {
        a.skip href="#standings" { "Skip to the standings" }
        header {
            h1 { a href="#standings" { (source.competition.title) } }
            p.lead { (lead(source, summary)) }
            @if let Some(occasion) = occasion(source) { p.lead { (occasion) } }
            nav aria-label="Sections" {
                a href="#standings" { "Standings" }
                @for (id, title, _) in beside.iter().chain(&sections) { a href=(format!("#{id}")) { (title) } }
            }
        }
        main id="overview" {
            @if reader.personal { (first_lines(source, summary, reader)) }
            (first(source, summary, roles, reader, &listed(&beside)))
            (listed(&sections))
        }
        main id="people" hidden {
            p.crumbs {
                a href="#standings" { "← All results" }
                span {
                    button type="button" id="entrant-before" { "Previous entrant" kbd { "[" } }
                    button type="button" id="entrant-after" { "Next entrant" kbd { "]" } }
                }
            }
            (entrants::pages(source, summary, roles, reader))
        }
        (viewer(true))
        footer {
            p { "The draw: " (source.draw.words()) "." }
            p { "Made by judge " (env!("CARGO_PKG_VERSION")) " from the journal of the run." }
        }
    };
    Ok(page.into_string())
}

fn listed(sections: &[Section]) -> Markup {
    html! {
        @for (id, title, content) in sections {
            section aria-labelledby=(id) {
                h2 id=(id) tabindex="-1" { (title) }
                (content)
            }
        }
    }
}

/// Returns the content of a page of one game.
pub(super) fn single(title: &str, is_among_others: bool) -> String {
    let page = html! {
        header { h1 { (title) } }
        (viewer(is_among_others))
    };
    page.into_string()
}

fn lead(source: &PageSource<'_>, summary: &Summary) -> String {
    let (played, all) = (summary.games.len() as u64, source.scheduled as u64);
    let games = if played == all {
        phrases::counted(all, "game")
    } else {
        let all = phrases::counted(all, "game");
        format!("{played} of {all} so far,")
    };
    let begun = summary.states.len() as u64;
    let states = if has_one_start(source.competition) {
        format!(
            "in {} of the same initial state",
            phrases::counted(begun, "repetition")
        )
    } else {
        format!("on {}", phrases::counted(begun, "initial state"))
    };
    let ranked = match source.table.rows.len() {
        1 => "1 entrant".to_owned(),
        count => format!("{count} entrants"),
    };
    match played {
        0 => format!("{ranked}. No game has been played yet."),
        _ => format!("{ranked}, {games} {states}."),
    }
}

/// Icons of 16 × 16, as paths.
const FIRST: &str = "M3 3h2v10H3zM13 3v10L6 8z";
const BEFORE: &str = "M12 3v10L4 8z";
const AFTER: &str = "M4 3v10l8-5z";
const LAST: &str = "M11 3h2v10h-2zM3 3v10l7-5z";

/// Playback speeds of a game, as multiples of the usual speed.
const SPEEDS: [&str; 5] = ["0.5", "1", "2", "4", "8"];

fn icon(path: &str) -> Markup {
    html! { svg viewBox="0 0 16 16" aria-hidden="true" { path d=(path) {} } }
}

/// Returns the place for a game; the script fills it.
fn viewer(is_among_others: bool) -> Markup {
    html! {
        main id="game" hidden[is_among_others] aria-labelledby="game-title" {
            @if is_among_others {
                p.crumbs {
                    a id="back" href="#games" { "← All results" }
                    span {
                        button type="button" id="game-before" { "Previous game" kbd { "[" } }
                        button type="button" id="game-after" { "Next game" kbd { "]" } }
                    }
                }
            }
            h2 id="game-title" tabindex="-1" {}
            p id="game-text" role="status" {}
            div.play id="play" {
                div.stage {
                    div id="seats" {}
                    div id="said" hidden tabindex="0" role="group" aria-label="Notes of the bots" {}
                    div id="board" {}
                    ul.marked id="marked" aria-label="Marked on the board" {}
                    div id="scrub" role="slider" tabindex="0" aria-label="Turn" aria-valuemin="0" aria-valuemax="0" aria-valuenow="0" {}
                    p.now-text { span id="turn" {} " " span.note id="ahead" {} }
                    div.controls role="group" aria-label="Replay" {
                        button type="button" id="to-first" aria-label="First position" { (icon(FIRST)) }
                        button type="button" id="to-before" aria-label="Previous turn" { (icon(BEFORE)) }
                        button.main type="button" id="run" { "Play" }
                        button type="button" id="to-after" aria-label="Next turn" { (icon(AFTER)) }
                        button type="button" id="to-last" aria-label="Last position" { (icon(LAST)) }
                        button type="button" id="to-error" { "Next fault" }
                        label { "Speed " select id="speed" {
                            @for speed in SPEEDS { option value=(speed) selected[speed == "1"] { (speed) "×" } }
                        } }
                        label id="eyes-label" hidden { "View " select id="eyes" {} }
                    }
                    div id="cpu" {}
                    details { summary { "The position in words" } p id="in-words" {} }
                }
                div.side {
                    div.banner id="banner" {}
                    ul.notes id="notes" aria-label="Position" {}
                    label.quiet-label { input type="checkbox" id="quiet"; " Hide results until the end" }
                    ol.moves id="moves" tabindex="0" aria-label="Moves" {}
                    section id="wrote" hidden aria-labelledby="wrote-title" {
                        h3 id="wrote-title" { "Standard error" }
                        button type="button" id="wrote-next" { "Next output" }
                        div id="wrote-text" {}
                    }
                    details id="others" hidden { summary {} ul {} }
                    details.legend-of-moves {
                        summary { "Moves and colours" }
                        ul id="legend" {}
                    }
                    p.keys {
                        span { kbd { "←" } kbd { "→" } " turn" } " "
                        span { kbd { "space" } " play" } " "
                        span { kbd { "Home" } kbd { "End" } " first, last" } " "
                        span { kbd { "e" } " next fault" } " "
                        @if is_among_others { span { kbd { "[" } kbd { "]" } " game" } }
                    }
                }
            }
            p.sr id="status" aria-live="polite" {}
        }
    }
}

/// Returns the tables that few readers need, below a fold.
fn conduct(source: &PageSource<'_>, summary: &Summary) -> Markup {
    let machines = machines(source, summary);
    html! {
        details.fold {
            summary {
                (times_called(source)) ", faults" @if machines.is_some() { " and machines" }
            }
            div {
                h3 id="time" { (times_called(source)) }
                (times(source, summary))
                h3 id="faults" { "Faults" }
                (faults(summary))
                @if let Some(machines) = machines {
                    h3 id="machines" { "Machines" }
                    (machines)
                }
            }
        }
    }
}

fn pairs(summary: &Summary, roles: &[&str]) -> Markup {
    let left_out = summary.names.len().saturating_sub(PAIRED_MAX);
    html! {
        p.note {
            @if roles.len() == 2 {
                "Share of games that the row won against the column; a drawn game counts half."
            } @else {
                "Share of games in which the row finished ahead of the column; a tie counts half."
            }
            " Click a number for their games."
            @if left_out > 0 { " The last " (left_out) " entrants are only in the CSV files." }
        }
        @if roles.len() == 2 {
            p.choice {
                label for="heat-role" { "Row as " }
                select id="heat-role" {
                    option value="" { "either" }
                    @for (seat, role) in roles.iter().enumerate() {
                        option value=(seat) { (role) }
                    }
                }
            }
        }
        div.wide.pairs tabindex="0" role="region" aria-label="Head to head" { div id="heat" {} }
    }
}

/// Returns the words for initial states: for one, and for all of them.
fn called(source: &PageSource<'_>) -> (&'static str, &'static str) {
    if has_one_start(source.competition) {
        ("repetition", "Repetitions")
    } else {
        ("state", "Initial states")
    }
}

fn states(source: &PageSource<'_>, summary: &Summary, roles: &[&str]) -> Markup {
    html! {
        p.note.legend {
            @if has_one_start(source.competition) {
                span { "Who won in each repetition of the same initial state:" }
            } @else {
                span { "Who won on each initial state:" }
            }
            @for (seat, role) in roles.iter().enumerate() {
                span.key { span class={ "dot " (charts::seat_class(seat)) } {} (role) }
            }
            span.key { span.dot.drawn {} "drawn" }
        }
        (charts::states(&summary.states, roles, called(source)))
    }
}

fn times(source: &PageSource<'_>, summary: &Summary) -> Markup {
    let Axis { end_us, limit_us } = Axis::of(source, summary);
    let bank = source.competition.conditions.time.bank_us;
    let rows = source.table.rows.iter().map(|row| &row.standing.total);
    let beside = source.table.beside.iter().map(|one| &one.total);
    let cpu: Vec<u64> = rows.chain(beside).map(|total| total.cpu_us).collect();
    html! {
        p.note {
            "Distribution of turn times (" (charts::axis(end_us)) "): share of turns, "
            span.mark.median {} " median"
            @if let Some(limit) = limit_us { ", " span.mark.limit {} " limit of " (phrases::time(limit)) }
            @if let Some(bank) = bank { "; the bank of a game is " (phrases::time(bank)) }
            @if let Some(words) = source.competition.conditions.startup_words() { "; " (words) }
            "."
        }
        div.wide tabindex="0" role="region" aria-label=(times_called(source)) {
            table.sort {
                thead { tr {
                    (sortable("Entrant"))
                    th scope="col" { "Distribution" }
                    (number("CPU")) (number("Turns")) (number("Median")) (number("90 %")) (number("99 %")) (number("Longest"))
                } }
                tbody {
                    @for (number, conduct) in summary.conduct.iter().enumerate().filter(|(_, c)| c.turns.count > 0) {
                        tr {
                            th scope="row" { a href=(format!("#e={number}")) { (bdi(&summary.names[number])) } }
                            td.plot { (charts::distribution(&conduct.turns, end_us, limit_us, SMALL)) }
                            @if let Some(us) = cpu.get(number) { (time_cell(*us)) } @else { td.n {} }
                            td.n data-v=(conduct.turns.count) { (phrases::count(conduct.turns.count)) }
                            @for percent in [50, 90, 99] { (time_cell(conduct.turns.percentile(percent))) }
                            (time_cell(conduct.turns.max_us))
                        }
                    }
                }
            }
        }
    }
}

fn faults(summary: &Summary) -> Markup {
    let at_fault: Vec<_> = summary
        .conduct
        .iter()
        .enumerate()
        .filter(|(_, conduct)| !conduct.causes.is_empty())
        .collect();
    let causes: BTreeSet<Cause> = at_fault
        .iter()
        .flat_map(|(_, conduct)| conduct.causes.keys().copied())
        .collect();
    html! {
        @if at_fault.is_empty() {
            p.well { "No bot made a fault." }
        } @else {
            div.wide tabindex="0" role="region" aria-label="Faults" {
                table.sort {
                    thead { tr {
                        (sortable("Entrant"))
                        @for cause in &causes { (number(&phrases::cause(*cause))) }
                        (sortable("First fault"))
                    } }
                    tbody {
                        @for (number, conduct) in &at_fault {
                            tr {
                                th scope="row" { a href=(format!("#e={number}")) { (bdi(&summary.names[*number])) } }
                                @for cause in &causes {
                                    @let count = conduct.causes.get(cause).copied().unwrap_or(0);
                                    td.n.zero[count == 0] { (count) }
                                }
                                td.first {
                                    @if let Some(first) = conduct.faults.first() {
                                        a href=(format!("#g={}&f={}", first.game, first.seat)) { "Game " (first.game) }
                                        ": " (first.what)
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
