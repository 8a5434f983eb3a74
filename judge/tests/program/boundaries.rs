//! The boundary alarm, on records made by hand.

use engines::{GameResult, Outcome, SeatOutcome};
use model::FORMAT;
use model::competition::{Competition, GradeStep, Grades, Prize};
use model::game_id::GameId;
use model::points::Points;
use model::record::{End, MatchRecord, SeatRecord};
use model::tie::Tie;
use rulebook::scoring::{Alarm, Change, Conduct, Gathering, Ranked};
use serde_json::value::RawValue;

/// A game: its state, and for each seat the entrant, the points and the CPU time in seconds.
type Game<'a> = (u32, [(&'a str, i64, u64); 2]);

fn record((state, seats): Game<'_>) -> MatchRecord {
    let seat = |(entrant, _, cpu_s): (&str, i64, u64)| SeatRecord {
        entrant: entrant.to_owned(),
        cpu_us: cpu_s * 1_000_000,
        ..SeatRecord::default()
    };
    let best = seats[0].1.max(seats[1].1);
    let outcome = |(_, points, _): (&str, i64, u64)| SeatOutcome {
        result: if points == best {
            GameResult::Won
        } else {
            GameResult::Lost
        },
        placement: if points == best { 1 } else { 2 },
        points,
        tie_break: 0,
    };
    MatchRecord {
        v: FORMAT,
        fixture: GameId::parse(&[b'0'; 32]).expect("an id"),
        game: "catch-the-cat".to_owned(),
        state,
        setup: RawValue::from_string("{}".to_owned()).expect("JSON"),
        draw: String::new(),
        seats: seats.map(seat).to_vec(),
        turns: Vec::new(),
        faults: Vec::new(),
        end: End::Rules,
        outcome: Outcome {
            seats: seats.map(outcome).to_vec(),
            reason: "made by hand".into(),
        },
        overloaded: false,
        machine: None,
    }
}

/// Returns the course's competition: the game's points, minus the CPU time at one a second.
fn course() -> Competition {
    let rules = rulebook::rules::find("catch-the-cat").expect("registered");
    rulebook::standard(&*rules)
}

fn alarms(competition: &Competition, names: &[&str], games: &[Game<'_>]) -> Vec<Alarm> {
    let ranked: Vec<Ranked> = names.iter().map(|name| Ranked::of(*name)).collect();
    let mut gathering = Gathering::new(competition, &ranked, 2, &Conduct::default(), 1);
    for game in games {
        assert!(gathering.add(1, &record(*game).result()));
    }
    gathering.table().alarms
}

/// Returns alarms as (entrant, change, rank now, rank then).
fn ranks(alarms: &[Alarm]) -> Vec<(&str, Change, usize, usize)> {
    let one = |a: &Alarm| (a.now.rank, a.then.rank);
    let reported = alarms
        .iter()
        .map(|a| (a.entrant.as_str(), a.change.clone(), one(a)));
    reported
        .map(|(who, change, (now, then))| (who, change, now, then))
        .collect()
}

#[test]
fn first_rank_depending_on_cpu_price_alarms_both() {
    // 99 and 98; at twice the price 94 and 96, at half of it 101.5 and 99.
    let games = [(0, [("a", 104, 5), ("b", 100, 2)])];
    let alarms = alarms(&course(), &["a", "b"], &games);
    let double = || Change::DoubleK;
    assert_eq!(
        ranks(&alarms),
        [("a", double(), 1, 2), ("b", double(), 2, 1)]
    );
}

#[test]
fn first_rank_lost_with_tenth_more_cpu_alarms() {
    // 98 and 97; with 1.2 s more 96.8 and 97.
    let games = [(0, [("a", 110, 12), ("b", 100, 3)])];
    let alarms = alarms(&course(), &["a", "b"], &games);
    let own: Vec<_> = ranks(&alarms);
    assert!(own.contains(&("a", Change::MoreCpu, 1, 2)), "{own:?}");
    assert!(
        own.iter().all(|alarm| alarm.1 != Change::LessCpu),
        "{own:?}"
    );
}

#[test]
fn prize_depending_on_one_state_alarms_both_prizes() {
    let mut competition = course();
    competition.scoring.points_per_cpu_second = 0.0;
    competition.scoring.prizes = [(1, 20), (2, 10)]
        .map(|(to_rank, points)| Prize { to_rank, points })
        .to_vec();
    // 10 and 6; without state 0 it is 0 and 6.
    let games = [
        (0, [("a", 10, 9), ("b", 0, 0)]),
        (1, [("a", 0, 9), ("b", 6, 0)]),
    ];
    let alarms = alarms(&competition, &["a", "b"], &games);
    let state = || Change::WithoutState(0);
    assert_eq!(ranks(&alarms), [("a", state(), 1, 2), ("b", state(), 2, 1)]);
    assert_eq!(
        (alarms[0].now.prize, alarms[0].then.prize),
        (Some(20), Some(10))
    );
}

#[test]
fn rising_by_anothers_omission_raises_no_alarm() {
    let mut competition = course();
    competition.scoring.points_per_cpu_second = 0.0;
    // 20, 13 and 5; without c, a has 0 and b 3.
    let games = [
        (0, [("a", 20, 0), ("c", 0, 0)]),
        (0, [("a", 0, 0), ("b", 3, 0)]),
        (0, [("b", 10, 0), ("c", 5, 0)]),
    ];
    let alarms = alarms(&competition, &["a", "b", "c"], &games);
    let without_c = || Change::WithoutOpponent("c".to_owned());
    assert_eq!(
        ranks(&alarms),
        [
            // b has won both of its games, a one.
            ("a", Change::WinsFirst, 1, 2),
            ("b", Change::WinsFirst, 2, 1),
            ("a", without_c(), 1, 2),
            ("b", without_c(), 2, 1),
        ]
    );
}

#[test]
fn grades_are_compared_as_if_all_games_played() {
    let mut competition = course();
    competition.scoring.points_per_cpu_second = 0.0;
    competition.scoring.ties = vec![Tie::Wins];
    competition.scoring.grades = Some(Grades {
        games: None,
        steps: vec![GradeStep {
            at_least: Points::whole(10),
            grade: "pass".to_owned(),
        }],
        otherwise: "fail".to_owned(),
        disqualified: "out".to_owned(),
        not_playing: None,
        missing: None,
    });
    let grades = |points: [i64; 4]| -> Vec<(Change, Option<String>)> {
        let games = (0..).zip(points);
        let games: Vec<Game<'_>> = games
            .map(|(state, points)| (state, [("a", points, 0), ("builtin:random", 0, 0)]))
            .collect();
        let alarms = alarms(&competition, &["a"], &games);
        alarms
            .into_iter()
            .map(|a| (a.change, a.then.grade))
            .collect()
    };
    // 12; any three of four bring 9, which is scaled to 12.
    assert_eq!(grades([3, 3, 3, 3]), []);
    // 11; without state 0 it is 2, scaled to 2.67.
    let fail = Some("fail".to_owned());
    assert_eq!(grades([9, 1, 1, 0]), [(Change::WithoutState(0), fail)]);
}
