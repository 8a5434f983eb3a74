//! Reading zips from strangers into memory, within bounds. Nothing that a zip says about itself is
//! trusted.

use super::left_out::{LeftOut, Why};
use super::names::{self, PathVerdict};
use super::platform;
use super::source::{Bag, Contents, DOCUMENTS, NOTHING, SourceFile, has_ending};
use crate::unreadable::Allowance;
use model::advice::is_archive;
use model::fault::quote;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read, Seek};
use zip::read::ZipFile;
use zip::result::ZipError;
use zip::{CompressionMethod, System, ZipArchive};

/// Maximum number of entries of a zip that holds all submissions of a course.
const COURSE_ENTRIES_MAX: usize = 1_000_000;

/// First bytes of each entry's record in a zip's directory.
const ENTRY_SIGNATURE: &[u8] = b"PK\x01\x02";

/// First bytes of archives of other kinds.
const OTHER_ARCHIVES: [&[u8]; 5] = [b"\x1f\x8b", b"Rar!", b"7z\xbc\xaf", b"\xfd7zXZ", b"BZh"];

/// Endings of lists of people and submissions, as platforms and staff make them.
const LISTS: &[&str] = &["csv", "json", "tsv", "xlsx", "yaml", "yml"];

/// Name of the list beside the submissions in Gradescope's export.
const GRADESCOPES_LIST: &str = "submission_metadata.yml";

/// Returns whether a file beside submissions has a name that belongs to no submission.
fn lies_beside(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    has_ending(&lower, DOCUMENTS) || has_ending(&lower, LISTS)
}

/// A zip whose directory has been read and checked.
pub(super) struct Archive<R> {
    zip: ZipArchive<R>,
    /// The files, by path.
    entries: BTreeMap<String, Entry>,
    /// Entries that are left out, each with the reason.
    left_out: LeftOut,
    /// Files that cannot be taken, each with the reason. The submission of such a file is refused.
    refused: BTreeMap<String, String>,
    /// Reasons for entries that belong to no submission, because their paths lead outside.
    pub(super) left_outside: Vec<String>,
    /// Allowance of each submission in it.
    allowance: Allowance,
}

/// A zip that has been unpacked.
#[derive(Debug)]
pub(super) struct Unpacked {
    pub(super) contents: Contents,
    /// Allowance of a zip among its files.
    pub(super) remaining: Allowance,
}

#[derive(Clone, Copy)]
struct Entry {
    index: usize,
    /// Whether the file may be executed; `None` where the zip comes from a system that does not
    /// say.
    executable: Option<bool>,
}

/// Unpacks a zip that holds one submission. Strips a single folder around everything.
/// `allowance` is what it may have.
pub(super) fn unpack(bytes: &[u8], allowance: Allowance) -> Result<Unpacked, String> {
    if OTHER_ARCHIVES.iter().any(|magic| bytes.starts_with(magic))
        || bytes.get(257..262) == Some(b"ustar")
    {
        return Err("is an archive, but not a zip; submit a zip or a folder".to_owned());
    }
    let count = bytes.windows(4).filter(|w| *w == ENTRY_SIGNATURE).count();
    if count > allowance.entries {
        return Err(format!(
            "has more than {} entries",
            Allowance::whole().entries
        ));
    }
    let mut archive = Archive::open(Cursor::new(bytes))?;
    archive.allowance = allowance;
    if let Some(reason) = archive.left_outside.pop() {
        return Err(reason);
    }
    let paths: Vec<String> = archive.entries.keys().cloned().collect();
    let mut contents = archive.read(&paths, "")?;
    let remaining = allowance.after(Allowance {
        entries: archive.zip.len(),
        files: contents.files.len(),
        bytes: contents.files.iter().map(|file| file.bytes.len()).sum(),
    });
    strip_single_folders(&mut contents.files);
    if contents.files.is_empty() && contents.notes.is_empty() {
        return Err("is an empty zip".to_owned());
    }
    if contents.files.is_empty() {
        return Err(NOTHING.to_owned());
    }
    Ok(Unpacked {
        contents,
        remaining,
    })
}

impl<R: Read + Seek> Archive<R> {
    /// Reads and checks the directory of a zip.
    pub(super) fn open(reader: R) -> Result<Self, String> {
        let zip = ZipArchive::new(reader).map_err(|e| complaint(&e))?;
        if zip.len() > COURSE_ENTRIES_MAX {
            return Err(format!("has more than {COURSE_ENTRIES_MAX} entries"));
        }
        if zip.has_duplicate_names() {
            return Err("has two files of the same name".to_owned());
        }
        let mut archive = Self {
            entries: BTreeMap::new(),
            left_out: LeftOut::default(),
            refused: BTreeMap::new(),
            left_outside: Vec::new(),
            allowance: Allowance::whole(),
            zip,
        };
        for index in 0..archive.zip.len() {
            archive.take(index)?;
        }
        archive.refuse_files_as_folders();
        Ok(archive)
    }

