//! The page's tables in words and numbers. What comes from outside is text, and names stand
//! in `bdi`, so that their direction stays their own.

use super::charts;
use super::entrants::{self, bdi};
use super::gather::Summary;
use super::{Source, words};
use crate::error::JudgeError;
use crate::fault::Cause;
use crate::scoring::{Row, Tally};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// Makes the content of a run's page.
pub(super) fn body(source: &Source<'_>, summary: &Summary) -> Result<String, JudgeError> {
    let roles = crate::schedule::roles(source.competition)?;
    let sections = [
        ("standings", "Standings", standings(source, summary, roles)),
        ("pairs", "Head to head", pairs(summary, roles)),
        ("states", "Initial states", states(summary, roles)),
        ("time", "CPU time", times(source, summary)),
        ("faults", "Faults", faults(summary)),
        (
            "entrants",
            "Entrants",
            entrants::sections(source, summary, roles),
        ),
    ];
    let page = html! {
        a.skip href="#standings" { "To the standings" }
        header {
            h1 { (source.competition.title) }
            p.lead { (lead(source, summary)) }
            nav aria-label="Sections" {
                @for (id, title, _) in &sections {
                    a href=(format!("#{id}")) { (title) }
                }
                a href="#games" { "Games" }
            }
        }
        main id="overview" {
            @for (id, title, content) in &sections {
                section aria-labelledby=(id) {
                    h2 id=(id) tabindex="-1" { (title) }
                    (content)
                }
            }
            section aria-labelledby="games" {
                h2 id="games" tabindex="-1" { "Games" }
                p.note {
                    "On this page are games with faults, upsets, and one game of each pair. Any other: "
                    code { "judge view RUN GAME" } "."
                }
                div id="game-list" {}
            }
        }
        (viewer(true))
        footer { p { "Made from the journal of the run by judge " (env!("CARGO_PKG_VERSION")) "." } }
    };
    Ok(page.into_string())
}

/// Makes the content of a page of one game.
pub(super) fn single(title: &str) -> String {
    let page = html! {
        header { h1 { (title) } }
        (viewer(false))
    };
    page.into_string()
}

fn lead(source: &Source<'_>, summary: &Summary) -> String {
    let (played, all) = (summary.games.len(), source.ids.len());
    let games = if played == all {
        format!("{all} games")
    } else {
        format!("{played} of {all} games")
    };
    let states = match summary.states.len() {
        1 => "1 initial state".to_owned(),
        count => format!("{count} initial states"),
    };
    let ranked = source.table.rows.len();
    let mut lead = format!("{ranked} entrants, {games} on {states}.");
    if let Some(reason) = &source.table.silent {
        lead.push_str(" How sure the ranks are cannot be said: ");
        lead.push_str(reason);
        lead.push('.');
    }
    lead
}

/// The place where a game is shown; the script fills it.
fn viewer(is_among_others: bool) -> Markup {
    html! {
        main id="game" hidden[is_among_others] aria-labelledby="game-title" {
            @if is_among_others {
                p.crumbs {
                    a id="back" href="#games" { "All results" }
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
                    div id="board" {}
                    div.controls role="group" aria-label="Replay" {
                        button type="button" id="to-first" aria-label="First position" { "|◀" }
                        button type="button" id="to-before" aria-label="One turn back" { "◀" }
                        button type="button" id="run" { "Play" }
                        button type="button" id="to-after" aria-label="One turn on" { "▶" }
                        button type="button" id="to-last" aria-label="Last position" { "▶|" }
                        button type="button" id="to-error" { "Next error" }
                        label id="eyes-label" hidden { "View " select id="eyes" {} }
                    }
                    label.scrub {
                        span id="turn" {}
                        input type="range" id="scrub" min="0" value="0" step="1" aria-label="Turn";
                    }
                    div id="cpu" {}
                }
                div.side {
                    p.banner id="banner" {}
                    ul.notes id="notes" aria-label="Position" {}
                    ol.moves id="moves" tabindex="0" aria-label="Moves" {}
                    p.keys {
                        kbd { "←" } kbd { "→" } " turn " kbd { "space" } " play " kbd { "Home" } kbd { "End" } " ends "
                        kbd { "e" } " next error"
                    }
                }
            }
            p.sr id="status" aria-live="polite" {}
        }
    }
}

/// Names a column of texts that the reader can sort by.
pub(super) fn sortable(title: &str) -> Markup {
    html! { th scope="col" { button type="button" { (title) } } }
}

/// Names a column of numbers that the reader can sort by.
pub(super) fn number(title: &str) -> Markup {
    html! { th.n scope="col" { button type="button" { (title) } } }
}

fn standings(source: &Source<'_>, summary: &Summary, roles: &[&str]) -> Markup {
    let rows = &source.table.rows;
    let is_sure = rows.iter().any(|row| row.uncertainty.is_some());
    let by_role = roles.len() == 2;
    html! {
        div.wide tabindex="0" role="region" aria-label="Standings" {
            table.sort id="standings-table" {
                thead { tr {
                    (number("#"))
                    @if is_sure { (number("95 %")) }
                    (sortable("Entrant"))
                    (number("Points"))
                    @for role in roles {
                        @if by_role { (number(&format!("{role} points"))) }
                        (number(&format!("{role} W D L")))
                    }
                    (number("Median turn"))
                    (number("99 %"))
                    (number("CPU"))
                    (number("Faults"))
                } }
                tbody {
                    @for (number, row) in rows.iter().enumerate() {
                        (standing(summary, number, row, is_sure, by_role))
                    }
                }
            }
        }
        @if is_sure {
            p.note { "95 %: the ranks within which an entrant stays in 95 of 100 tournaments drawn from the same initial states. W D L: games won, drawn and lost." }
        }
        @for (name, reason) in &source.table.removed {
            p.note { (bdi(name)) " is left out with all its games: " (reason) }
        }
    }
}

