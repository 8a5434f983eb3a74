//! The time that a seat is charged: turns, start-up, and the time between turns.

use super::scripted::ScriptedAnswer;
use super::{conditions, play, play_with, straight};
use engines::{Lifetime, Seat};
use model::clock::ClockMode;
use model::fault::Cause;
use model::fixture::{Conditions, OwnClock};
use model::record::End;
use referee::verify::WordsKnown;

#[test]
fn cpu_time_is_charged_per_turn_without_startup() {
    let game = play(&conditions(|_| {}), |seat, question| ScriptedAnswer {
        spent_us: 100,
        ..straight(seat, question)
    });
    let cat = &game.record.seats[0];
    assert_eq!(
        (cat.cpu_us, cat.uncharged_us),
        (200, 200),
        "two turns; hello and start"
    );
    assert_eq!(game.record.seats[1].cpu_us, 100);
    let spent: Vec<u64> = game.record.turns.iter().map(|t| t.cpu_us).collect();
    assert_eq!(spent, [100, 100, 100]);
}

#[test]
fn startup_beyond_free_time_charges_first_turn() {
    let played = |lifetime, startup_free_ms, built_with| {
        let conditions = conditions(|c| {
            (c.lifetime, c.startup_free_ms) = (lifetime, startup_free_ms);
            c.time.bank_us = Some(100_000);
        });
        play_with(&conditions, built_with, |seat, question| ScriptedAnswer {
            spent_us: if question.starts_with("{\"hello\"") {
                3_400
            } else {
                100
            },
            ..straight(seat, question)
        })
    };
    let (turn, game) = (Lifetime::Turn, Lifetime::Game);
    // The cat has two turns, with a `start` before them if they share a process.
    for (lifetime, said_ms, built_with, turns, uncharged) in [
        (turn, None, None, [100, 100], 6_800),
        (turn, Some(3), None, [500, 500], 6_000),
        (turn, None, Some(3), [500, 500], 6_000),
        (turn, Some(4), Some(3), [100, 100], 6_800),
        (game, None, None, [100, 100], 3_500),
        (game, Some(3), None, [500, 100], 3_100),
        (game, Some(0), None, [3_500, 100], 100),
    ] {
        let played = played(lifetime, said_ms, built_with);
        let cat = &played.record.seats[0];
        let own = played.record.turns.iter().filter(|t| t.seat.index() == 0);
        let spent: Vec<u64> = own.map(|t| t.cpu_us).collect();
        assert_eq!(spent, turns, "{lifetime:?} {said_ms:?}");
        assert_eq!(cat.cpu_us, spent.iter().sum::<u64>());
        assert_eq!(
            cat.off_turn_us,
            cat.cpu_us - 200,
            "it came before the question"
        );
        assert_eq!(cat.uncharged_us, uncharged, "{lifetime:?} {said_ms:?}");
    }
    // A question has the time left, and the clock runs out by the sum of both.
    let reported = played(game, Some(0), None);
    let first = |seat| {
        let mut turns = reported.heard.iter();
        let turn = turns.find(|(of, text)| *of == seat && text.starts_with("{\"turn\""));
        turn.expect("it had one").1.clone()
    };
    assert!(first(0).contains("\"bank_us\":96600"), "{}", first(0));
    let over = conditions(|c| (c.startup_free_ms, c.time.turn_us) = (Some(0), Some(3_499)));
    let over = play(&over, |seat, question| ScriptedAnswer {
        spent_us: if question.starts_with("{\"hello\"") {
            3_400
        } else {
            100
        },
        ..straight(seat, question)
    });
    assert_eq!(over.record.faults[0].cause, Cause::Time);
}

#[test]
fn startup_beyond_free_time_charges_wall_clock_too() {
    let played = |turn_us| {
        let wall = conditions(|c| {
            (c.mode, c.lifetime) = (ClockMode::Wall, Lifetime::Turn);
            c.startup_free_ms = Some(3);
            c.time.turn_us = Some(turn_us);
        });
        play(&wall, |seat, question| ScriptedAnswer {
            spent_us: if question.starts_with("{\"hello\"") {
                3_400
            } else {
                100
            },
            ..straight(seat, question)
        })
    };
    let in_time = played(500);
    let reported = in_time.heard.iter().map(|(_, text)| text.as_str());
    let turns: Vec<&str> = reported
        .filter(|text| text.starts_with("{\"turn\""))
        .collect();
    assert!(
        turns.iter().all(|text| text.contains("\"left_us\":100")),
        "{turns:?}"
    );
    let cat = &in_time.record.seats[0];
    assert_eq!((cat.wall_us, cat.cpu_us), (1_000, 1_000), "two turns");
    let late = played(499);
    assert_eq!(late.record.faults[0].cause, Cause::Time);
}

