//! Folders that are kept, each with a note `FOLDER.json` that has a digest of its content.

use crate::files::{read_bounded, write_whole};
use crate::foreign::{Facts, ForeignFolder, Kind};
use rulebook::{IoContext, JudgeError, Result};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Note {
    content: String,
    about: Box<RawValue>,
    /// Digest of both, by which a changed note is noticed.
    seal: String,
}

impl Note {
    /// Returns `None` if the text is not as it was written.
    fn of(text: &[u8]) -> Option<Self> {
        let note: Self = serde_json::from_slice(text).ok()?;
        (note.seal == seal_of(&note.content, &note.about)).then_some(note)
    }
}

/// The state of a kept folder.
#[derive(Debug, PartialEq, Eq)]
pub enum Kept<T> {
    /// It is unchanged; its noted facts.
    Intact(T),
    /// The folder or its note has been changed, or one of them is missing.
    Damaged,
    /// Both the folder and its note are missing.
    Missing,
}

impl<T> Kept<T> {
    /// Returns the noted facts if the folder is unchanged.
    pub fn intact(self) -> Option<T> {
        match self {
            Self::Intact(about) => Some(about),
            Self::Damaged | Self::Missing => None,
        }
    }
}

/// Writes the note of a folder that will be kept as `place` and is still at `made`.
pub fn write_note<T: Serialize>(made: &Path, place: &Path, about: &T) -> Result {
    note(digest(made).or_io("read", made)?, place, about)
}

/// As [`write_note`], for a folder whose files are copies of one with this digest.
pub fn write_note_of_copy(made: &Path, place: &Path, file: [u8; 32]) -> Result {
    let content = digest_of(made, |facts| facts.mode, |_, _| Ok(file));
    note(content.or_io("read", made)?, place, &())
}

fn note<T: Serialize>(content: String, place: &Path, about: &T) -> Result {
    let about = serde_json::value::to_raw_value(about).expect("it has nothing but text in it");
    let seal = seal_of(&content, &about);
    let note = Note {
        content,
        about,
        seal,
    };
    let text = serde_json::to_vec(&note).expect("it has nothing but text in it");
    write_whole(&note_of(place), &text)
}

/// Compares a folder with its note.
pub fn recall<T: DeserializeOwned>(place: &Path) -> Result<Kept<T>> {
    read(place).or_else(|error| {
        let is_too_large = error.kind() == ErrorKind::FileTooLarge;
        match JudgeError::io("read", place, error) {
            error if is_too_large || error.is_of_one_place() => Ok(Kept::Damaged),
            error => Err(error),
        }
    })
}

/// Returns whether a folder, for example an artifact's, is unchanged.
pub fn is_intact(place: &Path) -> Result<bool> {
    let kept: Kept<IgnoredAny> = recall(place)?;
    Ok(kept.intact().is_some())
}

/// Returns whether a folder has the noted content; a copy may have changed the permissions.
pub fn has_noted_content(place: &Path) -> io::Result<bool> {
    let text = read_bounded(&note_of(place), NOTE_BYTES_MAX)?;
    let Some(note) = Note::of(&text) else {
        return Ok(false);
    };
    Ok(digest_of(place, usual_mode, of_file)? == note.content)
}

/// Returns the mode that the judge gives such an entry.
fn usual_mode(facts: &Facts) -> u32 {
    let permissions = match facts.kind {
        // Nobody's copy adds such a bit.
        _ if facts.mode & 0o7000 != 0 => return facts.mode,
        Kind::File if facts.mode & 0o100 == 0 => 0o644,
        Kind::Folder | Kind::File => 0o755,
        Kind::Link | Kind::Special => return facts.mode,
    };
    facts.mode & !0o7777 | permissions
}

