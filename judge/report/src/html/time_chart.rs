//! The section "History": ranks over time, entrants that rose and fell, and new versions.

use super::gather::Summary;
use super::phrases::{self, bdi, number, sortable, table};
use super::source::Page;
use super::timeline::Timeline;
use crate::words::practice_number;
use maud::{Markup, html};
use std::fmt::Write;
use store::Moment;

/// Maximum number of entrants with a line, besides the reader's own.
const LINES_MAX: usize = 10;
/// Maximum number of lines for rounds; more would hide the ranks.
const ROUNDS_MAX: usize = 40;
const WIDTH: f64 = 760.0;
const STEP: f64 = 22.0;
/// Room above the first rank for the names of rounds, and below the last one for dates.
const TOP: f64 = 30.0;
const BOTTOM: f64 = 24.0;
const SIDE: f64 = 34.0;

struct Line<'a> {
    name: &'a str,
    entrant: usize,
    is_own: bool,
}

impl Line<'_> {
    fn rank(&self, moment: &Moment) -> Option<usize> {
        moment.entrant(self.name)?.rank
    }

    fn class(&self) -> String {
        let own = if self.is_own { " own-line" } else { "" };
        format!("line l{}{own}", self.entrant % LINES_MAX)
    }
}

pub(super) fn history(page: &Page<'_>) -> Option<Markup> {
    let Page {
        summary, reader, ..
    } = *page;
    let timeline = Timeline::of(&page.run.moments)?;
    let rows = page.table.rows.len();
    let lines: Vec<Line<'_>> = (0..rows)
        .filter(|at| *at < LINES_MAX || reader.own == Some(*at))
        .map(|entrant| Line {
            name: &summary.names[entrant],
            entrant,
            is_own: reader.own == Some(entrant),
        })
        .collect();
    if lines.is_empty() {
        return None;
    }
    let (first, last) = (timeline.first(), timeline.last());
    Some(html! {
        p.note { "Ranks from " (time(first)) " to " (time(last)) "." }
        div.over-time {
            div.wide tabindex="0" role="region" aria-label="Ranks over time" {
                (chart(timeline, &lines))
            }
            (risers(timeline, &lines))
        }
        (versions(timeline, summary))
    })
}

fn time(moment: &Moment) -> Markup {
    let words = phrases::time_words(moment.at);
    // If somebody is hidden, moments give only the day.
    let words = words.strip_suffix(" 00:00 UTC").unwrap_or(&words);
    html! { time datetime=(moment.at) { (words) } }
}

fn round_name(round: &str) -> String {
    let number = practice_number(round);
    number.map_or_else(|| round.to_owned(), |number| format!("practice {number}"))
}

#[expect(clippy::cast_precision_loss, reason = "a picture")]
fn chart(timeline: Timeline<'_>, shown: &[Line<'_>]) -> Markup {
    let marks = timeline.marks();
    let worst = shown
        .iter()
        .flat_map(|line| marks.iter().filter_map(|moment| line.rank(moment)))
        .max()
        .unwrap_or(1);
    let x = |share: f64| SIDE + (WIDTH - 2.0 * SIDE) * share;
    let y = |rank: usize| TOP + STEP * (rank as f64 - 0.5);
    let height = TOP + STEP * worst as f64 + BOTTOM;
    let bottom = height - BOTTOM;
    let lines = shown.iter().map(|line| {
        let mut path = String::new();
        let mut before = None;
        for moment in &marks {
            let Some(rank) = line.rank(moment) else {
                if before.take().is_some() {
                    write!(path, "H{:.1}", x(timeline.share(moment))).expect("memory");
                }
                continue;
            };
            let at = x(timeline.share(moment));
            // Ranks change at a moment, not between moments.
            match before {
                None => write!(path, "M{at:.1} {:.1}", y(rank)),
                Some(old) if old == rank => write!(path, "H{at:.1}"),
                Some(_) => write!(path, "H{at:.1}V{:.1}", y(rank)),
            }
            .expect("memory");
            before = Some(rank);
        }
        (line.class(), path, before)
    });
    let lines: Vec<_> = lines.collect();
    let label = format!(
        "Ranks over time of {}; the table below has the numbers",
        phrases::counted(shown.len() as u64, "entrant")
    );
    html! {
        svg.timeline viewBox=(format!("0 0 {WIDTH} {height:.0}")) width=(WIDTH) height=(format!("{height:.0}")) role="img" aria-label=(label) {
            @for rank in 1..=worst {
                @if rank == 1 || rank % 5 == 0 || rank == worst {
                    path.rail d=(format!("M{SIDE} {0:.1}H{1:.1}", y(rank), WIDTH - SIDE)) {}
                    text.rank x=(SIDE - 10.0) y=(format!("{:.1}", y(rank) + 4.0)) { (rank) }
                }
            }
            @for moment in timeline.rounds().take(ROUNDS_MAX) {
                path.round d=(format!("M{:.1} {:.1}V{bottom:.1}", x(timeline.share(moment)), TOP - 8.0)) {}
                text.round-name x=(format!("{:.1}", x(timeline.share(moment)))) y=(TOP - 13.0) { (phrases::cut(&phrases::name(&round_name(&moment.round)), 14)) }
            }
            @for (share, when) in timeline.dates() {
                text.when x=(format!("{:.1}", x(share))) y=(format!("{:.1}", height - 5.0)) { (when) }
            }
            @for (class, path, last) in &lines {
                path class=(class) d=(path) {}
                @if let Some(rank) = last {
                    circle class=(class) cx=(format!("{:.1}", WIDTH - SIDE)) cy=(format!("{:.1}", y(*rank))) r="3.5" {}
                    text.end x=(format!("{:.1}", WIDTH - SIDE + 9.0)) y=(format!("{:.1}", y(*rank) + 4.0)) { (rank) }
                }
            }
        }
    }
}

