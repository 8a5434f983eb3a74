//! The page around its tables. Foreign text is always escaped, and names are in `bdi`.

use super::conduct::{conduct, unequal};
use super::history::history;
use super::phrases::{count, counted, still, time_words};
use super::standings::standings;
use super::verdict::{played, verdict};
use super::yours::{first_lines, yours};
use super::{Made, Page, State, conduct, entrants};
use crate::moments::is_revealed;
use crate::words::{has_one_start, practice_number};
use maud::{Markup, html};
use model::competition::{Competition, FINAL};
use rulebook::{Result, schedule};
use store::manifest::DrawSource;

pub(super) const PAIRED_MAX: usize = 100;

type Section = (&'static str, &'static str, Markup);

pub(super) fn body(page: &Page<'_>) -> Result<Markup> {
    let Page {
        run,
        competition,
        summary,
        reader,
        ..
    } = *page;
    let mut sections: Vec<Section> = Vec::new();
    let mut below: Vec<Section> = Vec::new();
    if let Some(yours) = reader.given.and_then(yours) {
        sections.push(("yours", "Your submission", yours));
    }
    if let Some(history) = history(page) {
        sections.push(("history", "History", history));
    }
    let has_games = !summary.games.is_empty();
    if has_games {
        below.push(("pairs", "Head to head", pairs(page)));
        below.push(("games", "Games", html! { div id="game-list" {} }));
        sections.extend([
            ("states", called(competition).1, states(page)),
            ("conduct", "Time, faults and machines", conduct(page)),
        ]);
    }
    let played = played(page)?;
    Ok(html! {
        a.skip href="#standings" { "Skip to the standings" }
        header {
            h1 { a href="#standings" { (competition.title) } }
            (verdict(page))
            p.lead { (played) " " (lead(page)) @if let Some(occasion) = occasion(page) { " " (occasion) } }
            nav.wide aria-label="Sections" {
                div {
                    a href="#standings" { "Standings" }
                    @for (id, title, _) in below.iter().chain(&sections) { a href=(format!("#{id}")) { (title) } }
                }
            }
        }
        main id="overview" {
            @if let Some(given) = reader.given { (first_lines(page, given)) }
            div class={ "first-screen" @if !has_games { " alone" } } {
                section.table aria-labelledby="standings" {
                    h2 id="standings" tabindex="-1" { "Standings" }
                    (standings(page))
                    @if let Some(broken) = entrants::no_result(page) { (broken) }
                    (unequal(run))
                }
                @if has_games { (still(include_str!("page/featured.html"))) }
            }
            div.two { (listed(&below)) }
            (listed(&sections))
        }
        main id="people" hidden {
            (still(include_str!("page/people.html")))
            (entrants::pages(page))
        }
        (viewer(true))
        footer {
            p { "The draw: " (run.manifest.draw.words()) "." }
            p { "Made by judge " (env!("CARGO_PKG_VERSION")) " from the journal of the run." }
        }
    })
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

pub(super) fn single(title: &str, is_among_others: bool) -> Markup {
    html! {
        header { h1 { (title) } }
        (viewer(is_among_others))
    }
}

fn viewer(is_among_others: bool) -> Markup {
    html! {
        main id="game" hidden[is_among_others] aria-labelledby="game-title" {
            @if is_among_others { (still(include_str!("page/games.html"))) }
            (still(include_str!("page/viewer.html")))
        }
    }
}

fn lead(page: &Page<'_>) -> String {
    let summary = page.summary;
    let (played, all) = (summary.games.len() as u64, page.run.scheduled as u64);
    let mut games = counted(all, "game");
    if played != all {
        games = format!("{} of {games} so far,", count(played));
    }
    let begun = summary.states.len() as u64;
    let states = if has_one_start(page.competition) {
        format!(
            "in {} of the same initial state",
            counted(begun, "repetition")
        )
    } else {
        format!("on {}", counted(begun, "initial state"))
    };
    let ranked = counted(page.table.rows.len(), "entrant");
    match played {
        0 => format!("{ranked}. No game has been played yet."),
        _ => format!("{ranked}, {games} {states}."),
    }
}

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
    } else if competition.round == FINAL && (deadline.is_some() || made.is_some() && !is_seed) {
        said.push("Final round.".to_owned());
    }
    if let Some(deadline) = deadline {
        said.push(format!("Deadline: {}.", time_words(deadline)));
    }
    if let Some(made) = made {
        said.push(format!("This page is of {}.", time_words(made.at)));
        if let Some(freeze) = made.freeze.filter(|_| !is_revealed) {
            said.push(format!(
                "It does not change between {} and the publication of the final results.",
                time_words(freeze)
            ));
        }
    }
    (!said.is_empty()).then(|| said.join(" "))
}

