//! The section "History": ranks over time as a chart, who rose and fell, and the versions that came.

use super::cells::{bdi, number, sortable};
use super::gather::Summary;
use super::phrases;
use super::source::{Audience, PageSource};
use super::timeline::Timeline;
use journal::Moment;
use maud::{Markup, html};
use std::fmt::Write;

/// So many entrants have a line, besides the reader's own.
const LINES_MAX: usize = 10;
/// The most lines of rounds; more would hide the ranks.
const ROUNDS_MAX: usize = 40;
const WIDTH: f64 = 760.0;
/// The room for a rank.
const STEP: f64 = 22.0;
/// The room above the first rank, for the names of rounds, and below the last one.
const TOP: f64 = 30.0;
const BOTTOM: f64 = 12.0;
/// The room for ranks at the ends of lines.
const SIDE: f64 = 34.0;

/// Makes the section; none where the run has no past.
pub(super) fn history(
    source: &PageSource<'_>,
    summary: &Summary,
    reader: Audience<'_>,
) -> Option<Markup> {
    let timeline = Timeline::of(source.moments)?;
    let rows = source.table.rows.len();
    let shown: Vec<usize> = (0..rows)
        .filter(|at| *at < LINES_MAX || reader.own == Some(*at))
        .collect();
    if shown.is_empty() {
        return None;
    }
    let (first, last) = (timeline.first(), timeline.last());
    Some(html! {
        p.note { "Ranks from " (time(first)) " to " (time(last)) "." }
        div.over-time {
            div.wide tabindex="0" role="region" aria-label="Ranks over time" {
                (chart(timeline, summary, &shown, reader.own))
            }
            (risers(timeline, summary, &shown, reader.own))
        }
        (versions(timeline, summary))
    })
}

/// Writes a time in UTC, without its seconds.
pub(super) fn time_words(at: jiff::Timestamp) -> String {
    let text = at.to_string();
    let minutes = text.get(..16).unwrap_or(&text);
    format!("{} UTC", minutes.replace('T', " "))
}

fn time(moment: &Moment) -> Markup {
    html! { time datetime=(moment.at) { (time_words(moment.at)) } }
}

/// Returns the look of the line with this number.
fn line_class(line: usize, is_own: bool) -> String {
    let own = if is_own { " own-line" } else { "" };
    format!("line l{}{own}", line % LINES_MAX)
}

