//! Reasons for which the files of a submission cannot be taken.

use super::bounds::Excess;
use rulebook::JudgeError;
use std::io;
use std::path::Path;

/// Why the files of a submission cannot be taken.
#[derive(Debug)]
pub(super) enum Unreadable {
    /// They are too many or too large.
    Excess(Excess),
    /// Another reason.
    Reason(String),
}

impl From<String> for Unreadable {
    fn from(reason: String) -> Self {
        Self::Reason(reason)
    }
}

impl Unreadable {
    /// Returns the reason in words; `files` are all existing files, with their sizes.
    pub(super) fn words(self, files: impl Iterator<Item = (String, u64)>) -> String {
        match self {
            Self::Excess(excess) => excess.words(files),
            Self::Reason(reason) => reason,
        }
    }
}

/// Returns why something cannot be read.
pub(super) fn reason(action: &'static str, path: &Path, error: io::Error) -> String {
    JudgeError::io(action, path, error).to_string()
}