fn standing(summary: &Summary, number: usize, row: &Row, is_sure: bool, by_role: bool) -> Markup {
    let standing = &row.standing;
    let turns = &summary.conduct[number].turns;
    html! {
        tr {
            td.n { (standing.rank) }
            @if is_sure {
                td.n data-v=[row.uncertainty.as_ref().map(|sure| sure.rank_best)] {
                    @if let Some(sure) = &row.uncertainty {
                        @if sure.rank_best == sure.rank_worst { (sure.rank_best) }
                        @else { (sure.rank_best) "–" (sure.rank_worst) }
                    }
                }
            }
            th scope="row" {
                a href=(format!("#e={number}")) { (bdi(&standing.entrant)) }
                @if standing.disqualified.is_some() { " " span.tag { "disqualified" } }
            }
            td.n.strong data-v=(standing.total.points) { (format!("{:.1}", standing.total.points)) }
            @for tally in &standing.by_role {
                @if by_role { td.n data-v=(tally.points) { (format!("{:.1}", tally.points)) } }
                td.n data-v=(tally.wins) { (record(tally)) }
            }
            (time_cell(turns.percentile(50)))
            (time_cell(turns.percentile(99)))
            (time_cell(standing.total.cpu_us))
            td.n { @if standing.total.faults == 0 { "0" } @else { span.bad { (standing.total.faults) } } }
        }
    }
}

fn record(tally: &Tally) -> Markup {
    html! { span.wdl { span { (tally.wins) } span { (tally.draws) } span { (tally.losses) } } }
}

fn time_cell(us: u64) -> Markup {
    html! { td.n data-v=(us) { (words::time(us)) } }
}

fn pairs(summary: &Summary, roles: &[&str]) -> Markup {
    let left_out = summary.names.len().saturating_sub(super::PAIRED_MAX);
    html! {
        p.note {
            "The share of games in which the row was placed before the column; a tie counts half. Each number opens a game."
            @if left_out > 0 { " The last " (left_out) " are in the CSV files only." }
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
        div.wide tabindex="0" role="region" aria-label="Head to head" { div id="heat" {} }
    }
}

fn states(summary: &Summary, roles: &[&str]) -> Markup {
    html! {
        p.note.legend {
            "Who won on each initial state: "
            @for (seat, role) in roles.iter().enumerate() {
                span.key { span class=(format!("dot s{seat}")) {} (role) }
            }
            span.key { span.dot.drawn {} "drawn" }
        }
        (charts::states(&summary.states, roles))
    }
}

fn times(source: &Source<'_>, summary: &Summary) -> Markup {
    let time = source.competition.conditions.time;
    let limit = time.turn_us;
    let longest = summary
        .conduct
        .iter()
        .map(|conduct| conduct.turns.max_us)
        .max();
    let end = longest.unwrap_or(1).max(limit.unwrap_or(1));
    html! {
        p.note {
            "CPU time of each turn (" (charts::axis(end)) "): the share of turns, "
            span.mark.median {} " the median"
            @if let Some(limit) = limit { ", " span.mark.limit {} " the limit of " (words::time(limit)) }
            @if let Some(bank) = time.bank_us { "; a game's bank is " (words::time(bank)) }
            "."
        }
        div.wide tabindex="0" role="region" aria-label="CPU time" {
            table.sort {
                thead { tr {
                    (sortable("Entrant"))
                    th scope="col" { "Distribution" }
                    (number("Turns")) (number("Median")) (number("90 %")) (number("99 %")) (number("Longest"))
                } }
                tbody {
                    @for (number, conduct) in summary.conduct.iter().enumerate().filter(|(_, c)| c.turns.count > 0) {
                        tr {
                            th scope="row" { a href=(format!("#e={number}")) { (bdi(&summary.names[number])) } }
                            td.plot { (charts::distribution(&conduct.turns, end, limit)) }
                            td.n { (conduct.turns.count) }
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
    let at_fault = summary.conduct.iter().enumerate();
    let at_fault: Vec<_> = at_fault
        .filter(|(_, conduct)| !conduct.causes.is_empty())
        .collect();
    let causes = at_fault
        .iter()
        .flat_map(|(_, conduct)| conduct.causes.keys().copied());
    let causes: BTreeSet<Cause> = causes.collect();
    html! {
        @if at_fault.is_empty() {
            p { "No bot made a fault." }
        } @else {
            div.wide tabindex="0" role="region" aria-label="Faults" {
                table.sort {
                    thead { tr {
                        (sortable("Entrant"))
                        @for cause in &causes { (number(cause.name())) }
                    } }
                    tbody {
                        @for (number, conduct) in &at_fault {
                            tr {
                                th scope="row" { a href=(format!("#e={number}")) { (bdi(&summary.names[*number])) } }
                                @for cause in &causes {
                                    td.n { (conduct.causes.get(cause).copied().unwrap_or(0)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
