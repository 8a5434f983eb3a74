//! The data for the page's script.

use super::gather::Summary;
use super::{encode, palette, phrases};
use crate::uncertainty::has_one_start;
use engines::Better;
use error::JudgeError;
use serde_json::{Value, json};
use words::clock::ClockMode;
use words::competition::Competition;

/// Returns the data that the script needs for any page.
pub(super) fn base(
    run: Option<&str>,
    competition: &Competition,
    summary: &Summary,
) -> Result<Value, JudgeError> {
    let rules = rules::of(&competition.conditions)?;
    let names = summary.names.iter().map(|name| phrases::name(name));
    Ok(json!({
        "run": run.map(phrases::name),
        "names": names.collect::<Vec<_>>(),
        "roles": competition::schedule::roles(competition)?,
        "start": if has_one_start(competition) { "repetition" } else { "initial state" },
        "look": palette::data(rules.palette()),
        "measure": rules.measure().map(|measure| json!({
            "counts": measure.counts,
            "less": measure.better == Better::Less,
        })),
        "legend": rules.notation().help,
        // The bars of a game show CPU time.
        "turn_us": competition.conditions.time.turn_us.filter(|_| competition.conditions.mode == ClockMode::Cpu),
    }))
}

/// Adds games and their shared data.
pub(super) fn put_games(data: &mut Value, games: Vec<Value>, writer: &encode::Writer) {
    data["games"] = Value::Array(games);
    data["kinds"] = json!(writer.kinds);
    data["forms"] = json!(writer.forms);
    data["labels"] = json!(writer.labels);
}

/// Returns ascending numbers as ranges `[first, last]`, both inclusive.
pub(super) fn ranges(numbers: &[usize]) -> Vec<[usize; 2]> {
    let mut ranges: Vec<[usize; 2]> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some([_, last]) if *last + 1 == number => *last = number,
            _ => ranges.push([number, number]),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_ranges() {
        assert_eq!(ranges(&[1, 2, 3, 7, 9, 10]), [[1, 3], [7, 7], [9, 10]]);
        assert!(ranges(&[]).is_empty());
    }
}
