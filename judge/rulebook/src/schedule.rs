//! The games of a competition: a pure function of competition, draw and entrants.

use crate::error::Result;
use crate::rules::Rules;
use engines::{Lifetime, Seat};
use model::competition::{Competition, FINAL, Schedule};
use model::draw::{BotSeeds, Draw};
use model::fixture::{Fixture, Participant, Terms, leg, legs};
use model::game_id::GameId;
use model::startup::FIRST_GAMES;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::value::RawValue;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Lists every game of a competition. All games of one initial state come before those of the next, so that
/// early standings compare like with like. `filler` takes seats that are left, and must be given if some are.
/// The opponents of a gauntlet and of the graded games are among the participants.
pub fn fixtures(
    competition: &Competition,
    draw: &Draw,
    participants: &[Participant],
    filler: Option<&Participant>,
) -> Result<Vec<Fixture>> {
    map_fixtures(competition, draw, participants, filler, None, |one| one)
}

/// Lists the ids of every game, or of those of one entrant, in the order of [`fixtures`], with no memory
/// beyond the ids.
pub fn ids(
    competition: &Competition,
    draw: &Draw,
    participants: &[Participant],
    filler: Option<&Participant>,
    only_entrant: Option<&str>,
) -> Result<Vec<GameId>> {
    map_fixtures(
        competition,
        draw,
        participants,
        filler,
        only_entrant,
        |one| one.id,
    )
}

/// Numbers games as `ids` does, and notes where bots have had their first games before.
pub fn number(fixtures: &mut [Fixture], ids: &[GameId]) {
    let numbers: HashMap<GameId, u32> = ids.iter().copied().zip(1..).collect();
    for fixture in &mut *fixtures {
        fixture.number = numbers.get(&fixture.id).copied().unwrap_or_default();
    }
    let mut numbered: Vec<&mut Fixture> = fixtures.iter_mut().collect();
    numbered.sort_by_key(|fixture| fixture.number);
    let mut games: HashMap<Arc<str>, usize> = HashMap::new();
    for fixture in numbered {
        let seats = Arc::clone(&fixture.seats);
        for (index, one) in seats.iter().enumerate() {
            let before = games.get(&one.entrant);
            if before.is_some_and(|&before| before >= FIRST_GAMES) {
                fixture.later = fixture.later.with(Seat::new(index));
            }
        }
        for (index, one) in seats.iter().enumerate() {
            if !seats[..index].contains(one) {
                *games.entry(Arc::clone(&one.entrant)).or_default() += 1;
            }
        }
    }
}