fn read<T: DeserializeOwned>(place: &Path) -> io::Result<Kept<T>> {
    let text = match read_bounded(&note_of(place), NOTE_BYTES_MAX) {
        Err(e) if e.kind() == ErrorKind::NotFound => {
            let is_there = fs::symlink_metadata(place).is_ok();
            return Ok(if is_there {
                Kept::Damaged
            } else {
                Kept::Missing
            });
        }
        text => text?,
    };
    let Some(note) = Note::of(&text) else {
        return Ok(Kept::Damaged);
    };
    Ok(match serde_json::from_str(note.about.get()) {
        Ok(about) if digest(place)? == note.content => Kept::Intact(about),
        _ => Kept::Damaged,
    })
}

fn seal_of(content: &str, about: &RawValue) -> String {
    let seal = Sha256::new().chain_update(content);
    hexadecimal(&seal.chain_update(about.get()).finalize())
}

fn note_of(place: &Path) -> PathBuf {
    place.with_extension("json")
}

const CHUNK_BYTES: usize = 64 << 10;
const NOTE_BYTES_MAX: u64 = 16 << 20;
/// In bytes. A submission is at most 64 MiB; the rest is for the output of a build.
const FOLDER_BYTES_MAX: u64 = 4 << 30;
const ENTRIES_MAX: usize = 1 << 20;

/// Returns the digest of path, kind, mode and content of all in a folder, and of its own mode.
///
/// # Errors
/// Of the kind [`ErrorKind::FileTooLarge`] when its files are larger than 4 GiB in total.
pub fn digest(folder: &Path) -> io::Result<String> {
    digest_of(folder, |facts| facts.mode, of_file)
}

fn digest_of(
    folder: &Path,
    mode: fn(&Facts) -> u32,
    file: impl Fn(File, &mut u64) -> io::Result<[u8; 32]>,
) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut part = |bytes: &[u8]| {
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    let folder = ForeignFolder::open(folder)?;
    part(&mode(&folder.facts()?).to_le_bytes());
    let mut folders = vec![PathBuf::new()];
    let mut left = FOLDER_BYTES_MAX;
    while let Some(below) = folders.pop() {
        let folder = folder.folder_below(&below)?;
        for name in folder.sorted_names(ENTRIES_MAX)? {
            let facts = folder.facts_of(&name)?;
            let path = below.join(&name);
            part(path.as_os_str().as_bytes());
            part(&mode(&facts).to_le_bytes());
            match facts.kind {
                Kind::Folder => folders.push(path),
                Kind::Link => part(folder.target(&name)?.as_bytes()),
                Kind::File => part(&file(folder.file(&name)?, &mut left)?),
                Kind::Special => {}
            }
        }
    }
    Ok(hexadecimal(&hasher.finalize()))
}