    /// Takes an entry of the directory. A defect of one entry is kept for its submission.
    fn take(&mut self, index: usize) -> Result<(), String> {
        let file = self.zip.by_index_raw(index).map_err(|e| complaint(&e))?;
        // A name that is not UTF-8 is in code page 437, as the zip format says.
        let name = file.name().map_err(|e| complaint(&e))?;
        let (path, refusal) = match names::in_archive(&name) {
            Ok(PathVerdict::Take(path)) => (path, None),
            Ok(PathVerdict::Refuse(path, reason)) => (path, Some(reason)),
            Ok(PathVerdict::Junk) => return Ok(()),
            Ok(PathVerdict::LeaveOut(path, reason)) => {
                if !file.is_dir() {
                    self.left_out.push(path, reason);
                }
                return Ok(());
            }
            Err(reason) => {
                self.left_outside.push(reason);
                return Ok(());
            }
        };
        let shown = quote(path.as_bytes());
        if file.is_dir() || path.is_empty() {
            return Ok(());
        }
        let kind = file.unix_mode().map_or(0, |mode| mode & 0o170_000);
        if file.is_symlink() || !matches!(kind, 0 | 0o100_000) {
            self.left_out.push(path, Why::Link);
            return Ok(());
        }
        let refusal = refusal.or_else(|| refusal_of_content(&file, &shown));
        let executable = (file.system() == System::Unix)
            .then(|| file.unix_mode().is_some_and(|mode| mode & 0o111 != 0));
        let entry = Entry { index, executable };
        let twice = self.entries.insert(path.clone(), entry).is_some();
        let refusal = refusal.or_else(|| twice.then(|| format!("has {shown} twice")));
        self.refused.extend(refusal.map(|reason| (path, reason)));
        Ok(())
    }

    /// Refuses a name that is both a file and a folder.
    fn refuse_files_as_folders(&mut self) {
        for path in self.entries.keys() {
            // Refused names may be very long.
            if self.refused.contains_key(path) {
                continue;
            }
            let mut above = path.match_indices('/').map(|(at, _)| &path[..at]);
            if let Some(folder) = above.find(|folder| self.entries.contains_key(*folder)) {
                let shown = quote(folder.as_bytes());
                let reason = format!("has {shown} both as a file and a folder");
                self.refused.insert(path.clone(), reason);
            }
        }
    }

    /// Groups the paths by their first part: in a zip of a whole course, each group is a
    /// submission. Returns the folder that holds all groups, empty or with its slash, and the
    /// groups by name. With `beside`, documents and lists may be beside the groups.
    pub(super) fn groups(&self, beside: bool) -> (String, BTreeMap<String, Vec<String>>) {
        let above = self.folder_of_folders(beside).unwrap_or_default();
        let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for path in self.entries.keys().filter(|path| path.starts_with(&above)) {
            let first = path[above.len()..].split('/').next().unwrap_or(path);
            if first.starts_with('.') {
                continue;
            }
            groups
                .entry(first.to_owned())
                .or_default()
                .push(path.clone());
        }
        // A person whose files are all left out is still named.
        for (name, _) in self
            .left_out
            .paths()
            .filter_map(|path| path.strip_prefix(&above))
            .filter_map(|path| path.split_once('/'))
            .filter(|(name, _)| names::odd(name).is_none())
        {
            groups.entry(name.to_owned()).or_default();
        }
        (above, groups)
    }

    /// Lists the entries that are left out and belong to none of the groups of [`Archive::groups`].
    pub(super) fn left_out_of_groups(&self, above: &str) -> Vec<String> {
        let is_of_group = |path: &str| {
            path.strip_prefix(above)
                .and_then(|path| path.split_once('/'))
                .is_some_and(|(name, _)| names::odd(name).is_none())
        };
        self.left_out.without(is_of_group).notes("", false)
    }

    /// Finds the one folder around everything, if it is not a submission itself. It then holds
    /// nothing but folders, zips and files that a learning platform has named. With `beside`,
    /// documents and lists may be in it too.
    fn folder_of_folders(&self, beside: bool) -> Option<String> {
        let mut seen = self
            .entries
            .keys()
            .filter(|path: &&String| !path.starts_with('.'));
        let (first, _) = seen.clone().next()?.split_once('/')?;
        let folder = format!("{first}/");
        let fits = |path: &str| {
            path.contains('/')
                || path.starts_with('.')
                || is_archive(path)
                || platform::has_named_file(path)
                || path == GRADESCOPES_LIST
                || beside && lies_beside(path)
        };
        seen.all(|path| path.strip_prefix(&folder).is_some_and(fits))
            .then_some(folder)
    }

