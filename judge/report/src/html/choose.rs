//! The choice of games on a run's page: featured ones, faults, upsets, one of each pair, others.
//! Each featured one has a sentence why it is worth watching, which does not say who wins.

use super::{GameSummary, Summary, phrases};
use crate::words::joined;
use model::builtin::is_builtin;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feature {
    /// The winner had the smallest lead in points.
    Closest,
    /// The winner was ranked furthest below an opponent that it beat.
    Upset,
    /// The closest game between the best entrants of the table that met: it decided the first place.
    Top,
    /// The longest game: shown only if no game of another kind exists.
    Longest,
}

impl Feature {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Closest => "closest finish",
            Self::Upset => "biggest upset",
            Self::Top => "for the first place",
            Self::Longest => "longest game",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    Featured(Feature),
    Fault,
    Upset,
    Sample,
    Other,
}

impl Why {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Featured(feature) => feature.words(),
            Self::Fault => "fault",
            Self::Upset => "upset",
            Self::Sample | Self::Other => "",
        }
    }
}

/// Number of games with a fault of one bot and one cause that precede all others.
const FIRST_FAULTS_MAX: usize = 2;
const FAULTS_MAX: usize = 400;

/// Chooses games (indices into [`Summary::games`]), the most wanted first, each once; only `own` ones, if given.
/// `ranked` entrants have the lowest numbers, best first.
pub(super) fn choose(
    summary: &Summary,
    ranked: usize,
    own: Option<usize>,
) -> impl Iterator<Item = (usize, Why)> {
    let games: Vec<(usize, &GameSummary)> = summary
        .games
        .iter()
        .enumerate()
        .filter(|(_, game)| game.is_of(own))
        .collect();
    let is_builtin = |one: usize| summary.names.get(one).is_some_and(|name| is_builtin(name));
    let featured = featured(&games, ranked, is_builtin)
        .into_iter()
        .map(|(index, feature)| (index, Why::Featured(feature)));
    let (first, mut later) = faults(&games);
    later.truncate(FAULTS_MAX.saturating_sub(first.len()));
    let (upsets, samples) = (upsets(&games, ranked), samples(&games));
    let all = |indices: Vec<usize>, why| indices.into_iter().map(move |index| (index, why));
    let others = games.into_iter().map(|(index, _)| (index, Why::Other));
    let mut taken = HashSet::new();
    featured
        .chain(all(first, Why::Fault))
        .chain(all(upsets, Why::Upset))
        .chain(all(samples, Why::Sample))
        .chain(all(later, Why::Fault))
        .chain(others)
        .filter(move |(index, _)| taken.insert(*index))
}

