//! Games on their way into a page: pictures as differences, small enough that a page holds
//! thousands of games. `page/board.js` reads what is written here.

use super::gather::Why;
use super::words;
use crate::fault::quote;
use crate::record::MatchRecord;
use crate::report::replay::{Replay, Step};
use engines::{Disc, Frame, GameResult, Grid};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The most characters of a move that a page shows.
const MOVE_CHARS_MAX: usize = 120;
/// The digits of a cell's number.
const CELL_DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
/// How many digits a cell's number has: boards of up to 46 656 cells.
const CELL_DIGITS_COUNT: u32 = 3;
/// So many kinds of piece have a letter from `A` on; the others are counted from here.
const KINDS_PLAIN: u32 = 58;
const KINDS_MORE: char = '\u{100}';
/// The digits of what a seat sees, six cells each.
pub(super) const SIX_BITS: &[u8; 64] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// A game as the page's script reads it.
#[derive(Serialize)]
pub(super) struct Game {
    /// The number in `games.csv`, or the fixture's id where it has none.
    n: String,
    state: u32,
    /// Who sat where, as numbers of names.
    e: Vec<usize>,
    why: &'static str,
    /// Who has won, by seat.
    won: Vec<bool>,
    end: String,
    hex: bool,
    w: usize,
    h: usize,
    /// The kinds of piece as `[seat, letter, columns, rows]`; their letters are `A`, `B`, ….
    kinds: Vec<(usize, Option<char>, i8, i8)>,
    /// Notes with `#` for every number.
    forms: Vec<String>,
    /// The first position as the difference to an empty board.
    first: Value,
    /// `[seat, CPU µs, move or null, difference, bank µs or null]`
    steps: Vec<Value>,
    /// `[step, seat, cause and detail, offending line or null]`; steps count from 1.
    faults: Vec<(usize, usize, String, Option<String>)>,
    whole: bool,
}

/// Encodes a game; `names` are the numbers of those who sat there.
pub(super) fn game(
    number: String,
    names: Vec<usize>,
    why: Why,
    record: &MatchRecord,
    replay: &Replay,
) -> Game {
    let mut writer = Writer::default();
    let first = writer.difference(None, &replay.first);
    let befores = [&replay.first].into_iter();
    let befores = befores.chain(replay.steps.iter().map(|step| &step.frame));
    let steps = replay.steps.iter().zip(befores).map(|(step, before)| {
        let difference = writer.difference(Some(before), &step.frame);
        step_of(step, difference)
    });
    let steps = steps.collect();
    let faults = replay.steps.iter().zip(1..).filter_map(|(step, number)| {
        let fault = &record.faults[step.fault?];
        let what = super::super::describe(fault);
        let line = fault.line.as_deref().map(|line| quote(line.as_bytes()));
        Some((number, fault.seat.index(), what, line))
    });
    let faults = faults.collect();
    let seats = record.outcome.seats.iter();
    Game {
        n: number,
        state: record.state,
        e: names,
        why: why.words(),
        won: seats.map(|seat| seat.result == GameResult::Won).collect(),
        end: quote(record.outcome.reason.as_bytes()),
        hex: replay.first.grid == Grid::Hex,
        w: replay.first.width,
        h: replay.first.height,
        kinds: writer.kinds,
        forms: writer.forms,
        first,
        steps,
        faults,
        whole: replay.is_whole,
    }
}

fn step_of(step: &Step, difference: Value) -> Value {
    let mv = step
        .mv
        .as_deref()
        .map(|mv| words::cut(&plain(mv), MOVE_CHARS_MAX));
    let mut parts = vec![
        json!(step.seat.index()),
        json!(step.cpu_us),
        json!(mv),
        difference,
    ];
    parts.extend(step.bank_us.map(|us| json!(us)));
    Value::Array(parts)
}

/// Writes a move without the marks that only JSON needs.
fn plain(mv: &str) -> String {
    mv.chars().filter(|c| !"\"{}".contains(*c)).collect()
}

/// Writes differences, and keeps what they refer to.
#[derive(Default)]
struct Writer {
    kinds: Vec<(usize, Option<char>, i8, i8)>,
    forms: Vec<String>,
}

/// What stands on each cell that is not empty, by its number.
type Layer = BTreeMap<usize, String>;

impl Writer {
    /// Writes what differs between two positions, as an object with `f` (floor), `d` (discs),
    /// `e` (walls on edges), `n` (notes) and `v` (what seats see), each where it differs.
    fn difference(&mut self, before: Option<&Frame>, after: &Frame) -> Value {
        let mut parts = serde_json::Map::new();
        let mut put = |key: &str, text: String| {
            if !text.is_empty() {
                parts.insert(key.to_owned(), Value::String(text));
            }
        };
        let old = |layer: fn(&Frame) -> Layer| before.map(layer).unwrap_or_default();
        put("f", changes(&old(floor), &floor(after)));
        put("e", changes(&old(walls), &walls(after)));
        let discs_before = before.map(|frame| self.discs(frame)).unwrap_or_default();
        put("d", changes(&discs_before, &self.discs(after)));
        let notes = self.notes(before, after);
        if !notes.is_empty() {
            parts.insert("n".to_owned(), json!(notes));
        }
        let visible = seen(before, after);
        if !visible.is_empty() {
            parts.insert("v".to_owned(), json!(visible));
        }
        if parts.is_empty() {
            json!(0)
        } else {
            Value::Object(parts)
        }
    }

