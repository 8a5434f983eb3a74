//! Two plays of one game side by side, and the parts of an outcome.

use super::promise::{Promise, Stop};
use engines::{GameResult, Outcome};
use std::ops::RangeInclusive;

/// Maximum number of characters of an answer that are shown.
const SHOWN_MAX: usize = 160;

/// An answer: its ply, its name, and its text.
pub(super) type Answer = (u32, String, String);

/// Compares what the second process has answered so far with the first one's answers.
pub(super) fn same(first: &[Answer], second: &[Answer]) -> Result<(), Stop> {
    let Some((one, other)) = first.iter().zip(second).find(|(one, other)| one != other) else {
        return Ok(());
    };
    let (ply, name, text) = one;
    let again = if other.1 == *name { &other.2 } else { &other.1 };
    let (text, again) = apart(text, again);
    Err(Stop::Broken(
        Promise::Repeats,
        format!(
            "{name} at ply {ply} was {text}, and in a second process {again}; equal requests need equal answers \
             (luck outside of draw, a set without an order, something that positions share, or a refused move that \
             changes the position)"
        ),
    ))
}

/// Returns two texts from shortly before their first difference on.
fn apart(one: &str, other: &str) -> (String, String) {
    let common = one
        .chars()
        .zip(other.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let skipped = common.saturating_sub(SHOWN_MAX / 4);
    let part = |text: &str| {
        let shown: String = text.chars().skip(skipped).take(SHOWN_MAX).collect();
        let (before, after) = (
            if skipped > 0 { "…" } else { "" },
            if text.chars().count() > skipped + SHOWN_MAX {
                "…"
            } else {
                ""
            },
        );
        format!("{before}{shown}{after}")
    };
    (part(one), part(other))
}

/// Returns what is wrong with an outcome.
pub(super) fn wrong_outcome(
    outcome: &Outcome,
    seats: usize,
    points: &RangeInclusive<i64>,
) -> Option<String> {
    if outcome.seats.len() != seats {
        let found = outcome.seats.len();
        return Some(format!(
            "the outcome has {found} seats, and the game {seats}"
        ));
    }
    let count = |result| {
        outcome
            .seats
            .iter()
            .filter(|seat| seat.result == result)
            .count()
    };
    let (won, drawn) = (count(GameResult::Won), count(GameResult::Drawn));
    if won > 0 && drawn > 0 || won == 0 && drawn < seats {
        return Some(format!(
            "of {seats} seats {won} won and {drawn} drew; either some win and the others lose, or all draw"
        ));
    }
    for (at, seat) in outcome.seats.iter().enumerate() {
        let better = outcome
            .seats
            .iter()
            .filter(|other| other.placement < seat.placement);
        let (place, placement) = (better.count() + 1, seat.placement);
        if place != usize::from(placement) {
            return Some(format!(
                "seat {at} has the placement {placement}, but {} are better",
                place - 1
            ));
        }
        if (seat.result == GameResult::Lost) != (placement != 1) {
            let result = seat.result;
            return Some(format!(
                "seat {at} has the placement {placement} and the result {result:?}; the first place wins or draws, and the others lose"
            ));
        }
        if !points.contains(&seat.points) {
            return Some(format!(
                "seat {at} ends with {} points; at the start, its range was {} to {}",
                seat.points,
                points.start(),
                points.end()
            ));
        }
    }
    None
}