fn map_fixtures<T>(
    competition: &Competition,
    draw: &Draw,
    participants: &[Participant],
    filler: Option<&Participant>,
    only_entrant: Option<&str>,
    make: impl Fn(Fixture) -> T,
) -> Result<Vec<T>> {
    let mut fixtures = Vec::new();
    let terms = crate::rules::terms_of(&competition.conditions)?;
    let Competition {
        scoring, schedule, ..
    } = competition;
    let graded = scoring.graded_games();
    let is_player = |one: &&Participant| !scoring.is_unranked([&*one.entrant].into_iter());
    let players: Vec<&Participant> = participants.iter().filter(is_player).collect();
    // Groups are dealt from an order that reveals nothing about the entrants.
    let mut dealt = players.clone();
    if *schedule == Schedule::Groups {
        dealt.sort_by_cached_key(|one| draw.sort_key(&one.entrant));
    }
    let against_opponents = |is_opponent: &dyn Fn(&Participant) -> bool, seats| {
        let players_and_opponents: Vec<_> = participants
            .iter()
            .filter(|one| is_player(one) || is_opponent(one))
            .collect();
        gauntlet(&players_and_opponents, is_opponent, seats)
    };
    let seats = roles(competition)?.len();
    let keep_requested = |seatings: Vec<Vec<&Participant>>| -> Vec<Arc<[Participant]>> {
        seatings
            .iter()
            .filter(|seats| {
                only_entrant.is_none_or(|entrant| seats.iter().any(|one| *one.entrant == *entrant))
            })
            .map(|seats| seats.iter().map(|&one| one.clone()).collect())
            .collect()
    };
    // Only groups differ from state to state.
    let on_every_state = keep_requested(match schedule {
        Schedule::Pairs { self_play } => pairs(&players, *self_play),
        Schedule::Gauntlet { against } => gauntlet(&players, &|one| is_among(against, one), seats),
        Schedule::Groups => Vec::new(),
    });
    let for_grades = keep_requested(graded.map_or_else(Vec::new, |games| {
        against_opponents(&|one| is_among(&games.against, one), seats)
    }));
    let for_prizes = keep_requested(against_opponents(
        &|one| scoring.is_prize_test(&one.entrant),
        seats,
    ));
    for state in 0..competition.states_drawn() {
        let start = StartingPoint::draw(&terms, competition, draw, state)?;
        let is_scheduled = state < competition.states;
        let in_groups = match schedule {
            Schedule::Groups if is_scheduled => {
                keep_requested(grouped(draw, state, seats, &dealt, filler))
            }
            _ => Vec::new(),
        };
        let has_graded = graded.is_some_and(|games| state < games.states);
        for (is_played, seatings) in [
            (is_scheduled, &on_every_state),
            (is_scheduled, &in_groups),
            (has_graded, &for_grades),
            (is_scheduled, &for_prizes),
        ] {
            if !is_played {
                continue;
            }
            for seats in seatings {
                fixtures.push(make(start.fixture(Arc::clone(seats))));
            }
        }
    }
    Ok(fixtures)
}

struct StartingPoint<'a> {
    terms: &'a Terms,
    state: u32,
    seats: usize,
    setup: Arc<RawValue>,
    lifetime: Lifetime,
    /// By leg.
    luck: Vec<Arc<BotSeeds>>,
}

impl<'a> StartingPoint<'a> {
    fn draw(terms: &'a Terms, competition: &Competition, draw: &Draw, state: u32) -> Result<Self> {
        let rules = crate::rules::of(&competition.conditions)?;
        let setup = setup(&*rules, competition, draw, state)?;
        let seats = seats(&*rules, &setup)?;
        let lifetime = competition.conditions.lifetime;
        let draw = draw.state(state);
        let luck = (0..legs(lifetime, seats)).map(|leg| draw.luck_of_leg(seats, leg).into());
        Ok(Self {
            terms,
            state,
            seats,
            setup: setup.into(),
            lifetime,
            luck: luck.collect(),
        })
    }

    fn fixture(&self, seats: Arc<[Participant]>) -> Fixture {
        let names: Vec<&str> = seats.iter().map(|one| &*one.entrant).collect();
        let luck = &self.luck[leg(self.lifetime, &names)];
        let (setup, luck) = (Arc::clone(&self.setup), Arc::clone(luck));
        Fixture::new(self.terms, self.state, seats, setup, luck)
    }
}

/// Lists the games of one participant on every state and in every seat, with the same opponent in all others.
/// The seat changes fastest, then the opponent, then the state.
pub fn sparring(
    competition: &Competition,
    draw: &Draw,
    participant: &Participant,
    opponents: &[Participant],
) -> Result<Vec<Fixture>> {
    let terms = crate::rules::terms_of(&competition.conditions)?;
    let mut fixtures = Vec::new();
    for state in 0..competition.states {
        let start = StartingPoint::draw(&terms, competition, draw, state)?;
        for opponent in opponents {
            for seats in in_every_seat(participant, opponent, start.seats) {
                fixtures.push(start.fixture(seats.into_iter().cloned().collect()));
            }
        }
    }
    Ok(fixtures)
}

