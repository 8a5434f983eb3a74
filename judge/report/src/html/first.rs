//! The first screen: the standings, and a game that plays beside them.

use super::gather::Summary;
use super::machines::unequal;
use super::source::{Audience, PageSource};
use super::standings::standings;
use maud::{Markup, html};

/// Returns the first screen; `below` follows the table in its column.
pub(super) fn first(
    source: &PageSource<'_>,
    summary: &Summary,
    roles: &[&str],
    reader: Audience<'_>,
    below: &Markup,
) -> Markup {
    let has_games = !summary.games.is_empty();
    html! {
        div class={ "first-screen" @if !has_games { " alone" } } {
            section.table aria-labelledby="standings" {
                h2 id="standings" tabindex="-1" { "Standings" }
                (standings(source, summary, roles, reader))
                (unequal(source))
                (below)
            }
            @if has_games { (featured()) }
        }
    }
}

/// Returns the place for a game that plays; the script fills it.
fn featured() -> Markup {
    html! {
        section.featured id="featured" aria-labelledby="featured-title" hidden {
            div.featured-head {
                h2 id="featured-title" { "Featured games" }
                div.kinds id="featured-kinds" role="group" aria-label="Featured games" {}
            }
            p.pairing id="featured-players" {}
            p.caption id="featured-caption" {}
            div id="featured-board" {}
            p.result id="featured-text" {}
            div.controls role="group" aria-label="Featured game" {
                button.main type="button" id="featured-run" { "Play" }
                a id="featured-link" href="#games" { "Open the replay" }
            }
        }
    }
}
