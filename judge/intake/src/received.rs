//! The submission of one author, as far as it could be read.

use super::archive;
use super::fingerprint::Fingerprints;
use super::platform::PlatformMark;
use super::source::{Contents, DOCUMENTS, EMPTY, NOTHING, SourceFile, has_ending};
use jiff::Timestamp;
use system::foreign::Owner;
use words::fault::quote;
use words::lateness::ReceiptRecord;

/// The files submitted under one name, as far as they could be read.
#[derive(Clone, Debug, Default)]
pub(super) struct ReceivedFiles {
    pub(super) files: Vec<SourceFile>,
    /// Why it cannot be played, if reading it has already shown that.
    pub(super) refusal: Option<String>,
    pub(super) warnings: Vec<String>,
    /// Folders that tools have made, which need no note where all is well.
    pub(super) passed_over: Vec<String>,
    /// Where it came from, fit to be shown to everybody.
    pub(super) origin: String,
    /// Its commit, if it comes from a repository.
    pub(super) commit: Option<String>,
    /// When it was received, if known.
    pub(super) received: Option<Timestamp>,
    /// Whether it could not be fetched, or not yet. This says nothing about the content.
    pub(super) is_awaited: bool,
    /// The receipt by the platform's name for it.
    pub(super) record: Option<ReceiptRecord>,
    /// The mark of the learning platform that has named it, if one has.
    pub(super) mark: Option<PlatformMark>,
    /// Earlier submissions of the same person, oldest first.
    pub(super) earlier: Vec<ReceivedFiles>,
    /// Its owner.
    pub(super) owner: Owner,
    /// Fingerprints of its files on a disk, from reading them.
    pub(super) fingerprints: Fingerprints,
}

impl ReceivedFiles {
    pub(super) fn refused(reason: String) -> Self {
        Self {
            refusal: Some(reason),
            ..Self::default()
        }
    }

    /// Refuses it; only its origin, owner and mark remain.
    pub(super) fn refuse(self, reason: String) -> Self {
        Self {
            origin: self.origin,
            owner: self.owner,
            mark: self.mark,
            ..Self::refused(reason)
        }
    }
}

impl From<Contents> for ReceivedFiles {
    fn from(contents: Contents) -> Self {
        Self {
            files: contents.files,
            warnings: contents.notes,
            passed_over: contents.passed_over,
            fingerprints: contents.fingerprints,
            ..Self::default()
        }
    }
}

/// Takes the contents of a folder. A folder with nothing but one folder or one zip is that, and so
/// is one with documents beside a zip.
pub(super) fn folder(read: Result<Contents, String>) -> ReceivedFiles {
    match read {
        Ok(mut contents) => {
            archive::strip_single_folders(&mut contents.files);
            of_files(contents)
        }
        Err(reason) => ReceivedFiles::refused(reason),
    }
}

fn of_files(mut contents: Contents) -> ReceivedFiles {
    if contents.files.is_empty() {
        let is_empty = contents.notes.is_empty() && contents.passed_over.is_empty();
        let refusal = if is_empty { EMPTY } else { NOTHING };
        return ReceivedFiles {
            refusal: Some(refusal.to_owned()),
            ..contents.into()
        };
    }
    let Some(zip) = only_zip(&contents.files) else {
        return contents.into();
    };
    let zip = contents.files.swap_remove(zip);
    if !contents.files.is_empty() {
        contents.files.sort_by(|a, b| a.path.cmp(&b.path));
        let beside = contents
            .files
            .iter()
            .map(|file| quote(file.path.as_bytes()));
        let beside: Vec<String> = beside.collect();
        let zip = quote(zip.path.as_bytes());
        let beside = beside.join(", ");
        let note = format!("{zip} is the submission; left out the files beside it: {beside}");
        contents.notes.push(note);
    }
    ReceivedFiles {
        fingerprints: contents.fingerprints,
        ..unzip(&zip, contents.notes)
    }
}

/// Finds the only zip, if nothing but documents is beside it.
fn only_zip(files: &[SourceFile]) -> Option<usize> {
    let is_zip = |file: &SourceFile| file.path.to_ascii_lowercase().ends_with(".zip");
    let zip = files.iter().position(is_zip)?;
    let is_document = |file: &SourceFile| {
        has_ending(&file.path.to_ascii_lowercase(), DOCUMENTS) && !file.executable
    };
    let mut others = files.iter().enumerate().filter(|(at, _)| *at != zip);
    let only = files[zip].is_flat() && others.all(|(_, file)| is_document(file));
    only.then_some(zip)
}

/// Unpacks a zip. One that cannot be unpacked is kept as a file.
pub(super) fn unzip(zip: &SourceFile, mut notes: Vec<String>) -> ReceivedFiles {
    match archive::unpack(&zip.bytes) {
        Ok(mut contents) => {
            notes.append(&mut contents.notes);
            ReceivedFiles {
                warnings: notes,
                ..contents.into()
            }
        }
        Err(reason) => {
            let name = quote(zip.path.as_bytes());
            ReceivedFiles {
                files: vec![zip.clone()],
                warnings: notes,
                ..ReceivedFiles::refused(format!("{name} {reason}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> SourceFile {
        SourceFile {
            path: path.to_owned(),
            bytes: b"text".to_vec(),
            executable: false,
        }
    }

    #[test]
    fn a_zip_beside_documents_is_the_submission() {
        let only = |paths: &[&str]| {
            let files: Vec<SourceFile> = paths.iter().map(|path| file(path)).collect();
            only_zip(&files).map(|at| files[at].path.clone())
        };
        assert_eq!(only(&["hw.zip"]).as_deref(), Some("hw.zip"));
        assert_eq!(
            only(&["Report.PDF", "hw.ZIP", "doc/a.md"]).as_deref(),
            Some("hw.ZIP")
        );
        for paths in [
            &["hw.zip", "bot.py"][..],
            &["hw.zip", "old.zip"],
            &["hw.zip", "Cat.h", "report.pdf"],
            &["in/hw.zip", "report.pdf"],
            &["report.pdf"],
        ] {
            assert_eq!(only(paths), None, "{paths:?}");
        }
    }
}