    fn discs(&mut self, frame: &Frame) -> Layer {
        let mut layer = Layer::new();
        for disc in &frame.discs {
            let letter = self.kind(disc);
            layer
                .entry(disc.y * frame.width + disc.x)
                .or_default()
                .push(letter);
        }
        layer
    }

    /// Gives the letter of a piece's kind: `A` for the first one that was seen.
    fn kind(&mut self, disc: &Disc) -> char {
        let (columns, rows) = disc.facing.unwrap_or_default();
        let kind = (disc.seat, disc.letter, columns, rows);
        let known = self.kinds.iter().position(|known| *known == kind);
        let index = known.unwrap_or_else(|| {
            self.kinds.push(kind);
            self.kinds.len() - 1
        });
        let index = u32::try_from(index).expect("a few kinds");
        let first = if index < KINDS_PLAIN { 'A' } else { KINDS_MORE };
        char::from_u32(u32::from(first) + index).expect("a few kinds")
    }

    /// Gives the notes that differ, each as `[line, form, number, …]`.
    fn notes(&mut self, before: Option<&Frame>, after: &Frame) -> Vec<Vec<u64>> {
        let mut different = Vec::new();
        for (line, note) in after.notes.iter().enumerate() {
            if before.and_then(|frame| frame.notes.get(line)) == Some(note) {
                continue;
            }
            let (form, numbers) = apart(note);
            let known = self.forms.iter().position(|known| *known == form);
            let form = known.unwrap_or_else(|| {
                self.forms.push(form);
                self.forms.len() - 1
            });
            different.push(
                [line as u64, form as u64]
                    .into_iter()
                    .chain(numbers)
                    .collect(),
            );
        }
        different
    }
}

/// Takes the numbers out of a note: `cat #, catcher #` and `5, 4`.
fn apart(note: &str) -> (String, Vec<u64>) {
    let mut form = String::new();
    let mut numbers = Vec::new();
    let mut rest = note;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let digits = rest[at..].find(|c: char| !c.is_ascii_digit());
        let end = digits.map_or(rest.len(), |length| at + length);
        form.push_str(&rest[..at]);
        match rest[at..end].parse() {
            // Leading zeros would be lost.
            Ok(number) if format!("{number}").len() == end - at => {
                form.push('#');
                numbers.push(number);
            }
            _ => form.push_str(&rest[at..end]),
        }
        rest = &rest[end..];
    }
    form.push_str(rest);
    (form, numbers)
}

fn floor(frame: &Frame) -> Layer {
    let cells = frame.cells.chars().enumerate();
    let taken = cells.filter(|(_, cell)| *cell != '.');
    taken
        .map(|(index, cell)| (index, cell.to_string()))
        .collect()
}

fn walls(frame: &Frame) -> Layer {
    let mut layer = Layer::new();
    for wall in &frame.walls {
        let cell = layer.entry(wall.y * frame.width + wall.x).or_default();
        cell.push(if wall.horizontal { 'h' } else { 'v' });
    }
    layer
}

/// Writes what stands on the cells that differ, as `00aAB,01c,`: the cell's number, and what
/// stands there now.
fn changes(before: &Layer, after: &Layer) -> String {
    let gone = before.keys().filter(|cell| !after.contains_key(*cell));
    let gone = gone.map(|&cell| (cell, ""));
    let now = after
        .iter()
        .filter(|(cell, what)| before.get(*cell) != Some(*what));
    let now = now.map(|(&cell, what)| (cell, what.as_str()));
    gone.chain(now)
        .map(|(cell, what)| format!("{}{what},", digits(cell)))
        .collect()
}

fn digits(cell: usize) -> String {
    let places = (0..CELL_DIGITS_COUNT).rev();
    let digit = |place| CELL_DIGITS[cell / 36_usize.pow(place) % 36];
    places.map(|place| char::from(digit(place))).collect()
}

/// Gives what seats see where it differs, as `[seat, bits]`.
fn seen(before: Option<&Frame>, after: &Frame) -> Vec<(usize, String)> {
    let seats = after.visible.iter().enumerate();
    let old = |seat: usize| before.and_then(|frame| frame.visible.get(seat));
    let different = seats.filter(|(seat, visible)| old(*seat) != Some(*visible));
    different
        .map(|(seat, visible)| (seat, bits(visible)))
        .collect()
}

fn bits(visible: &str) -> String {
    let sixes = visible.as_bytes().chunks(6).map(|six| {
        let bits = six.iter().enumerate();
        let value: usize = bits
            .map(|(at, bit)| usize::from(*bit == b'1') << (5 - at))
            .sum();
        char::from(SIX_BITS[value])
    });
    sixes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_taken_out_of_notes_and_nothing_is_lost() {
        assert_eq!(
            apart("cat 5, catcher 14"),
            ("cat #, catcher #".to_owned(), vec![5, 14])
        );
        assert_eq!(apart("07 is kept"), ("07 is kept".to_owned(), vec![]));
        assert_eq!(apart("none"), ("none".to_owned(), vec![]));
    }

    #[test]
    fn only_cells_that_differ_are_written() {
        let before = Layer::from([(0, "A".to_owned()), (37, "B".to_owned())]);
        let after = Layer::from([(37, "B".to_owned()), (38, "AC".to_owned())]);
        assert_eq!(changes(&before, &after), "000,012AC,");
        assert_eq!(changes(&after, &after), "");
    }

    #[test]
    fn what_a_seat_sees_is_six_cells_a_letter() {
        assert_eq!(bits("0000001"), "Ag");
        assert_eq!(bits("111111"), "/");
    }
}