#[expect(clippy::cast_precision_loss, reason = "a picture")]
fn chart(timeline: Timeline<'_>, summary: &Summary, shown: &[usize], own: Option<usize>) -> Markup {
    let marks = timeline.marks();
    let rank = |moment: &Moment, entrant: usize| {
        let one = moment.entrant(&summary.names[entrant]);
        one.and_then(|one| one.rank)
    };
    let ranks = shown
        .iter()
        .flat_map(|one| marks.iter().filter_map(|moment| rank(moment, *one)));
    let worst = ranks.max().unwrap_or(1);
    let x = |moment: &Moment| SIDE + (WIDTH - 2.0 * SIDE) * timeline.share(moment);
    let y = |rank: usize| TOP + STEP * (rank as f64 - 0.5);
    let height = TOP + STEP * worst as f64 + BOTTOM;
    let bottom = height - BOTTOM;
    let lines = shown.iter().enumerate().map(|(line, &entrant)| {
        let mut path = String::new();
        let mut before = None;
        for moment in &marks {
            let Some(rank) = rank(moment, entrant) else {
                before = None;
                continue;
            };
            // Ranks change at a moment, and not on the way there.
            match before {
                None => write!(path, "M{:.1} {:.1}", x(moment), y(rank)),
                Some(old) if old == rank => write!(path, "H{:.1}", x(moment)),
                Some(_) => write!(path, "H{:.1}V{:.1}", x(moment), y(rank)),
            }
            .expect("memory");
            before = Some(rank);
        }
        (line_class(line, own == Some(entrant)), path, before)
    });
    let lines: Vec<_> = lines.collect();
    let label = format!(
        "Ranks over time of {}; the table below has the same in numbers",
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
                path.round d=(format!("M{:.1} {:.1}V{bottom:.1}", x(moment), TOP - 8.0)) {}
                text.round-name x=(format!("{:.1}", x(moment))) y=(TOP - 13.0) { (phrases::cut(&phrases::name(&moment.round), 14)) }
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

/// Says by how many ranks somebody has moved.
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

fn risers(
    timeline: Timeline<'_>,
    summary: &Summary,
    shown: &[usize],
    own: Option<usize>,
) -> Markup {
    let yesterday = timeline.yesterday();
    html! {
        div.wide tabindex="0" role="region" aria-label="Who rose and fell" {
            table.sort {
                thead { tr {
                    (sortable("Entrant")) (number("Rank")) (number("Lately"))
                    @if yesterday.is_some() { (number("In a day")) }
                    (number("Best rank")) (number("Version"))
                } }
                tbody {
                    @for (line, &entrant) in shown.iter().enumerate() {
                        @let name = &summary.names[entrant];
                        @let now = timeline.last().entrant(name);
                        tr.own[own == Some(entrant)] {
                            th scope="row" {
                                svg.key viewBox="0 0 22 8" width="22" height="8" aria-hidden="true" { path class=(line_class(line, own == Some(entrant))) d="M1 4H21" {} }
                                a href=(format!("#e={entrant}")) { (bdi(name)) }
                            }
                            td.n { @if let Some(rank) = now.and_then(|now| now.rank) { (rank) } }
                            (moved(timeline.risen(name)))
                            @if let Some(yesterday) = yesterday { (moved(timeline.risen_since(yesterday, name))) }
                            td.n { @if let Some(best) = timeline.best(name) { (best) } }
                            td.n { @if let Some(version) = now.and_then(|now| now.version) { (version) } }
                        }
                    }
                }
            }
        }
    }
}

fn versions(timeline: Timeline<'_>, summary: &Summary) -> Markup {
    let (versions, all) = timeline.versions();
    html! {
        @if !versions.is_empty() {
            details {
                summary { "New versions (" (all) ")" }
                @if versions.len() < all { p.note { "The last " (versions.len()) " of them:" } }
                div.wide tabindex="0" role="region" aria-label="New versions" {
                    table.sort {
                        thead { tr {
                            (sortable("First seen playing")) (sortable("Entrant")) (number("Version")) (number("Rank before")) (number("Rank then"))
                        } }
                        tbody {
                            @for one in versions {
                                tr {
                                    td { (time(one.moment)) }
                                    th scope="row" {
                                        @if let Some(number) = summary.index.get(&one.entrant.entrant) {
                                            a href=(format!("#e={number}")) { (bdi(&one.entrant.entrant)) }
                                        } @else { (bdi(&one.entrant.entrant)) }
                                    }
                                    td.n { @if let Some(version) = one.entrant.version { (version) } }
                                    td.n { @if let Some(rank) = one.before { (rank) } }
                                    td.n { @if let Some(rank) = one.entrant.rank { (rank) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::timeline::moments;
    use super::*;

    #[test]
    fn a_line_goes_from_moment_to_moment_in_steps_and_has_gaps() {
        let moments = moments(&[
            &[("ann", 1), ("bob", 1)],
            &[("bob", 2)],
            &[("bob", 2), ("ann", 1)],
        ]);
        let timeline = Timeline::of(&moments).expect("enough");
        let names = ["ann", "bob"].map(str::to_owned);
        let summary = Summary::new(names.into_iter());
        let drawn = chart(timeline, &summary, &[0, 1], Some(0)).into_string();
        assert!(drawn.contains("d=\"M34.0 41.0M726.0 63.0\""), "{drawn}");
        assert!(
            drawn.contains("d=\"M34.0 63.0H380.0V41.0H726.0\""),
            "{drawn}"
        );
        assert!(drawn.contains("line l0 own-line"), "{drawn}");
    }

    #[test]
    fn times_are_in_utc_without_seconds() {
        let at = "2026-11-23T10:37:06Z".parse().expect("a time");
        assert_eq!(time_words(at), "2026-11-23 10:37 UTC");
    }
}
