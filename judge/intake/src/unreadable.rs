//! Bounds on the size of a submission, and other reasons for which its files cannot be taken.

use super::left_out::folder_of;
use model::competition::SubmissionLimits;
use model::fault::quote;
use model::numbers::counted;
use rulebook::JudgeError;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

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

/// The limits in this process, which reads the submissions of one competition.
static FILES: AtomicU32 = AtomicU32::new(SubmissionLimits::DEFAULT.files);
static MIB: AtomicU32 = AtomicU32::new(SubmissionLimits::DEFAULT.mib);

/// Sets the limits of the submissions that this process reads from now on.
pub fn limit(limits: SubmissionLimits) {
    FILES.store(limits.files, Ordering::Relaxed);
    MIB.store(limits.mib, Ordering::Relaxed);
}

/// Returns the maximum number of files of a submission.
pub(super) fn files_max() -> usize {
    FILES.load(Ordering::Relaxed) as usize
}

/// Returns the maximum number of entries examined in a submission's folders or its zip. Files,
/// folders, links and left-out entries count; the contents of left-out folders do not.
pub(super) fn entries_max() -> usize {
    5 * files_max()
}

/// Returns the maximum size of a submission, in bytes.
pub(super) fn bytes_max() -> usize {
    (MIB.load(Ordering::Relaxed) as usize) << 20
}

/// Files, bytes and entries of zips that a submission may have. A zip in a zip may have what the
/// outer one leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    pub(super) entries: usize,
    pub(super) files: usize,
    pub(super) bytes: usize,
}

impl Allowance {
    /// Returns the allowance of a whole submission.
    pub(super) fn whole() -> Self {
        Self {
            entries: entries_max(),
            files: files_max(),
            bytes: bytes_max(),
        }
    }

    /// Returns what remains after a zip took so much.
    pub(super) fn after(self, taken: Self) -> Self {
        Self {
            entries: self.entries.saturating_sub(taken.entries),
            files: self.files.saturating_sub(taken.files),
            bytes: self.bytes.saturating_sub(taken.bytes),
        }
    }
}

/// A bound that a submission exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Excess {
    /// Number of files, or of entries in its folders, taken or not.
    Files,
    /// Total size in bytes.
    Bytes,
}

/// Number and size of the files in a folder and below it.
#[derive(Clone, Copy, Default)]
struct Size {
    files: u64,
    bytes: u64,
}

impl Excess {
    /// Returns the refusal: the bound, the largest folder of all `files` (paths and sizes), and the
    /// remedy.
    pub(super) fn words(self, files: impl Iterator<Item = (String, u64)>) -> String {
        let bound = match self {
            Self::Files => format!("has more than {} files", files_max()),
            Self::Bytes => format!("has more than {} MiB in total", bytes_max() >> 20),
        };
        let largest = self.largest(files).map_or(String::new(), |(folder, size)| {
            let files = counted(size.files, "file");
            let size = match self {
                Self::Files => files,
                Self::Bytes => format!("{} MiB in {files}", size.bytes >> 20),
            };
            let folder = quote(folder.as_bytes());
            format!("; the largest folder is {folder} with {size}")
        });
        format!("{bound}{largest}; remove what the bot does not need")
    }

    fn of(self, size: Size) -> u64 {
        match self {
            Self::Files => size.files,
            Self::Bytes => size.bytes,
        }
    }

    /// Finds the deepest folder that still has more than half of its parent's files or bytes.
    fn largest(self, files: impl Iterator<Item = (String, u64)>) -> Option<(String, Size)> {
        let mut folders: BTreeMap<String, Size> = BTreeMap::new();
        for (path, bytes) in files {
            let mut folder = folder_of(&path);
            while !folder.is_empty() {
                let size = folders.entry(folder.to_owned()).or_default();
                size.files += 1;
                size.bytes += bytes;
                folder = folder_of(folder.trim_end_matches('/'));
            }
        }
        let inside = |above: &str| {
            folders
                .iter()
                .filter(|(folder, _)| folder_of(folder.trim_end_matches('/')) == above)
                .max_by_key(|(_, size)| self.of(**size))
        };
        let mut largest = inside("")?;
        while let Some(inner) = inside(largest.0)
            && self.of(*inner.1) * 2 > self.of(*largest.1)
        {
            largest = inner;
        }
        Some((largest.0.clone(), *largest.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_folder_is_named() {
        limit(SubmissionLimits {
            files: 500,
            mib: 64,
        });
        let mut files: Vec<(String, u64)> = (0..600)
            .map(|n| (format!("src/data/train/{n}"), 1 << 10))
            .collect();
        files.push(("movies/one".to_owned(), 70 << 20));
        files.push(("bot.py".to_owned(), 1));
        assert_eq!(
            Excess::Files.words(files.clone().into_iter()),
            "has more than 500 files; the largest folder is src/data/train/ with 600 files; \
             remove what the bot does not need"
        );
        assert_eq!(
            Excess::Bytes.words(files.into_iter()),
            "has more than 64 MiB in total; the largest folder is movies/ with 70 MiB in 1 file; \
             remove what the bot does not need"
        );
        let flat = (0..600).map(|n| (n.to_string(), 1));
        assert_eq!(
            Excess::Files.words(flat),
            "has more than 500 files; remove what the bot does not need"
        );
    }
}
