//! The catalogue of hostile and unlucky programs, through the real judge: each row gets its
//! verdict, and no other bot is harmed.

use crate::support::arena::{Arena, Played};
use crate::support::{Row, Scene, catalogue, names_in, processes};
use engines::{GameResult, Lifetime};
use model::fixture::Conditions;
use model::record::{End, MatchRecord, SeatRecord};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const HONEST: [&str; 3] = ["honest-first", "honest-second", "honest-fifth"];

const MIB: u64 = 1 << 20;
/// Maximum memory that a worker needs, whatever its bots do.
const WORKER_BYTES_MAX: u64 = 64 * MIB;
/// Maximum memory that the coordinator needs; it holds all submissions while it builds them.
const COORDINATOR_BYTES_MAX: u64 = 256 * MIB;
/// Maximum length of a recorded fault, whatever a bot writes.
const FAULT_BYTES_MAX: usize = 2_000;

/// Plays the catalogue's rows of one run against the first honest program, and makes the checks
/// common to all runs. Returns the token and the games.
fn tournament(run: &str, honest: &[&str], arena: &Arena) -> (String, Played) {
    let scene = Scene::new();
    let token = scene.name();
    for name in honest {
        catalogue::enter(&scene, "bot.c", name, &token);
    }
    let rows = catalogue::rows_of(run);
    assert!(!rows.is_empty(), "the catalogue has rows for {run}");
    for row in &rows {
        catalogue::enter(&scene, row.get("program"), row.get("mode"), &token);
    }
    let played = arena.play(&scene, honest);
    for row in &rows {
        check_verdict(row, &played.records);
    }
    for record in &played.records {
        check_bystanders(record);
    }
    processes::none_has(&token);
    check_files(&scene, &token);
    let bytes_max = played.worker_bytes_max;
    assert!(bytes_max > 0, "workers were looked at");
    assert!(bytes_max < WORKER_BYTES_MAX, "{bytes_max}");
    (token, played)
}

fn check_verdict(row: &Row, records: &[MatchRecord]) {
    let mode = row.get("mode");
    let games = records
        .iter()
        .filter(|r| r.seats.iter().any(|seat| seat.entrant == mode));
    let mut count = 0;
    for game in games {
        count += 1;
        let fault = game.faults.first();
        let expected: Vec<&str> = row.get("end").split('|').collect();
        assert!(expected.contains(&game.end.name()), "{mode}: {game:?}");
        let Some(fault) = fault else { continue };
        let charged = &game.seats[fault.seat.index()].entrant;
        assert_eq!(charged, mode, "{fault:?}");
        // On an overloaded machine, the fault does not ask whether the output was flushed.
        let is_reported = fault.detail.contains(row.get("detail"));
        assert!(is_reported || game.overloaded, "{mode}: {fault:?}");
    }
    assert!(count >= 2, "{mode} meets an honest program from both seats");
}

fn check_bystanders(record: &MatchRecord) {
    let faults = serde_json::to_string(&record.faults).expect("plain data");
    assert!(faults.len() < FAULT_BYTES_MAX, "{faults}");
    let count = record.faults.len();
    assert!(count <= 1, "a fault ends the game: {record:?}");
    let End::Fault { seat, .. } = record.end else {
        assert!(record.faults.is_empty(), "{record:?}");
        return;
    };
    let charged = &record.seats[seat.index()].entrant;
    assert!(!HONEST.contains(&charged.as_str()), "{:?}", record.faults);
    for (index, result) in record.outcome.seats.iter().enumerate() {
        let expected = [GameResult::Won, GameResult::Lost];
        let expected = expected[usize::from(index == seat.index())];
        assert_eq!(result.result, expected, "{:?}", record.outcome);
    }
}

/// Nothing was written outside, and the programs' folders hold only the submitted files.
fn check_files(scene: &Scene, token: &str) {
    let home = std::env::var("HOME").unwrap_or_default();
    let folders = ["/tmp", "/var/tmp", "/dev/shm", &home].into_iter();
    for folder in folders.filter(|folder| Path::new(folder).is_dir()) {
        for name in names_in(folder.as_ref()) {
            let is_own = Path::new(folder).join(&name) == scene.folder();
            let is_written = name.contains(token) && !is_own;
            assert!(!is_written, "{folder}/{name} was written");
        }
    }
    for folder in fs::read_dir(scene.out().join("artifacts")).expect("readable") {
        let folder = folder.expect("valid").path();
        if folder.is_file() {
            // The note about an artifact is next to it.
            continue;
        }
        assert_eq!(names_in(&folder), ["bot", "mode", "token"]);
    }
}

