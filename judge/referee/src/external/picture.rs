//! Pictures that a program draws, checked before ours draws them.

use super::about::escaped;
use engines::quote::shown;
use engines::{EdgeWall, Frame, Grid};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Of columns, of rows, and of lines next to a board.
const SIDE_MAX: usize = 200;
const NOTES_MAX: usize = 40;

const NOTE_CHARS_MAX: usize = 200;

/// Of groups of marked cells, and of characters of their meaning.
const MARKS_MAX: usize = 16;
const MEANING_CHARS_MAX: usize = 60;

/// Begins a note that says why there is no picture.
const REFUSED: &str = "no picture: ";

pub(crate) fn none() -> Frame {
    Frame::of_floor(Grid::Square, 0, 0, String::new())
}

/// Returns a picture, or none with the reason next to it: a wrong picture changes no game.
pub(crate) fn of(frame: Frame, seats: usize) -> Frame {
    checked(frame, seats).unwrap_or_else(|reason| Frame {
        notes: vec![format!("{REFUSED}{reason}")],
        ..none()
    })
}

pub(crate) fn refusal(frame: &Frame, seats: usize) -> Option<String> {
    let note = frame.notes.first().filter(|_| frame.cells.is_empty());
    note.and_then(|note| note.strip_prefix(REFUSED))
        .map(str::to_owned)
        .or_else(|| checked(frame.clone(), seats).err())
}

/// Returns the views of seats as facts next to an empty board, for a game that draws none. A fact
/// that all of them see is there once.
pub(crate) fn of_views(views: &[(&str, String)]) -> Frame {
    let all: Vec<_> = views.iter().map(|(_, view)| facts(view)).collect();
    let mut notes = Vec::new();
    let keys: BTreeSet<&String> = all.iter().flat_map(BTreeMap::keys).collect();
    for key in keys {
        let values: Vec<Option<&Value>> = all.iter().map(|own| own.get(key)).collect();
        if values.iter().all(|value| *value == values[0]) {
            notes.extend(lines(key, values[0]));
            continue;
        }
        for ((role, _), value) in views.iter().zip(values) {
            // A seat need not be named to itself.
            if value.and_then(Value::as_str) != Some(role) {
                notes.extend(lines(format!("{role} {key}").trim(), value));
            }
        }
    }
    notes.truncate(NOTES_MAX);
    Frame { notes, ..none() }
}

fn facts(view: &str) -> BTreeMap<String, Value> {
    match serde_json::from_str(view) {
        Ok(Value::Object(fields)) => fields.into_iter().collect(),
        Ok(other) => [(String::new(), other)].into(),
        Err(_) => BTreeMap::new(),
    }
}

/// Writes a fact as a line, or a board as its rows.
fn lines(key: &str, value: Option<&Value>) -> Vec<String> {
    let plain = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let is_row = |row: &Value| row.as_str().is_some_and(|row| row.chars().count() > 1);
    let lines = match value {
        Some(Value::Array(rows)) if rows.len() > 1 && rows.iter().all(is_row) => {
            let rows = rows.iter().map(plain);
            [format!("{key}:")].into_iter().chain(rows).collect()
        }
        Some(value) => vec![format!("{key}: {}", plain(value))],
        None => Vec::new(),
    };
    let clean = |line: String| {
        let shown = line.chars().filter(|c| !c.is_control());
        escaped(&shown.take(NOTE_CHARS_MAX).collect::<String>())
    };
    lines.into_iter().map(clean).collect()
}

fn is_unseen(c: char) -> bool {
    shown(c) != [c]
}

