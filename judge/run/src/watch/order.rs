//! The order in which games are played: those of newcomers first.

use jiff::Timestamp;
use model::fixture::Fixture;
use std::collections::BTreeMap;

/// Moves the games of entrants who arrived after the round began to the front, by `received`. They
/// are sorted by the arrival of their latest player, so that many versions of one author only delay
/// that author. The others stay in their order.
pub(super) fn newcomers_first(
    fixtures: &mut [Fixture],
    received: &BTreeMap<String, Timestamp>,
    round_began: Timestamp,
) {
    let came = |fixture: &Fixture| {
        fixture
            .seats
            .iter()
            .filter_map(|seat| received.get(&*seat.entrant))
            .max()
            .copied()
            .filter(|came| *came > round_began)
    };
    fixtures.sort_by_cached_key(|fixture| {
        let came = came(fixture);
        (came.is_none(), came)
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::competition::FINAL;
    use model::draw::Draw;
    use model::fixture::Participant;
    use model::game_id::GameId;
    use rulebook::schedule;

    #[test]
    fn newcomers_play_first_and_whoever_floods_goes_behind_them() {
        let rules = rulebook::rules::find("reversi").expect("registered");
        let competition = rulebook::standard(&*rules);
        let names = ["ann", "bob", "mal", "zoe"];
        let participants = names.map(|name| Participant {
            entrant: name.into(),
            artifact: name.into(),
        });
        let draw = Draw::public(1, FINAL);
        let fixtures = schedule::fixtures(&competition, &draw, &participants, None);
        let mut fixtures = fixtures.expect("allowed");
        let at = |second| Timestamp::from_second(second).expect("a time");
        let backlog: Vec<GameId> = fixtures.iter().map(|one| one.id).collect();
        let mut received: BTreeMap<String, Timestamp> =
            names.map(|name| (name.to_owned(), at(0))).into();
        newcomers_first(&mut fixtures, &received, at(10));
        let unchanged = fixtures.iter().map(|one| one.id);
        assert!(unchanged.eq(backlog), "all were there when the round began");
        // He sends one version after the other; she arrived in between.
        received.insert("mal".to_owned(), at(300));
        received.insert("zoe".to_owned(), at(20));
        newcomers_first(&mut fixtures, &received, at(10));
        let plays =
            |fixture: &Fixture, name: &str| fixture.seats.iter().any(|seat| &*seat.entrant == name);
        let groups: Vec<&str> = fixtures
            .iter()
            .map(|one| match (plays(one, "mal"), plays(one, "zoe")) {
                (true, _) => "mal",
                (false, true) => "zoe",
                (false, false) => "others",
            })
            .collect();
        let mut seen: Vec<&str> = groups.clone();
        seen.dedup();
        assert_eq!(seen, ["zoe", "mal", "others"]);
    }
}
