//! The choice of games on a run's page: featured ones, faults, upsets, one game of each pair, then
//! others.

use super::featured::{featured, upsets};
use super::gather::{GameSummary, Summary, Why};
use model::builtin::is_builtin;
use std::collections::{HashMap, HashSet};

/// Number of games with a fault of one bot and one cause that precede all others.
const OF_ONE_KIND: usize = 2;
/// Maximum number of games with a fault.
const FAULTS_MAX: usize = 400;

/// Chooses games (indices into [`Summary::games`]), the most wanted first, each once. `ranked`
/// entrants have the lowest numbers, best first. If there is an `own` entrant, chooses only its
/// games.
pub(super) fn choose(
    summary: &Summary,
    ranked: usize,
    own: Option<usize>,
) -> impl Iterator<Item = (usize, Why)> {
    let games: Vec<(usize, &GameSummary)> = summary
        .games
        .iter()
        .enumerate()
        .filter(|(_, game)| own.is_none_or(|own| game.seats().contains(&own)))
        .collect();
    let mut chosen = Vec::new();
    let mut taken = HashSet::new();
    let mut take = |index: usize, why: Why| {
        if taken.insert(index) {
            chosen.push((index, why));
        }
    };
    let is_builtin = |one: usize| summary.names.get(one).is_some_and(|name| is_builtin(name));
    for (index, feature) in featured(&games, ranked, is_builtin) {
        take(index, Why::Featured(feature));
    }
    let (first, later) = faults(&games);
    for &index in &first {
        take(index, Why::Fault);
    }
    for index in upsets(games.iter().copied(), ranked) {
        take(index, Why::Upset);
    }
    for index in samples(&games) {
        take(index, Why::Sample);
    }
    for &index in later.iter().take(FAULTS_MAX.saturating_sub(first.len())) {
        take(index, Why::Fault);
    }
    let others = games
        .into_iter()
        .map(|(index, _)| index)
        .filter(move |index| !taken.contains(index));
    chosen
        .into_iter()
        .chain(others.map(|index| (index, Why::Other)))
}

/// Lists the games with the first faults of each kind, and the other games with faults.
fn faults(games: &[(usize, &GameSummary)]) -> (Vec<usize>, Vec<usize>) {
    let mut kinds: HashMap<_, usize> = HashMap::new();
    let (first, later): (Vec<_>, Vec<_>) = games
        .iter()
        .copied()
        .filter(|(_, game)| !game.faults.is_empty())
        .partition(|(_, game)| {
            game.faults
                .iter()
                .map(|kind| {
                    let count = kinds.entry(*kind).or_default();
                    *count += 1;
                    *count <= OF_ONE_KIND
                })
                .fold(false, |any, new| any | new)
        });
    let indices =
        |list: Vec<(usize, &GameSummary)>| list.into_iter().map(|(index, _)| index).collect();
    let mut first: Vec<usize> = indices(first);
    first.truncate(FAULTS_MAX);
    (first, indices(later))
}

/// Lists games such that every pair of entrants that met appears together in one of them.
fn samples(games: &[(usize, &GameSummary)]) -> Vec<usize> {
    let mut seen = HashSet::new();
    let mut samples = Vec::new();
    for &(index, game) in games {
        let mut is_new = false;
        for &one in game.seats() {
            for &other in game.seats().iter().filter(|&&other| other > one) {
                is_new |= seen.insert((one, other));
            }
        }
        if is_new {
            samples.push(index);
        }
    }
    samples
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::gather::{Feature, SeatsAndPlaces};
    use model::fault::Cause;
    use std::rc::Rc;

    fn line(seats: &[usize], places: &[u8], faults: &[(usize, Cause)]) -> GameSummary {
        GameSummary {
            number: 0,
            result: Rc::new(SeatsAndPlaces {
                seats: seats.to_vec(),
                places: places.to_vec(),
            }),
            faults: faults.into(),
            margin: Some(1),
            turns: 30,
        }
    }

    #[test]
    fn featured_games_come_first_then_faults_then_upsets_then_each_pair_once() {
        let crash = [(2, Cause::Crash)];
        let summary = Summary {
            games: vec![
                line(&[0, 1], &[1, 2], &[]),
                line(&[1, 0], &[2, 1], &[]),
                line(&[3, 0], &[1, 2], &[]),
                line(&[0, 2], &[1, 2], &crash),
                line(&[1, 2], &[1, 2], &crash),
                line(&[3, 2], &[1, 2], &crash),
            ],
            ..Summary::default()
        };
        let choose = |own| choose(&summary, 4, own).collect::<Vec<_>>();
        let chosen = choose(None);
        let expected = [
            (0, Why::Featured(Feature::Top)),
            (1, Why::Featured(Feature::Closest)),
            (2, Why::Featured(Feature::Upset)),
            (3, Why::Fault),
            (4, Why::Fault),
            (5, Why::Sample),
        ];
        assert_eq!(chosen, expected);
        let own = choose(Some(3));
        assert_eq!(own, [(2, Why::Featured(Feature::Top)), (5, Why::Fault)]);
    }
}
