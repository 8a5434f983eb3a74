//! Headings and cells that several tables share.

use super::phrases;
use maud::{Markup, html};

/// Formats a name as text with its own writing direction.
pub(super) fn bdi(name: &str) -> Markup {
    html! { bdi { (phrases::name(name)) } }
}

/// Returns the heading of a text column that the reader can sort by.
pub(super) fn sortable(title: &str) -> Markup {
    html! { th scope="col" { button type="button" { (title) } } }
}

/// Returns the heading of a number column that the reader can sort by.
pub(super) fn number(title: &str) -> Markup {
    html! { th.n scope="col" { button type="button" { (title) } } }
}

/// Returns the heading of a column of games won, drawn and lost.
pub(super) fn won_drawn_lost() -> Markup {
    html! {
        th.n scope="col" {
            button type="button" { span.wdl { span { "W" } span { "D" } span { "L" } } }
        }
    }
}

pub(super) fn time_cell(us: u64) -> Markup {
    html! { td.n data-v=(us) { (phrases::time(us)) } }
}
