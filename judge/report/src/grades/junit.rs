//! JUnit: a suite for each entrant, and for each person who submitted nothing. Its result is in the
//! properties and in the first test. Each part of the homework and each of its games is another
//! test.
//!
//! The first test fails if the entrant is disqualified, does not play or was too late. A game fails
//! by a fault of the entrant itself; a lost game is not a failure.

use super::homework;
use super::row::GradeRow;
use super::value::number;
use crate::describe;
use crate::graders::{Outcome, Suite, Test};
use crate::submission_result::SubmissionResult;
use model::fault::Fault;
use model::record::MatchResult;
use std::time::Duration;

/// Returns the suite of an entrant, or of a person who submitted nothing, without games.
pub fn suite(grade: &GradeRow) -> Suite {
    let properties = got(grade);
    let said: Vec<String> = properties
        .iter()
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    let said = said.join(", ");
    let broken = grade
        .not_playing()
        .map(|why| ("does-not-play", why))
        .or(grade.too_late().map(|why| ("too-late", why)));
    let out = grade.disqualified().map(|why| ("disqualified", why));
    let standing = match out.or(broken) {
        None => Test::new("standing", Outcome::Passed, &said),
        Some((kind, why)) => Test {
            detail: vec![said],
            ..Test::new("standing", Outcome::Failed(kind.to_owned()), why)
        },
    };
    let name = match grade.came_to {
        SubmissionResult::Missing => grade.shown(),
        _ => grade.who.submission.clone(),
    };
    Suite {
        class: name.clone(),
        name,
        properties,
        tests: std::iter::once(standing)
            .chain(homework::tests(&grade.homework))
            .collect(),
    }
}

/// Adds a game in each seat of the entrant; `game` is its number.
pub fn add_game(suite: &mut Suite, roles: &[&str], game: usize, result: &MatchResult) {
    for (seat, participant) in result.seats.iter().enumerate() {
        if participant.entrant != suite.name {
            continue;
        }
        let others: Vec<&str> = result
            .seats
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != seat)
            .map(|(_, other)| other.entrant.as_str())
            .collect();
        let name = format!(
            "game {game} as {} against {}",
            roles[seat],
            others.join(" & ")
        );
        let fault = result
            .faults
            .iter()
            .find(|fault| fault.seat.index() == seat);
        suite.tests.push(Test {
            cpu: Some(Duration::from_micros(participant.cpu_us)),
            ..fault.map_or_else(
                || Test::new(&name, Outcome::Passed, ""),
                |fault| failed(&name, fault),
            )
        });
    }
}

fn failed(name: &str, fault: &Fault) -> Test {
    Test {
        detail: fault.line.iter().cloned().collect(),
        ..Test::new(
            name,
            Outcome::Failed(fault.cause.to_string()),
            &describe(fault),
        )
    }
}

/// Lists the entrant's results of the kinds that the competition gives.
fn got(grade: &GradeRow) -> Vec<(&'static str, String)> {
    let mut got = Vec::new();
    if let Some(row) = grade.standing() {
        got.push(("rank", row.rank.to_string()));
        got.push(("total", number(row.total.points)));
        got.extend(row.prize.map(|prize| ("prize", prize.to_string())));
    }
    got.extend(grade.grade.clone().map(|grade| ("grade", grade)));
    got.extend(homework::points(&grade.homework).map(|points| ("homework", number(points))));
    got
}
