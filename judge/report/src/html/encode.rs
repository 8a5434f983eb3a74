//! Encodes games for a page as differences between pictures; `page/board.js` reads this format.

use super::bot_stderr::{BotStderr, BotWords, TextLimits, bot_words};
use super::phrases;
use crate::replay::{Replay, replay};
use crate::words::joined;
use engines::{Disc, Frame, GameResult, Grid, Labels};
use model::fault::quote;
use model::fixture::Conditions;
use model::record::MatchRecord;
use rulebook::Result;
use rulebook::rules::Rules;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::iter;
use std::sync::Arc;

const MOVE_CHARS_MAX: usize = 120;
const CELL_DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
/// Number of piece kinds with a letter from `A` on; the others are counted from `KINDS_MORE`.
const KINDS_PLAIN: u32 = 26;
const KINDS_MORE: char = '\u{100}';
/// Maximum number of kinds of marks on a page: the other marks are left out.
const MARK_KINDS_MAX: usize = 1_000;
/// The digits for the cells that a seat sees, six cells each.
const SIX_BITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(super) struct Writer<'a> {
    conditions: &'a Conditions,
    rules: Arc<dyn Rules>,
    room: TextLimits,
    /// The kinds of piece as (seat, letter, columns, rows); their letters are `A`, `B`, ….
    kinds: Vec<(usize, Option<char>, i8, i8)>,
    /// The kinds of mark as (seat, meaning); their letters are as those of pieces.
    marks: Vec<(Option<usize>, String)>,
    /// Forms of notes, with `#` for every number, and a backslash before any other `#`.
    forms: Vec<String>,
    /// The labels above the columns and next to the rows, by the board's size, such as `8x8`.
    labels: BTreeMap<String, [Vec<String>; 2]>,
}

/// The content of each cell that is not empty, by the cell's number.
type Layer = BTreeMap<usize, String>;

impl<'a> Writer<'a> {
    pub(super) fn new(conditions: &'a Conditions, room: TextLimits) -> Result<Self> {
        Ok(Self {
            rules: rulebook::rules::of(conditions)?,
            conditions,
            room,
            kinds: Vec::new(),
            marks: Vec::new(),
            forms: Vec::new(),
            labels: BTreeMap::new(),
        })
    }

    pub(super) fn put(self, data: &mut Value, games: Vec<Value>) {
        data["games"] = Value::Array(games);
        data["kinds"] = json!(self.kinds);
        data["marks"] = json!(self.marks);
        data["forms"] = json!(self.forms);
        data["labels"] = json!(self.labels);
    }