/// Seats one in each seat in turn, and the opponent in all others.
fn in_every_seat<'a>(
    one: &'a Participant,
    opponent: &'a Participant,
    seats: usize,
) -> impl Iterator<Item = Vec<&'a Participant>> {
    let sit = move |seat| move |n| if n == seat { one } else { opponent };
    (0..seats).map(move |seat| (0..seats).map(sit(seat)).collect())
}

/// Returns the roles in a competition's games, one for each seat.
pub fn roles(competition: &Competition) -> Result<&'static [&'static str]> {
    let rules = crate::rules::of(&competition.conditions)?;
    let seats = seats(&*rules, &setup(&*rules, competition, &any_draw(), 0)?)?;
    Ok(&rules.info().roles[..seats])
}

/// Returns whether a competition's initial states differ; compares only the first ones.
pub fn states_differ(competition: &Competition) -> Result<bool> {
    let rules = crate::rules::of(&competition.conditions)?;
    let draw = any_draw();
    let first = setup(&*rules, competition, &draw, 0)?;
    for state in 1..competition.states.min(STATES_COMPARED) {
        if setup(&*rules, competition, &draw, state)?.get() != first.get() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Number of states to compare. It is too large for all of them to be alike by accident.
const STATES_COMPARED: u32 = 32;

/// Returns a draw for questions whose answers do not depend on it.
fn any_draw() -> Draw {
    Draw::public(0, FINAL)
}

/// Seats random groups, each in every rotation; lists no game twice.
fn grouped<'a>(
    draw: &Draw,
    state: u32,
    seats: usize,
    participants: &[&'a Participant],
    filler: Option<&'a Participant>,
) -> Vec<Vec<&'a Participant>> {
    let mut rng = ChaCha8Rng::from_seed(draw.state(state).group_seed());
    loop {
        let groups = groups(participants, seats, filler, &mut rng);
        let games: Vec<_> = groups.iter().flat_map(|group| rotations(group)).collect();
        // Two groups may be alike, perhaps rotated: the same games would be listed twice.
        let names = |game: &Vec<&'a Participant>| -> Vec<&'a str> {
            game.iter().map(|one| &*one.entrant).collect()
        };
        let different: HashSet<Vec<&str>> = games.iter().map(names).collect();
        if different.len() == games.len() {
            return games;
        }
    }
}

/// Seats every ordered pair, in rounds in which everybody has one game in each seat.
fn pairs<'a>(participants: &[&'a Participant], self_play: bool) -> Vec<Vec<&'a Participant>> {
    let count = participants.len();
    (1..count)
        .chain(self_play.then_some(0))
        .flat_map(|by| {
            let second = move |first: usize| participants[(first + by) % count];
            (0..count).map(move |first| vec![participants[first], second(first)])
        })
        .collect()
}

fn is_among(names: &[String], one: &Participant) -> bool {
    names.iter().any(|name| **name == *one.entrant)
}

/// Seats everybody against each of the opponents, in every seat; the opponent has all other seats.
fn gauntlet<'a>(
    participants: &[&'a Participant],
    is_opponent: &dyn Fn(&Participant) -> bool,
    seats: usize,
) -> Vec<Vec<&'a Participant>> {
    let (opponents, others): (Vec<&'a Participant>, Vec<&'a Participant>) =
        participants.iter().partition(|one| is_opponent(one));
    let all = |opponent| {
        let against = move |&one: &&'a Participant| in_every_seat(one, opponent, seats);
        others.iter().flat_map(against)
    };
    opponents.into_iter().flat_map(all).collect()
}

/// Deals sitters into groups such that all are in the same number of groups.
fn groups<'a>(
    participants: &[&'a Participant],
    seats: usize,
    filler: Option<&'a Participant>,
    rng: &mut ChaCha8Rng,
) -> Vec<Vec<&'a Participant>> {
    if participants.len() <= seats {
        let mut group: Vec<&Participant> = participants.to_vec();
        group.shuffle(rng);
        while group.len() < seats {
            group.push(filler.expect("a filler where seats are left"));
        }
        return vec![group];
    }
    let rounds = seats / gcd(participants.len(), seats);
    let mut dealt: Vec<&Participant> = Vec::new();
    for _ in 0..rounds {
        let begun = dealt.len() % seats;
        let open = &dealt[dealt.len() - begun..];
        dealt.extend(round(participants, open, seats, rng));
    }
    dealt.chunks(seats).map(<[_]>::to_vec).collect()
}

