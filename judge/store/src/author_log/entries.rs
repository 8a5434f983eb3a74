//! Reads the output files of bots, one game at a time.

use super::{CUT_HEAD, FOLDER_NAME, GAME_HEAD, MARKS_HEAD, NOTE_HEAD, TURN_HEAD, path_of};
use model::note::Note;
use rulebook::JudgeError;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The span of each game's entry in a file, by heading.
type Places = HashMap<String, Span>;

/// A part of a file, in bytes.
#[derive(Clone, Copy, Debug)]
struct Span {
    begin: u64,
    length: u64,
}

/// An entrant's output in a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoggedGame {
    /// Standard error, turn by turn: the number of the turn over all seats, from 1, or 0 before the
    /// first turn, and the text.
    pub stderr: Vec<(u32, String)>,
    /// The bot's notes.
    pub notes: Vec<Note>,
}

/// The output of bots in a run. Each file is scanned once, at its first use.
#[derive(Debug)]
pub struct AuthorLogs {
    folder: PathBuf,
    known: Mutex<HashMap<String, Arc<Places>>>,
}

impl AuthorLogs {
    /// Makes a reader of the files below a run's folder; there need not be any.
    pub fn of_run(run: &Path) -> Self {
        Self {
            folder: run.join("logs").join(FOLDER_NAME),
            known: Mutex::default(),
        }
    }

    /// Returns an entrant's output in a game.
    ///
    /// # Errors
    /// When the file exists and cannot be read.
    pub fn of(&self, entrant: &str, fixture: &str) -> Result<LoggedGame, JudgeError> {
        let path = path_of(&self.folder, entrant);
        let failed = |e| JudgeError::io("read", &path, e);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let places = if let Some(places) = known.get(entrant) {
            Arc::clone(places)
        } else {
            let places = Arc::new(places(&path).map_err(failed)?);
            known.insert(entrant.to_owned(), Arc::clone(&places));
            places
        };
        drop(known);
        let Some(span) = places.get(fixture) else {
            return Ok(LoggedGame::default());
        };
        let mut file = File::open(&path).map_err(failed)?;
        file.seek(SeekFrom::Start(span.begin)).map_err(failed)?;
        let mut bytes = Vec::new();
        file.take(span.length)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        Ok(read_game(&String::from_utf8_lossy(&bytes)))
    }
}

/// Scans a file; a missing file has no entries. A game has one entry for each seat of the entrant,
/// and these entries are adjacent.
fn places(path: &Path) -> std::io::Result<Places> {
    let mut places = Places::new();
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(places),
        file => file?,
    };
    let mut reader = BufReader::new(file);
    let (mut at, mut line) = (0, Vec::new());
    let mut game: Option<String> = None;
    while reader.read_until(b'\n', &mut line)? > 0 {
        let length = line.len() as u64;
        let text = String::from_utf8_lossy(&line);
        if let Some(head) = text.strip_prefix(GAME_HEAD) {
            let fixture = head.trim_end().strip_prefix("game ");
            game = fixture.map(str::to_owned);
            if let Some(fixture) = fixture {
                let begin = at + length;
                let span = places.entry(fixture.to_owned());
                span.or_insert(Span { begin, length: 0 });
            }
        }
        if let Some(span) = game.as_ref().and_then(|game| places.get_mut(game)) {
            span.length = at + length - span.begin;
        }
        at += length;
        line.clear();
    }
    Ok(places)
}

/// Splits the text of a game into turns.
fn read_game(text: &str) -> LoggedGame {
    let mut game = LoggedGame::default();
    let mut turn = 0;
    for line in text.lines() {
        if line.starts_with(GAME_HEAD) {
            // The entry of the same entrant's other seat.
            turn = 0;
            continue;
        }
        let head = line.strip_prefix(TURN_HEAD);
        let number = head.and_then(|head| head.strip_prefix("turn ")?.parse().ok());
        if let Some(number) = number {
            turn = number;
            continue;
        }
        if head.is_some() && read_note(line, turn, &mut game.notes) {
            continue;
        }
        match game.stderr.last_mut().filter(|(last, _)| *last == turn) {
            Some((_, text)) => {
                text.push('\n');
                text.push_str(line);
            }
            None => game.stderr.push((turn, line.to_owned())),
        }
    }
    game
}

