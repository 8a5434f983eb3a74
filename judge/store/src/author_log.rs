//! The output of bots on standard error and their notes, kept for their authors, a file for each.

use model::entrants_folder::EntrantsFolder;
use model::note::{Note, one_line};
use model::record::{MatchRecord, SeatRecord};
use model::stderr::Stderr;
use model::stderr::with_own_paths;
use model::text::readable;
use rulebook::{IoContext, JudgeError, Result};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use system::files::{if_there, make_folder};
use system::run_folder;

/// Maximum length that is kept for one version of an entrant in a run, in bytes.
pub(super) const BYTES_PER_ENTRANT_MAX: u64 = 1 << 20;

const FOLDER_NAME: &str = "stderr";
const GAME_HEAD: &str = "== ";
const TURN_HEAD: &str = "-- ";
/// Beginnings of lines below a turn's heading: the note's text, its marks as JSON, and what was cut.
const NOTE_HEAD: &str = "-- note ";
const MARKS_HEAD: &str = "-- marks ";
const CUT_HEAD: &str = "-- cut ";

/// The folder with one text file for each entrant.
#[derive(Debug)]
pub struct AuthorLog {
    folder: PathBuf,
}

impl AuthorLog {
    /// Opens the folder below a run's folder.
    pub fn open(run: &Path) -> Result<Self> {
        let folder = run_folder::logs(run)?.join(FOLDER_NAME);
        make_folder(&folder)?;
        Ok(Self { folder })
    }

    /// Appends the output of a game's bots, by seat.
    pub fn add(&self, record: &MatchRecord, stderr: &[Stderr]) -> Result {
        for (seat, wrote) in record.seats.iter().zip(stderr) {
            if !wrote.text.is_empty() || !wrote.notes.is_empty() {
                let path = path_of(&self.folder, &seat.entrant);
                add(&path, seat, record, wrote).or_io("write", &path)?;
            }
        }
        Ok(())
    }
}

fn path_of(folder: &Path, entrant: &str) -> PathBuf {
    folder.join(EntrantsFolder::Logs.file_of(entrant, ".txt"))
}

fn add(
    path: &Path,
    seat: &SeatRecord,
    record: &MatchRecord,
    wrote: &Stderr,
) -> std::io::Result<()> {
    let version = format!("standard error of version {}\n", seat.artifact);
    let mut file = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .open(path)?;
    if !is_of(&mut file, &version)? {
        // A new file, or the output of an earlier version of the submission.
        file.set_len(0)?;
        file.write_all(version.as_bytes())?;
    }
    let length = file.metadata()?.len();
    if length >= BYTES_PER_ENTRANT_MAX {
        return Ok(());
    }
    let mut entry = entry(&record.fixture.text(), wrote);
    if length + entry.len() as u64 >= BYTES_PER_ENTRANT_MAX {
        entry.push_str("== this file is full; nothing more is kept\n");
    }
    file.write_all(entry.as_bytes())
}

fn entry(fixture: &str, wrote: &Stderr) -> String {
    let mut entry = format!("{GAME_HEAD}game {fixture}\n");
    let (texts, mut notes) = (wrote.by_turn(), wrote.notes.iter().peekable());
    for (turn, text) in texts {
        while let Some(note) = notes.next_if(|note| note.turn < turn) {
            put_head(&mut entry, note.turn);
            put_note(&mut entry, note);
        }
        put_head(&mut entry, turn);
        if let Some(note) = notes.next_if(|note| note.turn == turn) {
            put_note(&mut entry, note);
        }
        for line in readable(text.trim_end()).lines() {
            // A bot must not write our headings.
            let is_like_ours = line.starts_with(GAME_HEAD) || line.starts_with(TURN_HEAD);
            entry.push_str(if is_like_ours { " " } else { "" });
            entry.push_str(line);
            entry.push('\n');
        }
    }
    for note in notes {
        put_head(&mut entry, note.turn);
        put_note(&mut entry, note);
    }
    entry
}

fn put_head(entry: &mut String, turn: u32) {
    if turn > 0 {
        writeln!(entry, "{TURN_HEAD}turn {turn}").expect("writing to memory");
    }
}

fn put_note(entry: &mut String, note: &Note) {
    let marks = match &*note.marks {
        [] => String::new(),
        marks => serde_json::to_string(marks).expect("plain data"),
    };
    let parts = [
        (NOTE_HEAD, &note.text),
        (MARKS_HEAD, &marks),
        (CUT_HEAD, &note.cut),
    ];
    for (head, text) in parts {
        if !text.is_empty() {
            writeln!(entry, "{head}{}", one_line(text)).expect("writing to memory");
        }
    }
}

fn is_of(file: &mut File, version: &str) -> std::io::Result<bool> {
    let mut begin = Vec::new();
    file.take(version.len() as u64).read_to_end(&mut begin)?;
    Ok(begin == version.as_bytes())
}

type Places = HashMap<String, Range<u64>>;

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
    pub fn of(&self, entrant: &str, fixture: &str) -> Result<LoggedGame> {
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
        let Some(place) = places.get(fixture) else {
            return Ok(LoggedGame::default());
        };
        let mut file = File::open(&path).map_err(failed)?;
        file.seek(SeekFrom::Start(place.start)).map_err(failed)?;
        let mut bytes = Vec::new();
        file.take(place.end - place.start)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        Ok(read_game(&with_own_paths(&String::from_utf8_lossy(&bytes))))
    }
}

/// A missing file has no entries. The entries of a game, one for each seat, are adjacent.
fn places(path: &Path) -> std::io::Result<Places> {
    let mut places = Places::new();
    let Some(file) = if_there(File::open(path))? else {
        return Ok(places);
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
                let place = places.entry(fixture.to_owned());
                place.or_insert(begin..begin);
            }
        }
        if let Some(place) = game.as_ref().and_then(|game| places.get_mut(game)) {
            place.end = at + length;
        }
        at += length;
        line.clear();
    }
    Ok(places)
}

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
    use super::entry;
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
    fn author_log_is_read_back_turn_by_turn() {
        let run = tempfile::tempdir().expect("a temporary folder");
        let folder = run.path().join("logs/stderr");
        fs::create_dir_all(&folder).expect("new");
        let first = b"up\n== game b\n-- turn 9\nlast\n";
        let first = Stderr::of(first, &[TurnMark(1, 3), TurnMark(3, 13)]);
        let other = Stderr::of(b"again", &[TurnMark(2, 0)]);
        let entries = [entry("a", &first), entry("a", &other), entry("b", &other)].concat();
        let text = format!("standard error of version 1\n{entries}");
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
    fn notes_join_their_turns_and_resist_forgery() {
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
        let text = b"one\n-- note forged\nlast";
        let mut wrote = Stderr::of(text, &[TurnMark(3, 0), TurnMark(9, 19)]);
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
