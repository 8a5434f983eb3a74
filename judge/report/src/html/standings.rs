//! The table of the standings.

use super::cells::{bdi, number, sortable, won_drawn_lost};
use super::gather::Summary;
use super::history::History;
use super::source::{Audience, PageSource};
use super::timeline::Timeline;
use super::{charts, phrases};
use crate::decimals::{close_totals, decimals};
use crate::explain::cpu_step;
use crate::outputs::ranked_by;
use crate::uncertainty::interval_meaning;
use crate::winners::winners;
use maud::{Markup, html};
use model::fault::Cause;
use model::numbers::of_points;
use model::tally::Tally;
use rulebook::scoring::{Beside, Standing, StandingsRow, Uncertainty};
use std::collections::BTreeMap;

/// Number of rows up to which each has a drawing of its rank over time.
const HISTORY_ROWS_MAX: usize = 100;
/// Number of rows from which on names can be searched.
const SEARCHED_FROM: usize = 8;

/// The common properties of the table's rows.
struct TableShape {
    history: Option<History>,
    own: Option<usize>,
    /// Number of rows.
    rows: usize,
    decimals: usize,
    has_uncertainty: bool,
    by_role: bool,
    /// Whether some have played more games than others.
    games_differ: bool,
    /// Columns that only some competitions have: places on the podium, prizes and grades.
    gifts: Vec<Gift>,
}