    /// Encodes a game; `names` are the indices of its entrants' names, `wrote` is what its bots wrote.
    ///
    /// - `n`: the number in `games.csv`, or the beginning of the fixture's id where it has none.
    /// - `e`: the entrant in each seat, as an index into the names. `won`: the winners, by seat.
    /// - `why`: why the page has it, if that is of interest.
    /// - `k`: the number of digits of a cell's number.
    /// - `steps`: the first position as the difference to an empty board, then one text a step:
    ///   `CPU µs|move|bank ms|discs|notes|floor|edges|seen|seat|counts|marks`, without empty fields at
    ///   the end. An empty bank means the seat's previous one, an empty seat the next one in turn, and
    ///   empty counts the previous ones.
    /// - `faults`: `[step, seat, cause and detail, offending line or null]`; steps count from 1.
    /// - `wrote`: `[step, seat, text]`, the bots' standard error.
    /// - `said`: `[step, seat, note, marks, what was cut]`, the bots' notes; a mark is
    ///   `[column, row, percent or null, label]`.
    /// - `torn`: whether the record breaks off, because the rules do not lead to its end.
    pub(super) fn game(
        &mut self,
        number: &str,
        names: &[usize],
        why: &'static str,
        record: &MatchRecord,
        wrote: &[BotStderr],
    ) -> Result<Value> {
        let replay = replay(&*self.rules, self.conditions, record)?;
        let BotWords { wrote, notes } = bot_words(record, &replay, wrote, self.room);
        let first = &replay.first;
        self.label(record, first);
        let cells = first.width * first.height;
        let k = if cells <= 36 * 36 { 2 } else { 3 };
        let mut steps = Vec::with_capacity(replay.steps.len() + 1);
        let (mut before, mut counts_before) = (None, None);
        let mut marks_before = Layer::new();
        let mut banks = vec![None; names.len()];
        let mut next_seat = 0;
        let all = replay
            .steps
            .iter()
            .map(|step| (&step.frame, &step.counts, Some(step)));
        for (frame, own_counts, step) in iter::once((first, &replay.first_counts, None)).chain(all)
        {
            let mut fields = Vec::new();
            // Before the first turn, the seat's field is empty.
            let mut turn = None;
            if let Some(step) = step {
                let seat = step.seat.index();
                let bank_ms = step.bank_us.map(|us| us / 1000);
                let bank = bank_ms.filter(|_| banks[seat] != bank_ms);
                banks[seat] = bank_ms;
                fields.extend([
                    step.cpu_us.to_string(),
                    spelled(&step.spelled),
                    bank.map_or_else(String::new, |ms| ms.to_string()),
                ]);
                turn = Some(seat).filter(|_| seat != next_seat);
                next_seat = (seat + 1) % names.len();
            }
            fields.extend(self.difference(k, before, frame));
            let new_counts = Some(own_counts).filter(|own| counts_before != Some(*own));
            let marks = self.marks(frame);
            fields.extend([
                turn.map_or_else(String::new, |seat| seat.to_string()),
                new_counts.map_or_else(String::new, |own| counts(own)),
                changes(k, &marks_before, &marks),
            ]);
            steps.push(join(fields, "|"));
            (before, counts_before, marks_before) = (Some(frame), Some(own_counts), marks);
        }
        let said = notes
            .into_iter()
            .map(|(step, seat, note)| (step, seat, note.text, note.marks, note.cut));
        let outcome = &record.outcome;
        let seats = outcome.seats.iter();
        let won: Vec<u8> = seats
            .map(|seat| u8::from(seat.result == GameResult::Won))
            .collect();
        let mut game = json!({
            "n": number,
            "state": record.state,
            "e": names,
            "won": won,
            "end": quote(&*outcome.reason),
            "w": first.width,
            "h": first.height,
            "k": k,
            "steps": steps,
        });
        for (name, value) in [
            ("why", json!(why)),
            ("hex", json!(first.grid == Grid::Hex)),
            ("faults", json!(faults(record, &replay))),
            ("wrote", json!(wrote)),
            ("said", json!(said.collect::<Vec<_>>())),
            ("torn", json!(!replay.is_whole)),
        ] {
            if value != json!(false) && value != json!([]) && value != json!("") {
                game[name] = value;
            }
        }
        Ok(game)
    }

    fn label(&mut self, record: &MatchRecord, board: &Frame) {
        let (width, height) = (board.width, board.height);
        let Ok(game) = rulebook::rules::find(&record.game) else {
            return;
        };
        let names = |labels: Labels, count| (0..count).map(move |index| labels.of(index, count));
        self.labels
            .entry(format!("{width}x{height}"))
            .or_insert_with(|| {
                let columns = names(game.notation().columns, width).collect();
                [columns, names(game.notation().rows, height).collect()]
            });
    }

