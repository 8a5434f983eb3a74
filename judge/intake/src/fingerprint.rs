//! A short text that changes with the files of a submission, and does not depend on the reader.
//! While it stays the same, nothing new was submitted.

use model::hash::hash;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Hash of the names, modes and contents of files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// Returns the fingerprint of something other than files that can be taken.
    pub(super) fn of(parts: &[&[u8]]) -> Self {
        let kind: &[u8] = b"other";
        let parts: Vec<&[u8]> = [&[kind], parts].concat();
        Self(hash(&parts))
    }

    /// Makes a fingerprint from a text, for tests.
    pub fn of_text(text: &str) -> Self {
        Self::of(&[text.as_bytes()])
    }
}

/// Fingerprints of files and folders read from a disk, by their names as messages quote them.
pub type Fingerprints = BTreeMap<String, Fingerprint>;

/// The digest of a file's content.
pub(super) type ContentDigest = [u8; 32];

/// A fingerprint of files that is being computed.
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
