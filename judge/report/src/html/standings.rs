//! The table of the standings.

use super::Page;
use super::phrases::{self, bdi, count, count_cell, counted, number, sentence, sortable, still};
use crate::explain::cpu_step;
use crate::moments::Record;
use crate::outputs::ranked_by;
use crate::submission_result::table_rows;
use crate::words::{close_totals, interval_meaning, joined};
use maud::{Markup, html};
use model::fault::Cause;
use model::numbers::of_points;
use model::points::Points;
use model::tally::Tally;
use rulebook::scoring::{Standing, Uncertainty};
use std::collections::{BTreeMap, HashMap, HashSet};

const SEARCHED_FROM: usize = 8;

struct TableShape<'a> {
    page: &'a Page<'a>,
    has_uncertainty: bool,
    is_rated: bool,
    shared: HashSet<usize>,
    languages: HashMap<&'a str, &'a str>,
    best: Points,
    games_differ: bool,
    /// Columns that only some competitions have: places on the podium, prizes and grades.
    optional_columns: Vec<OptionalColumn>,
}

const PLACE: &str = "Place";

type OptionalColumn = (&'static str, fn(&Standing) -> Option<String>);

const OPTIONAL_COLUMNS: [OptionalColumn; 4] = [
    (PLACE, |standing| Some(standing.place.to_string())),
    ("Prize", |standing| {
        standing.prize.map(|prize| prize.to_string())
    }),
    ("Graded", |standing| {
        standing.graded.map(|graded| graded.points.to_string())
    }),
    ("Grade", |standing| standing.grade.clone()),
];

pub(super) fn standings(page: &Page<'_>) -> Markup {
    let rows = &page.table.rows;
    let has_podium = !page.competition.scoring.podium.is_empty();
    let is_given = |(name, value_of): &OptionalColumn| {
        (has_podium || *name != PLACE) && rows.iter().any(|row| value_of(row).is_some())
    };
    let columns = TableShape {
        page,
        has_uncertainty: rows.iter().any(|row| row.uncertainty.is_some()),
        is_rated: page.roles.len() == 2 && page.table.strengths.is_some(),
        best: table_rows(page.table)
            .filter_map(|(_, result)| Some(result.tallies()?.1.points))
            .max()
            .unwrap_or_default(),
        shared: shared(rows.iter().map(|row| row.rank)),
        languages: page
            .run
            .people
            .iter()
            .filter_map(|line| Some((&*line.name, line.language.as_deref()?)))
            .collect(),
        games_differ: rows
            .windows(2)
            .any(|two| two[0].total.games != two[1].total.games),
        optional_columns: OPTIONAL_COLUMNS.into_iter().filter(is_given).collect(),
    };
    if rows.is_empty() {
        return html! { p.empty { "Nobody is ranked." } };
    }
    html! {
        @if rows.len() >= SEARCHED_FROM {
            (still(include_str!("page/find.html")))
        }
        div.wide.tall tabindex="0" role="region" aria-label="Standings" {
            table.sort id="standings-table" {
                thead { tr { (columns.heads()) } }
                tbody {
                    @for (entrant, (name, result)) in table_rows(page.table).enumerate() {
                        @if let Some((_, total)) = result.tallies() {
                            (columns.row(entrant, result.standing(), name, total))
                        }
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
        competition,
        table,
        decimals,
        ..
    } = *columns.page;
    let scoring = &competition.scoring;
    let price = scoring.points_per_cpu_second;
    html! {
        details { summary { "About the table" } p.note {
            (sentence(&ranked_by(scoring))) " "
            @if columns.has_uncertainty {
                "95 %: " (interval_meaning(competition)) ". "
            } @else if let Some(reason) = &table.silent {
                "No confidence intervals for the ranks: " (reason) ". "
            }
            "Share: of the games won, a drawn one counts half. W–D–L: won, drawn, lost. ● has faults. "
            @if columns.is_rated { "Elo: the strength with half its 95 % interval; 0 is the mean. " }
            @if !table.unranked.is_empty() { "Built-in bots take no rank. " }
            @if price > 0.0 { "CPU time costs " (of_points(&price.to_string())) " a second" (cpu_step(scoring)) ". " }
            @if let Some(note) = close_totals(scoring, decimals) { (sentence(&note)) }
        } }
        @for removed in &table.removed {
            p.note {
                (bdi(&removed.entrant)) " is removed with all its games: " (removed.reason) "."
                @if let Some(grade) = &removed.grade { " Grade " (grade) "." }
            }
        }
    }
}

const KNEW_DRAW: &str = "Submitted after games on these initial states had been shown";

impl TableShape<'_> {
    fn heads(&self) -> Markup {
        html! {
            (number("#"))
            (sortable("Entrant"))
            th.bar {}
            (number("Points"))
            (number("Share"))
            @if self.is_rated { (number("Elo")) }
            (number("W–D–L"))
            @if self.has_uncertainty { (number("95 %")) }
            @for (name, _) in &self.optional_columns { (number(name)) }
            @if self.games_differ { (number("Games")) }
        }
    }

    fn row(&self, entrant: usize, row: Option<&Standing>, name: &str, total: &Tally) -> Markup {
        let is_own = row.is_some() && self.page.reader.own == Some(entrant);
        let share = Record([total.wins, total.draws, total.losses])
            .percent()
            .unwrap_or_default();
        html! {
            tr.own[is_own] {
                td.n.rank data-v=[row.map(|row| row.rank)] {
                    @if let Some(row) = row {
                        @if self.shared.contains(&row.rank) { "=" } (row.rank)
                    }
                }
                th scope="row" {
                    (phrases::entrant(entrant, name))
                    @if let Some(language) = self.languages.get(name) { " " small { (language) } }
                    @if total.faults > 0 {
                        @let faults = counted(total.faults, "fault");
                        " " a.bad href=(format!("#e={entrant}")) title=(faults) aria-label=(faults) { "●" }
                    }
                    @if row.is_some_and(|row| row.disqualified.is_some()) { " " span.tag.bad { "disqualified" } }
                    @if row.is_some_and(|row| row.knew_draw) { " " span.tag.bad title=(KNEW_DRAW) { "knew the draw" } }
                    @if is_own { " " span.tag { "you" } }
                }
                td.bar { (bar(total.points, self.best)) }
                td.n.points data-v=(total.points) title=[row.and_then(tie)] {
                    (self.page.points(total))
                }
                td.n data-v=(share) { (share) " %" }
                @if self.is_rated { (self.elo(name)) }
                td.n data-v=(total.wins) { (record(total)) }
                @if self.has_uncertainty {
                    @match row.and_then(|row| row.uncertainty.as_ref()) {
                        Some(sure) => { td.n data-v=(sure.rank_best) { (interval(sure)) } }
                        None => { td.n {} }
                    }
                }
                @for (_, value_of) in &self.optional_columns { td.n { (row.and_then(value_of).unwrap_or_default()) } }
                @if self.games_differ { (count_cell(total.games)) }
            }
        }
    }

    fn elo(&self, name: &str) -> Markup {
        let strengths = self.page.table.strengths.as_ref();
        let Some(rating) = strengths.and_then(|strengths| strengths.rating(name)) else {
            return html! { td.n {} };
        };
        html! {
            td.n data-v=(format!("{:.1}", rating.elo)) {
                (format!("{:.0}", rating.elo.round() + 0.0))
                // Who won or lost everything has no end on one side.
                @if let Some((low, high)) = rating.low.zip(rating.high) { small { (format!(" ±{:.0}", (high - low) / 2.0)) } }
            }
        }
    }
}

/// Draws points next to the best ones; none below zero.
fn bar(points: Points, best: Points) -> Markup {
    let share = (points.as_f64() / best.as_f64().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    html! {
        svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true" {
            path d=(format!("M0 0H{:.0}V1H0z", share * 100.0)) {}
        }
    }
}

pub(super) fn shared(ranks: impl Iterator<Item = usize>) -> HashSet<usize> {
    let mut seen = HashSet::new();
    ranks.filter(|rank| !seen.insert(*rank)).collect()
}

pub(super) fn tie(standing: &Standing) -> Option<String> {
    Some(format!("a tie, decided by {}", standing.decided_by?.name()))
}

pub(super) fn interval(uncertainty: &Uncertainty) -> String {
    let Uncertainty {
        rank_best,
        rank_worst,
        ..
    } = uncertainty;
    if rank_best == rank_worst {
        return rank_best.to_string();
    }
    format!("{rank_best}–{rank_worst}")
}

/// Formats games won, drawn and lost: `1,994–12–800`.
pub(super) fn record(tally: &Tally) -> String {
    [tally.wins, tally.draws, tally.losses].map(count).join("–")
}

pub(super) fn by_cause(causes: &BTreeMap<Cause, u64>) -> String {
    let named = |(cause, of): (&Cause, &u64)| format!("{} {}", phrases::cause(*cause), count(*of));
    joined(causes.iter().map(named), ", ")
}
