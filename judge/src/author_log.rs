//! What bots write on standard error, kept for their authors.

use crate::error::JudgeError;
use crate::files::make_folder;
use crate::intake::file_stem;
use crate::record::MatchRecord;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The most that is kept for one entrant and run.
const BYTES_PER_ENTRANT_MAX: u64 = 1 << 20;

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
        let folder = run.join("logs").join("stderr");
        make_folder(&folder)?;
        Ok(Self { folder })
    }

    /// Adds what the bots of a game wrote, by seat.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn add(&self, record: &MatchRecord, stderr: &[String]) -> Result<(), JudgeError> {
        let written = record
            .seats
            .iter()
            .zip(stderr)
            .filter(|(_, text)| !text.is_empty());
        for (seat, text) in written {
            let path = self
                .folder
                .join(format!("{}.txt", file_stem(&seat.entrant)));
            let failed = |e| JudgeError::io("write", &path, e);
            let mut file = OpenOptions::new()
                .create(true)
                .append(true)
                .open(&path)
                .map_err(failed)?;
            if file.metadata().map_err(failed)?.len() < BYTES_PER_ENTRANT_MAX {
                write!(file, "== game {}\n{}\n", record.fixture, text.trim_end())
                    .map_err(failed)?;
            }
        }
        Ok(())
    }
}
