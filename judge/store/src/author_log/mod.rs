//! The output of bots on standard error, kept for their authors. Each entrant has one text file,
//! with a heading for every game and every turn in which the bot wrote something. What it said with
//! its answer comes below the heading of the turn.

mod entries;

pub use entries::{AuthorLogs, LoggedGame};

use model::entrants_folder::EntrantsFolder;
use model::note::{Note, one_line};
use model::record::{MatchRecord, SeatRecord};
use model::stderr::Stderr;
use model::text::readable;
use rulebook::JudgeError;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use system::files::make_folder;
use system::run_folder;

/// Maximum length that is kept for one version of an entrant in a run, in bytes.
pub(super) const BYTES_PER_ENTRANT_MAX: u64 = 1 << 20;

/// The folder's name within the folder for programs' output.
const FOLDER_NAME: &str = "stderr";
/// Start of a line that names a game, or describes the whole file.
const GAME_HEAD: &str = "== ";
/// Start of a line that names a turn.
const TURN_HEAD: &str = "-- ";
/// Beginnings of lines below a turn's heading: the text of its note, its marks as JSON, and what
/// was cut.
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
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn open(run: &Path) -> Result<Self, JudgeError> {
        let folder = run_folder::logs(run)?.join(FOLDER_NAME);
        make_folder(&folder)?;
        Ok(Self { folder })
    }

    /// Appends the output of a game's bots, by seat.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn add(&self, record: &MatchRecord, stderr: &[Stderr]) -> Result<(), JudgeError> {
        for (seat, wrote) in record.seats.iter().zip(stderr) {
            if !wrote.text.is_empty() || !wrote.notes.is_empty() {
                let path = path_of(&self.folder, &seat.entrant);
                add(&path, seat, record, wrote).map_err(|e| JudgeError::io("write", &path, e))?;
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

/// Formats a bot's output in a game below the game's heading, turn by turn.
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

/// Writes the heading of a turn; there is none before the first turn.
fn put_head(entry: &mut String, turn: u32) {
    if turn > 0 {
        writeln!(entry, "{TURN_HEAD}turn {turn}").expect("writing to memory");
    }
}

/// Writes a note. One of a foreign part may have any characters.
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