    /// Lists the folders in the one folder around everything, each with its slash, if documents and
    /// lists are beside them. Returns an empty set otherwise.
    pub(super) fn beside_documents(&self) -> BTreeSet<String> {
        if self.folder_of_folders(false).is_some() {
            return BTreeSet::new();
        }
        let Some(above) = self.folder_of_folders(true) else {
            return BTreeSet::new();
        };
        self.entries
            .keys()
            .filter_map(|path| {
                let (name, _) = path.strip_prefix(&above)?.split_once('/')?;
                Some(format!("{above}{name}/"))
            })
            .collect()
    }

    /// Reads the files in a folder, as [`Archive::read`].
    pub(super) fn read_folder(&mut self, folder: &str) -> Result<Contents, String> {
        let paths: Vec<String> = self
            .entries
            .keys()
            .filter(|path| path.starts_with(folder))
            .cloned()
            .collect();
        self.read(&paths, folder)
    }

    /// Reads files within the bounds of one submission, and strips `prefix` from their paths. Leaves
    /// out folders that work only where they were made.
    pub(super) fn read(&mut self, paths: &[String], prefix: &str) -> Result<Contents, String> {
        let marked: Vec<(&str, Why)> = paths
            .iter()
            .filter_map(|path| names::marked(path))
            .filter(|(folder, _)| folder.len() > prefix.len())
            .collect();
        let mut left_out = self.left_out.clone();
        let mut taken = Vec::new();
        for path in paths {
            let mark = marked.iter().find(|(folder, _)| path.starts_with(folder));
            if let Some((folder, why)) = mark {
                left_out.push((*folder).to_owned(), *why);
            } else {
                taken.push(path);
            }
        }
        if let Some(reason) = taken.iter().find_map(|path| self.refused.get(*path)) {
            return Err(reason.clone());
        }
        Ok(Contents {
            files: self.read_entries(&taken, prefix)?,
            notes: left_out.notes(prefix, false),
            passed_over: left_out.notes(prefix, true),
            ..Contents::default()
        })
    }

    fn read_entries(&mut self, paths: &[&String], prefix: &str) -> Result<Vec<SourceFile>, String> {
        let mut bag = Bag::within(self.allowance);
        for path in paths {
            let entry = self.entries[*path];
            let shown = quote(path.as_bytes());
            let mut file = self.zip.by_index(entry.index).map_err(|e| complaint(&e))?;
            let bytes = bag.read(&mut file)?.map_err(|e| {
                format!("is damaged: {shown} cannot be unpacked ({e}); pack it again")
            })?;
            let executable = entry
                .executable
                .unwrap_or_else(|| looks_like_a_program(&bytes));
            let path = path.strip_prefix(prefix).unwrap_or(path).to_owned();
            bag.add(path, bytes, executable)?;
        }
        Ok(bag.files)
    }
}

/// Returns whether the kernel might execute a file.
pub(super) fn looks_like_a_program(bytes: &[u8]) -> bool {
    bytes.starts_with(b"#!") || bytes.starts_with(b"\x7fELF")
}

/// Returns why the content of a file is refused, as far as the directory shows.
fn refusal_of_content<R: Read>(file: &ZipFile<'_, R>, shown: &str) -> Option<String> {
    if file.encrypted() {
        return Some("is encrypted; pack it again without a password".to_owned());
    }
    let usual = matches!(
        file.compression(),
        CompressionMethod::Stored | CompressionMethod::Deflated
    );
    (!usual).then(|| {
        format!(
            "has {shown} in a compression other than deflate; pack it again with a common zip program"
        )
    })
}

/// Strips the folders that contain everything but hidden files.
pub(super) fn strip_single_folders(files: &mut Vec<SourceFile>) {
    let is_seen = |file: &&SourceFile| !file.path.starts_with('.');
    while let Some((folder, _)) =
        (files.iter().find(is_seen)).and_then(|file| file.path.split_once('/'))
    {
        let folder = format!("{folder}/");
        if !files
            .iter()
            .filter(is_seen)
            .all(|file| file.path.starts_with(&folder))
        {
            return;
        }
        for file in files
            .iter_mut()
            .filter(|file| file.path.starts_with(&folder))
        {
            file.path.drain(..folder.len());
        }
        // Inner files follow the hidden ones, and win.
        files.reverse();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|later, first| later.path == first.path);
    }
}

fn complaint(error: &ZipError) -> String {
    match error {
        ZipError::InvalidPassword => "is encrypted; pack it again without a password".to_owned(),
        other => format!("is not a readable zip ({other}); pack it again"),
    }
}
