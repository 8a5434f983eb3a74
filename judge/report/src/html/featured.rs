//! The games that a page shows first, on a board that plays. There is one of each kind, so no two
//! are shown for the same reason.

use super::gather::{Feature, GameSummary};
use std::cmp::Reverse;

/// Minimum number of turns: shorter games are over before anybody has looked.
const TURNS_MIN: usize = 8;

/// Chooses among games (with their indices), the most wanted first, each game and each kind at most
/// once. Chooses games with a fault only if there is no other. `ranked` entrants have the lowest
/// numbers, best first.
pub(super) fn featured(games: &[(usize, &GameSummary)], ranked: usize) -> Vec<(usize, Feature)> {
    let clean = games.iter().copied();
    let clean: Vec<_> = clean
        .filter(|(_, game)| game.faults.is_empty() && game.turns >= TURNS_MIN)
        .collect();
    let mut chosen: Vec<(usize, Feature)> = Vec::new();
    let kinds = [
        (Feature::Closest, closest(&clean)),
        (
            Feature::Upset,
            upsets(&clean, ranked).map(|(_, index)| index).collect(),
        ),
        (Feature::Top, top(&clean, ranked)),
    ];
    for (kind, wanted) in kinds {
        let is_new = |index: &usize| chosen.iter().all(|(other, _)| other != index);
        if let Some(index) = wanted.into_iter().find(is_new) {
            chosen.push((index, kind));
        }
    }
    if chosen.is_empty() {
        let all = games.iter();
        let longest = all.max_by_key(|(index, game)| (game.turns, Reverse(*index)));
        chosen.extend(longest.map(|&(index, _)| (index, Feature::Longest)));
    }
    chosen
}

/// Lists games with a winner, the closest first; of equally close ones, the longer first.
fn closest(games: &[(usize, &GameSummary)]) -> Vec<usize> {
    let margins = games.iter().filter_map(|&(index, game)| {
        let margin = game.margin?;
        Some((margin, Reverse(game.turns), index))
    });
    let mut margins: Vec<_> = margins.collect();
    margins.sort_unstable();
    // The kinds before this one take at most two games, so three are enough.
    let first = margins.into_iter().take(3);
    first.map(|(_, _, index)| index).collect()
}

/// Lists the games between ranked entrants whose winner was ranked below an opponent that it beat,
/// as (how far, index), the furthest first.
pub(super) fn upsets(
    games: &[(usize, &GameSummary)],
    ranked: usize,
) -> impl Iterator<Item = (Reverse<usize>, usize)> + use<> {
    let mut gaps: Vec<(Reverse<usize>, usize)> = Vec::new();
    for &(index, game) in games {
        let clean = game.faults.is_empty() && game.seats.iter().all(|&seat| seat < ranked);
        let seats = game.seats.iter().zip(&game.places);
        let winner = seats.clone().filter(|(_, place)| **place == 1);
        let winner = winner.map(|(&entrant, _)| entrant).max();
        let best = seats.filter(|(_, place)| **place > 1);
        let best = best.map(|(&entrant, _)| entrant).min();
        if let (true, Some(winner), Some(best)) = (clean, winner, best)
            && winner > best
        {
            gaps.push((Reverse(winner - best), index));
        }
    }
    gaps.sort_unstable();
    gaps.into_iter()
}

/// Lists the games between the first two of the table, the last one first.
fn top(games: &[(usize, &GameSummary)], ranked: usize) -> Vec<usize> {
    let is_theirs =
        |game: &GameSummary| ranked > 1 && [0, 1].iter().all(|e| game.seats.contains(e));
    let theirs = games.iter().rev().filter(|(_, game)| is_theirs(game));
    theirs.map(|(index, _)| *index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use words::fault::Cause;

    fn game(seats: [usize; 2], winner: usize, margin: u64, turns: usize) -> GameSummary {
        GameSummary {
            number: 0,
            seats: seats.to_vec(),
            places: seats
                .iter()
                .map(|&seat| if seat == winner { 1 } else { 2 })
                .collect(),
            faults: Vec::new(),
            margin: Some(margin),
            turns,
        }
    }

    fn choose(games: &[GameSummary]) -> Vec<(usize, Feature)> {
        let games: Vec<_> = games.iter().enumerate().collect();
        featured(&games, 4)
    }

    #[test]
    fn the_closest_finish_the_biggest_upset_and_the_last_game_of_the_first_two_are_featured() {
        let games = [
            game([0, 1], 0, 9, 30),
            game([1, 2], 1, 2, 30),
            game([0, 3], 3, 9, 30),
            game([1, 3], 3, 9, 30),
            game([1, 0], 0, 9, 30),
        ];
        let expected = [
            (1, Feature::Closest),
            (2, Feature::Upset),
            (4, Feature::Top),
        ];
        assert_eq!(choose(&games), expected);
    }

    #[test]
    fn no_game_and_no_kind_is_featured_twice() {
        let games = [game([0, 1], 1, 1, 30), game([0, 1], 0, 9, 30)];
        let chosen = choose(&games);
        assert_eq!(chosen, [(0, Feature::Closest), (1, Feature::Top)]);
    }

    #[test]
    fn of_equally_close_games_the_longer_is_featured_and_a_drawn_one_is_not_a_finish() {
        let mut drawn = game([0, 2], 0, 0, 50);
        drawn.margin = None;
        let games = [drawn, game([0, 2], 0, 1, 20), game([0, 2], 0, 1, 40)];
        assert_eq!(choose(&games)[0], (2, Feature::Closest));
    }

    #[test]
    fn short_games_and_games_with_faults_are_featured_only_where_there_is_nothing_else() {
        let mut marred = game([0, 1], 0, 1, 30);
        marred.faults = vec![(1, Cause::Crash)];
        let short = game([0, 1], 0, 1, TURNS_MIN - 1);
        assert_eq!(choose(&[short, marred]), [(1, Feature::Longest)]);
        assert!(choose(&[]).is_empty());
    }
}
