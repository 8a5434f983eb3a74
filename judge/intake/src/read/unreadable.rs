//! Bounds on the size of a submission, and other reasons for which its files cannot be taken.

use model::competition::SubmissionLimits;
use rulebook::JudgeError;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

/// Returns why something cannot be read.
pub(crate) fn reason(action: &'static str, path: &Path, error: io::Error) -> String {
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
pub(crate) fn files_max() -> usize {
    FILES.load(Ordering::Relaxed) as usize
}

/// Returns the maximum number of entries examined in a submission's folders or its zip. Files,
/// folders, links and left-out entries count; the contents of left-out folders do not.
pub(crate) fn entries_max() -> usize {
    5 * files_max()
}

/// Returns the maximum size of a submission, in bytes.
pub(crate) fn bytes_max() -> usize {
    (MIB.load(Ordering::Relaxed) as usize) << 20
}

/// Files, bytes and entries of zips that a submission may have. A zip in a zip may have what the
/// outer one leaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    pub(crate) entries: usize,
    pub(crate) files: usize,
    pub(crate) bytes: usize,
}

impl Allowance {
    /// Returns the allowance of a whole submission.
    pub(crate) fn whole() -> Self {
        Self {
            entries: entries_max(),
            files: files_max(),
            bytes: bytes_max(),
        }
    }

    /// Returns what remains after a zip took so much.
    pub(crate) fn after(self, taken: Self) -> Self {
        Self {
            entries: self.entries.saturating_sub(taken.entries),
            files: self.files.saturating_sub(taken.files),
            bytes: self.bytes.saturating_sub(taken.bytes),
        }
    }
}

/// Returns the refusal of too many files, or entries in folders, taken or not.
pub(crate) fn too_many_files() -> String {
    let most = files_max();
    format!("has more than {most} files; remove what the bot does not need")
}

/// Returns the refusal of too many bytes.
pub(crate) fn too_large() -> String {
    let most = bytes_max() >> 20;
    format!("has more than {most} MiB in total; remove what the bot does not need")
}