fn faults(games: &[(usize, &GameSummary)]) -> (Vec<usize>, Vec<usize>) {
    let mut kinds: HashMap<_, usize> = HashMap::new();
    let (mut first, mut later) = (Vec::new(), Vec::new());
    for (index, game) in games.iter().filter(|(_, game)| !game.faults.is_empty()) {
        let mut is_first = false;
        for kind in &game.faults {
            let count = kinds.entry(*kind).or_default();
            *count += 1;
            is_first |= *count <= FIRST_FAULTS_MAX;
        }
        if is_first {
            first.push(*index);
        } else {
            later.push(*index);
        }
    }
    first.truncate(FAULTS_MAX);
    (first, later)
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

/// Minimum number of turns: shorter games are over before anybody has looked.
const TURNS_MIN: u32 = 8;

/// Chooses the most wanted games first, each game and each kind at most once. A game with a fault or a built-in
/// bot is chosen only if there is no other.
fn featured(
    games: &[(usize, &GameSummary)],
    ranked: usize,
    is_builtin: impl Fn(usize) -> bool,
) -> Vec<(usize, Feature)> {
    let is_clean = |game: &GameSummary| {
        game.faults.is_empty()
            && game.turns >= TURNS_MIN
            && !game.seats().iter().any(|&seat| is_builtin(seat))
    };
    // The last ones of the table are in no close game that anybody wants to watch.
    let better_half = ranked.div_ceil(2);
    let mut chosen: Vec<(usize, Feature)> = Vec::new();
    for (kind, below) in [
        (Feature::Top, ranked),
        (Feature::Closest, better_half),
        (Feature::Closest, usize::MAX),
        (Feature::Upset, ranked),
    ] {
        if chosen.iter().any(|(_, other)| *other == kind) {
            continue;
        }
        let best = games
            .iter()
            .filter(|(index, _)| chosen.iter().all(|(other, _)| other != index))
            .filter(|(_, game)| is_clean(game) && game.seats().iter().all(|&seat| seat < below))
            .filter_map(|&(index, game)| Some((order(kind, game)?, index)))
            .min();
        chosen.extend(best.map(|(_, index)| (index, kind)));
    }
    if chosen.is_empty() {
        chosen.extend(
            games
                .iter()
                .max_by_key(|(index, game)| (game.turns, Reverse(*index)))
                .map(|&(index, _)| (index, Feature::Longest)),
        );
    }
    chosen
}

/// Returns the place of a game among those of a kind, the least first; `None` if it is not of the
/// kind. Of equally close games, the longer comes first.
fn order(kind: Feature, game: &GameSummary) -> Option<(usize, u64, Reverse<u32>)> {
    let long = Reverse(game.turns);
    match kind {
        // A game is as good as the last of its entrants.
        Feature::Top => {
            let last = *game.seats().iter().max()?;
            let is_alone = game.seats().iter().all(|&seat| seat == last);
            (!is_alone).then(|| (last, game.margin.unwrap_or(u64::MAX), long))
        }
        Feature::Closest => Some((0, game.margin?, long)),
        Feature::Upset => Some((usize::MAX - gap(game)?, 0, Reverse(0))),
        Feature::Longest => None,
    }
}

fn gap(game: &GameSummary) -> Option<usize> {
    let seats = || game.seats().iter().zip(&game.result.places);
    let winner = seats()
        .filter(|(_, place)| **place == 1)
        .map(|(entrant, _)| entrant)
        .max()?;
    let best = seats()
        .filter(|(_, place)| **place > 1)
        .map(|(entrant, _)| entrant)
        .min()?;
    winner.checked_sub(*best).filter(|gap| *gap > 0)
}

const UPSETS_MAX: usize = 20;

/// Lists the games between ranked entrants whose winner beat one ranked above it, the furthest first.
fn upsets(games: &[(usize, &GameSummary)], ranked: usize) -> Vec<usize> {
    let mut gaps: Vec<(Reverse<usize>, usize)> = games
        .iter()
        .filter(|(_, game)| {
            game.faults.is_empty() && game.seats().iter().all(|&seat| seat < ranked)
        })
        .filter_map(|&(index, game)| Some((Reverse(gap(game)?), index)))
        .collect();
    gaps.sort_unstable();
    gaps.truncate(UPSETS_MAX);
    gaps.into_iter().map(|(_, index)| index).collect()
}

/// `ranks` are those of the ranked entrants, in order; `is_close`: other games ended with a larger margin.
pub(super) fn caption(
    feature: Feature,
    game: &GameSummary,
    ranks: &[usize],
    is_close: bool,
) -> String {
    let why = match (feature, game.margin) {
        (Feature::Top, _) => best(game.seats(), ranks),
        (Feature::Closest, Some(margin)) if is_close => {
            format!(
                "only {} apart at the end",
                phrases::counted(margin, "point")
            )
        }
        (Feature::Closest, _) => "a long game between good entrants".to_owned(),
        (Feature::Upset, _) => format!("{}, and the lower one wins", ranks_of(game.seats(), ranks)),
        (Feature::Longest, _) => "the longest game".to_owned(),
    };
    let length = phrases::counted(game.turns, "turn");
    phrases::sentence(&format!("{why}; {length}"))
}

fn best(seats: &[usize], ranks: &[usize]) -> String {
    let mut sorted = seats.to_vec();
    sorted.sort_unstable();
    let is_best = sorted.iter().copied().eq(0..seats.len());
    match (is_best, seats.len()) {
        (true, 2) => "the two best of the table".to_owned(),
        (true, _) => "the best of the table".to_owned(),
        (false, _) => format!("the best of the table that met: {}", ranks_of(seats, ranks)),
    }
}

fn ranks_of(seats: &[usize], ranks: &[usize]) -> String {
    let mut own: Vec<usize> = seats
        .iter()
        .filter_map(|&seat| ranks.get(seat).copied())
        .collect();
    own.sort_unstable();
    match &own[..] {
        [before @ .., last] if !before.is_empty() => {
            format!("ranks {} and {last}", joined(before, ", "))
        }
        _ => format!("rank {}", joined(own, "")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::SeatsAndPlaces;
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

    fn best(games: &[GameSummary]) -> Vec<(usize, Feature)> {
        let games: Vec<_> = games.iter().enumerate().collect();
        featured(&games, 4, |seat| seat == 4)
    }

    #[test]
    fn one_clean_game_of_each_kind_is_featured() {
        use Feature::{Closest, Longest, Top, Upset};
        let all_kinds = [
            game([0, 1], 0, 9, 30),
            game([1, 2], 1, 2, 30),
            game([0, 3], 3, 9, 30),
            game([1, 3], 3, 9, 30),
            game([1, 0], 0, 3, 30),
        ];
        assert_eq!(best(&all_kinds), [(4, Top), (0, Closest), (2, Upset)]);
        let one_pair = [game([0, 1], 1, 1, 30), game([0, 1], 0, 9, 30)];
        assert_eq!(best(&one_pair), [(0, Top), (1, Closest)], "none twice");
        let mut drawn = game([0, 1], 0, 0, 50);
        drawn.margin = None;
        let equal = [drawn, game([0, 1], 0, 1, 20), game([0, 1], 0, 1, 40)];
        assert_eq!(best(&equal), [(2, Top), (1, Closest)], "the longer first");
        let mut marred = game([0, 1], 0, 1, 30);
        marred.faults = Box::new([(1, Cause::Crash)]);
        let short = game([0, 1], 0, 1, TURNS_MIN - 1);
        let with_builtin = game([0, 4], 0, 1, 20);
        assert_eq!(best(&[short, marred, with_builtin]), [(1, Longest)]);
        assert!(best(&[]).is_empty());
    }

    #[test]
    fn featured_games_precede_faults_upsets_and_pairs() {
        let crashed = |seats: [usize; 2]| GameSummary {
            faults: Box::new([(2, Cause::Crash)]),
            ..game(seats, seats[0], 1, 30)
        };
        let summary = Summary {
            games: vec![
                game([0, 1], 0, 1, 30),
                game([1, 0], 0, 1, 30),
                game([3, 0], 3, 1, 30),
                crashed([0, 2]),
                crashed([1, 2]),
                crashed([3, 2]),
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

    #[test]
    fn caption_names_pairing_and_never_leader() {
        let said = |feature, seats: [usize; 2]| {
            caption(feature, &game(seats, seats[0], 2, 35), &[1, 2, 3], true)
        };
        let close = "Only 2 points apart at the end; 35 turns.";
        let upset = "Ranks 1 and 3, and the lower one wins; 35 turns.";
        let met = "The best of the table that met: ranks 1 and 3; 35 turns.";
        let rows = [
            (Feature::Top, [1, 0], "The two best of the table; 35 turns."),
            (Feature::Top, [2, 0], met),
            (Feature::Closest, [2, 0], close),
            (Feature::Upset, [2, 0], upset),
            (Feature::Longest, [2, 0], "The longest game; 35 turns."),
        ];
        for (feature, seats, expected) in rows {
            assert_eq!(said(feature, seats), expected);
        }
    }
}
