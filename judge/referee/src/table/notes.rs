//! Notes in answers, read on the position before the move.

use super::chair::Chair;
use engines::Notation;
use model::note::{NOTES_BYTES_MAX, Note};
use model::protocol::Said;
use rulebook::rules::{Position, Rules};

/// The number of columns and of rows of a picture.
pub(super) type Size = (usize, usize);

/// The place where a note is read.
pub(super) struct Scene<'a> {
    pub(super) rules: &'a dyn Rules,
    pub(super) game: &'a dyn Position,
    /// The size of the game's picture, once a note has asked for it.
    pub(super) size: &'a mut Option<Size>,
    /// The number of the turn, from 1.
    pub(super) turn: u32,
    /// The number of bytes that the seat has left for notes in this game.
    pub(super) room: usize,
}

impl Scene<'_> {
    /// Reads what a bot has said; none in most answers.
    pub(super) fn read(self, said: Said<'_>) -> Option<Note> {
        if said.is_empty() {
            return None;
        }
        // A game whose picture fails has no cells: a note decides nothing.
        if self.size.is_none() && said.marks.is_some() {
            let frame = self.game.frame().ok();
            *self.size = frame.map(|frame| (frame.width, frame.height));
        }
        let cell = |at: &str| cell(self.rules.notation(), self.game, (*self.size)?, at);
        Note::read(said, self.turn, self.room, &cell)
    }
}

/// Returns the cell that a mark names: by the labels of the board, or as in the game's moves.
fn cell(notation: &Notation, game: &dyn Position, size: Size, at: &str) -> Option<Size> {
    let cell = match serde_json::from_str::<&str>(at) {
        Ok(name) => notation.cell(name, size),
        Err(_) => game.cell(at),
    };
    cell.filter(|&(column, row)| column < size.0 && row < size.1)
}

impl Chair {
    /// Returns the number of bytes that are left for notes in this game.
    pub(super) fn room_for_notes(&self) -> usize {
        NOTES_BYTES_MAX.saturating_sub(self.notes_bytes)
    }

    /// Keeps a note.
    pub(super) fn keep(&mut self, note: Note) {
        self.notes_bytes += note.bytes();
        self.notes.push(note);
    }
}
