//! Records the last line that a run has written, in the staff's folder. Without it, a chain of MACs
//! could not show that its end was cut off.

use super::line::Mac;
use rulebook::JudgeError;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use system::files::{read_bounded, write_whole};
use system::run_folder::STAFF;

/// Maximum length of the note, which contains one MAC, in bytes.
const BYTES_MAX: u64 = 1 << 12;
/// The file's name in the staff's folder.
const FILE_NAME: &str = "journal-end.json";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JournalEnd {
    mac: String,
}

fn place(directory: &Path) -> PathBuf {
    directory.join(STAFF).join(FILE_NAME)
}

/// Records the MAC of the last line, unless it is already recorded.
///
/// # Errors
/// When the folder cannot be read or written.
pub(super) fn note(directory: &Path, last: &Mac) -> Result<(), JudgeError> {
    if noted(directory)? == Some(*last) {
        return Ok(());
    }
    let mac = String::from_utf8_lossy(last).into_owned();
    let text = serde_json::to_vec(&JournalEnd { mac }).expect("plain data");
    write_whole(&place(directory), &text)
}

/// Returns the MAC of the last line when a run ended; none if that is unknown.
///
/// # Errors
/// When the note exists and cannot be read.
pub(super) fn noted(directory: &Path) -> Result<Option<Mac>, JudgeError> {
    let path = place(directory);
    let text = match read_bounded(&path, BYTES_MAX) {
        Ok(text) => text,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        // Treated like any invalid note.
        Err(e) if e.kind() == ErrorKind::FileTooLarge => return Ok(None),
        Err(e) => return Err(JudgeError::io("read", &path, e)),
    };
    let end = serde_json::from_slice::<JournalEnd>(&text).ok();
    Ok(end.and_then(|end| end.mac.into_bytes().try_into().ok()))
}
