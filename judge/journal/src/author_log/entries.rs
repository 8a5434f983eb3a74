//! Reads the output files of bots, one game at a time.

use super::{FOLDER_NAME, GAME_HEAD, TURN_HEAD, path_of};
use error::JudgeError;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The span of each game's entry in a file, by heading.
type Places = HashMap<String, Span>;

/// A part of a file, in bytes.
#[derive(Clone, Copy, Debug)]
struct Span {
    begin: u64,
    length: u64,
}

/// The output of bots in a run. Each file is scanned once, at its first use.
#[derive(Debug)]
pub struct AuthorLogs {
    folder: PathBuf,
    known: RefCell<HashMap<String, Rc<Places>>>,
}

impl AuthorLogs {
    /// Makes a reader of the files below a run's folder; there need not be any.
    pub fn of_run(run: &Path) -> Self {
        Self {
            folder: run.join("logs").join(FOLDER_NAME),
            known: RefCell::default(),
        }
    }

    /// Returns an entrant's output in a game, turn by turn. Each item has the number of the turn
    /// over all seats, from 1, or 0 for output before the first turn, and the text.
    ///
    /// # Errors
    /// When the file exists and cannot be read.
    pub fn of(&self, entrant: &str, fixture: &str) -> Result<Vec<(u32, String)>, JudgeError> {
        let path = path_of(&self.folder, entrant);
        let failed = |e| JudgeError::io("read", &path, e);
        let known = self.known.borrow().get(entrant).map(Rc::clone);
        let places = if let Some(places) = known {
            places
        } else {
            let places = Rc::new(places(&path).map_err(failed)?);
            let mut known = self.known.borrow_mut();
            known.insert(entrant.to_owned(), Rc::clone(&places));
            places
        };
        let Some(span) = places.get(fixture) else {
            return Ok(Vec::new());
        };
        let mut file = File::open(&path).map_err(failed)?;
        file.seek(SeekFrom::Start(span.begin)).map_err(failed)?;
        let mut bytes = Vec::new();
        file.take(span.length)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        Ok(turns(&String::from_utf8_lossy(&bytes)))
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
fn turns(text: &str) -> Vec<(u32, String)> {
    let mut turns: Vec<(u32, String)> = Vec::new();
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
        match turns.last_mut().filter(|(last, _)| *last == turn) {
            Some((_, text)) => {
                text.push('\n');
                text.push_str(line);
            }
            None => turns.push((turn, line.to_owned())),
        }
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::super::entry;
    use super::*;
    use std::fs;
    use words::stderr::{Stderr, TurnMark};

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
        assert_eq!(logs.of("ann", "a").expect("readable"), owned(&expected));
        assert_eq!(
            logs.of("ann", "b").expect("readable"),
            owned(&[(2, "again")])
        );
        assert_eq!(logs.of("ann", "c").expect("readable"), owned(&[]));
        assert_eq!(logs.of("bob", "a").expect("none"), owned(&[]));
    }
}
