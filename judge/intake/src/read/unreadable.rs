//! Bounds on the size of a submission, and other reasons for which its files cannot be taken.

use crate::read::names;
use crate::read::source::{EXECUTABLE, FingerprintOfFiles, SourceFile};
use model::competition::SubmissionLimits;
use rulebook::JudgeError;
use sha2::{Digest, Sha256};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use system::foreign::ForeignFolder;

pub(crate) fn reason(action: &'static str, path: &Path, error: io::Error) -> String {
    JudgeError::io(action, path, error).to_string()
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

    pub(crate) fn after(self, taken: Self) -> Self {
        Self {
            entries: self.entries.saturating_sub(taken.entries),
            files: self.files.saturating_sub(taken.files),
            bytes: self.bytes.saturating_sub(taken.bytes),
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
    bytes: usize,
    pub(crate) allowance: Allowance,
    pub(crate) fingerprint: FingerprintOfFiles,
}

impl Bag {
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

    pub(crate) fn take(
        &mut self,
        folder: &ForeignFolder,
        name: &OsStr,
        path: String,
    ) -> Result<(), String> {
        let place = folder.path().join(name);
        let file = folder.file(name).map_err(|e| reason("read", &place, e))?;
        self.take_file(file, &place, path)
    }

    /// Reads and adds an open file; `place` is its path, for messages.
    pub(crate) fn take_file(
        &mut self,
        mut file: File,
        place: &Path,
        path: String,
    ) -> Result<(), String> {
        let failed = |e| reason("read", place, e);
        let mode = file.metadata().map_err(failed)?.permissions().mode();
        let bytes = self.read(&mut file)?.map_err(failed)?;
        let executable = mode & EXECUTABLE != 0;
        self.fingerprint
            .add(&path, executable, Sha256::digest(&bytes).into());
        self.add(path, bytes, executable)
    }
}
