//! Saves an open journal whose file was removed or changed by another process.

use crate::games::{Games, MODE};
use crate::repair::beside;
use rulebook::JudgeError;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// File for the saved content of an open journal whose file was removed.
pub const RESCUED_NAME: &str = "journal.rescued.jsonl";
const RESCUED_ENDING: &str = "rescued.jsonl";
/// Size of one copied chunk, in bytes.
const COPY_BYTES: usize = 1 << 16;

/// Saves the first `length` bytes of an open journal beside its place, and returns the new path.
///
/// # Errors
/// When they cannot be read or written.
pub(crate) fn rescue(games: &Games, length: u64) -> Result<PathBuf, JudgeError> {
    let path = rescued_place(&games.path);
    let failed = |e| JudgeError::io("write", &path, e);
    let mut how = OpenOptions::new();
    how.write(true).create(true).truncate(true).mode(MODE);
    let mut copy = how.open(&path).map_err(failed)?;
    let mut buffer = vec![0; COPY_BYTES];
    let mut at = 0;
    while at < length {
        let bytes = (length - at).min(COPY_BYTES as u64);
        let part = &mut buffer[..usize::try_from(bytes).expect("a small part")];
        let read = games.file.read_at(part, at).map_err(failed)?;
        if read == 0 {
            break;
        }
        copy.write_all(&part[..read]).map_err(failed)?;
        at += read as u64;
    }
    copy.sync_all().map_err(failed)?;
    Ok(path)
}

/// Returns the path for a journal's saved content; for a run's journal, the name is
/// [`RESCUED_NAME`].
fn rescued_place(journal: &Path) -> PathBuf {
    beside(journal, RESCUED_ENDING)
}

/// Refuses to continue if saved games would be lost.
///
/// # Errors
/// When there are saved games.
pub(crate) fn refuse_rescued(journal: &Path) -> Result<(), JudgeError> {
    let rescued = rescued_place(journal);
    if !rescued.exists() {
        return Ok(());
    }
    let name = journal.file_name().unwrap_or_default().to_string_lossy();
    Err(JudgeError::input(format!(
        "{} holds the games of a run whose journal was removed or changed; rename it to {name}, or delete it if you \
         do not need the games",
        rescued.display()
    )))
}
