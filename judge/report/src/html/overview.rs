//! The page around its tables, in words and numbers. Foreign text is always escaped, and names are
//! in `bdi`, which keeps their own writing direction.

use super::charts;
use super::conduct::{conduct, unequal};
use super::entrants;
use super::phrases::{self, bdi};
use super::source::{Made, Page};
use super::standings::standings;
use super::time_chart::history;
use super::yours::{first_lines, yours};
use crate::moments::is_revealed;
use crate::winners::winners;
use crate::words::{has_one_start, practice_number};
use maud::{Markup, PreEscaped, html};
use model::competition::{Competition, FINAL};
use rulebook::schedule;
use store::manifest::DrawSource;

/// Maximum number of entrants with a row and a column in the table of pairs.
pub(super) const PAIRED_MAX: usize = 100;

/// Number of entrants up to which the table of pairs is in the column of the standings.
const PAIRS_BESIDE_MAX: usize = 8;

/// A section's anchor, title and content.
type Section = (&'static str, &'static str, Markup);

/// Returns the content of a run's page.
pub(super) fn body(page: &Page<'_>) -> Markup {
    let Page {
        run,
        competition,
        summary,
        reader,
        ..
    } = *page;
    let mut sections: Vec<Section> = Vec::new();
    let mut beside: Vec<Section> = Vec::new();
    if let Some(broken) = entrants::no_result(page) {
        sections.push(("broken", "No result", broken));
    }
    if let Some(yours) = reader.given.and_then(yours) {
        sections.push(("yours", "Your submission", yours));
    }
    if let Some(winners) = announced(page) {
        sections.push(("winners", "Winners", winners));
    }
    if let Some(history) = history(page) {
        sections.push(("history", "History", history));
    }
    let has_games = !summary.games.is_empty();
    if has_games {
        let is_small = summary.names.len() <= PAIRS_BESIDE_MAX;
        let of_pairs = if is_small { &mut beside } else { &mut sections };
        of_pairs.push(("pairs", "Head to head", pairs(page)));
        sections.extend([
            ("games", "Games", html! { div id="game-list" {} }),
            ("states", called(competition).1, states(page)),
            ("conduct", "Time, faults and machines", conduct(page)),
        ]);
    }
    html! {
        a.skip href="#standings" { "Skip to the standings" }
        header {
            h1 { a href="#standings" { (competition.title) } }
            p.lead { (lead(page)) }
            @if let Some(occasion) = occasion(page) { p.lead { (occasion) } }
            nav aria-label="Sections" {
                a href="#standings" { "Standings" }
                @for (id, title, _) in beside.iter().chain(&sections) { a href=(format!("#{id}")) { (title) } }
            }
        }
        main id="overview" {
            @if let Some(given) = reader.given { (first_lines(page, given)) }
            div class={ "first-screen" @if !has_games { " alone" } } {
                section.table aria-labelledby="standings" {
                    h2 id="standings" tabindex="-1" { "Standings" }
                    (standings(page))
                    (unequal(run))
                    (listed(&beside))
                }
                @if has_games { (still(include_str!("page/featured.html"))) }
            }
            (listed(&sections))
        }
        main id="people" hidden {
            p.crumbs {
                a href="#standings" { "← All results" }
                span {
                    button type="button" id="entrant-before" { "Previous entrant" kbd { "[" } }
                    button type="button" id="entrant-after" { "Next entrant" kbd { "]" } }
                }
            }
            (entrants::pages(page))
        }
        (viewer(true))
        footer {
            p { "The draw: " (run.manifest.draw.words()) "." }
            p { "Made by judge " (env!("CARGO_PKG_VERSION")) " from the journal of the run." }
        }
    }
}

fn listed(sections: &[Section]) -> Markup {
    html! {
        @for (id, title, content) in sections {
            section aria-labelledby=(id) {
                h2 id=(id) tabindex="-1" { (title) }
                (content)
            }
        }
    }
}

/// Returns the content of a page of one game.
pub(super) fn single(title: &str, is_among_others: bool) -> Markup {
    html! {
        header { h1 { (title) } }
        (viewer(is_among_others))
    }
}

/// Returns a part of the page that the script fills, without the layout of its file.
fn still(part: &str) -> Markup {
    PreEscaped(part.lines().map(str::trim).collect())
}

/// Returns the place for a game.
fn viewer(is_among_others: bool) -> Markup {
    html! {
        main id="game" hidden[is_among_others] aria-labelledby="game-title" {
            @if is_among_others {
                p.crumbs {
                    a id="back" href="#games" { "← All results" }
                    span {
                        button type="button" id="game-before" { "Previous game" kbd { "[" } }
                        button type="button" id="game-after" { "Next game" kbd { "]" } }
                    }
                }
            }
            (still(include_str!("page/viewer.html")))
        }
    }
}

/// Returns the winners and their prizes, once all games have been played.
fn announced(page: &Page<'_>) -> Option<Markup> {
    let winners = winners(&page.competition.scoring, page.table);
    let is_over = page.summary.games.len() == page.run.scheduled;
    (is_over && !winners.is_empty()).then(|| {
        html! {
            ul {
                @for winner in &winners {
                    li {
                        (winner.place) ". " (bdi(winner.entrant))
                        @if let Some(prize) = winner.prize_words() { ", " (prize) }
                    }
                }
            }
        }
    })
}

