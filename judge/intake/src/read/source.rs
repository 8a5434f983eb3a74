//! Reading the files of one submission, within bounds.

use crate::read::names;
use crate::read::unreadable::{Allowance, reason, too_large, too_many_files};
use crate::read::walk::{Visit, walk};
use engines::Kit;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use model::draw::hash;
use model::fault::quote;
use model::lateness::ReceiptRecord;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use system::foreign::{ForeignFolder, Opened};

/// Why a submission without files cannot be used.
pub(crate) const NOTHING: &str = "has no usable file (links and special files are not accepted)";

/// The same for an empty folder.
pub(crate) const EMPTY: &str = "the folder is empty";

/// The permission bits that let somebody execute a file.
pub(crate) const EXECUTABLE: u32 = 0o111;

/// Endings of documents, which people read and nobody runs.
pub(crate) const DOCUMENTS: &[&str] = &[
    "pdf", "doc", "docx", "odt", "rtf", "txt", "md", "tex", "html", "png", "jpg", "jpeg",
];

/// One file of a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The path below the submission's folder, with `/` between the parts.
    pub path: String,
    /// The content.
    pub bytes: Vec<u8>,
    /// Whether it may be executed.
    pub executable: bool,
}

impl SourceFile {
    /// Returns whether the file is directly in the submission's folder.
    pub fn is_flat(&self) -> bool {
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

    /// Returns the words for an empty file.
    pub(crate) fn told_empty(&self) -> String {
        format!("{} is empty", quote(self.path.as_bytes()))
    }
}

/// Returns whether a file's name has one of these endings.
pub(crate) fn has_ending(path: &str, endings: &[&str]) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|own| endings.iter().any(|known| own == *known))
}

/// Removes the byte order mark of a text in UTF-8, if it has one.
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

impl PlatformMark {
    /// Returns the receipt that the mark proves.
    pub(crate) fn record(self) -> Option<ReceiptRecord> {
        (self.late == Some(false)).then_some(ReceiptRecord::InTime)
    }

    /// Returns the receipt that the mark proves in a zone. It is not later than `now`.
    pub(crate) fn record_in(self, zone: &TimeZone, now: Timestamp) -> Option<ReceiptRecord> {
        let received = self.received?.to_zoned(zone.clone()).ok()?.timestamp();
        (received <= now).then_some(ReceiptRecord::At(received))
    }
}

/// The files submitted under one name, as far as they could be read.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReceivedFiles {
    pub(crate) files: Vec<SourceFile>,
    /// Why it cannot be played, if reading it has already shown that.
    pub(crate) refusal: Option<String>,
    pub(crate) warnings: Vec<String>,
    /// Notes on what nobody misses where all is well.
    pub(crate) passed_over: Vec<String>,
    /// Where it came from, fit to be shown to everybody.
    pub(crate) origin: String,
    /// When it was received, if known.
    pub(crate) received: Option<Timestamp>,
    /// Why there is no content to judge, if there is none.
    pub(crate) absent: Option<Absent>,
    /// The receipt by the platform's name for it.
    pub(crate) record: Option<ReceiptRecord>,
    /// The mark of the learning platform that has named it, if one has.
    pub(crate) mark: Option<PlatformMark>,
    /// Earlier submissions of the same person, oldest first.
    pub(crate) earlier: Vec<ReceivedFiles>,
    /// Fingerprints of its files on a disk, from reading them.
    pub(crate) fingerprints: Fingerprints,
}

/// Why the content of a listed repository is absent. This says nothing about its quality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absent {
    /// The repository has not been asked yet.
    NotYet,
    /// It does not answer, or the list is wrong. Its author is not to blame.
    Unreachable,
    /// It answers, and has no commit.
    Empty,
    /// It answers, and does not have what the list names, or has too much.
    Unfit,
}

impl ReceivedFiles {
    pub(crate) fn refused(reason: String) -> Self {
        Self {
            refusal: Some(reason),
            ..Self::default()
        }
    }

    /// Refuses it because its content is absent.
    pub(crate) fn absent(absent: Absent, reason: String) -> Self {
        Self {
            absent: Some(absent),
            ..Self::refused(reason)
        }
    }

    /// Gives it a platform's name and mark.
    pub(crate) fn marked(self, origin: String, mark: PlatformMark) -> Self {
        Self {
            origin,
            mark: Some(mark),
            record: mark.record(),
            ..self
        }
    }

    /// Refuses it; only its origin and mark remain.
    pub(crate) fn refuse(self, reason: String) -> Self {
        Self {
            origin: self.origin,
            mark: self.mark,
            ..Self::refused(reason)
        }
    }
}

/// The files of one submission while they are read, within its bounds.
#[derive(Debug)]
pub(crate) struct Bag {
    pub(crate) files: Vec<SourceFile>,
    bytes: usize,
    allowance: Allowance,
    fingerprint: FingerprintOfFiles,
}

impl Default for Bag {
    fn default() -> Self {
        Self::within(Allowance::whole())
    }
}