/// Shuffles everybody once. Sitters who are already in the open group do not complete it.
fn round<'a>(
    participants: &[&'a Participant],
    open: &[&Participant],
    seats: usize,
    rng: &mut ChaCha8Rng,
) -> Vec<&'a Participant> {
    let mut order: Vec<&Participant> = participants.to_vec();
    order.shuffle(rng);
    if open.is_empty() {
        return order;
    }
    let sits = |c: &&Participant| open.iter().any(|other| other.entrant == c.entrant);
    let (waiting, mut rest): (Vec<_>, Vec<_>) = order.into_iter().partition(sits);
    // With more sitters than seats, there are enough others to complete the group.
    let mut completing = rest.split_off(rest.len() - (seats - open.len()));
    rest.extend(waiting);
    rest.shuffle(rng);
    completing.extend(rest);
    completing
}

const fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn rotations<'a>(group: &[&'a Participant]) -> Vec<Vec<&'a Participant>> {
    let turned = |by| {
        let mut turned = group.to_vec();
        turned.rotate_left(by);
        turned
    };
    (0..group.len()).map(turned).collect()
}

/// Returns the initial state with this number: the competition's own, or one drawn, the same for everybody.
pub fn setup(
    rules: &dyn Rules,
    competition: &Competition,
    draw: &Draw,
    state: u32,
) -> Result<Box<RawValue>> {
    if let Some(start) = competition.start(state) {
        return Ok(start.to_owned());
    }
    let seed = draw.state(state).setup_seed();
    rules
        .draw(&competition.conditions.config, seed)
        .map_err(|error| error.of("the competition's configuration"))
}