fn lead(page: &Page<'_>) -> String {
    let summary = page.summary;
    let (played, all) = (summary.games.len() as u64, page.run.scheduled as u64);
    let games = if played == all {
        phrases::counted(all, "game")
    } else {
        let all = phrases::counted(all, "game");
        format!("{played} of {all} so far,")
    };
    let begun = summary.states.len() as u64;
    let states = if has_one_start(page.competition) {
        format!(
            "in {} of the same initial state",
            phrases::counted(begun, "repetition")
        )
    } else {
        format!("on {}", phrases::counted(begun, "initial state"))
    };
    let ranked = phrases::counted(page.table.rows.len() as u64, "entrant");
    match played {
        0 => format!("{ranked}. No game has been played yet."),
        _ => format!("{ranked}, {games} {states}."),
    }
}

/// Returns the occasion as text; `None` for a page that needs none.
fn occasion(page: &Page<'_>) -> Option<String> {
    let draw = &page.run.manifest.draw;
    let is_seed = matches!(draw.source, DrawSource::Seed(_));
    let made = page.reader.live.map(|live| live.made);
    said(page.competition, is_seed, is_revealed(draw), made)
}

fn said(
    competition: &Competition,
    is_seed: bool,
    is_revealed: bool,
    made: Option<Made>,
) -> Option<String> {
    let deadline = competition.deadline;
    let is_final = competition.round == FINAL;
    if made.is_none() && is_final {
        return None;
    }
    let mut said = Vec::new();
    if let Some(number) = practice_number(&competition.round) {
        // A single state cannot differ from another one.
        let several = Competition {
            states: competition.states.max(2),
            ..competition.clone()
        };
        said.push(if schedule::states_differ(&several).unwrap_or(true) {
            format!("Practice round {number}, on other boards than the final round.")
        } else {
            format!("Practice round {number}, before the final round.")
        });
    } else if is_final && !(is_seed && deadline.is_none()) {
        said.push("Final round.".to_owned());
    }
    if let Some(deadline) = deadline {
        said.push(format!("Deadline: {}.", phrases::time_words(deadline)));
    }
    if let Some(made) = made {
        said.push(format!("This page is of {}.", phrases::time_words(made.at)));
        if let Some(freeze) = made.freeze.filter(|_| !is_revealed) {
            said.push(format!(
                "It does not change between {} and the publication of the final results.",
                phrases::time_words(freeze)
            ));
        }
    }
    (!said.is_empty()).then(|| said.join(" "))
}

fn pairs(page: &Page<'_>) -> Markup {
    let Page { summary, roles, .. } = *page;
    let left_out = summary.names.len().saturating_sub(PAIRED_MAX);
    html! {
        p.note {
            @if roles.len() == 2 {
                "Share of games that the row won against the column; a drawn game counts half."
            } @else {
                "Share of games in which the row finished ahead of the column; a tie counts half."
            }
            " Click a number for their games."
            @if left_out > 0 { " The last " (left_out) " entrants are only in the CSV files." }
        }
        @if roles.len() == 2 {
            p.choice {
                label for="heat-role" { "Row as " }
                select id="heat-role" {
                    option value="" { "either" }
                    @for (seat, role) in roles.iter().enumerate() {
                        option value=(seat) { (role) }
                    }
                }
            }
        }
        div.wide.pairs tabindex="0" role="region" aria-label="Head to head" { div id="heat" {} }
    }
}

/// Returns the words for initial states: for one, and for all of them.
fn called(competition: &Competition) -> (&'static str, &'static str) {
    if has_one_start(competition) {
        ("repetition", "Repetitions")
    } else {
        ("state", "Initial states")
    }
}

fn states(page: &Page<'_>) -> Markup {
    let Page {
        competition, roles, ..
    } = *page;
    html! {
        p.note.legend {
            @if has_one_start(competition) {
                span { "Who won in each repetition of the same initial state:" }
            } @else {
                span { "Who won on each initial state:" }
            }
            @for (seat, role) in roles.iter().enumerate() {
                span.key { span class={ "dot " (charts::seat_class(seat)) } {} (role) }
            }
            span.key { span.dot.drawn {} "drawn" }
        }
        (charts::states(&page.summary.states, roles, called(competition)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_says_its_round_the_deadline_its_moment_and_how_long_it_stands_still() {
        let at = |time: &str| time.parse().expect("a time");
        let competition = |game, round: &str, deadline: Option<&str>| Competition {
            round: round.to_owned(),
            deadline: deadline.map(at),
            ..rulebook::standard(&*rulebook::rules::find(game).expect("registered"))
        };
        let deadline = Some("2026-12-20T18:00:00Z");
        let made = Made {
            at: at("2026-12-02T00:00:00Z"),
            freeze: Some(at("2026-12-18T18:00:00Z")),
        };
        let open = Made {
            freeze: None,
            ..made
        };
        let cat = competition("catch-the-cat", "practice/3", deadline);
        let told = said(&cat, false, false, Some(made)).expect("it continues");
        assert_eq!(
            told,
            "Practice round 3, on other boards than the final round. Deadline: 2026-12-20 18:00 UTC. This page is of \
             2026-12-02 00:00 UTC. It does not change between 2026-12-18 18:00 UTC and the publication of the final \
             results."
        );
        let reversi = competition("reversi", "practice/1", None);
        let told = said(&reversi, false, false, None);
        assert_eq!(
            told.as_deref(),
            Some("Practice round 1, before the final round.")
        );
        let last = competition("reversi", FINAL, deadline);
        let told = said(&last, false, true, Some(made)).expect("it continues");
        assert_eq!(
            told,
            "Final round. Deadline: 2026-12-20 18:00 UTC. This page is of 2026-12-02 00:00 UTC."
        );
        let public = competition("reversi", FINAL, None);
        let told = said(&public, true, false, Some(open));
        assert_eq!(
            told.as_deref(),
            Some("This page is of 2026-12-02 00:00 UTC.")
        );
        assert_eq!(said(&last, false, false, None), None);
    }
}
