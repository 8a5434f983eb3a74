//! Pictures that a program draws, checked before anything of ours draws them.

use engines::{Frame, Grid};

/// Maximum number of columns, of rows, and of lines beside a board.
const SIDE_MAX: usize = 200;
const NOTES_MAX: usize = 40;

/// Maximum length of a line beside the board, in characters.
const NOTE_CHARS_MAX: usize = 200;

/// The picture of a game that draws none.
pub(crate) fn none() -> Frame {
    Frame {
        grid: Grid::Square,
        width: 0,
        height: 0,
        cells: String::new(),
        walls: Vec::new(),
        discs: Vec::new(),
        visible: Vec::new(),
        notes: Vec::new(),
    }
}

/// Returns a picture, or none with the reason beside it: a wrong picture changes no game.
pub(crate) fn of(frame: Option<Frame>, seats: usize) -> Frame {
    let drawn = frame.map_or_else(|| Ok(none()), |frame| checked(frame, seats));
    drawn.unwrap_or_else(|reason| Frame {
        notes: vec![reason],
        ..none()
    })
}

/// Checks a picture of a game with this number of seats.
///
/// # Errors
/// When a part is outside the board, too large, or no text; in words.
fn checked(frame: Frame, seats: usize) -> Result<Frame, String> {
    let (width, height) = (frame.width, frame.height);
    if width > SIDE_MAX || height > SIDE_MAX {
        return Err(format!("its frame is larger than {SIDE_MAX} by {SIDE_MAX}"));
    }
    let is_board = |text: &str| text.chars().count() == width * height;
    if !is_board(&frame.cells) || frame.cells.chars().any(char::is_control) {
        return Err(format!(
            "cells of its frame are not {width} by {height} characters"
        ));
    }
    if !frame.visible.is_empty() && frame.visible.len() != seats {
        return Err("visible in its frame has not one text for each seat".to_owned());
    }
    let is_bit = |c: char| c == '0' || c == '1';
    if frame
        .visible
        .iter()
        .any(|text| !is_board(text) || !text.chars().all(is_bit))
    {
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
        .filter_map(|disc| disc.letter)
        .any(char::is_control)
    {
        return Err("its frame has a disc whose letter is a control character".to_owned());
    }
    let is_edge =
        |wall: &engines::EdgeWall| is_outside(wall.x.saturating_add(1), wall.y.saturating_add(1));
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
    Ok(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        for (more, words) in [
            (
                r#","walls":[{"x":1,"y":0,"horizontal":true}]"#,
                "a wall outside",
            ),
            (
                r#","walls":[{"x":18446744073709551615,"y":0,"horizontal":true}]"#,
                "a wall outside",
            ),
            (r#","notes":["a\u0007"]"#, "notes of its frame"),
            (r#","visible":["1111"]"#, "not one text for each seat"),
            (r#","visible":["1111","01"]"#, "not one 0 or 1"),
        ] {
            let error = read(more).expect_err(more);
            assert!(error.contains(words), "{error}");
        }
        for (from, to, words) in [
            (
                "\"discs\":[]",
                "\"discs\":[{\"x\":2,\"y\":0,\"seat\":0}]",
                "outside of the board",
            ),
            (
                "\"discs\":[]",
                "\"discs\":[{\"x\":1,\"y\":0,\"seat\":2}]",
                "a seat that does not exist",
            ),
            ("\"....\"", "\"...\"", "cells of its frame"),
            ("\"width\":2", "\"width\":999", "larger than"),
        ] {
            let frame =
                serde_json::from_str(&format!("{board}}}").replace(from, to)).expect("a frame");
            let error = checked(frame, 2).expect_err(words);
            assert!(error.contains(words), "{error}");
        }
    }
}
