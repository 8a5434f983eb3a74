//! Games in brief, such as `0-9 | ann won 25 0.5s | bob lost -25 !crash`, expanded into records.
//!
//! A line has the state or states. Then come, for each seat, a name, the result, and in any order:
//! the game's points, the CPU time (`0.5s`), the place (`p2`), captures (`3c`) and faults
//! (`!cause`, and `!overloaded` for silence on an overloaded machine).
//!
//! In games for more than two, a line begins with the game's number in the schedule, and the seats
//! come in any order. `0 > ann bob zoe` stands for games in both seatings in which each beats all
//! that follow. A later line for the same game replaces an earlier one.

use engines::{GameResult, SeatOutcome};
use model::competition::Competition;
use model::fault::Cause;
use model::fixture::Fixture;
use model::record::{MatchRecord, SeatRecord};
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
struct Sat {
    name: String,
    outcome: SeatOutcome,
    cpu_us: u64,
    faults: Vec<Cause>,
    overloaded: bool,
}

/// Expands games in brief; each must be one of the fixtures.
pub(crate) fn records(
    competition: &Competition,
    fixtures: &[Fixture],
    games: &str,
) -> Vec<MatchRecord> {
    let mut played: BTreeMap<usize, Vec<Sat>> = BTreeMap::new();
    for line in games.lines().filter(|line| !line.trim().is_empty()) {
        for (game, seats) in line_of_games(fixtures, line) {
            played.insert(game, seats);
        }
    }
    played
        .into_iter()
        .map(|(game, seats)| record(competition, &fixtures[game], &seats))
        .collect()
}

fn line_of_games(fixtures: &[Fixture], line: &str) -> Vec<(usize, Vec<Sat>)> {
    if let Some((state, names)) = line.split_once('>') {
        let state: u32 = state.trim().parse().expect(line);
        let names: Vec<&str> = names.split_whitespace().collect();
        return chain(fixtures, state, &names);
    }
    let mut cells = line.split('|').map(str::trim);
    let number = cells.next().expect("split gives one");
    let seats: Vec<Sat> = cells.map(sat).collect();
    if seats.len() > 2 {
        let game = number.parse::<usize>().expect(line) - 1;
        return vec![(game, by_seat(&fixtures[game], seats))];
    }
    let (first, last) = number.split_once('-').unwrap_or((number, number));
    let states = first.parse::<u32>().expect(line)..=last.parse().expect(line);
    states
        .map(|state| {
            let names: Vec<&str> = seats.iter().map(|seat| seat.name.as_str()).collect();
            (find(fixtures, state, &names), seats.clone())
        })
        .collect()
}

fn chain(fixtures: &[Fixture], state: u32, names: &[&str]) -> Vec<(usize, Vec<Sat>)> {
    let mut games = Vec::new();
    for (index, winner) in names.iter().enumerate() {
        for loser in &names[index + 1..] {
            let (won, lost) = (sat(&format!("{winner} won")), sat(&format!("{loser} lost")));
            let seats = vec![won.clone(), lost.clone()];
            games.push((find(fixtures, state, &[winner, loser]), seats));
            games.push((find(fixtures, state, &[loser, winner]), vec![lost, won]));
        }
    }
    games
}

fn find(fixtures: &[Fixture], state: u32, names: &[&str]) -> usize {
    let found = fixtures.iter().position(|fixture| {
        let sit = fixture.seats.iter().map(|seat| &*seat.entrant);
        fixture.state == state && sit.eq(names.iter().copied())
    });
    found.unwrap_or_else(|| panic!("{names:?} on state {state} is not in the schedule"))
}

fn by_seat(fixture: &Fixture, mut said: Vec<Sat>) -> Vec<Sat> {
    let seats = fixture.seats.iter().map(|participant| {
        let found = said
            .iter()
            .position(|one| *one.name == *participant.entrant);
        said.remove(found.unwrap_or_else(|| panic!("{} sits there too", participant.entrant)))
    });
    seats.collect()
}

fn sat(text: &str) -> Sat {
    let mut words = text.split_whitespace();
    let name = words.next().expect(text).to_owned();
    let (result, placement) = match words.next().expect(text) {
        "won" => (GameResult::Won, 1),
        "drawn" => (GameResult::Drawn, 1),
        "lost" => (GameResult::Lost, 2),
        other => panic!("{text}: {other} is no result"),
    };
    let mut sat = Sat {
        name,
        outcome: SeatOutcome {
            result,
            placement,
            points: 0,
            tie_break: 0,
        },
        cpu_us: 0,
        faults: Vec::new(),
        overloaded: false,
    };
    for word in words {
        if word == "!overloaded" {
            sat.faults.push(Cause::Silence);
            sat.overloaded = true;
        } else if let Some(cause) = word.strip_prefix('!') {
            sat.faults
                .push(serde_json::from_str(&format!("\"{cause}\"")).expect(text));
        } else if let Some(seconds) = word.strip_suffix('s') {
            let (whole, part) = seconds.split_once('.').unwrap_or((seconds, ""));
            sat.cpu_us = format!("{whole}{part:0<6}").parse().expect(text);
        } else if let Some(captures) = word.strip_suffix('c') {
            sat.outcome.tie_break = captures.parse().expect(text);
        } else if let Some(place) = word.strip_prefix('p') {
            sat.outcome.placement = place.parse().expect(text);
        } else {
            sat.outcome.points = word.parse().expect(text);
        }
    }
    sat
}

fn record(competition: &Competition, fixture: &Fixture, seats: &[Sat]) -> MatchRecord {
    let faults = seats.iter().enumerate().flat_map(|(seat, sat)| {
        sat.faults.iter().map(move |cause| {
            json!({"seat": seat, "ply": 1, "phase": "turn", "cause": cause, "detail": "made up",
                   "cpu_us": 0, "wall_us": 0})
        })
    });
    let faults: Vec<Value> = faults.collect();
    let end = match faults.last() {
        Some(fault) if seats.len() == 2 => {
            json!({"fault": {"cause": fault["cause"], "seat": fault["seat"]}})
        }
        _ => json!("rules"),
    };
    let took = fixture.seats.iter().zip(seats);
    let took = took.map(|(participant, sat)| SeatRecord {
        cpu_us: sat.cpu_us,
        ..SeatRecord::of(participant, 1)
    });
    let outcomes: Vec<SeatOutcome> = seats.iter().map(|sat| sat.outcome).collect();
    let record = json!({
        "v": model::FORMAT, "fixture": fixture.id, "game": competition.conditions.game,
        "state": fixture.state, "setup": {}, "draw": fixture.luck.draw,
        "seats": took.collect::<Vec<_>>(), "turns": [], "faults": faults, "end": end,
        "outcome": {"seats": outcomes, "reason": "made up"},
        "overloaded": seats.iter().any(|sat| sat.overloaded),
    });
    let record: MatchRecord = serde_json::from_value(record).expect("a record");
    MatchRecord {
        setup: (*fixture.setup).to_owned(),
        ..record
    }
}
