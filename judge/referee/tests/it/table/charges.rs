//! The time that a seat is charged: turns, start-up, and the time between turns.

use super::{ScriptedAnswer, changing, conditions, has, is_turn, play, play_with};
use engines::{Lifetime, Seat};
use model::clock::ClockMode;
use model::fault::Cause;
use model::fixture::{Conditions, OwnClock};
use model::record::End;
use referee::verify::WordsKnown;

/// Plays as `straight`; each answer takes 100 µs, and the start-up `hello_us`.
fn spending(hello_us: u64) -> impl Fn(usize, &str) -> ScriptedAnswer + 'static {
    changing(move |answer, _, question| {
        let is_hello = question.starts_with("{\"hello\"");
        answer.cost.cpu_us = if is_hello { hello_us } else { 100 };
    })
}

#[test]
fn cpu_time_is_charged_per_turn_without_startup() {
    let game = play(&conditions(|_| {}), spending(100));
    let cat = &game.record.seats[0];
    let both = (cat.cpu_us, cat.uncharged_us);
    assert_eq!(both, (200, 200), "two turns; hello and start");
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
        play_with(&conditions, built_with, spending(3_400))
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
        let before = cat.off_turn_us;
        assert_eq!(before, cat.cpu_us - 200, "it came before the question");
        assert_eq!(cat.uncharged_us, uncharged, "{lifetime:?} {said_ms:?}");
    }
    // A question has the time left, and the clock runs out by the sum of both.
    let reported = played(game, Some(0), None);
    let mut turns = reported.heard.iter();
    let first = turns.find(|(seat, text)| *seat == 0 && is_turn(text));
    has(&first.expect("it had one").1, &["\"bank_us\":96600"]);
    let over = conditions(|c| (c.startup_free_ms, c.time.turn_us) = (Some(0), Some(3_499)));
    let over = play(&over, spending(3_400));
    assert_eq!(over.record.faults[0].cause, Cause::Time);
}

#[test]
fn startup_beyond_free_time_charges_wall_clock_too() {
    let played = |turn_us| {
        let wall = conditions(|c| {
            (c.mode, c.lifetime) = (ClockMode::Wall, Lifetime::Turn);
            (c.startup_free_ms, c.time.turn_us) = (Some(3), Some(turn_us));
        });
        play(&wall, spending(3_400))
    };
    let in_time = played(500);
    for (_, turn) in in_time.heard.iter().filter(|(_, text)| is_turn(text)) {
        has(turn, &["\"left_us\":100"]);
    }
    let cat = &in_time.record.seats[0];
    assert_eq!((cat.wall_us, cat.cpu_us), (1_000, 1_000), "two turns");
    let late = played(499);
    assert_eq!(late.record.faults[0].cause, Cause::Time);
}

#[test]
fn time_between_turns_is_part_of_charge() {
    let script = changing(|answer, seat, question| {
        (answer.cost.cpu_us, answer.cost.off_turn_us) = (100, 30);
        answer.cost.suspended = seat == 1 && is_turn(question);
    });
    let game = play(&conditions(|_| {}), script);
    let cat = &game.record.seats[0];
    assert_eq!((cat.cpu_us, cat.off_turn_us), (200, 60), "two turns");
    let marks: Vec<bool> = game.record.seats.iter().map(|s| s.suspended).collect();
    assert_eq!(marks, [false, true], "who was suspended");
}

fn out_of_time(seat: usize) -> End {
    End::Fault {
        cause: Cause::Time,
        seat: Seat::new(seat),
    }
}

#[test]
fn overlong_answer_loses_on_time_although_received() {
    let limited = conditions(|c| c.time.turn_us = Some(50));
    let script = changing(|answer, seat, _| answer.cost.cpu_us = 50 + u64::from(seat == 1));
    let game = play(&limited, script);
    let fault = &game.record.faults[0];
    let place = (fault.cause, fault.seat, fault.ply);
    assert_eq!(place, (Cause::Time, Seat::new(1), 1));
    assert_eq!(fault.detail, "took 51 µs of CPU time; 50 µs were left");
    assert_eq!((fault.cpu_us, fault.wall_us), (51, 51));
    assert_eq!(game.record.end, out_of_time(1));
    // The turn that failed is written down, without a move.
    assert_eq!(game.record.turns.len(), 2);
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
    assert_eq!(play(&bank(false), spending(100)).record.end, End::Rules);
    let charged = play(&bank(true), spending(100));
    assert_eq!(charged.record.end, out_of_time(0));
    let clock = r#""clock":{"left_us":150,"bank_us":150}"#;
    let mut questions = charged.heard.iter();
    // The turn has the bank that is left.
    assert!(questions.any(|(_, q)| q.contains(clock)));
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
    let fair = timed("bob", 200);
    let game = play(&fair, spending(100));
    assert_eq!(game.record.end, End::Rules);
    for (seat, words) in [
        (0, r#""left_us":100,"bank_us":1000"#),
        (1, r#""left_us":200,"bank_us":1000"#),
        (1, r#""turn_us":200,"bank_us":1000"#),
    ] {
        let is_reported = |(whose, line): &(usize, String)| *whose == seat && line.contains(words);
        let heard = &game.heard;
        assert!(heard.iter().any(is_reported), "{words}: {heard:?}");
    }
    let late = play(&timed("bob", 99), spending(100)).record;
    assert_eq!(late.end, out_of_time(1));
    let rules = rulebook::rules::of(&fair).expect("registered");
    let followed = |conditions: Conditions| {
        let differences = referee::verify::referee(&*rules, &conditions, &late, WordsKnown::All);
        differences.expect("rules that work").len()
    };
    assert_eq!(followed(timed("bob", 99)), 0);
    assert!(followed(fair) > 0, "verify knows whose clock ran out");
}
