//! The boundary alarm, on records made by hand.

use model::competition::{Competition, Prize};
use model::points::Points;
use model::record::{MatchRecord, SeatRecord};
use model::tally::Tie;
use rulebook::scoring::{Alarm, Change, Conduct, Gathering, Ranked};
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;

/// Games of `boundaries.toml`, and their alarms.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    why: String,
    /// Whether CPU time costs nothing.
    #[serde(default)]
    free: bool,
    #[serde(default)]
    prizes: Vec<Prize>,
    games: Vec<String>,
    alarms: Vec<String>,
}

fn record(game: &str) -> MatchRecord {
    let words: Vec<&str> = game.split(' ').collect();
    let number = |word: &str| -> i64 { word.parse().expect(game) };
    let seats = || words[1..].chunks(3);
    let best = seats().map(|seat| number(seat[1])).max();
    let records = seats().map(|seat| SeatRecord {
        entrant: seat[0].to_owned(),
        cpu_us: number(seat[2]).cast_unsigned() * 1_000_000,
        ..SeatRecord::default()
    });
    let outcomes = seats().map(|seat| {
        let points = number(seat[1]);
        let is_best = Some(points) == best;
        let (result, placement) = if is_best { ("won", 1) } else { ("lost", 2) };
        json!({"result": result, "placement": placement, "points": points, "tie_break": 0})
    });
    let record = json!({
        "v": model::FORMAT, "fixture": "0".repeat(32), "game": "catch-the-cat",
        "state": number(words[0]), "setup": {}, "draw": "", "seats": records.collect::<Vec<_>>(),
        "turns": [], "faults": [], "end": "rules",
        "outcome": {"seats": outcomes.collect::<Vec<_>>(), "reason": "made by hand"},
    });
    serde_json::from_value(record).expect("a record")
}

/// Returns the course's competition: the game's points, minus the CPU time at one a second.
fn course() -> Competition {
    let rules = rulebook::rules::find("catch-the-cat").expect("registered");
    rulebook::standard(&*rules)
}

fn alarms(competition: &Competition, games: &[String]) -> Vec<Alarm> {
    let all = games.concat();
    let names = ["a", "b", "c"].into_iter();
    let names = names.filter(|name| all.contains(&format!(" {name} ")));
    let ranked: Vec<Ranked> = names.map(Ranked::of).collect();
    let mut gathering = Gathering::new(competition, &ranked, 2, &Conduct::default(), 1);
    for game in games {
        assert!(gathering.add(1, &record(game).result()));
    }
    gathering.table().alarms
}

#[test]
fn alarms_name_both_entrants_at_a_boundary() {
    let text = include_str!("boundaries.toml");
    let mut all: BTreeMap<String, Vec<Case>> = toml::from_str(text).expect("TOML");
    for case in all.remove("case").expect("a list") {
        let mut competition = course();
        if case.free {
            competition.scoring.points_per_cpu_second = 0.0;
        }
        competition.scoring.prizes = case.prizes;
        let alarms = alarms(&competition, &case.games).into_iter().map(|alarm| {
            let Alarm {
                entrant,
                change,
                now,
                then,
            } = alarm;
            let prize = match (now.prize, then.prize) {
                (Some(now), Some(then)) => format!(", prize {now} {then}"),
                _ => String::new(),
            };
            format!("{entrant} {change:?} {} {}{prize}", now.rank, then.rank)
        });
        assert_eq!(alarms.collect::<Vec<_>>(), case.alarms, "{}", case.why);
    }
}

#[test]
fn first_rank_lost_with_tenth_more_cpu_alarms() {
    // 98 and 97; with 1.2 s more 96.8 and 97.
    let alarms = alarms(&course(), &["0 a 110 12 b 100 3".to_owned()]);
    let lost = |alarm: &Alarm| {
        let ranks = (alarm.now.rank, alarm.then.rank);
        alarm.entrant == "a" && alarm.change == Change::MoreCpu && ranks == (1, 2)
    };
    assert!(alarms.iter().any(lost), "{alarms:?}");
    let none_is_less = alarms.iter().all(|alarm| alarm.change != Change::LessCpu);
    assert!(none_is_less, "{alarms:?}");
}

#[test]
fn grades_are_compared_as_if_all_games_played() {
    let mut competition = course();
    competition.scoring.points_per_cpu_second = 0.0;
    competition.scoring.ties = vec![Tie::Wins];
    let step = json!({"at_least": Points::whole(10), "grade": "pass"});
    let grades = json!({"steps": [step], "otherwise": "fail", "disqualified": "out"});
    competition.scoring.grades = serde_json::from_value(grades).expect("grades");
    let grades = |points: [i64; 4]| -> Vec<(Change, Option<String>)> {
        let games = (0..).zip(points);
        let games = games.map(|(state, points)| format!("{state} a {points} 0 builtin:random 0 0"));
        let games: Vec<String> = games.collect();
        let alarms = alarms(&competition, &games).into_iter();
        alarms
            .map(|alarm| (alarm.change, alarm.then.grade))
            .collect()
    };
    // 12; any three of four bring 9, which is scaled to 12.
    assert_eq!(grades([3, 3, 3, 3]), []);
    // 11; without state 0 it is 2, scaled to 2.67.
    let fail = Some("fail".to_owned());
    assert_eq!(grades([9, 1, 1, 0]), [(Change::WithoutState(0), fail)]);
}