fn moved(by: Option<i64>) -> Markup {
    html! {
        @match by {
            None => { td.n data-v="" { span.zero title="was not ranked then" { "new" } } }
            Some(0) => { td.n.zero data-v="0" { "=" } }
            Some(by) if by > 0 => { td.n.well data-v=(by) { span aria-hidden="true" { "▲ " } span.sr { "rose by " } (by) } }
            Some(by) => { td.n.bad data-v=(by) { span aria-hidden="true" { "▼ " } span.sr { "fell by " } (-by) } }
        }
    }
}

fn risers(timeline: Timeline<'_>, lines: &[Line<'_>]) -> Markup {
    let heads = html! {
        (sortable("Entrant")) (number("Rank")) (number("Lately"))
        (number("Best rank")) (number("Version"))
    };
    let rows = lines.iter().map(|line| {
        let now = timeline.last().entrant(line.name);
        html! {
            tr.own[line.is_own] {
                th scope="row" {
                    svg.key viewBox="0 0 22 8" width="22" height="8" aria-hidden="true" { path class=(line.class()) d="M1 4H21" {} }
                    (phrases::entrant(line.entrant, line.name))
                }
                (cell(now.and_then(|now| now.rank)))
                (moved(timeline.risen(line.name)))
                (cell(timeline.best(line.name)))
                (cell(now.and_then(|now| now.version)))
            }
        }
    });
    table("Who rose and fell", &heads, rows)
}

fn named(entrant: Option<usize>, name: &str) -> Markup {
    html! {
        @if let Some(number) = entrant { (phrases::entrant(number, name)) }
        @else { (bdi(name)) }
    }
}

fn cell(number: Option<usize>) -> Markup {
    html! { td.n { @if let Some(number) = number { (number) } } }
}

fn versions(timeline: Timeline<'_>, summary: &Summary) -> Markup {
    let (versions, all) = timeline.versions();
    let shown = versions.len();
    let heads = html! {
        (sortable("First seen playing")) (sortable("Entrant")) (number("Version")) (number("Rank before")) (number("Rank then"))
    };
    let rows = versions.into_iter().map(|one| {
        let name = &one.entrant.entrant;
        html! {
            tr {
                td { (time(one.moment)) }
                th scope="row" { (named(summary.index.get(name).copied(), name)) }
                (cell(one.entrant.version)) (cell(one.before)) (cell(one.entrant.rank))
            }
        }
    });
    html! {
        @if all > 0 {
            details {
                summary { "New versions (" (all) ")" }
                @if shown < all { p.note { "The last " (shown) " of them:" } }
                (table("New versions", &heads, rows))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::timeline::moments;
    use super::*;

    #[test]
    fn a_practice_round_has_a_short_name() {
        assert_eq!(round_name("practice/3"), "practice 3");
    }

    #[test]
    fn chart_line_steps_between_moments_with_gaps() {
        let moments = moments(&[
            &[("ann", 1), ("bob", 1), ("cid", 1)],
            &[("bob", 2)],
            &[("bob", 2), ("ann", 1)],
        ]);
        let timeline = Timeline::of(&moments).expect("enough");
        let line = |name, entrant| Line {
            name,
            entrant,
            is_own: entrant == 0,
        };
        let shown = [line("ann", 0), line("bob", 1), line("cid", 2)];
        let drawn = chart(timeline, &shown).into_string();
        for part in [
            "d=\"M34.0 41.0H380.0M726.0 63.0\"",
            "d=\"M34.0 63.0H380.0V41.0H726.0\"",
            "line l0 own-line",
            "line l2\" d=\"M34.0 85.0H380.0\"",
        ] {
            assert!(drawn.contains(part), "{drawn}");
        }
    }
}