fn seats(rules: &dyn Rules, setup: &RawValue) -> Result<usize> {
    rules
        .start(setup)
        .map_err(|error| error.of("a setup of its own making"))?
        .seats()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::draw::Secret;
    use std::collections::HashMap;

    fn participant(name: &str) -> Participant {
        Participant {
            entrant: name.into(),
            artifact: format!("hash of {name}").into(),
        }
    }

    fn bots(count: usize) -> Vec<Participant> {
        let names = (0..count).map(|n| format!("bot {n}"));
        names.map(|name| participant(&name)).collect()
    }

    fn participants(names: &[&str]) -> Vec<Participant> {
        names.iter().map(|name| participant(name)).collect()
    }

    fn competition(states: u32) -> Competition {
        let rules = crate::rules::find("catch-the-cat").expect("registered");
        Competition {
            states,
            ..crate::standard(&*rules)
        }
    }

    fn draw(seed: u64) -> Draw {
        Draw::public(seed, FINAL)
    }

    fn list(competition: &Competition, names: &[&str]) -> Vec<Fixture> {
        fixtures(competition, &draw(1), &participants(names), None).expect("allowed")
    }

    #[test]
    fn every_cat_meets_other_catchers_on_same_states() {
        let fixtures = list(&competition(5), &["a", "b", "c"]);
        assert_eq!(fixtures.len(), 3 * 2 * 5);
        let ids: HashSet<GameId> = fixtures.iter().map(|f| f.id).collect();
        assert_eq!(ids.len(), fixtures.len(), "ids are unique");
        let setups: HashSet<&str> = fixtures.iter().map(|f| f.setup.get()).collect();
        assert_eq!(setups.len(), 5, "one setup for each state");
        assert!(fixtures.iter().all(|f| f.seats[0] != f.seats[1]));
        // The states of a pairing share their seats.
        let mut pairings = fixtures.iter().zip(&fixtures[3 * 2..]);
        assert!(pairings.all(|(one, other)| Arc::ptr_eq(&one.seats, &other.seats)));
    }

    #[test]
    fn each_kind_of_schedule_seats_everybody_in_order() {
        let [me, a, b] = ["me", "a", "b"].map(participant);
        let sparring = sparring(&competition(2), &draw(1), &me, &[a, b]).expect("allowed");
        let monkey = crate::rules::find("monkey-metal-man").expect("registered");
        let against = vec!["x".to_owned()];
        let gauntlet = Competition {
            states: 1,
            schedule: Schedule::Gauntlet { against },
            ..crate::standard(&*monkey)
        };
        let mut tested = competition(2);
        tested.scoring.prize_needs.ahead_of = vec!["builtin:x".to_owned(), "a".to_owned()];
        let four = "a-x-x-x x-a-x-x x-x-a-x x-x-x-a b-x-x-x x-b-x-x x-x-b-x x-x-x-b";
        let two = "a-b b-a a-builtin:x builtin:x-a b-builtin:x builtin:x-b";
        for (fixtures, states, expected) in [
            (sparring, 2, "me-a a-me me-b b-me"),
            (list(&gauntlet, &["a", "b", "x"]), 1, four),
            (list(&tested, &["a", "b", "builtin:x"]), 2, two),
        ] {
            let seating = |f: &Fixture| {
                let names: Vec<&str> = f.seats.iter().map(|one| &*one.entrant).collect();
                (f.state, names.join("-"))
            };
            let seatings: Vec<_> = fixtures.iter().map(seating).collect();
            let of_state = |state| {
                let names = expected.split(' ');
                names.map(move |names| (state, names.to_owned()))
            };
            let expected: Vec<_> = (0..states).flat_map(of_state).collect();
            assert_eq!(seatings, expected);
        }
        let mut alone = competition(2);
        alone.schedule = Schedule::Pairs { self_play: true };
        assert_eq!(list(&alone, &["a", "b"]).len(), 2 * 2 * 2);
    }

    #[test]
    fn ids_survive_additions_and_change_with_conditions() {
        let ids = |competition: &Competition, names: &[&str]| -> HashSet<GameId> {
            list(competition, names).into_iter().map(|f| f.id).collect()
        };
        let few = ids(&competition(2), &["a", "b"]);
        assert!(few.is_subset(&ids(&competition(3), &["a", "b", "c"])));
        let mut slower = competition(2);
        slower.conditions.time.turn_us = Some(1);
        assert!(few.is_disjoint(&ids(&slower, &["a", "b"])));
    }

    #[test]
    fn another_draw_changes_games_even_with_fixed_start() {
        for game in crate::rules::built_in() {
            let competition = crate::standard(&*game);
            let all = participants(&["a", "b", "c", "d", "e"]);
            let ids = |draw: &Draw| -> HashSet<GameId> {
                let ids = ids(&competition, draw, &all, None, None);
                ids.expect("allowed").into_iter().collect()
            };
            assert_eq!(ids(&draw(1)), ids(&draw(1)));
            assert!(ids(&draw(1)).is_disjoint(&ids(&draw(2))));
            let practice = Draw::public(1, "practice/1");
            assert!(ids(&draw(1)).is_disjoint(&ids(&practice)));
        }
    }

    #[test]
    fn luck_is_independent_of_entrants_and_submissions() {
        let competition = competition(3);
        let luck = |names: &[&str]| -> Vec<(u32, String, Vec<Secret>)> {
            let fixtures = list(&competition, names).into_iter();
            let luck = fixtures.map(|f| (f.state, f.luck.draw.clone(), f.luck.seeds.clone()));
            let mut luck: Vec<_> = luck.collect();
            luck.dedup();
            luck
        };
        assert_eq!(luck(&["a", "b"]), luck(&["x", "y", "z"]));
        assert_eq!(luck(&["a", "b"]).len(), 3, "one for each state");
    }

    #[test]
    fn seeds_never_repeat_between_legs_of_match() {
        let mut competition = competition(2);
        competition.conditions.lifetime = Lifetime::Match;
        let mut seeds = HashSet::new();
        for fixture in list(&competition, &["a", "b"]) {
            let fresh = fixture.luck.seeds.iter().map(Secret::text);
            assert!(fresh.into_iter().all(|seed| seeds.insert(seed)));
        }
        assert_eq!(seeds.len(), 2 * 2 * 2, "by state, leg and seat");
    }

    #[test]
    fn groups_are_independent_of_names_and_submissions() {
        let monkey = crate::rules::find("monkey-metal-man").expect("registered");
        let competition = crate::standard(&*monkey);
        let names = ["a", "b", "c", "d", "e", "f"];
        let seatings = |all: &[Participant], draw: &Draw| -> Vec<Vec<String>> {
            let fixtures = fixtures(&competition, draw, all, None).expect("allowed");
            let names = |f: &Fixture| f.seats.iter().map(|s| s.entrant.to_string()).collect();
            fixtures.iter().map(names).collect()
        };
        let first = seatings(&participants(&names), &draw(1));
        let mut resubmitted = participants(&names);
        resubmitted[2].artifact = "another".into();
        assert_eq!(first, seatings(&resubmitted, &draw(1)));
        let mut reversed = participants(&names);
        reversed.reverse();
        assert_eq!(first, seatings(&reversed, &draw(1)));
        assert_ne!(first, seatings(&participants(&names), &draw(2)));
    }

    #[test]
    fn groups_of_four_are_distinct_with_equal_games() {
        for count in 5..=23 {
            let all: Vec<Participant> = bots(count);
            for seed in 0..20 {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                let mut games: HashMap<&str, usize> = HashMap::new();
                let all: Vec<&Participant> = all.iter().collect();
                for group in groups(&all, 4, None, &mut rng) {
                    let members: HashSet<&str> = group.iter().map(|c| &*c.entrant).collect();
                    assert_eq!(members.len(), 4, "{count} sitters, seed {seed}");
                    for name in members {
                        assert!(all.iter().any(|one| &*one.entrant == name), "no filler");
                        *games.entry(name).or_default() += 1;
                    }
                }
                let each: HashSet<usize> = games.values().copied().collect();
                let lengths = (games.len(), each.len());
                assert_eq!(lengths, (count, 1), "seed {seed}: {games:?}");
            }
        }
    }

    #[test]
    fn groups_never_list_a_game_twice() {
        for count in 1..=23 {
            let all: Vec<Participant> = bots(count);
            let all: Vec<&Participant> = all.iter().collect();
            let filler = participant("filler");
            for (seats, state) in (2..=4).flat_map(|seats| (0..60).map(move |state| (seats, state)))
            {
                let games = grouped(&draw(1), state, seats, &all, Some(&filler));
                let games: Vec<Vec<&str>> = games
                    .iter()
                    .map(|game| game.iter().map(|one| &*one.entrant).collect())
                    .collect();
                let different: HashSet<&Vec<&str>> = games.iter().collect();
                let found = different.len();
                assert_eq!(found, games.len(), "{count} at {seats}: {games:?}");
            }
        }
    }

    #[test]
    fn empty_seats_are_filled_and_entrants_rotate_once() {
        let (two, filler) = (participants(&["a", "b"]), participant("filler"));
        let two: Vec<&Participant> = two.iter().collect();
        let group = groups(&two, 4, Some(&filler), &mut ChaCha8Rng::seed_from_u64(1)).remove(0);
        let games = rotations(&group);
        assert_eq!(games.len(), 4);
        for seat in 0..4 {
            let here = games.iter().filter(|game| &*game[seat].entrant == "a");
            assert_eq!(here.count(), 1, "seat {seat}");
        }
        let fillers = games[0].iter().filter(|c| &*c.entrant == "filler");
        assert_eq!(fillers.count(), 2);
    }
}
