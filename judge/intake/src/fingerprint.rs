//! A short text that changes with the files of a submission, whoever reads them: as long as it is
//! the same, nothing else has been submitted.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use words::hash::hash;

/// Changes with names, modes and content of files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// Returns that of something else than files that can be taken.
    pub(super) fn of(parts: &[&[u8]]) -> Self {
        let kind: &[u8] = b"other";
        let parts: Vec<&[u8]> = [&[kind], parts].concat();
        Self(hash(&parts))
    }

    /// Makes one of a text, for tests.
    pub fn of_text(text: &str) -> Self {
        Self::of(&[text.as_bytes()])
    }
}

/// The fingerprints of what was read from a disk, by the name of its file or folder as messages quote
/// it.
pub type Fingerprints = BTreeMap<String, Fingerprint>;

/// The digest of a file's content.
pub(super) type ContentDigest = [u8; 32];

/// The fingerprint of files on its way.
#[derive(Debug, Default)]
pub(super) struct FingerprintOfFiles(BTreeMap<String, (bool, ContentDigest)>);

impl FingerprintOfFiles {
    /// Adds a file.
    pub(super) fn add(&mut self, path: &str, executable: bool, content: ContentDigest) {
        self.0.insert(path.to_owned(), (executable, content));
    }

    /// Returns the fingerprint.
    pub(super) fn finish(&self) -> Fingerprint {
        let mut parts: Vec<&[u8]> = vec![b"files"];
        for (path, (executable, content)) in &self.0 {
            let mode: &[u8] = if *executable { b"x" } else { b"-" };
            parts.extend([path.as_bytes(), mode, content]);
        }
        Fingerprint(hash(&parts))
    }
}