fn checked(mut frame: Frame, seats: usize) -> Result<Frame, String> {
    let (width, height) = (frame.width, frame.height);
    if width > SIDE_MAX || height > SIDE_MAX {
        return Err(format!("its frame is larger than {SIDE_MAX} by {SIDE_MAX}"));
    }
    let is_board = |text: &str| text.chars().count() == width * height;
    if !is_board(&frame.cells) || frame.cells.chars().any(is_unseen) {
        return Err(format!(
            "cells of its frame are not {width} by {height} characters"
        ));
    }
    let mut visible = frame.visible.iter();
    if visible.len() != 0 && visible.len() != seats {
        return Err("visible in its frame has not one text for each seat".to_owned());
    }
    if !visible.all(|text| is_board(text) && text.chars().all(|c| matches!(c, '0' | '1'))) {
        return Err("visible in its frame is not one 0 or 1 for each cell".to_owned());
    }
    let is_outside = |x: usize, y: usize| x >= width || y >= height;
    if let Some(disc) = frame.discs.iter().find(|disc| is_outside(disc.x, disc.y)) {
        return Err(format!(
            "its frame has a disc outside of the board, at {},{}",
            disc.x, disc.y
        ));
    }
    if frame.discs.iter().any(|disc| disc.seat >= seats) {
        return Err("its frame has a disc of a seat that does not exist".to_owned());
    }
    if frame
        .discs
        .iter()
        .any(|disc| disc.letter.is_some_and(is_unseen))
    {
        return Err("its frame has a disc whose letter cannot be seen".to_owned());
    }
    let is_edge = |wall: &EdgeWall| is_outside(wall.x.saturating_add(1), wall.y.saturating_add(1));
    if frame.walls.iter().any(is_edge) {
        return Err("its frame has a wall outside of the board".to_owned());
    }
    let is_long =
        |note: &String| note.chars().any(char::is_control) || note.chars().count() > NOTE_CHARS_MAX;
    if frame.notes.len() > NOTES_MAX || frame.notes.iter().any(is_long) {
        return Err(format!(
            "notes of its frame are not at most {NOTES_MAX} lines of {NOTE_CHARS_MAX} characters"
        ));
    }
    if frame.marks.len() > MARKS_MAX {
        return Err(format!("its frame has more than {MARKS_MAX} marks"));
    }
    for mark in &frame.marks {
        let meaning = &mark.meaning;
        if !(1..=MEANING_CHARS_MAX).contains(&meaning.chars().count())
            || meaning.chars().any(char::is_control)
        {
            return Err(format!(
                "the meaning of a mark of its frame is not 1 to {MEANING_CHARS_MAX} characters"
            ));
        }
        if mark.seat.is_some_and(|seat| seat >= seats) {
            return Err("its frame has a mark of a seat that does not exist".to_owned());
        }
        if let Some((x, y)) = mark.cells.iter().find(|(x, y)| is_outside(*x, *y)) {
            return Err(format!(
                "its frame has a mark outside of the board, at {x},{y}"
            ));
        }
        if mark.cells.len() > width * height {
            return Err("its frame has a mark with more cells than the board".to_owned());
        }
    }
    let meanings = frame.marks.iter_mut().map(|mark| &mut mark.meaning);
    for text in frame.notes.iter_mut().chain(meanings) {
        *text = escaped(text);
    }
    Ok(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn game_without_pictures_shows_views_of_seats() {
        let view = |role, card| {
            let view =
                format!(r#"{{"you":"{role}","card":"{card}","pot":[1,2],"board":["..","x#"]}}"#);
            (role, view)
        };
        let frame = of_views(&[view("north", "K"), view("south", "Q")]);
        let notes = [
            "board:",
            "..",
            "x#",
            "north card: K",
            "south card: Q",
            "pot: [1,2]",
        ];
        assert_eq!(frame.notes, notes);
        assert_eq!(of_views(&[("north", "7".to_owned())]).notes, [": 7"]);
        let odd = of_views(&[("north", "\"\u{202e}7\"".to_owned())]);
        assert_eq!(odd.notes, [": \\u{202e}7"]);
    }

    #[test]
    fn a_picture_stays_within_its_board() {
        let board = r#"{"grid":"square","width":2,"height":2,"cells":"....","discs":[]"#;
        let read = |more: &str| {
            let frame = serde_json::from_str(&format!("{board}{more}}}")).expect("a frame");
            checked(frame, 2)
        };
        let right =
            r#","walls":[{"x":0,"y":0,"horizontal":true}],"notes":["1"],"visible":["1111","0000"]"#;
        assert!(read("").is_ok() && read(right).is_ok());
        let odd = read(",\"notes\":[\"\u{202e}1\"]").expect("a note");
        assert_eq!(odd.notes, ["\\u{202e}1"]);
        let mark = r#","marks":[{"meaning":"m","cells":[[1,1]]}]"#;
        assert!(read(mark).is_ok());
        // Each row replaces a part of the frame; the reason follows.
        for row in include_str!("wrong_frames.jsonl").lines() {
            let (from, to, words): (String, String, String) =
                serde_json::from_str(row).expect("a row");
            let wrong = format!("{board}}}").replace(&from, &to);
            let error = checked(serde_json::from_str(&wrong).expect("a frame"), 2);
            let error = error.expect_err(&words);
            assert!(error.contains(&words), "{error}");
        }
    }
}
