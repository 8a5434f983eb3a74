//! Numbers, names and cells in the form that the page shows.

use crate::blame::describe;
use crate::words::joined;
use maud::{Markup, PreEscaped, html};
use model::fault::{Cause, Fault, quote};
use model::numbers::thousands;
pub(super) use model::numbers::{count, counted, time};
use model::points::Points;

const NAME_CHARS_MAX: usize = 40;

/// Returns a name that is safe to show: short, and without characters that disguise it as another.
pub(super) fn name(name: &str) -> String {
    cut(&quote(name), NAME_CHARS_MAX)
}

pub(crate) fn cut(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

pub(super) fn sentence(words: &str) -> String {
    capital(words) + "."
}

pub(super) fn capital(words: &str) -> String {
    let mut words = words.to_owned();
    if let Some(first) = words.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    words
}

/// Formats a time without zeros at its end: `10 s`, `0.5 ms`.
pub(super) fn exact_time(us: u64) -> String {
    let time = time(us);
    match time.split_once(' ') {
        Some((number, unit)) if number.contains('.') => {
            let number = number.trim_end_matches('0').trim_end_matches('.');
            format!("{number} {unit}")
        }
        _ => time,
    }
}

pub(crate) fn time_words(at: jiff::Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

pub(crate) fn second_words(at: jiff::Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// Rewrites times from the form of tables, `2026-11-23T22:09:05Z`, to the form of pages.
pub(crate) fn readable_times(text: &str) -> String {
    let readable = |word: &str| {
        let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let at = bare.parse().ok().filter(|_| bare.ends_with('Z'));
        at.map_or(word.to_owned(), |at| word.replace(bare, &second_words(at)))
    };
    joined(text.split(' ').map(readable), " ")
}

/// Describes a fault; gives the cause alone if its detail is not for this reader.
pub(super) fn fault(fault: &Fault) -> String {
    if fault.detail.is_empty() {
        cause(fault.cause)
    } else {
        describe(fault)
    }
}

pub(super) fn cause(cause: Cause) -> String {
    cause.name().replace('-', " ")
}

pub(super) fn points(points: Points, decimals: usize) -> String {
    thousands(&format!("{points:.decimals$}"))
}

/// Returns a part of the page that the script fills, without the layout of its file.
pub(super) fn still(part: &str) -> Markup {
    PreEscaped(part.lines().map(str::trim).collect())
}

pub(super) fn bdi(of: &str) -> Markup {
    html! { bdi { (name(of)) } }
}

pub(super) fn entrant(number: usize, of: &str) -> Markup {
    html! { a href=(format!("#e={number}")) { (bdi(of)) } }
}

pub(super) fn game(number: usize, seat: usize) -> Markup {
    html! { a href=(format!("#g={number}&f={seat}")) { "Game " (number) } }
}

pub(super) fn sortable(title: &str) -> Markup {
    html! { th scope="col" { button type="button" { (title) } } }
}

pub(super) fn number(title: &str) -> Markup {
    html! { th.n scope="col" { button type="button" { (title) } } }
}

pub(super) fn table(label: &str, heads: &Markup, rows: impl Iterator<Item = Markup>) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label=(label) {
            table.sort {
                thead { tr { (heads) } }
                tbody { @for row in rows { (row) } }
            }
        }
    }
}

pub(super) fn time_cell(us: u64) -> Markup {
    html! { td.n data-v=(us) { (time(us)) } }
}

pub(super) fn count_cell(number: u64) -> Markup {
    html! { td.n data-v=(number) { (count(number)) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_written_without_zeros() {
        let rows = [
            (10_000_000, "10 s"),
            (1_500_000, "1.5 s"),
            (100_000, "100 ms"),
            (20, "20 µs"),
        ];
        for (us, written) in rows {
            assert_eq!(exact_time(us), written);
        }
    }

    #[test]
    fn times_in_a_text_are_written_for_people() {
        let text = "received 2026-11-23T22:09:05Z, late (until 2026-11-23T22:00:00Z). Z 12Z";
        assert_eq!(
            readable_times(text),
            "received 2026-11-23 22:09:05 UTC, late (until 2026-11-23 22:00:00 UTC). Z 12Z"
        );
    }

    #[test]
    fn long_names_are_cut_and_marks_are_shown() {
        let long = name(&"é".repeat(10_000));
        assert_eq!(long.chars().count(), NAME_CHARS_MAX + 1);
        assert_eq!(name("a\u{202e}b"), "a\\u{202e}b");
    }
}
