//! Headings and cells that several tables have.

use super::phrases;
use maud::{Markup, html};

/// Writes a name as text whose direction stays its own.
pub(super) fn bdi(name: &str) -> Markup {
    html! { bdi { (phrases::name(name)) } }
}

/// Names a column of texts that the reader can sort by.
pub(super) fn sortable(title: &str) -> Markup {
    html! { th scope="col" { button type="button" { (title) } } }
}

/// Names a column of numbers that the reader can sort by.
pub(super) fn number(title: &str) -> Markup {
    html! { th.n scope="col" { button type="button" { (title) } } }
}

/// Names a column of games won, drawn and lost.
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