#[test]
fn time_between_turns_is_part_of_charge() {
    let game = play(&conditions(|_| {}), |seat, question| ScriptedAnswer {
        spent_us: 100,
        off_turn_us: 30,
        ..straight(seat, question)
    });
    let cat = &game.record.seats[0];
    assert_eq!((cat.cpu_us, cat.off_turn_us), (200, 60), "two turns");
}

#[test]
fn a_bot_that_is_suspended_is_marked() {
    let game = play(&conditions(|_| {}), |seat, question| ScriptedAnswer {
        suspended: seat == 1 && question.starts_with("{\"turn\""),
        ..straight(seat, question)
    });
    let marks: Vec<bool> = game.record.seats.iter().map(|s| s.suspended).collect();
    assert_eq!(marks, [false, true]);
}

#[test]
fn overlong_answer_loses_on_time_although_received() {
    let limited = conditions(|c| c.time.turn_us = Some(50));
    let game = play(&limited, |seat, question| {
        let spent_us = if seat == 1 { 51 } else { 50 };
        ScriptedAnswer {
            spent_us,
            ..straight(seat, question)
        }
    });
    let fault = &game.record.faults[0];
    assert_eq!(
        (fault.cause, fault.seat, fault.ply),
        (Cause::Time, Seat::new(1), 1)
    );
    assert_eq!(fault.detail, "took 51 µs of CPU time; 50 µs were left");
    assert_eq!((fault.cpu_us, fault.wall_us), (51, 51));
    assert_eq!(
        game.record.end,
        End::Fault {
            cause: Cause::Time,
            seat: Seat::new(1)
        }
    );
    assert_eq!(
        game.record.turns.len(),
        2,
        "the turn that failed is written down, without a move"
    );
    assert!(game.record.turns[1].mv.is_none());
}

#[test]
fn bank_is_charged_for_initialisation_when_rules_require() {
    let bank = |charge_start| {
        conditions(|c| {
            c.time.turn_us = None;
            c.time.bank_us = Some(250);
            c.time.charge_start = charge_start;
        })
    };
    let slow = |seat, question: &str| ScriptedAnswer {
        spent_us: 100,
        ..straight(seat, question)
    };
    assert_eq!(play(&bank(false), slow).record.end, End::Rules);
    let charged = play(&bank(true), slow);
    assert_eq!(
        charged.record.end,
        End::Fault {
            cause: Cause::Time,
            seat: Seat::new(0)
        }
    );
    let clock = r#""clock":{"left_us":150,"bank_us":150}"#;
    assert!(
        charged.heard.iter().any(|(_, q)| q.contains(clock)),
        "the turn has the bank that is left"
    );
}

#[test]
fn entrants_own_clock_overrides_only_its_keys() {
    let own = |turn_us| OwnClock {
        turn_us: Some(turn_us),
        ..OwnClock::default()
    };
    let timed = |name: &str, turn_us| {
        conditions(|c| {
            (c.time.turn_us, c.time.bank_us) = (Some(100), Some(1000));
            c.clocks.insert(name.to_owned(), own(turn_us));
        })
    };
    let slow = |seat, question: &str| ScriptedAnswer {
        spent_us: 100,
        ..straight(seat, question)
    };
    let fair = timed("bob", 200);
    let game = play(&fair, slow);
    assert_eq!(game.record.end, End::Rules);
    for (seat, words) in [
        (0, r#""left_us":100,"bank_us":1000"#),
        (1, r#""left_us":200,"bank_us":1000"#),
        (1, r#""turn_us":200,"bank_us":1000"#),
    ] {
        let is_reported = |(whose, line): &(usize, String)| *whose == seat && line.contains(words);
        assert!(
            game.heard.iter().any(is_reported),
            "{words}: {:?}",
            game.heard
        );
    }
    let late = play(&timed("bob", 99), slow).record;
    let end = End::Fault {
        cause: Cause::Time,
        seat: Seat::new(1),
    };
    assert_eq!(late.end, end);
    let rules = rulebook::rules::of(&fair).expect("registered");
    let followed = |conditions: Conditions| {
        let differences = referee::verify::referee(&*rules, &conditions, &late, WordsKnown::All);
        differences.expect("rules that work").len()
    };
    assert_eq!(followed(timed("bob", 99)), 0);
    assert!(followed(fair) > 0, "verify knows whose clock ran out");
}