/// Adds a line to the note of a turn. Returns whether it is such a line.
fn read_note(line: &str, turn: u32, notes: &mut Vec<Note>) -> bool {
    let part = |head| line.strip_prefix(head).map(str::to_owned);
    let (text, marks, cut) = (part(NOTE_HEAD), part(MARKS_HEAD), part(CUT_HEAD));
    if text.is_none() && marks.is_none() && cut.is_none() {
        return false;
    }
    if notes.last().is_none_or(|last| last.turn != turn) {
        notes.push(Note {
            turn,
            ..Note::default()
        });
    }
    let note = notes.last_mut().expect("pushed above");
    note.text.extend(text);
    note.cut.extend(cut);
    // Marks of a foreign part may be anything.
    let marks = marks.and_then(|marks| serde_json::from_str::<Vec<_>>(&marks).ok());
    note.marks.extend(marks.into_iter().flatten());
    true
}

#[cfg(test)]
mod tests {
    use super::super::entry;
    use super::*;
    use model::note::Mark;
    use model::stderr::{Stderr, TurnMark};
    use std::fs;

    fn owned(turns: &[(u32, &str)]) -> Vec<(u32, String)> {
        let turns = turns.iter();
        turns
            .map(|(turn, text)| (*turn, (*text).to_owned()))
            .collect()
    }

    #[test]
    fn what_was_written_in_a_game_is_read_again_turn_by_turn() {
        let run = tempfile::tempdir().expect("a temporary folder");
        let folder = run.path().join("logs/stderr");
        fs::create_dir_all(&folder).expect("new");
        let first = b"up\n== game b\n-- turn 9\nlast\n";
        let first = Stderr::of(first, &[TurnMark(1, 3), TurnMark(3, 13)]);
        let other = Stderr::of(b"again", &[TurnMark(2, 0)]);
        let text = format!(
            "standard error of version 1\n{}{}{}",
            entry("a", &first),
            entry("a", &other),
            entry("b", &other)
        );
        fs::write(folder.join("ann.txt"), text).expect("new");
        let logs = AuthorLogs::of_run(run.path());
        let expected = [
            (0, "up"),
            (1, " == game b"),
            (3, " -- turn 9\nlast"),
            (2, "again"),
        ];
        let stderr = |name, game| logs.of(name, game).expect("readable").stderr;
        assert_eq!(stderr("ann", "a"), owned(&expected));
        assert_eq!(stderr("ann", "b"), owned(&[(2, "again")]));
        assert_eq!(stderr("ann", "c"), owned(&[]));
        assert_eq!(stderr("bob", "a"), owned(&[]));
    }

    #[test]
    fn notes_are_beside_the_output_of_their_turns_and_cannot_be_forged_by_it() {
        let note = |turn, text: &str| Note {
            turn,
            text: text.to_owned(),
            ..Note::default()
        };
        let marked = Note {
            marks: vec![Mark(1, 2, Some(80), "\"7\" <b>".to_owned())],
            cut: "1 of 2 marks".to_owned(),
            ..note(5, "")
        };
        let mut wrote = Stderr::of(
            b"one\n-- note forged\nlast",
            &[TurnMark(3, 0), TurnMark(9, 19)],
        );
        wrote.notes = vec![note(1, "a"), note(3, "b"), marked.clone(), note(11, "c")];
        let game = read_game(entry("x", &wrote).split_once('\n').expect("lines").1);
        assert_eq!(game.notes, wrote.notes);
        let stderr = owned(&[(3, "one\n -- note forged"), (9, "last")]);
        assert_eq!(game.stderr, stderr);

        // A foreign part may have any characters.
        wrote.notes = vec![Note {
            text: "a\n== game y\u{1b}[2J".to_owned(),
            marks: vec![Mark(0, 0, None, "\u{202e}".to_owned())],
            ..note(1, "")
        }];
        let text = entry("x", &wrote);
        assert!(!text.contains(['\u{1b}', '\u{202e}']) && text.matches("\n== ").count() == 0);
        let game = read_game(text.split_once('\n').expect("lines").1);
        assert_eq!(game.notes, [note(1, "a == game y\\u{1b}[2J")]);
    }
}