impl Bag {
    /// Makes an empty bag with bounds of its own.
    pub(crate) fn within(allowance: Allowance) -> Self {
        Self {
            files: Vec::new(),
            bytes: 0,
            allowance,
            fingerprint: FingerprintOfFiles::default(),
        }
    }

    /// Reads one file. The bytes that arrive count, and not an announced size.
    pub(crate) fn read(
        &self,
        from: &mut (impl Read + ?Sized),
    ) -> Result<io::Result<Vec<u8>>, String> {
        if self.files.len() == self.allowance.files {
            return Err(too_many_files());
        }
        let room = self.allowance.bytes - self.bytes;
        let mut bytes = Vec::new();
        if let Err(error) = from.take(room as u64 + 1).read_to_end(&mut bytes) {
            return Ok(Err(error));
        }
        if bytes.len() > room {
            return Err(too_large());
        }
        Ok(Ok(bytes))
    }

    /// Adds a file from [`Bag::read`].
    pub(crate) fn add(
        &mut self,
        path: String,
        bytes: Vec<u8>,
        executable: bool,
    ) -> Result<(), String> {
        if let Some(reason) = names::refusal(&path) {
            return Err(reason);
        }
        self.bytes += bytes.len();
        self.files.push(SourceFile {
            path,
            bytes,
            executable,
        });
        Ok(())
    }
}

/// Reads one file.
pub(crate) fn read_file(file: File, name: &str) -> Result<ReceivedFiles, String> {
    let mut bag = Bag::default();
    bag.take(file, Path::new(name), name.to_owned())?;
    Ok(ReceivedFiles {
        fingerprints: [(quote(name.as_bytes()), bag.fingerprint.finish())].into(),
        files: bag.files,
        ..ReceivedFiles::default()
    })
}

/// Reads all files below a folder, sorted by path. What is left out is named in the notes.
pub(crate) fn read_folder(root: &ForeignFolder) -> Result<ReceivedFiles, String> {
    let walked = walk(root, Bag::default())?;
    let mut files = walked.visit.files;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let name = root.path().file_name().unwrap_or_default();
    let fingerprint = walked.visit.fingerprint.finish();
    Ok(ReceivedFiles {
        fingerprints: [(quote(name.as_encoded_bytes()), fingerprint)].into(),
        files,
        warnings: walked.left_out.notes("", false),
        passed_over: walked.left_out.notes("", true),
        ..ReceivedFiles::default()
    })
}

/// Reads an entry of a folder.
pub(crate) fn read_entry(folder: &ForeignFolder, name: &OsStr) -> Result<ReceivedFiles, String> {
    let path = folder.path().join(name);
    match folder.entry(name).map_err(|e| reason("read", &path, e))? {
        Opened::Folder(folder) => read_folder(&folder),
        Opened::File(file) => read_file(file, &name.to_string_lossy()),
        Opened::Other(kind) => {
            let why = kind.refusal().unwrap_or_default();
            Err(format!("cannot be read: {why}"))
        }
    }
}

impl Bag {
    /// Reads a file and adds it; `place` is its path, for messages.
    fn take(&mut self, mut file: File, place: &Path, path: String) -> Result<(), String> {
        let failed = |e| reason("read", place, e);
        let mode = file.metadata().map_err(failed)?.permissions().mode();
        let bytes = self.read(&mut file)?.map_err(failed)?;
        let executable = mode & EXECUTABLE != 0;
        self.fingerprint
            .add(&path, executable, Sha256::digest(&bytes).into());
        self.add(path, bytes, executable)
    }
}

impl Visit for Bag {
    fn file(&mut self, folder: &ForeignFolder, name: &OsStr, path: String) -> Result<(), String> {
        let place = folder.path().join(name);
        let file = folder.file(name).map_err(|e| reason("read", &place, e))?;
        self.take(file, &place, path)
    }
}

/// Returns the kit's files to write beside a submission's.
pub(crate) fn kit_files(kit: &Kit) -> impl Iterator<Item = SourceFile> {
    kit.files.iter().map(|(name, text)| SourceFile {
        path: (*name).to_owned(),
        bytes: text.as_bytes().to_vec(),
        executable: false,
    })
}

/// Hash of the names, modes and contents of files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// Returns the fingerprint of something other than files that can be taken.
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

/// The digest of a file's content.
pub(crate) type ContentDigest = [u8; 32];

/// A fingerprint of files that is being computed.
#[derive(Debug, Default)]
pub(crate) struct FingerprintOfFiles(BTreeMap<String, (bool, ContentDigest)>);

impl FingerprintOfFiles {
    /// Adds a file.
    pub(crate) fn add(&mut self, path: &str, executable: bool, content: ContentDigest) {
        self.0.insert(path.to_owned(), (executable, content));
    }

    /// Returns the fingerprint.
    pub(crate) fn finish(&self) -> Fingerprint {
        let mut parts: Vec<&[u8]> = vec![b"files"];
        for (path, (executable, content)) in &self.0 {
            let mode: &[u8] = if *executable { b"x" } else { b"-" };
            parts.extend([path.as_bytes(), mode, content]);
        }
        Fingerprint(hash(&parts))
    }
}