/// A column's name, and its content in a row.
type Gift = (&'static str, fn(&Standing) -> Option<String>);

const PLACE: Gift = ("Place", |standing| Some(standing.place.to_string()));

const GIFTS: [Gift; 3] = [
    ("Prize", |standing| {
        standing.prize.map(|prize| prize.to_string())
    }),
    ("Graded", |standing| {
        standing.graded.map(|graded| graded.points.to_string())
    }),
    ("Grade", |standing| standing.grade.clone()),
];

/// Returns the table, best first.
pub(super) fn standings(
    source: &PageSource<'_>,
    summary: &Summary,
    roles: &[&str],
    reader: Audience<'_>,
) -> Markup {
    let rows = &source.table.rows;
    let totals = rows.iter().map(|row| row.standing.total.points);
    let is_given = |(_, gift): &Gift| rows.iter().any(|row| gift(&row.standing).is_some());
    let has_podium = !source.competition.scoring.podium.is_empty();
    let gifts = has_podium.then_some(PLACE).into_iter();
    let ranks: Vec<usize> = rows.iter().map(|row| row.standing.rank).collect();
    let columns = TableShape {
        history: history(source, summary, &ranks),
        own: reader.own,
        rows: rows.len(),
        decimals: decimals(totals),
        has_uncertainty: rows.iter().any(|row| row.uncertainty.is_some()),
        by_role: roles.len() == 2,
        games_differ: games_differ(source),
        gifts: gifts.chain(GIFTS.into_iter().filter(is_given)).collect(),
    };
    if rows.is_empty() {
        return html! { p.empty { "Nobody is ranked." } };
    }
    html! {
        @if rows.len() >= SEARCHED_FROM {
            p.choice {
                label { "Find " input type="text" id="find-entrant" autocomplete="off" spellcheck="false"; }
                " " span.note id="found-entrants" role="status" {}
            }
        }
        div.wide.tall tabindex="0" role="region" aria-label="Standings" {
            table.sort id="standings-table" {
                thead { tr { (columns.heads(roles)) } }
                tbody {
                    @for (entrant, row) in rows.iter().enumerate() { (columns.row(entrant, row)) }
                    @for (entrant, one) in (rows.len()..).zip(&source.table.beside) { (columns.beside(entrant, one)) }
                }
            }
        }
        @if columns.games_differ { p.note { "Not all have played the same number of games." } }
        (notes(source, &columns, roles))
    }
}

/// Returns the ranks over time, unless the table is too long for drawings.
fn history(source: &PageSource<'_>, summary: &Summary, ranks: &[usize]) -> Option<History> {
    if ranks.len() > HISTORY_ROWS_MAX {
        return None;
    }
    match Timeline::of(source.moments) {
        Some(timeline) => Some(History::over(timeline, summary, ranks)),
        None => History::of(summary, ranks),
    }
}

/// Returns the winners and their prizes, once all games have been played.
pub(super) fn announced(source: &PageSource<'_>, summary: &Summary) -> Option<Markup> {
    let winners = winners(&source.competition.scoring, source.table);
    let is_over = summary.games.len() == source.scheduled;
    (is_over && !winners.is_empty()).then(|| {
        html! {
            ul {
                @for winner in &winners {
                    li {
                        (winner.place) ". " (bdi(winner.entrant))
                        @if let Some(prize) = winner.prize_words() { ", " (prize) }
                    }
                }
            }
        }
    })
}

fn notes(source: &PageSource<'_>, columns: &TableShape, roles: &[&str]) -> Markup {
    let scoring = &source.competition.scoring;
    let price = scoring.points_per_cpu_second;
    html! {
        details { summary { "About the table" } p.note {
            (phrases::sentence(&ranked_by(scoring))) " "
            @if columns.has_uncertainty {
                "95 %: " (interval_meaning(source.competition)) ". "
            } @else if let Some(reason) = &source.table.silent {
                "No confidence intervals for the ranks: " (reason) ". "
            }
            "W D L: won, drawn, lost. "
            @if columns.by_role { (roles.join(", ")) ": points in that role. " }
            @if columns.history.is_some() { "The line is the rank so far. " }
            @if !source.table.beside.is_empty() { "Built-in bots take no rank. " }
            @if price > 0.0 { "CPU time costs " (of_points(&price.to_string())) " a second" (cpu_step(scoring)) ". " }
            @if let Some(note) = close_totals(scoring, columns.decimals) { (phrases::sentence(&note)) }
        } }
        @for removed in &source.table.removed {
            p.note {
                (bdi(&removed.entrant)) " is removed with all its games: " (removed.reason) "."
                @if let Some(grade) = &removed.grade { " Grade " (grade) "." }
            }
        }
    }
}

/// The meaning of a mark in the table.
const KNEW_DRAW: &str = "Submitted after games on these initial states had been shown";

impl TableShape {
    fn heads(&self, roles: &[&str]) -> Markup {
        html! {
            (number("#"))
            (sortable("Entrant"))
            (number("Points"))
            (won_drawn_lost())
            @if self.has_uncertainty { (number("95 %")) }
            @for (name, _) in &self.gifts { (number(name)) }
            @if self.games_differ { (number("Games")) }
            @if self.by_role { @for role in roles { (number(role)) } }
            @if self.history.is_some() { th.line scope="col" { "So far" } }
        }
    }

    /// Returns the row of an entrant without a rank.
    fn beside(&self, entrant: usize, one: &Beside) -> Markup {
        html! {
            tr {
                td.n.rank {}
                th scope="row" { a href=(format!("#e={entrant}")) { (bdi(&one.entrant)) } }
                td.n.strong data-v=(one.total.points) { (self.points(&one.total)) }
                td.n data-v=(one.total.wins) { (record(&one.total)) }
                @if self.has_uncertainty { td.n {} }
                @for _ in &self.gifts { td.n {} }
                (self.figures(&one.by_role, &one.total))
                @if self.history.is_some() { td.line {} }
            }
        }
    }

    fn points(&self, tally: &Tally) -> String {
        phrases::points(tally.points, self.decimals)
    }

    /// Returns the cells for games and roles.
    fn figures(&self, by_role: &[Tally], total: &Tally) -> Markup {
        html! {
            @if self.games_differ { td.n data-v=(total.games) { (phrases::count(total.games)) } }
            @if self.by_role {
                @for tally in by_role { td.n data-v=(tally.points) { (self.points(tally)) } }
            }
        }
    }

    fn row(&self, entrant: usize, row: &StandingsRow) -> Markup {
        let standing = &row.standing;
        html! {
            tr.own[self.own == Some(entrant)] {
                td.n.rank { (standing.rank) }
                th scope="row" {
                    a href=(format!("#e={entrant}")) { (bdi(&standing.entrant)) }
                    @if standing.disqualified.is_some() { " " span.tag.bad { "disqualified" } }
                    @if row.knew_draw { " " span.tag.bad title=(KNEW_DRAW) { "knew the draw" } }
                    @if self.own == Some(entrant) { " " span.tag { "you" } }
                }
                td.n.strong data-v=(standing.total.points) title=[tie(standing)] { (self.points(&standing.total)) }
                td.n data-v=(standing.total.wins) { (record(&standing.total)) }
                @if self.has_uncertainty { (uncertainty(row.uncertainty.as_ref(), standing.rank, self.rows)) }
                @for (_, gift) in &self.gifts { td.n { (gift(standing).unwrap_or_default()) } }
                (self.figures(&standing.by_role, &standing.total))
                @if let Some(history) = &self.history { td.line { (history.draw(entrant)) } }
            }
        }
    }
}

/// Returns whether some ranked entrants have played more games than others, as during a run.
pub(super) fn games_differ(source: &PageSource<'_>) -> bool {
    let mut games = source.table.rows.iter().map(|row| row.standing.total.games);
    let first = games.next();
    games.any(|count| Some(count) != first)
}

/// Returns the rule that decided between this row and others that the ranking leaves equal.
pub(super) fn tie(standing: &Standing) -> Option<String> {
    let rule = standing.decided_by?;
    Some(format!("a tie, decided by {}", rule.name()))
}

fn uncertainty(uncertainty: Option<&Uncertainty>, rank: usize, rows: usize) -> Markup {
    let Some(uncertainty) = uncertainty else {
        return html! { td.n {} };
    };
    html! {
        td.sure data-v=(uncertainty.rank_best) {
            span { (interval(uncertainty)) }
            (charts::ranks(uncertainty.rank_best, uncertainty.rank_worst, rank, rows))
        }
    }
}

/// Formats the confidence interval of a rank.
pub(super) fn interval(uncertainty: &Uncertainty) -> String {
    if uncertainty.rank_best == uncertainty.rank_worst {
        uncertainty.rank_best.to_string()
    } else {
        format!("{}–{}", uncertainty.rank_best, uncertainty.rank_worst)
    }
}

/// Formats games won, drawn and lost.
pub(super) fn record(tally: &Tally) -> Markup {
    html! { span.wdl { span { (tally.wins) } span { (tally.draws) } span { (tally.losses) } } }
}

/// Formats faults by cause.
pub(super) fn by_cause(causes: &BTreeMap<Cause, u64>) -> String {
    let told: Vec<String> = causes
        .iter()
        .map(|(cause, count)| format!("{} {count}", phrases::cause(*cause)))
        .collect();
    told.join(", ")
}
