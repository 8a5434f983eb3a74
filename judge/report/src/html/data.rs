//! The data for the page's script.

use super::gather::Summary;
use super::{encode, palette, phrases};
use crate::uncertainty::has_one_start;
use engines::{Better, Palette};
use model::clock::ClockMode;
use model::competition::Competition;
use rulebook::JudgeError;
use serde_json::{Value, json};

/// Returns the data that the script needs for any page.
pub(super) fn base(
    has_run: bool,
    competition: &Competition,
    summary: &Summary,
) -> Result<Value, JudgeError> {
    let rules = rulebook::rules::of(&competition.conditions)?;
    let names = summary.names.iter().map(|name| phrases::name(name));
    Ok(json!({
        "has_run": has_run,
        "names": names.collect::<Vec<_>>(),
        "roles": rulebook::schedule::roles(competition)?,
        "start": if has_one_start(competition) { "repetition" } else { "initial state" },
        "look": palette::data(rules.palette()),
        "measure": rules.measure().map(|measure| json!({
            "counts": measure.counts,
            "less": measure.better == Better::Less,
        })),
        "legend": legend(rules.notation().help, rules.palette(), rulebook::schedule::roles(competition)?),
        // The bars of a game show CPU time.
        "turn_us": competition.conditions.time.turn_us.filter(|_| competition.conditions.mode == ClockMode::Cpu),
    }))
}

/// Returns lines about moves, and the colours of seats in words where the game has no pieces that
/// are known by their colours.
fn legend(help: &[&str], palette: &Palette, roles: &[&str]) -> Vec<String> {
    let is_plain = palette
        .seats
        .iter()
        .zip(Palette::PLAIN.seats)
        .all(|(seat, plain)| seat.fill == plain.fill);
    let colours: Vec<String> = roles
        .iter()
        .zip(Palette::PLAIN_NAMES)
        .map(|(role, colour)| format!("{role} is {colour}"))
        .filter(|_| is_plain)
        .collect();
    let lines = help.iter().map(ToString::to_string);
    let colours = (!colours.is_empty()).then(|| colours.join(", "));
    lines.chain(colours).collect()
}

/// Adds games and their shared data.
pub(super) fn put_games(data: &mut Value, games: Vec<Value>, writer: &encode::Writer) {
    data["games"] = Value::Array(games);
    data["kinds"] = json!(writer.kinds);
    data["marks"] = json!(writer.marks);
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
    fn plain_colours_are_said_in_words_and_those_of_known_pieces_are_not() {
        let lines = legend(&["a column"], &Palette::PLAIN, &["north", "south"]);
        assert_eq!(lines, ["a column", "north is blue, south is orange"]);
        let reversi = rulebook::rules::find("reversi").expect("it is built in");
        let lines = legend(&["a field"], reversi.palette(), &["black", "white"]);
        assert_eq!(lines, ["a field"]);
    }

    #[test]
    fn numbers_are_written_as_ranges() {
        assert_eq!(ranges(&[1, 2, 3, 7, 9, 10]), [[1, 3], [7, 7], [9, 10]]);
        assert!(ranges(&[]).is_empty());
    }
}