    /// Encodes the difference between two positions: discs, notes, floor, edges, visible cells.
    fn difference(&mut self, k: usize, before: Option<&Frame>, after: &Frame) -> [String; 5] {
        let discs_before = before.map(|frame| self.discs(frame)).unwrap_or_default();
        let (old_cells, cells) = (before.map_or("", |frame| &frame.cells), &after.cells);
        [
            changes(k, &discs_before, &self.discs(after)),
            self.notes(before, after),
            changes(k, &floor(old_cells, cells), &floor(cells, old_cells)),
            changes(k, &before.map(walls).unwrap_or_default(), &walls(after)),
            seen(before, after),
        ]
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

    fn kind(&mut self, disc: &Disc) -> char {
        let (columns, rows) = disc.facing.unwrap_or_default();
        let kind = (disc.seat, disc.letter, columns, rows);
        letter(index_of(&mut self.kinds, kind))
    }

    fn marks(&mut self, frame: &Frame) -> Layer {
        let mut layer = Layer::new();
        for mark in &frame.marks {
            let kind = (mark.seat, quote(&mark.meaning));
            if self.marks.len() == MARK_KINDS_MAX && !self.marks.contains(&kind) {
                continue;
            }
            let letter = letter(index_of(&mut self.marks, kind));
            for (x, y) in &mark.cells {
                let cell = layer.entry(y * frame.width + x).or_default();
                if !cell.contains(letter) {
                    cell.push(letter);
                }
            }
        }
        layer
    }

    /// Encodes the notes, with a comma between two lines. An unchanged line is empty. A line that
    /// differs only in its numbers is these numbers, with dots between them. Any other line has
    /// `FORM:` before its numbers.
    fn notes(&mut self, before: Option<&Frame>, after: &Frame) -> String {
        let before = before.map_or(&[][..], |frame| &frame.notes);
        let count = before.len().max(after.notes.len());
        let lines = (0..count).map(|line| {
            let old = before.get(line).map(String::as_str);
            // A line that is gone is empty from then on.
            let note = after.notes.get(line).map_or("", String::as_str);
            if old == Some(note) {
                return String::new();
            }
            let (form, numbers) = apart(note);
            let numbers = joined(numbers, ".");
            if old.is_some_and(|old| apart(old).0 == form) {
                return numbers;
            }
            format!("{}:{numbers}", index_of(&mut self.forms, form))
        });
        join(lines.collect(), ",")
    }
}

fn index_of<T: PartialEq>(list: &mut Vec<T>, value: T) -> usize {
    list.iter()
        .position(|known| *known == value)
        .unwrap_or_else(|| {
            list.push(value);
            list.len() - 1
        })
}

fn letter(index: usize) -> char {
    let index = u32::try_from(index).expect("a few kinds");
    let first = if index < KINDS_PLAIN { 'A' } else { KINDS_MORE };
    char::from_u32(u32::from(first) + index).expect("a few kinds")
}

fn faults(record: &MatchRecord, replay: &Replay) -> Vec<(usize, usize, String, Option<String>)> {
    replay
        .steps
        .iter()
        .zip(1..)
        .filter_map(|(step, number)| {
            let fault = &record.faults[step.fault?];
            let line = fault.line.as_deref().map(quote);
            Some((number, fault.seat.index(), phrases::fault(fault), line))
        })
        .collect()
}

fn join(mut fields: Vec<String>, between: &str) -> String {
    while fields.pop_if(|last| last.is_empty()).is_some() {}
    fields.join(between)
}

/// Formats counts with dots between them, and `-` for a missing one.
fn counts(counts: &[Option<u32>]) -> String {
    let texts = counts
        .iter()
        .map(|count| count.map_or("-".to_owned(), |count| count.to_string()));
    joined(texts, ".")
}

fn spelled(mv: &str) -> String {
    phrases::cut(&mv.replace('|', "¦"), MOVE_CHARS_MAX)
}

/// Separates the numbers from a note: `cat #, catcher #` and `5, 4`.
fn apart(note: &str) -> (String, Vec<u64>) {
    let mut form = String::new();
    let mut numbers = Vec::new();
    let note = note.replace('\\', "\\\\").replace('#', "\\#");
    let mut rest = note.as_str();
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let end = rest[at..]
            .find(|c: char| !c.is_ascii_digit())
            .map_or(rest.len(), |length| at + length);
        form.push_str(&rest[..at]);
        match rest[at..end].parse() {
            // A number with leading zeros would lose them.
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

/// Returns the floor where it differs from another floor, which may be empty: most of a large board
/// stays unchanged. A goal of one seat has the seat's letter.
fn floor(cells: &str, other: &str) -> Layer {
    let others = other.chars().chain(iter::repeat('.'));
    cells
        .chars()
        .zip(others)
        .enumerate()
        .filter(|(_, (cell, other))| cell != other && *cell != '.')
        .map(|(index, (cell, _))| {
            let seat = cell.to_digit(10).map(|seat| letter(seat as usize));
            (index, seat.unwrap_or(cell).to_string())
        })
        .collect()
}

fn walls(frame: &Frame) -> Layer {
    let mut layer = Layer::new();
    for wall in &frame.walls {
        layer
            .entry(wall.y * frame.width + wall.x)
            .or_default()
            .push(if wall.horizontal { 'H' } else { 'V' });
    }
    layer
}

/// Encodes the cells that differ, such as `AB0a0bC0c`: the new content (`.` for nothing), then the
/// numbers of its cells, of `k` digits each.
fn changes(k: usize, before: &Layer, after: &Layer) -> String {
    let gone = before.keys().filter(|cell| !after.contains_key(*cell));
    let new = after
        .iter()
        .filter(|(cell, what)| before.get(*cell) != Some(*what));
    let mut by_content: BTreeMap<&str, String> = BTreeMap::new();
    for (cell, what) in
        (gone.map(|cell| (cell, "."))).chain(new.map(|(cell, what)| (cell, &**what)))
    {
        *by_content.entry(what).or_default() += &digits(*cell, k);
    }
    by_content
        .into_iter()
        .flat_map(|(what, cells)| [what.to_owned(), cells])
        .collect()
}

fn digits(cell: usize, k: usize) -> String {
    let places = (0..u32::try_from(k).expect("2 or 3")).rev();
    let digit = |place| CELL_DIGITS[cell / 36_usize.pow(place) % 36];
    places.map(|place| char::from(digit(place))).collect()
}

/// Encodes the visible cells of the seats, with a comma between two; an unchanged seat is empty.
fn seen(before: Option<&Frame>, after: &Frame) -> String {
    let seats = after.visible.iter().enumerate().map(|(seat, visible)| {
        match before.and_then(|frame| frame.visible.get(seat)) {
            Some(old) if old == visible => String::new(),
            _ => six_bits(visible),
        }
    });
    join(seats.collect(), ",")
}

/// Encodes zeros and ones, six to a letter.
pub(super) fn six_bits(bits: &str) -> String {
    bits.as_bytes()
        .chunks(6)
        .map(|six| {
            let value: usize = six
                .iter()
                .enumerate()
                .map(|(at, bit)| usize::from(*bit == b'1') << (5 - at))
                .sum();
            char::from(SIX_BITS[value])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_extracted_from_notes_without_loss() {
        let found = apart("cat 5, catcher 14");
        assert_eq!(found, ("cat #, catcher #".to_owned(), vec![5, 14]));
        assert_eq!(apart("07 is kept"), ("07 is kept".to_owned(), vec![]));
        assert_eq!(apart("none"), ("none".to_owned(), vec![]));
        assert_eq!(apart("#7"), ("\\##".to_owned(), vec![7]));
    }

    #[test]
    fn only_cells_that_differ_are_written() {
        let before = Layer::from([(0, "A".to_owned()), (37, "B".to_owned())]);
        let after = Layer::from([(37, "B".to_owned()), (38, "AC".to_owned())]);
        assert_eq!(changes(2, &before, &after), ".00AC12");
        assert_eq!(changes(2, &after, &after), "");
    }

    #[test]
    fn visible_cells_are_encoded_six_per_letter() {
        assert_eq!(six_bits("0000001"), "Ag");
        assert_eq!(six_bits("111111"), "/");
    }
}
