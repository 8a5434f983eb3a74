//! The first screen: the leaders, and a game that plays beside them.

use super::cells::bdi;
use super::gather::Summary;
use super::history::History;
use super::phrases;
use super::source::{Audience, PageSource};
use super::standings::{games_differ, record};
use super::timeline::Timeline;
use crate::decimals::decimals;
use maud::{Markup, html};

/// Maximum number of leaders.
const LEADERS_MAX: usize = 10;

/// Returns the first screen.
pub(super) fn first(source: &PageSource<'_>, summary: &Summary, reader: Audience<'_>) -> Markup {
    html! {
        div.first-screen {
            section.leaders aria-labelledby="leaders" { (leaders(source, summary, reader)) }
            (featured())
        }
    }
}

fn leaders(source: &PageSource<'_>, summary: &Summary, reader: Audience<'_>) -> Markup {
    let rows = &source.table.rows;
    let ranks: Vec<usize> = rows.iter().map(|row| row.standing.rank).collect();
    let history = match Timeline::of(source.moments) {
        Some(timeline) => Some(History::over(timeline, summary, &ranks)),
        None => History::of(summary, &ranks),
    };
    let decimals = decimals(rows.iter().map(|row| row.standing.total.points));
    let is_shown = |at: usize| at < LEADERS_MAX || reader.own == Some(at);
    let shown = rows.iter().enumerate().filter(|(at, _)| is_shown(*at));
    html! {
        h2 id="leaders" { "Leaders" }
        @if rows.is_empty() { p.empty { "Nobody is ranked." } } @else {
            div.wide tabindex="0" role="region" aria-label="Leaders" {
                table {
                    thead { tr {
                        th.n scope="col" { "#" }
                        th scope="col" { "Entrant" }
                        th.n scope="col" { "Points" }
                        th.n scope="col" { span.wdl { span { "W" } span { "D" } span { "L" } } }
                        @if history.is_some() { th scope="col" { "Rank so far" } }
                    } }
                    tbody {
                        @for (entrant, row) in shown {
                            @let standing = &row.standing;
                            tr.own[reader.own == Some(entrant)] {
                                td.n.rank { (standing.rank) }
                                th scope="row" { a href=(format!("#e={entrant}")) { (bdi(&standing.entrant)) } }
                                td.n.strong { (phrases::points(standing.total.points, decimals)) }
                                td.n { (record(&standing.total)) }
                                @if let Some(history) = &history { td { (history.draw(entrant)) } }
                            }
                        }
                    }
                }
            }
            p.note {
                a href="#standings" { "The whole table" }
                @if rows.len() > LEADERS_MAX { " has " (rows.len()) " entrants" }
                "."
                @if games_differ(source) { " Not all have played the same number of games." }
            }
        }
    }
}

/// Returns the place for a game that plays; the script fills it.
fn featured() -> Markup {
    html! {
        section.featured id="featured" aria-labelledby="featured-title" hidden {
            div.featured-head {
                h2 id="featured-title" { "Featured games" }
                div.kinds id="featured-kinds" role="group" aria-label="Featured games" {}
            }
            p.pairing id="featured-players" {}
            div id="featured-board" {}
            p.result id="featured-text" {}
            div.controls role="group" aria-label="Featured game" {
                button.main type="button" id="featured-run" { "Play" }
                a id="featured-link" href="#games" { "Open the replay" }
            }
        }
    }
}