fn pairs(page: &Page<'_>) -> Markup {
    let Page { summary, roles, .. } = *page;
    let left_out = summary.names.len().saturating_sub(PAIRED_MAX);
    html! {
        p.note id="pair" role="status" {
            @if roles.len() == 2 { "A cell is the share of games that the row won against the column." }
            @else { "A cell is the share of games in which the row finished ahead of the column." }
        }
        div.wide.pairs tabindex="0" role="region" aria-label="Head to head" { div id="heat" {} }
        @if left_out > 0 { p.note { "The last " (left_out) " entrants are only in the CSV files." } }
    }
}

fn called(competition: &Competition) -> (&'static str, &'static str) {
    if has_one_start(competition) {
        ("repetition", "Repetitions")
    } else {
        ("state", "Initial states")
    }
}

const DRAWN_FROM: usize = 8;

fn states(page: &Page<'_>) -> Markup {
    let Page {
        competition,
        roles,
        summary,
        ..
    } = *page;
    let states = || summary.states.values();
    let games: u64 = states().map(|state| state.games).sum();
    let percent = |part: &dyn Fn(&State) -> u64| {
        let all: u64 = states().map(part).sum();
        (all * 100 + games / 2) / games.max(1)
    };
    let seats = states().map(|state| state.won.len()).min();
    html! {
        p.legend {
            @for (seat, role) in roles.iter().take(seats.unwrap_or_default()).enumerate() {
                span.key { span class={ "dot " (conduct::seat_class(seat)) } {} (role) " wins " (percent(&|state| state.won[seat])) " %" }
            }
            span.key { span.dot.drawn {} "drawn " (percent(&|state| state.drawn)) " %" }
            span.key { "of " (counted(games, "game")) }
        }
        @if summary.states.len() >= DRAWN_FROM {
            (conduct::states(&summary.states, roles, called(competition)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_head_states_round_deadline_moment_and_freeze() {
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
        let reversi = competition("reversi", "practice/1", None);
        let last = competition("reversi", FINAL, deadline);
        let public = competition("reversi", FINAL, None);
        let page = "This page is of 2026-12-02 00:00 UTC.";
        let due = "Deadline: 2026-12-20 18:00 UTC.";
        let frozen = "It does not change between 2026-12-18 18:00 UTC and the publication of the final results.";
        let on_other_boards = "Practice round 3, on other boards than the final round.";
        let before = "Practice round 1, before the final round.".to_owned();
        let practice = format!("{on_other_boards} {due} {page} {frozen}");
        let dated = format!("Final round. {due} {page}");
        for (competition, [is_seed, is_revealed], made, expected) in [
            (&cat, [false, false], Some(made), practice),
            (&reversi, [false, false], None, before),
            (&last, [false, true], Some(made), dated),
            (&public, [true, false], Some(open), page.to_owned()),
            (&last, [false; 2], None, format!("Final round. {due}")),
        ] {
            let reported = said(competition, is_seed, is_revealed, made);
            assert_eq!(reported, Some(expected));
        }
        assert_eq!(said(&public, false, false, None), None);
    }
}
