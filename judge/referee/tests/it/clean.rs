//! Records of the real table have no differences.

use crate::games::{GAMES, Scene, refereed, seats};
use crate::players::{Crime, Misdeed};
use engines::Lifetime;
use model::clock::ClockMode;
use model::fault::Phase;
use model::record::End;

/// The clock mode, whether the initialisation is charged, and whether there is a limit.
const CLOCKS: [(ClockMode, bool, bool); 6] = [
    (ClockMode::Cpu, false, true),
    (ClockMode::Cpu, true, true),
    (ClockMode::Wall, false, true),
    (ClockMode::Wall, true, true),
    (ClockMode::Cpu, true, false),
    (ClockMode::Wall, false, false),
];

/// Lists every kind of game, without misdeeds.
fn kinds() -> Vec<Scene> {
    let mut kinds = Vec::new();
    for game in 0..GAMES.len() {
        for lifetime in [Lifetime::Turn, Lifetime::Game, Lifetime::Match] {
            for (mode, charge_start, is_timed) in CLOCKS {
                kinds.push(Scene {
                    lifetime,
                    mode,
                    charge_start,
                    is_timed,
                    are_greeted: lifetime == Lifetime::Match && charge_start,
                    ..Scene::of(game)
                });
            }
        }
    }
    kinds
}

fn is_clean(scene: &Scene) -> model::record::MatchRecord {
    let record = scene.play();
    let reported = refereed(&scene.conditions(), &record);
    assert!(reported.is_empty(), "{scene:?}\n{reported:#?}\n{record:?}");
    record
}

#[test]
fn honest_game_record_verifies_without_differences() {
    for scene in kinds() {
        let record = is_clean(&scene);
        assert_eq!(record.end, End::Rules, "{scene:?}");
        assert!(record.turns.len() > 2, "{scene:?}");
    }
}

#[test]
fn record_of_any_fault_verifies_without_differences() {
    let (mut games, mut ended, mut went_on) = (0, 0, 0);
    for kind in kinds() {
        for misdeed in Misdeed::ALL {
            for (phase, number) in [
                (Phase::Hello, 0),
                (Phase::Hello, 1),
                (Phase::Start, 0),
                (Phase::Turn, 0),
                (Phase::Turn, 1),
            ] {
                let first_only = phase == Phase::Hello && kind.lifetime != Lifetime::Turn;
                if !kind.allows(phase, misdeed) || (first_only && number > 0) {
                    continue;
                }
                for seat in [seats(kind.game).next(), seats(kind.game).last()] {
                    let seat = seat.expect("a game has seats");
                    let scene = kind.with(Crime {
                        seat: seat.index(),
                        phase,
                        number,
                        misdeed,
                    });
                    let record = is_clean(&scene);
                    assert_eq!(record.faults.len(), 1, "{scene:?}");
                    games += 1;
                    match record.end {
                        End::Rules => went_on += 1,
                        End::Fault { .. } => ended += 1,
                    }
                }
            }
        }
    }
    let are_many = games > 2500 && ended > 1500 && went_on > 200;
    assert!(are_many, "{games} {ended} {went_on}");
}

#[test]
fn many_faults_in_continuing_game_verify_without_differences() {
    for kind in kinds()
        .into_iter()
        .filter(|kind| GAMES[kind.game].0 == "monkey-metal-man")
    {
        let possible = Misdeed::ALL.into_iter();
        let possible = possible.filter(|misdeed| kind.allows(Phase::Turn, *misdeed));
        let some_or_none: Vec<Option<Misdeed>> = possible.map(Some).chain([None]).collect();
        for &first in &some_or_none {
            for &second in &some_or_none {
                let crimes = [(0, 0, first), (1, 0, second), (0, 2, second), (2, 1, first)];
                let crime = |(seat, number, misdeed): (usize, u32, Option<Misdeed>)| {
                    let (phase, misdeed) = (Phase::Turn, misdeed?);
                    Some(Crime {
                        seat,
                        phase,
                        number,
                        misdeed,
                    })
                };
                let mut scene = kind.clone();
                scene.crimes.extend(crimes.into_iter().filter_map(crime));
                is_clean(&scene);
            }
        }
    }
}
