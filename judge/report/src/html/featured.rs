//! The games that a page shows first, on a board that plays. There is one of each kind, so no two
//! are shown for the same reason.

use super::gather::{Feature, GameSummary};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Minimum number of turns: shorter games are over before anybody has looked.
const TURNS_MIN: u32 = 8;

/// Chooses among games (with their indices), the most wanted first, each game and each kind at most
/// once. Chooses games with a fault, or with a built-in bot, only if there is no other. `ranked`
/// entrants have the lowest numbers, best first.
pub(super) fn featured(
    games: &[(usize, &GameSummary)],
    ranked: usize,
    is_builtin: impl Fn(usize) -> bool,
) -> Vec<(usize, Feature)> {
    let is_clean = |game: &GameSummary| {
        game.faults.is_empty()
            && game.turns >= TURNS_MIN
            && !game.seats().iter().any(|&seat| is_builtin(seat))
    };
    let clean = || games.iter().copied().filter(|(_, game)| is_clean(game));
    // The last ones of the table are in no close game that anybody wants to watch.
    let better_half = ranked.div_ceil(2);
    let of_the_better =
        clean().filter(|(_, game)| game.seats().iter().all(|&seat| seat < better_half));
    let mut chosen: Vec<(usize, Feature)> = Vec::new();
    let kinds = [
        (Feature::Top, top(clean(), ranked)),
        (Feature::Closest, closest(of_the_better)),
        (Feature::Closest, closest(clean())),
        (Feature::Upset, upsets(clean(), ranked).collect()),
    ];
    for (kind, wanted) in kinds {
        let is_new = |index: &usize| chosen.iter().all(|(other, _)| other != index);
        let is_there = chosen.iter().any(|(_, other)| *other == kind);
        if let Some(index) = wanted.into_iter().find(is_new).filter(|_| !is_there) {
            chosen.push((index, kind));
        }
    }
    if chosen.is_empty() {
        let longest = games
            .iter()
            .max_by_key(|(index, game)| (game.turns, Reverse(*index)));
        chosen.extend(longest.map(|&(index, _)| (index, Feature::Longest)));
    }
    chosen
}

/// Lists games with a winner, the closest first; of equally close ones, the longer first.
fn closest<'a>(games: impl Iterator<Item = (usize, &'a GameSummary)>) -> Vec<usize> {
    let margins = games.filter_map(|(index, game)| {
        let margin = game.margin?;
        Some((margin, Reverse(game.turns), index))
    });
    // The kinds before this one take at most two games, so three are enough.
    least(margins, 3)
        .into_iter()
        .map(|(_, _, index)| index)
        .collect()
}

/// Returns the `count` least values, in order. Equal values count once.
fn least<T: Ord>(values: impl Iterator<Item = T>, count: usize) -> BTreeSet<T> {
    let mut least = BTreeSet::new();
    for value in values {
        least.insert(value);
        if least.len() > count {
            least.pop_last();
        }
    }
    least
}

/// Maximum number of upsets on a page.
const UPSETS_MAX: usize = 20;

/// Lists the games between ranked entrants whose winner was ranked below an opponent that it beat,
/// the furthest first, at most [`UPSETS_MAX`].
pub(super) fn upsets<'a>(
    games: impl Iterator<Item = (usize, &'a GameSummary)>,
    ranked: usize,
) -> impl Iterator<Item = usize> {
    let gaps = games.filter_map(|(index, game)| {
        let is_clean = game.faults.is_empty() && game.seats().iter().all(|&seat| seat < ranked);
        let seats = game.seats().iter().zip(&game.result.places);
        let winner = seats
            .clone()
            .filter(|(_, place)| **place == 1)
            .map(|(&entrant, _)| entrant)
            .max()?;
        let best = seats
            .filter(|(_, place)| **place > 1)
            .map(|(&entrant, _)| entrant)
            .min()?;
        (is_clean && winner > best).then(|| (Reverse(winner - best), index))
    });
    least(gaps, UPSETS_MAX).into_iter().map(|(_, index)| index)
}

/// Lists the games between ranked entrants, those of the best first, and of these the closest; of
/// equally close ones, the longer first. A game is as good as the last of its entrants.
fn top<'a>(games: impl Iterator<Item = (usize, &'a GameSummary)>, ranked: usize) -> Vec<usize> {
    games
        .filter_map(|(index, game)| {
            let last = *game.seats().iter().max()?;
            let is_alone = game.seats().iter().all(|&seat| seat == last);
            let margin = game.margin.unwrap_or(u64::MAX);
            (last < ranked && !is_alone).then_some((last, margin, Reverse(game.turns), index))
        })
        .min()
        .map(|(_, _, _, index)| index)
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::gather::SeatsAndPlaces;
    use model::fault::Cause;
    use std::rc::Rc;

    fn game(seats: [usize; 2], winner: usize, margin: u64, turns: u32) -> GameSummary {
        GameSummary {
            number: 0,
            result: Rc::new(SeatsAndPlaces {
                seats: seats.to_vec(),
                places: seats
                    .map(|seat| if seat == winner { 1 } else { 2 })
                    .to_vec(),
            }),
            faults: Box::default(),
            margin: Some(margin),
            turns,
        }
    }

    fn choose(games: &[GameSummary]) -> Vec<(usize, Feature)> {
        let games: Vec<_> = games.iter().enumerate().collect();
        featured(&games, 4, |seat| seat == 4)
    }

    #[test]
    fn the_best_game_of_the_best_the_closest_finish_and_the_biggest_upset_are_featured() {
        let games = [
            game([0, 1], 0, 9, 30),
            game([1, 2], 1, 2, 30),
            game([0, 3], 3, 9, 30),
            game([1, 3], 3, 9, 30),
            game([1, 0], 0, 3, 30),
        ];
        let expected = [
            (4, Feature::Top),
            (0, Feature::Closest),
            (2, Feature::Upset),
        ];
        assert_eq!(choose(&games), expected);
    }

    #[test]
    fn no_game_and_no_kind_is_featured_twice() {
        let games = [game([0, 1], 1, 1, 30), game([0, 1], 0, 9, 30)];
        let chosen = choose(&games);
        assert_eq!(chosen, [(0, Feature::Top), (1, Feature::Closest)]);
    }

    #[test]
    fn of_equally_close_games_the_longer_is_featured_and_a_drawn_one_is_not_a_finish() {
        let mut drawn = game([0, 1], 0, 0, 50);
        drawn.margin = None;
        let games = [drawn, game([0, 1], 0, 1, 20), game([0, 1], 0, 1, 40)];
        assert_eq!(choose(&games), [(2, Feature::Top), (1, Feature::Closest)]);
    }

    #[test]
    fn short_games_faults_and_built_in_bots_are_featured_only_where_there_is_nothing_else() {
        let mut marred = game([0, 1], 0, 1, 30);
        marred.faults = Box::new([(1, Cause::Crash)]);
        let short = game([0, 1], 0, 1, TURNS_MIN - 1);
        let with_builtin = game([0, 4], 0, 1, 20);
        let games = [short, marred, with_builtin];
        assert_eq!(choose(&games), [(1, Feature::Longest)]);
        assert!(choose(&[]).is_empty());
    }
}
