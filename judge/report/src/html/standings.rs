//! The table of the standings.

use super::phrases::{self, bdi, number, sortable, won_drawn_lost};
use super::source::Page;
use crate::explain::cpu_step;
use crate::outputs::ranked_by;
use crate::words::{close_totals, interval_meaning};
use maud::{Markup, html};
use model::fault::Cause;
use model::numbers::of_points;
use model::tally::Tally;
use rulebook::scoring::{Standing, StandingsRow, Uncertainty};
use std::collections::BTreeMap;

/// Number of rows from which on names can be searched.
const SEARCHED_FROM: usize = 8;

/// The common properties of the table's rows.
struct TableShape<'a> {
    page: &'a Page<'a>,
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
pub(super) fn standings(page: &Page<'_>) -> Markup {
    let rows = &page.table.rows;
    let is_given = |(_, gift): &Gift| rows.iter().any(|row| gift(&row.standing).is_some());
    let has_podium = !page.competition.scoring.podium.is_empty();
    let gifts = has_podium.then_some(PLACE).into_iter();
    let mut games = rows.iter().map(|row| row.standing.total.games);
    let first = games.next();
    let columns = TableShape {
        page,
        has_uncertainty: rows.iter().any(|row| row.uncertainty.is_some()),
        by_role: page.roles.len() == 2,
        games_differ: games.any(|count| Some(count) != first),
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
                thead { tr { (columns.heads()) } }
                tbody {
                    @for (entrant, row) in rows.iter().enumerate() {
                        (columns.row(entrant, Some(row), &row.standing.entrant, (&row.standing.by_role, &row.standing.total)))
                    }
                    @for (entrant, one) in (rows.len()..).zip(&page.table.beside) {
                        (columns.row(entrant, None, &one.entrant, (&one.by_role, &one.total)))
                    }
                }
            }
        }
        @if columns.games_differ { p.note { "Not all have played the same number of games." } }
        (notes(&columns))
    }
}

fn notes(columns: &TableShape<'_>) -> Markup {
    let Page {
        competition, table, ..
    } = *columns.page;
    let scoring = &competition.scoring;
    let price = scoring.points_per_cpu_second;
    html! {
        details { summary { "About the table" } p.note {
            (phrases::sentence(&ranked_by(scoring))) " "
            @if columns.has_uncertainty {
                "95 %: " (interval_meaning(competition)) ". "
            } @else if let Some(reason) = &table.silent {
                "No confidence intervals for the ranks: " (reason) ". "
            }
            "W D L: won, drawn, lost. "
            @if columns.by_role { (columns.page.roles.join(", ")) ": points in that role. " }
            @if !table.beside.is_empty() { "Built-in bots take no rank. " }
            @if price > 0.0 { "CPU time costs " (of_points(&price.to_string())) " a second" (cpu_step(scoring)) ". " }
            @if let Some(note) = close_totals(scoring, columns.page.decimals) { (phrases::sentence(&note)) }
        } }
        @for removed in &table.removed {
            p.note {
                (bdi(&removed.entrant)) " is removed with all its games: " (removed.reason) "."
                @if let Some(grade) = &removed.grade { " Grade " (grade) "." }
            }
        }
    }
}

/// The meaning of a mark in the table.
const KNEW_DRAW: &str = "Submitted after games on these initial states had been shown";

impl TableShape<'_> {
    fn heads(&self) -> Markup {
        html! {
            (number("#"))
            (sortable("Entrant"))
            (number("Points"))
            (won_drawn_lost())
            @if self.has_uncertainty { (number("95 %")) }
            @for (name, _) in &self.gifts { (number(name)) }
            @if self.games_differ { (number("Games")) }
            @if self.by_role { @for role in self.page.roles { (number(role)) } }
        }
    }

    /// Returns the row of an entrant; one without a rank has no `row` of the table.
    fn row(
        &self,
        entrant: usize,
        row: Option<&StandingsRow>,
        name: &str,
        (by_role, total): (&[Tally], &Tally),
    ) -> Markup {
        let standing = row.map(|row| &row.standing);
        let is_own = row.is_some() && self.page.reader.own == Some(entrant);
        let points = |tally| self.page.points(tally);
        html! {
            tr.own[is_own] {
                td.n.rank { @if let Some(standing) = standing { (standing.rank) } }
                th scope="row" {
                    (phrases::entrant(entrant, name))
                    @if standing.is_some_and(|one| one.disqualified.is_some()) { " " span.tag.bad { "disqualified" } }
                    @if row.is_some_and(|row| row.knew_draw) { " " span.tag.bad title=(KNEW_DRAW) { "knew the draw" } }
                    @if is_own { " " span.tag { "you" } }
                }
                td.n.strong data-v=(total.points) title=[standing.and_then(tie)] { (points(total)) }
                td.n data-v=(total.wins) { (record(total)) }
                @if self.has_uncertainty {
                    @match row.and_then(|row| row.uncertainty.as_ref()) {
                        Some(sure) => { td.n data-v=(sure.rank_best) { (interval(sure)) } }
                        None => { td.n {} }
                    }
                }
                @for (_, gift) in &self.gifts { td.n { (standing.and_then(gift).unwrap_or_default()) } }
                @if self.games_differ { td.n data-v=(total.games) { (phrases::count(total.games)) } }
                @if self.by_role { @for tally in by_role { td.n data-v=(tally.points) { (points(tally)) } } }
            }
        }
    }
}

/// Returns the rule that decided between this row and others that the ranking leaves equal.
pub(super) fn tie(standing: &Standing) -> Option<String> {
    let rule = standing.decided_by?;
    Some(format!("a tie, decided by {}", rule.name()))
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
