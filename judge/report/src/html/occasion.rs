//! The occasion of a page: its round, the deadline, its moment, and how long it stays frozen.

use super::phrases::time_words;
use super::source::{Made, PageSource};
use crate::moments::is_revealed;
use crate::title::practice_number;
use model::competition::{Competition, FINAL};
use rulebook::schedule;
use store::manifest::DrawSource;

/// Returns the occasion as text; `None` for a page that needs none.
pub(super) fn occasion(source: &PageSource<'_>) -> Option<String> {
    let is_seed = matches!(source.draw.source, DrawSource::Seed(_));
    let made = source.live.map(|live| live.made);
    said(source.competition, is_seed, is_revealed(source.draw), made)
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

/// Returns the short name of a round, as at the round's beginning in a chart.
pub(super) fn round_name(round: &str) -> String {
    let number = practice_number(round);
    number.map_or_else(|| round.to_owned(), |number| format!("practice {number}"))
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
        assert_eq!(round_name("practice/3"), "practice 3");
    }
}
