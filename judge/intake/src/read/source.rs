//! The files of a submission, and what they show when they were read.

use crate::read::names::{self, base_name};
use engines::Kit;
use jiff::civil::DateTime;
use model::draw::hash;
use model::fault::quote;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

pub(crate) const NOTHING: &str = "has no usable file (links and special files are not accepted)";

pub(crate) const EMPTY: &str = "the folder is empty";

pub(crate) const EXECUTABLE: u32 = 0o111;

/// Endings of documents, which people read and nobody runs.
pub(crate) const DOCUMENTS: &[&str] = &[
    "pdf", "doc", "docx", "odt", "rtf", "txt", "md", "tex", "html", "png", "jpg", "jpeg",
];

/// One file of a submission.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceFile {
    /// The path below the submission's folder, with `/` between the parts.
    pub path: String,
    /// The content.
    pub bytes: Vec<u8>,
    /// Whether it may be executed.
    pub executable: bool,
}

impl SourceFile {
    pub(crate) fn new(path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.to_owned(),
            bytes: bytes.into(),
            executable: false,
        }
    }

    pub(crate) fn is_flat(&self) -> bool {
        !self.path.contains('/')
    }

    /// Returns whether it is hidden, or in a folder that tools fill.
    pub fn is_aside(&self) -> bool {
        names::aside(&self.path).is_some()
    }

    /// Returns whether the file has nothing but blanks.
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.trim_ascii().is_empty()
    }

    pub(crate) fn reason_if_empty(&self) -> String {
        format!("{} is empty", quote(&self.path))
    }
}

pub(crate) fn has_ending(path: &str, endings: &[&str]) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|own| endings.iter().any(|known| own == *known))
}

pub(crate) fn nearest_named<'a>(
    files: impl Iterator<Item = &'a SourceFile> + Clone,
    name: &str,
) -> Vec<&'a SourceFile> {
    let named = files.filter(|file| base_name(&file.path) == name);
    let depth = |file: &&SourceFile| file.path.matches('/').count();
    let least = named.clone().map(|file| depth(&file)).min();
    named.filter(|file| Some(depth(file)) == least).collect()
}

pub(crate) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// The information in a learning platform's name for a submission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlatformMark {
    /// The platform's name.
    pub platform: &'static str,
    /// Whether the platform marks it as late; `None` where its names do not say.
    pub late: Option<bool>,
    /// When it was received, in the platform's zone; `None` where its names do not say.
    pub received: Option<DateTime>,
}

pub(crate) fn kit_files(kit: &Kit) -> impl Iterator<Item = SourceFile> {
    let files = kit.files.iter();
    files.map(|(name, text)| SourceFile::new(name, *text))
}

pub(crate) fn kit_text(kit: &Kit, path: &str) -> Option<&'static str> {
    let mut files = kit.files.iter();
    files.find(|(name, _)| *name == path).map(|(_, text)| *text)
}

/// Hash of the names, modes and contents of files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(String);

impl Fingerprint {
    pub(crate) fn of(parts: &[&[u8]]) -> Self {
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

pub(crate) type ContentDigest = [u8; 32];

#[derive(Debug, Default)]
pub(crate) struct FingerprintOfFiles(BTreeMap<String, (bool, ContentDigest)>);

impl FingerprintOfFiles {
    pub(crate) fn add(&mut self, path: &str, executable: bool, content: ContentDigest) {
        self.0.insert(path.to_owned(), (executable, content));
    }

    pub(crate) fn finish(&self) -> Fingerprint {
        let mut parts: Vec<&[u8]> = vec![b"files"];
        for (path, (executable, content)) in &self.0 {
            let mode: &[u8] = if *executable { b"x" } else { b"-" };
            parts.extend([path.as_bytes(), mode, content]);
        }
        Fingerprint(hash(&parts))
    }
}
