//! Problems that were found when a journal was opened, and the end that its last lines show.

use super::line::Mac;
use model::numbers::counted;
use rulebook::{JudgeError, Result};
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use system::files::{read_bounded, write_whole};
use system::run_folder::STAFF;

/// Problems that were found when a journal was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Lines that are not games of this run, or are duplicates.
    pub damaged: Vec<DamagedLine>,
    /// The numbers of the lines, from 1, before which lines are missing.
    pub missing_before: Vec<usize>,
    /// Whether the last line at the end of an earlier run is missing.
    pub is_cut_off: bool,
}

/// A line that is set aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedLine {
    /// Its number in the file, from 1.
    pub number: usize,
    /// The reason.
    pub reason: String,
}

const REPORTED_MAX: usize = 5;

impl Findings {
    /// Returns whether no problem was found.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Describes the problems, one text for each line of output.
    pub fn words(&self) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        for line in self.damaged.iter().take(REPORTED_MAX) {
            words.push(format!(
                "line {} of the journal: {}",
                line.number, line.reason
            ));
        }
        if self.damaged.len() > REPORTED_MAX {
            let more = self.damaged.len() - REPORTED_MAX;
            words.push(format!("and {} more", counted(more, "line")));
        }
        for number in self.missing_before.iter().take(REPORTED_MAX) {
            words.push(format!(
                "lines of the journal are missing before line {number}"
            ));
        }
        if self.is_cut_off {
            words.push("the journal is shorter than when the run ended".to_owned());
        }
        words
    }
}

const BYTES_MAX: u64 = 1 << 12;
const FILE_NAME: &str = "journal-end.json";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JournalEnd {
    mac: String,
}

fn place(directory: &Path) -> PathBuf {
    directory.join(STAFF).join(FILE_NAME)
}

pub(super) fn note(directory: &Path, last: &Mac) -> Result {
    if noted(directory)? == Some(*last) {
        return Ok(());
    }
    let mac = String::from_utf8_lossy(last).into_owned();
    let text = serde_json::to_vec(&JournalEnd { mac }).expect("plain data");
    write_whole(&place(directory), &text)
}

pub(super) fn noted(directory: &Path) -> Result<Option<Mac>> {
    let path = place(directory);
    let text = match read_bounded(&path, BYTES_MAX) {
        Ok(text) => text,
        // A note that is too large is treated like any invalid one.
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::FileTooLarge) => {
            return Ok(None);
        }
        Err(e) => return Err(JudgeError::io("read", &path, e)),
    };
    let end = serde_json::from_slice::<JournalEnd>(&text).ok();
    Ok(end.and_then(|end| end.mac.into_bytes().try_into().ok()))
}
