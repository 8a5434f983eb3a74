//! Parts of a run in separate files, which the same program can play anywhere. They have fixtures,
//! programs and conditions. The secret that all seeds come from is not there.

mod file;
mod programs;

use engines::Lifetime;
use model::fixture::Fixture;
use std::collections::HashMap;

pub use file::{Part, PartPlan};
pub use programs::Programs;

/// Groups the games that must be played on one machine, in the order of play. These are the same
/// entrants' games on one initial state. If a process lives for a match, they are those on all.
pub fn groups<'a>(
    fixtures: impl Iterator<Item = &'a Fixture>,
    lifetime: Lifetime,
) -> Vec<Vec<&'a Fixture>> {
    let mut groups: Vec<Vec<&Fixture>> = Vec::new();
    let mut places = HashMap::new();
    for fixture in fixtures {
        let state = match lifetime {
            Lifetime::Turn | Lifetime::Game => Some(fixture.state),
            Lifetime::Match => None,
        };
        let place = *places
            .entry((state, fixture.match_key()))
            .or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(fixture);
    }
    groups
}

/// Cuts groups into at most `parts` slices of nearly the same cost, in order.
pub fn slices<'a>(
    groups: Vec<Vec<&'a Fixture>>,
    parts: usize,
    cost: &dyn Fn(&Fixture) -> f64,
) -> Vec<Vec<&'a Fixture>> {
    let cost_of = |group: &Vec<&Fixture>| group.iter().map(|game| cost(game)).sum::<f64>();
    let all: f64 = groups.iter().map(cost_of).sum();
    let mut slices: Vec<Vec<&Fixture>> = vec![Vec::new(); parts];
    let mut before = 0.0;
    for group in groups {
        let own = cost_of(&group);
        // The slice that contains the group's middle.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            reason = "a share of a small count"
        )]
        let place = ((before + own / 2.0) * parts as f64 / all) as usize;
        before += own;
        slices[place.min(parts - 1)].extend(group);
    }
    slices.retain(|slice| !slice.is_empty());
    slices
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::competition::{Competition, FINAL, Schedule};
    use model::draw::Draw;
    use model::fixture::Participant;
    use model::game_id::GameId;
    use rulebook::schedule;
    use std::collections::HashSet;

    fn fixtures(game: &str, entrants: usize, schedule: Schedule) -> Vec<Fixture> {
        let rules = rulebook::rules::find(game).expect("registered");
        let competition = Competition {
            states: 5,
            schedule,
            ..rulebook::standard(&*rules)
        };
        let names = ["a", "b", "c", "d", "e", "f"];
        let participants = names[..entrants].iter().map(|name| Participant {
            entrant: (*name).into(),
            artifact: (*name).into(),
        });
        let participants: Vec<Participant> = participants.collect();
        let draw = Draw::public(1, FINAL);
        schedule::fixtures(&competition, &draw, &participants, None).expect("allowed")
    }

    fn keys<'a>(slice: &[&'a Fixture]) -> HashSet<(u32, Vec<&'a str>)> {
        slice.iter().map(|f| (f.state, f.match_key())).collect()
    }

    #[test]
    fn every_game_shares_one_slice_with_its_group() {
        let pairs = Schedule::Pairs { self_play: true };
        let schedules = [
            ("catch-the-cat", 5, pairs),
            ("monkey-metal-man", 6, Schedule::Groups),
        ];
        for (game, entrants, schedule) in schedules {
            let fixtures = fixtures(game, entrants, schedule);
            for parts in 1..=7 {
                let slices = slices(groups(fixtures.iter(), Lifetime::Game), parts, &|_| 1.0);
                assert_eq!(slices.len(), parts);
                let ids: Vec<GameId> = slices.iter().flatten().map(|f| f.id).collect();
                let unique: HashSet<GameId> = ids.iter().copied().collect();
                assert_eq!((ids.len(), unique.len()), (fixtures.len(), fixtures.len()));
                for (index, slice) in slices.iter().enumerate() {
                    let equal = fixtures.len() / parts;
                    assert!(slice.len().abs_diff(equal) <= 4, "{} {equal}", slice.len());
                    for other in &slices[index + 1..] {
                        assert!(keys(slice).is_disjoint(&keys(other)));
                    }
                }
            }
        }
    }

    #[test]
    fn there_are_no_more_slices_than_groups() {
        let fixtures = fixtures("catch-the-cat", 2, Schedule::Pairs { self_play: false });
        let cut = |lifetime| slices(groups(fixtures.iter(), lifetime), 7, &|_| 1.0).len();
        assert_eq!((cut(Lifetime::Game), cut(Lifetime::Match)), (5, 1));
        assert!(slices(groups([].into_iter(), Lifetime::Game), 3, &|_| 1.0).is_empty());
    }
    #[test]
    fn no_slice_is_empty_for_unequal_games() {
        let fixtures = fixtures("catch-the-cat", 2, Schedule::Pairs { self_play: false });
        for costs in [
            [100.0, 1.0, 1.0, 1.0, 1.0],
            [1.0, 1.0, 1.0, 1.0, 100.0],
            [0.0; 5],
            [0.0, 9.0, 0.0, 9.0, 0.0],
        ] {
            for parts in 1..6 {
                let groups = groups(fixtures.iter(), Lifetime::Game);
                let slices = slices(groups, parts, &|game| costs[game.state as usize]);
                assert!(slices.len() <= parts && slices.iter().all(|slice| !slice.is_empty()));
                let games = slices.iter().flatten().map(|game| game.id);
                assert!(games.eq(fixtures.iter().map(|game| game.id)), "{costs:?}");
            }
        }
        let dear = |game: &Fixture| if game.state == 0 { 4.0 } else { 1.0 };
        let halves = slices(groups(fixtures.iter(), Lifetime::Game), 2, &dear);
        assert_eq!([halves[0].len(), halves[1].len()], [2, 8]);
    }
}
