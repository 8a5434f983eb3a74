//! The files of a submission, the bounds on their size, and what they show when they were read.

use crate::read::names::{self, base_name};
use engines::Kit;
use jiff::civil::DateTime;
use model::competition::SubmissionLimits;
use model::draw::hash;
use model::fault::quote;
use rulebook::JudgeError;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use system::foreign::ForeignFolder;

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

    pub(crate) fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
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
    let depth = |file: &SourceFile| file.path.matches('/').count();
    let least = named.clone().map(depth).min();
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
    /// Makes a fingerprint from a text in place of files.
    pub fn of_text(text: &str) -> Self {
        Self(hash(&[b"other", text.as_bytes()]))
    }

    pub(crate) fn of_files(files: &ContentDigests) -> Self {
        let mut parts: Vec<&[u8]> = vec![b"files"];
        for (path, (executable, content)) in files {
            parts.extend([path.as_bytes(), mode(*executable), content]);
        }
        Self(hash(&parts))
    }
}

/// Fingerprints of files and folders read from a disk, by their names as messages quote them.
pub type Fingerprints = BTreeMap<String, Fingerprint>;

pub(crate) type ContentDigest = [u8; 32];

/// By path, with whether the file may be executed.
pub(crate) type ContentDigests = BTreeMap<String, (bool, ContentDigest)>;

/// Returns what hashes have for a file's mode.
pub(crate) fn mode(executable: bool) -> &'static [u8] {
    if executable { b"x" } else { b"-" }
}

pub(crate) fn unread(path: &Path, error: io::Error) -> String {
    JudgeError::io("read", path, error).to_string()
}

static FILES: AtomicU32 = AtomicU32::new(SubmissionLimits::DEFAULT.files);
static MIB: AtomicU32 = AtomicU32::new(SubmissionLimits::DEFAULT.mib);

/// Sets the limits of the submissions that this process reads from now on.
pub fn limit(limits: SubmissionLimits) {
    FILES.store(limits.files, Ordering::Relaxed);
    MIB.store(limits.mib, Ordering::Relaxed);
}

/// The bounds of a submission. An archive in an archive may have what the outer one leaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    pub(crate) entries: usize,
    pub(crate) files: usize,
    pub(crate) bytes: usize,
}

impl Allowance {
    pub(crate) fn whole() -> Self {
        let files = FILES.load(Ordering::Relaxed) as usize;
        Self {
            // Files, folders, links and left-out entries; not the contents of left-out folders.
            entries: 5 * files,
            files,
            bytes: (MIB.load(Ordering::Relaxed) as usize) << 20,
        }
    }

    pub(crate) fn times(self, count: usize) -> Self {
        Self {
            entries: count * self.entries,
            files: count * self.files,
            bytes: count * self.bytes,
        }
    }
}

pub(crate) fn too_many_files() -> String {
    let most = Allowance::whole().files;
    format!("has more than {most} files; remove what the bot does not need")
}

pub(crate) fn too_large() -> String {
    let most = Allowance::whole().bytes >> 20;
    format!("has more than {most} MiB in total; remove what the bot does not need")
}

#[derive(Debug)]
pub(crate) struct Bag {
    pub(crate) files: Vec<SourceFile>,
    pub(crate) digests: ContentDigests,
    /// For more files than these.
    remaining: Allowance,
}

impl Bag {
    pub(crate) fn within(remaining: Allowance) -> Self {
        Self {
            files: Vec::new(),
            digests: ContentDigests::new(),
            remaining,
        }
    }

    /// Reads one file. The bytes that arrive count, and not an announced size.
    pub(crate) fn read(
        &self,
        from: impl Read,
        failed: impl FnOnce(io::Error) -> String,
    ) -> Result<Vec<u8>, String> {
        if self.remaining.files == 0 {
            return Err(too_many_files());
        }
        let room = self.remaining.bytes;
        let mut bytes = Vec::new();
        from.take(room as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        if bytes.len() > room {
            return Err(too_large());
        }
        Ok(bytes)
    }

    pub(crate) fn add(
        &mut self,
        path: String,
        bytes: Vec<u8>,
        executable: bool,
    ) -> Result<(), String> {
        if let Some(reason) = names::refusal(&path) {
            return Err(reason);
        }
        self.remaining.files -= 1;
        self.remaining.bytes -= bytes.len();
        self.files.push(SourceFile {
            path,
            bytes,
            executable,
        });
        Ok(())
    }

    pub(crate) fn take(
        &mut self,
        folder: &ForeignFolder,
        name: &OsStr,
        path: String,
    ) -> Result<(), String> {
        let place = folder.path().join(name);
        let file = folder.file(name).map_err(|e| unread(&place, e))?;
        self.take_file(file, &place, path)
    }

    /// Reads and adds an open file; `place` is its path, for messages.
    pub(crate) fn take_file(
        &mut self,
        file: File,
        place: &Path,
        path: String,
    ) -> Result<(), String> {
        let failed = |e| unread(place, e);
        let mode = file.metadata().map_err(failed)?.permissions().mode();
        let bytes = self.read(file, failed)?;
        let executable = mode & EXECUTABLE != 0;
        let digest = Sha256::digest(&bytes).into();
        self.digests.insert(path.clone(), (executable, digest));
        self.add(path, bytes, executable)
    }
}