fn hexadecimal(digest: &[u8]) -> String {
    digest.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns the digest of an open file's content.
///
/// # Errors
/// Of the kind [`ErrorKind::FileTooLarge`] when it is larger than 4 GiB.
pub fn digest_of_file(file: File) -> io::Result<[u8; 32]> {
    of_file(file, &mut { FOLDER_BYTES_MAX })
}

/// Returns the digest of a file, and subtracts its length from `left`.
fn of_file(file: File, left: &mut u64) -> io::Result<[u8; 32]> {
    let bytes = Facts::of(&file)?.bytes;
    *left = left.checked_sub(bytes).ok_or_else(|| {
        let reason = format!("its files are larger than {FOLDER_BYTES_MAX} bytes in total");
        io::Error::new(ErrorKind::FileTooLarge, reason)
    })?;
    // The file may grow meanwhile.
    digest_of_all(file.take(bytes))
}

/// Returns the digest of all that a reader gives.
pub fn digest_of_all(mut reader: impl Read) -> io::Result<[u8; 32]> {
    let mut hasher = Sha256::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match reader.read(&mut chunk) {
            Ok(0) => return Ok(hasher.finalize().into()),
            Ok(count) => hasher.update(&chunk[..count]),
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn kept() -> (tempfile::TempDir, PathBuf) {
        let parent = tempfile::tempdir().expect("a temporary folder");
        let place = parent.path().join("one");
        fs::create_dir_all(place.join("below")).expect("writable");
        fs::write(place.join("bot"), "#!/bin/sh\n").expect("writable");
        fs::write(place.join("below/data"), "1").expect("writable");
        symlink("bot", place.join("link")).expect("writable");
        write_note(&place, &place, &7).expect("it can be written");
        (parent, place)
    }

    #[test]
    fn unchanged_kept_folder_is_intact_with_its_note() {
        let (parent, place) = kept();
        assert_eq!(recall(&place).expect("readable"), Kept::Intact(7));
        let elsewhere = parent.path().join("two");
        assert_eq!(recall::<u32>(&elsewhere).expect("readable"), Kept::Missing);
        fs::rename(&place, &elsewhere).expect("writable");
        fs::rename(note_of(&place), note_of(&elsewhere)).expect("writable");
        assert!(is_intact(&elsewhere).expect("readable"), "wherever it lies");
    }

    #[test]
    fn oversized_kept_folder_is_damaged_and_not_read() {
        for long in ["bot", "below/data", "../one.json"] {
            let (_parent, place) = kept();
            let file = File::create(place.join(long)).expect("writable");
            file.set_len(1 << 42).expect("it has no content");
            assert_eq!(recall::<u32>(&place).expect("readable"), Kept::Damaged);
        }
    }

    #[test]
    fn other_permissions_leave_the_content() {
        let (_parent, place) = kept();
        for (path, mode) in [
            (place.clone(), 0o755),
            (place.join("below"), 0o755),
            (place.join("bot"), 0o755),
        ] {
            fs::set_permissions(path, Permissions::from_mode(mode)).expect("writable");
        }
        write_note(&place, &place, &7).expect("it can be written");
        fs::set_permissions(place.join("bot"), Permissions::from_mode(0o700)).expect("writable");
        assert!(!is_intact(&place).expect("readable"));
        assert!(has_noted_content(&place).expect("readable"));
        fs::write(place.join("bot"), "#!/bin/ls\n").expect("writable");
        assert!(!has_noted_content(&place).expect("readable"));
    }

    #[test]
    fn every_change_is_seen() {
        type Change = fn(&Path);
        let changes: &[(&str, Change)] = &[
            ("emptied", |at| {
                fs::write(at.join("bot"), "").expect("writable");
            }),
            ("replaced", |at| {
                fs::write(at.join("bot"), "#!/bin/ls\n").expect("writable");
            }),
            ("unreadable", |at| {
                fs::set_permissions(at.join("bot"), Permissions::from_mode(0o0)).expect("writable");
            }),
            ("closed", |at| {
                fs::set_permissions(at, Permissions::from_mode(0o700)).expect("writable");
            }),
            ("renamed", |at| {
                fs::rename(at.join("bot"), at.join("bat")).expect("writable");
            }),
            ("gone", |at| fs::remove_dir_all(at).expect("writable")),
            ("a file", |at| {
                fs::remove_dir_all(at).expect("writable");
                fs::write(at, "").expect("writable");
            }),
            ("more", |at| {
                fs::write(at.join("more"), "").expect("writable");
            }),
            ("below", |at| {
                fs::write(at.join("below/data"), "2").expect("writable");
            }),
            ("another link", |at| {
                fs::remove_file(at.join("link")).expect("writable");
                symlink("below", at.join("link")).expect("writable");
            }),
            ("without a note", |at| {
                fs::remove_file(note_of(at)).expect("writable");
            }),
            ("another note", |at| {
                let content = digest(at).expect("readable");
                let note = format!(r#"{{"content":"{content}","about":8,"seal":"7"}}"#);
                fs::write(note_of(at), note).expect("writable");
            }),
            ("a note that is none", |at| {
                fs::write(note_of(at), "{\"content\":\"").expect("writable");
            }),
        ];
        for (name, change) in changes {
            let (_parent, place) = kept();
            change(&place);
            let kept: Kept<u32> = recall(&place).expect("readable");
            assert_eq!(kept, Kept::Damaged, "{name}");
        }
    }
}
