//! Content for the author of a submission alone: its status, its last version's effect, programs' output.

use super::phrases::{self, bdi, number, sortable, table, time_words};
use super::{OwnPage, Page};
use crate::moments::{OwnChange, Record, ResultsAt, ranked};
use crate::words::decimals;
use maud::{Markup, html};
use model::fault::quote;
use store::{Moment, MomentEntrant};

const LINES_MAX: usize = 200;

pub(super) fn first_lines(page: &Page<'_>, given: &OwnPage<'_>) -> Markup {
    let Page {
        table,
        summary,
        reader,
        ..
    } = *page;
    let row = reader.own.and_then(|own| table.rows.get(own));
    html! {
        div.you {
            @if let Some(own) = reader.own {
                p {
                    "You are " (bdi(&summary.names[own]))
                    @if let Some(row) = row { ", rank " (row.rank) " of " (table.rows.len()) }
                    ". " a href=(format!("#e={own}")) { "Your faults, opponents and games" }
                }
            }
            @if let Some(extension) = given.extension {
                p { "You may submit until " (time_words(extension)) "." }
            }
            p id="submitted" role="status" { (given.submitted) }
            pre id="submitted-wrote" tabindex="0" hidden[given.errors.is_empty()] { (given.errors) }
            @if let Some(text) = given.reported.build.as_deref().filter(|_| !given.errors.is_empty()) {
                div id="submitted-all" { (wrote("Full compiler output", text, "build.txt")) }
            }
        }
    }
}

pub(super) fn yours(own: &OwnPage<'_>) -> Option<Markup> {
    // Errors of a version that does not play come first on the page.
    let warnings = own
        .reported
        .build
        .as_ref()
        .filter(|_| own.errors.is_empty());
    let texts: Vec<Markup> = [
        (
            "What judge check found",
            own.reported.check.as_ref(),
            "check.txt",
        ),
        ("Compiler output", warnings, "build.txt"),
        (
            "What your bot wrote on standard error",
            own.reported.stderr.as_ref(),
            "stderr.txt",
        ),
    ]
    .into_iter()
    .filter_map(|(title, text, file)| Some(wrote(title, text?, file)))
    .collect();
    let has_past = own.change.is_some() || own.versions.len() > 1;
    (has_past || !texts.is_empty()).then(|| {
        html! {
            @if let Some(change) = &own.change { (changed(change, own.received)) }
            @if own.versions.len() > 1 { (versions(&own.versions)) }
            @for text in &texts { (text) }
        }
    })
}

fn changed(change: &OwnChange<'_>, received: Option<usize>) -> Markup {
    let OwnChange { before, after } = change;
    let version = |results_at: &ResultsAt<'_>, otherwise: &str| {
        results_at.own.version.map_or_else(
            || otherwise.to_owned(),
            |version| format!("version {version}"),
        )
    };
    let which = match after.own.version {
        Some(version) if received != Some(version) => format!("your version {version}"),
        _ => "your last version".to_owned(),
    };
    let title = format!("What {which} has changed");
    let alike = change.alike();
    let column = |results_at, otherwise| phrases::capital(&version(results_at, otherwise));
    let heads = html! {
        (sortable("Opponent"))
        (number(&column(before, "before"))) (number(&column(after, "after"))) (number("Change"))
    };
    let rows = alike.iter().map(|(name, then, now)| {
        html! {
            tr {
                th scope="row" { (bdi(name)) }
                (record(*then)) (record(*now))
                (difference(*then, *now))
            }
        }
    });
    html! {
        h3 { (title) }
        dl.facts {
            // A rank in part of the games means little next to a rank in all.
            @if before.moment.is_whole() && after.moment.is_whole() { (fact("Rank", &rank(before), &rank(after))) }
            @if let Some((then, now)) = change.shares() {
                (fact("Share of games", &format!("{then} %"), &format!("{now} %")))
            }
        }
        p.note {
            "This compares " (version(before, "the version before")) " at " (time_words(before.moment.at)) " with "
            (version(after, "the last one")) " at " (time_words(after.moment.at)) ". "
            "Each opponent counts the same, however many games there were; a drawn game counts half."
            @if !alike.is_empty() { " A change is in percentage points." }
            " Opponents that met only one of the two versions, or had another version by then, are left out."
            @if before.moment.round != after.moment.round { " Another round, on other boards, began in between." }
        }
        @if !alike.is_empty() { (table(&title, &heads, rows)) }
    }
}

fn rank(results_at: &ResultsAt<'_>) -> String {
    results_at.own.rank.map_or_else(
        || "none".to_owned(),
        |rank| format!("{rank} of {}", ranked(results_at.moment)),
    )
}

fn fact(name: &str, before: &str, after: &str) -> Markup {
    html! { div { dt { (name) } dd { (before) " → " (after) } } }
}

fn record(record: Record) -> Markup {
    html! {
        td.n data-v=(record.percent().unwrap_or_default()) {
            @if let Some(percent) = record.percent() { (percent) " %" span.zero { " of " (record.games()) } }
        }
    }
}

fn difference(then: Record, now: Record) -> Markup {
    let percent = |record: Record| Some(i64::try_from(record.percent()?).expect("at most 100"));
    let by = percent(now)
        .zip(percent(then))
        .map(|(now, then)| now - then);
    html! {
        @match by {
            None => { td.n data-v="" {} }
            Some(0) => { td.n.zero data-v="0" { "=" } }
            Some(by) => { td.n.well[by > 0].bad[by < 0] data-v=(by) { (format!("{by:+} points")) } }
        }
    }
}

fn versions(versions: &[(&Moment, &MomentEntrant)]) -> Markup {
    let decimals = decimals(versions.iter().map(|(_, one)| one.points));
    let heads = html! { (number("Version")) (sortable("Received")) (number("Last rank")) (number("Points")) };
    let rows = versions.iter().map(|(moment, one)| html! {
        tr {
            td.n { @if let Some(version) = one.version { (version) } }
            td { @if let Some(received) = one.received { (time_words(received)) } }
            td.n data-v=[one.rank] { @if let Some(rank) = one.rank { (rank) " of " (ranked(moment)) } @else { "none" } }
            td.n data-v=(one.points) { (phrases::points(one.points, decimals)) }
        }
    });
    html! {
        h3 { "Your versions" }
        (table("Your versions", &heads, rows))
    }
}

/// Shows a program's output line by line, without characters that disguise it as something else.
fn wrote(title: &str, text: &str, file: &str) -> Markup {
    let lines: Vec<String> = text.lines().map(quote).take(LINES_MAX).collect();
    let is_cut = text.lines().nth(LINES_MAX).is_some();
    html! {
        details {
            summary { (title) }
            pre tabindex="0" { (lines.join("\n")) }
            @if is_cut { p.note { "The rest is in " (file) "." } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_output_is_escaped_and_truncated() {
        let hostile = "</pre><script>1</script>\u{202e}\n".repeat(LINES_MAX + 1);
        let shown = wrote("Title", &hostile, "stderr.txt").into_string();
        assert!(!shown.contains("<script>") && !shown.contains('\u{202e}'));
        assert!(shown.contains("The rest is in stderr.txt"), "{shown}");
    }

    #[test]
    fn change_is_reported_when_both_sides_have_games() {
        let reported =
            |then: [u64; 3], now: [u64; 3]| difference(Record(then), Record(now)).into_string();
        assert!(reported([1, 0, 3], [3, 0, 1]).contains("+50 points"));
        assert!(reported([3, 0, 1], [1, 0, 3]).contains("-50 points"));
        assert!(!reported([0, 0, 0], [1, 0, 3]).contains("points"));
    }
}
