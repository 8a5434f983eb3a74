//! A competition in a file, with the course's own files beside it.

#![expect(
    clippy::disallowed_methods,
    reason = "who writes the competition makes the rules: it is staff's"
)]

use competition::{Loaded, read_with};
use error::JudgeError;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

/// The most bytes that are read of a course's own file; a competition takes fewer.
const BYTES_MAX: u64 = 16 << 20;

/// Reads a competition; `name` is what errors call the file.
///
/// # Errors
/// When the competition, or a file that it names, is wrong.
pub(super) fn read(path: &Path, name: &str, text: &str) -> Result<Loaded, JudgeError> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = folder.unwrap_or(Path::new("."));
    read_with(name, text, &|file| course_file(folder, file))
}

/// Reads a file of a course below the folder of its competition.
///
/// # Errors
/// When it is not there, is no file, or a link leads out of the folder; in plain words.
fn course_file(folder: &Path, path: &str) -> Result<Vec<u8>, String> {
    let unreadable = |e: std::io::Error| match e.kind() {
        ErrorKind::NotFound => format!("is not in {}", folder.display()),
        _ => format!("cannot be read: {e}"),
    };
    let home = folder.canonicalize().map_err(unreadable)?;
    let place = home.join(path).canonicalize().map_err(unreadable)?;
    if !place.starts_with(&home) {
        return Err("is outside the competition file's folder; copy it there".to_owned());
    }
    if !fs::metadata(&place).map_err(unreadable)?.is_file() {
        return Err("is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    let read = File::open(&place).and_then(|file| file.take(BYTES_MAX).read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(unreadable)
}
