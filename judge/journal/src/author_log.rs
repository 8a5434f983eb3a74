//! What bots write on standard error, kept for their authors.

use error::JudgeError;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use system::files::make_folder;
use system::run_folder;
use words::record::{MatchRecord, SeatRecord};
use words::text::{file_stem, readable};

/// The most that is kept for one version of an entrant in a run.
pub(super) const BYTES_PER_ENTRANT_MAX: u64 = 1 << 20;

/// The folder of one text file per entrant.
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
        let folder = run_folder::logs(run)?.join("stderr");
        make_folder(&folder)?;
        Ok(Self { folder })
    }

    /// Adds what the bots of a game wrote, by seat.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn add(&self, record: &MatchRecord, stderr: &[String]) -> Result<(), JudgeError> {
        for (seat, text) in record.seats.iter().zip(stderr) {
            if !text.is_empty() {
                let path = self
                    .folder
                    .join(format!("{}.txt", file_stem(&seat.entrant)));
                add(&path, seat, record, text).map_err(|e| JudgeError::io("write", &path, e))?;
            }
        }
        Ok(())
    }
}

fn add(path: &Path, seat: &SeatRecord, record: &MatchRecord, text: &str) -> std::io::Result<()> {
    let version = format!("standard error of version {}\n", seat.artifact);
    let mut file = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .open(path)?;
    if !is_of(&mut file, &version)? {
        // A new file, or what an earlier version of the submission has written.
        file.set_len(0)?;
        file.write_all(version.as_bytes())?;
    }
    let length = file.metadata()?.len();
    if length >= BYTES_PER_ENTRANT_MAX {
        return Ok(());
    }
    let mut entry = format!(
        "== game {}\n{}\n",
        record.fixture,
        readable(text.trim_end())
    );
    if length + entry.len() as u64 >= BYTES_PER_ENTRANT_MAX {
        entry.push_str("== this file is full; nothing more is kept\n");
    }
    file.write_all(entry.as_bytes())
}

fn is_of(file: &mut File, version: &str) -> std::io::Result<bool> {
    let mut begin = Vec::new();
    file.take(version.len() as u64).read_to_end(&mut begin)?;
    Ok(begin == version.as_bytes())
}
