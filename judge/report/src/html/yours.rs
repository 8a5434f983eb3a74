//! What only the author of a submission gets to see: what became of it, what its last version has
//! changed, and what programs wrote about it.

use super::cells::bdi;
use super::phrases;
use super::source::{OwnPage, PageSource};
use super::time_chart::time_words;
use crate::own_change::{OwnChange, OwnVersion, Record, Stood};
use journal::manifest::EntrantLine;
use maud::{Markup, html};
use words::fault::quote;

/// The most lines that are shown of what a program wrote.
const LINES_MAX: usize = 200;
/// The most characters of a reason.
const REASON_CHARS_MAX: usize = 500;

/// Makes the section.
pub(super) fn yours(source: &PageSource<'_>, own: &OwnPage<'_>) -> Markup {
    html! {
        @if let Some(line) = source.entrants.first() {
            p id="submitted" role="status" { (submitted(line)) }
        }
        @if let Some(change) = &own.change { (changed(change)) }
        @if own.versions.len() > 1 { (versions(&own.versions)) }
        @if let Some(text) = &own.told.check { (wrote("What judge check found", text, "check.txt")) }
        // Where nothing plays, the section of those without a result has it.
        @let plays = source.entrants.iter().any(|line| line.artifact.is_some());
        @if let Some(text) = own.told.build.as_ref().filter(|_| plays) { (wrote("What the compiler wrote", text, "build.txt")) }
        @if let Some(text) = &own.told.stderr { (wrote("What your bot wrote on standard error", text, "stderr.txt")) }
    }
}

/// Says what was submitted last and whether it plays, as the script does when that has changed.
fn submitted(line: &EntrantLine) -> String {
    let which = line.version.map_or_else(
        || "your submission".to_owned(),
        |version| format!("version {version}"),
    );
    let when = line
        .timing
        .map(|timing| format!(", received {},", time_words(timing.received)));
    let what = if line.artifact.is_some() {
        "plays"
    } else {
        "does not play"
    };
    let why = line.broken.as_ref().or(line.replaced.as_ref());
    let why = why.map(|why| {
        format!(
            ": {}",
            phrases::cut(&quote(why.as_bytes()), REASON_CHARS_MAX)
        )
    });
    format!(
        "Last submitted: {which}{} {what}{}.",
        when.unwrap_or_default(),
        why.unwrap_or_default()
    )
}

fn changed(change: &OwnChange) -> Markup {
    let OwnChange { before, after } = change;
    let version = |stood: &Stood, otherwise: &str| {
        stood.version.map_or_else(
            || otherwise.to_owned(),
            |version| format!("Version {version}"),
        )
    };
    let decimals = phrases::decimals([before.points, after.points].into_iter());
    html! {
        h3 { "What your last version has changed" }
        dl.facts {
            (fact("Rank", &rank(before), &rank(after)))
            (fact("Points", &phrases::points(before.points, decimals), &phrases::points(after.points, decimals)))
            (fact("Share of games", &share(all(before)), &share(all(after))))
        }
        p.note {
            (version(before, "The one before")) " is of " (time_words(before.at))
            ", with its games against the versions that the others had then. "
            (version(after, "The last one")) " is of " (time_words(after.at)) "."
            @if before.round != after.round { " In between another round began, with a draw of its own." }
        }
        div.wide tabindex="0" role="region" aria-label="What your last version has changed" {
            table.sort {
                thead {
                    tr {
                        th scope="col" { button type="button" { "Opponent" } }
                        @for side in [(version(before, "Before")), (version(after, "After"))] {
                            th.n scope="col" { button type="button" { (side) } span.wdl aria-hidden="true" { span { "W" } span { "D" } span { "L" } } }
                        }
                        th.n scope="col" { button type="button" { "Change" } }
                    }
                }
                tbody {
                    @for name in change.opponents() {
                        @let (then, now) = (of(before, name), of(after, name));
                        tr {
                            th scope="row" { (bdi(name)) }
                            (record(then)) (record(now))
                            (difference(then, now))
                        }
                    }
                }
            }
        }
    }
}

fn of(stood: &Stood, name: &str) -> Record {
    stood.against.get(name).copied().unwrap_or_default()
}

fn all(stood: &Stood) -> Record {
    let mut sum = Record::default();
    for one in stood.against.values() {
        for (sum, one) in sum.0.iter_mut().zip(one.0) {
            *sum += one;
        }
    }
    sum
}

fn rank(stood: &Stood) -> String {
    stood
        .rank
        .map_or_else(|| "none".to_owned(), |rank| rank.to_string())
}

fn share(record: Record) -> String {
    record
        .percent()
        .map_or_else(|| "–".to_owned(), |percent| format!("{percent} %"))
}

fn fact(name: &str, before: &str, after: &str) -> Markup {
    html! { div { dt { (name) } dd { (before) " → " (after) } } }
}

fn record(record: Record) -> Markup {
    html! {
        @if record.games() == 0 { td.n data-v="" {} } @else {
            td.n data-v=(record.percent().unwrap_or_default()) { span.wdl { @for count in record.0 { span { (count) } } } }
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
            Some(by) => { td.n.well[by > 0].bad[by < 0] data-v=(by) { (format!("{by:+} %")) } }
        }
    }
}

fn versions(versions: &[OwnVersion]) -> Markup {
    let decimals = phrases::decimals(versions.iter().map(|one| one.points));
    html! {
        h3 { "Your versions" }
        div.wide tabindex="0" role="region" aria-label="Your versions" {
            table {
                thead { tr {
                    th.n scope="col" { "Version" } th scope="col" { "Received" }
                    th.n scope="col" { "Last rank" } th.n scope="col" { "Points" }
                } }
                tbody {
                    @for one in versions {
                        tr {
                            td.n { @if let Some(version) = one.version { (version) } }
                            td { @if let Some(received) = one.received { (time_words(received)) } }
                            td.n { @if let Some(rank) = one.rank { (rank) " of " (one.ranked) } @else { "none" } }
                            td.n { (phrases::points(one.points, decimals)) }
                        }
                    }
                }
            }
        }
    }
}

/// Shows what a program wrote, line by line, without characters that make one thing look like
/// another.
fn wrote(title: &str, text: &str, file: &str) -> Markup {
    let lines = text.lines().map(|line| quote(line.as_bytes()));
    let lines: Vec<String> = lines.take(LINES_MAX).collect();
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
    fn what_programs_wrote_is_text_and_has_an_end() {
        let hostile = "</pre><script>1</script>\u{202e}\n".repeat(LINES_MAX + 1);
        let shown = wrote("Title", &hostile, "stderr.txt").into_string();
        assert!(!shown.contains("<script>") && !shown.contains('\u{202e}'));
        assert!(shown.contains("The rest is in stderr.txt"), "{shown}");
    }

    #[test]
    fn a_change_is_told_where_both_sides_have_games() {
        let told =
            |then: [u64; 3], now: [u64; 3]| difference(Record(then), Record(now)).into_string();
        assert!(told([1, 0, 3], [3, 0, 1]).contains("+50 %"));
        assert!(told([3, 0, 1], [1, 0, 3]).contains("-50 %"));
        assert!(!told([0, 0, 0], [1, 0, 3]).contains('%'));
    }
}