fn honest_games(played: &Played) -> BTreeMap<String, String> {
    let is_honest = |seat: &SeatRecord| HONEST.contains(&&*seat.entrant);
    let honest = played.records.iter();
    let honest = honest.filter(|record| record.seats.iter().all(is_honest));
    let shown = honest.map(|record| {
        let moves = record.turns.iter().map(|turn| turn.mv.as_ref());
        let moves: Vec<&str> = moves.map(|mv| mv.map_or("", |mv| mv.get())).collect();
        let end = format!("{moves:?} {:?} {:?}", record.end, record.outcome);
        (record.fixture.to_string(), end)
    });
    shown.collect()
}

#[test]
fn each_hostile_bot_gets_verdict_harming_nobody_else() {
    let arena = Arena::new(9, 1, |_| {});
    let (token, played) = tournament("game", &HONEST, &arena);
    let alone = Scene::new();
    for name in HONEST {
        catalogue::enter(&alone, "bot.c", name, &token);
    }
    let undisturbed = honest_games(&arena.play(&alone, &HONEST));
    assert_eq!(undisturbed.len(), 6);
    assert_eq!(honest_games(&played), undisturbed);
    let own = processes::bytes_max("self");
    assert!(own < COORDINATOR_BYTES_MAX, "the coordinator: {own}");
}

/// Time of a turn for bots that use it all, in microseconds.
const BURNT_US: u64 = 50_000;
/// Wall backstop in milliseconds: none may fall silent before it has used its time.
const BURNING_MS_MAX: u64 = 120_000;

#[test]
fn excess_cpu_time_is_charged_and_harms_nobody() {
    let arena = Arena::new(9, 1, |conditions| {
        conditions.time.turn_us = Some(BURNT_US);
        conditions.backstop_ms = BURNING_MS_MAX;
    });
    tournament("burns", &HONEST, &arena);
}

/// A run, the side of its board, and what differs in its conditions.
type Small = (&'static str, u32, fn(&mut Conditions));

#[test]
fn hostile_rows_against_one_honest_bot_get_verdicts() {
    let runs: [Small; 5] = [
        ("pair", 9, |_| {}),
        ("turn", 9, |conditions| conditions.lifetime = Lifetime::Turn),
        ("start", 5, |conditions| conditions.startup_ms = 4000),
        // A loaded machine excuses half of the silence, so the game needs many turns.
        ("idle", 21, |conditions| conditions.idle_ms = 400),
        // A view that does not fit into a pipe.
        ("wide", 101, |_| {}),
    ];
    std::thread::scope(|scope| {
        for (run, side, conditions) in runs {
            let arena = Arena::new(side, 1, conditions);
            scope.spawn(move || tournament(run, &HONEST[..1], &arena));
        }
    });
}

#[test]
fn exiting_after_each_of_thousand_answers_is_unblamed() {
    let arena = Arena::new(21, 7, |conditions| conditions.lifetime = Lifetime::Turn);
    let (_, played) = tournament("thousand", &HONEST[..1], &arena);
    let exits = played.records.iter().map(|record| {
        let mut seats = record.seats.iter();
        let seat = seats.position(|seat| seat.entrant == "answers-and-exits");
        let turns = record.turns.iter();
        turns.filter(|turn| Some(turn.seat.index()) == seat).count()
    });
    let exits: usize = exits.sum();
    assert!(exits >= 1000, "{exits}");
}

/// Bank of a game in the test below, in microseconds; `bot.c` knows it.
const BANK_US: u64 = 400_000;
/// Largest deviation from the bot's clock, a fraction: it looks every 100 µs, and ending takes time.
const TRUTH_PART: u64 = 20;

#[test]
fn bank_exhausted_mid_turn_is_charged_exactly() {
    let arena = Arena::new(9, 1, |conditions| {
        conditions.time.turn_us = None;
        conditions.time.bank_us = Some(BANK_US);
        conditions.backstop_ms = 30_000;
    });
    let (_, played) = tournament("bank", &HONEST[..1], &arena);
    let mode = "burns-and-tells";
    let reported = played.stderr.iter().filter(|(name, _)| name == mode);
    let seats = played.records.iter().flat_map(|record| &record.seats);
    let own = seats.filter(|seat| seat.entrant == mode);
    let charged = own.map(|seat| (seat.cpu_us, seat.uncharged_us));
    let mut charged: Vec<(u64, u64)> = charged.collect();
    let last = reported.map(|(_, text)| text.lines().last().expect("it tells"));
    let mut last: Vec<u64> = last.map(|line| line.parse().expect("a number")).collect();
    assert_eq!(last.len(), charged.len());
    // The two lists are of the same games, in different orders.
    charged.sort_by_key(|(charged, uncharged)| charged + uncharged);
    last.sort_unstable();
    for ((charged, uncharged), truth) in charged.into_iter().zip(last) {
        assert!(charged >= BANK_US, "{charged} µs of {BANK_US}");
        let difference = (charged + uncharged).abs_diff(truth);
        let what = format!("{charged} + {uncharged}, {truth}");
        assert!(difference < truth / TRUTH_PART, "{what}");
    }
}
