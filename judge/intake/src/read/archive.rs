//! Reads archives from strangers into memory, within bounds; nothing that they announce is trusted.

use crate::read::names::{self, LeftOut, Why};
use crate::read::source::{
    Allowance, Bag, DOCUMENTS, EXECUTABLE, NOTHING, SourceFile, has_ending, too_large,
};
use crate::read::submission::Submission;
use flate2::read::MultiGzDecoder;
use model::advice::is_archive;
use model::fault::quote;
use model::platform::list_files;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Cursor, Read, Seek};
use zip::read::ZipFile;
use zip::result::ZipError;
use zip::{CompressionMethod, System, ZipArchive};

/// Maximum number of entries of a zip that holds all submissions of a course.
const COURSE_ENTRIES_MAX: usize = 1_000_000;

/// First bytes of each entry's record in a zip's directory.
const ENTRY_SIGNATURE: &[u8] = b"PK\x01\x02";

const OTHER_ARCHIVES: [&[u8]; 4] = [b"Rar!", b"7z\xbc\xaf", b"\xfd7zXZ", b"BZh"];

const GZIP: &[u8; 2] = b"\x1f\x8b";

const LISTS: &[&str] = &["csv", "json", "tsv", "xlsx", "yaml", "yml"];

pub(crate) struct Archive<R> {
    packed: Packed<R>,
    entries: BTreeMap<String, Entry>,
    count: usize,
    left_out: LeftOut,
    /// Reasons for entries that belong to no submission, because their paths lead outside.
    pub(crate) left_outside: Vec<String>,
}

enum Packed<R> {
    Zip(ZipArchive<R>),
    Tar(Vec<Vec<u8>>),
}

struct Entry {
    index: usize,
    /// `None` where the archive comes from a system that does not say.
    executable: Option<bool>,
    /// Why it cannot be taken. Its submission is refused.
    refusal: Option<String>,
}

struct EntryHeader {
    name: String,
    is_folder: bool,
    left_out: Option<Why>,
    executable: Option<bool>,
    refusal: Option<String>,
}

/// Unpacks an archive of one submission, and strips single folders around everything. Also returns
/// what an archive in it may have.
pub(crate) fn unpack(
    bytes: &[u8],
    allowance: Allowance,
) -> Result<(Submission, Allowance), String> {
    let mut archive = if bytes.starts_with(GZIP) || bytes.get(257..262) == Some(b"ustar") {
        Archive::of_tar(bytes, allowance)?
    } else {
        if OTHER_ARCHIVES.iter().any(|magic| bytes.starts_with(magic)) {
            return Err(
                "is an archive of another kind; submit a zip, a tar.gz or a folder".to_owned(),
            );
        }
        let count = bytes.windows(4).filter(|w| *w == ENTRY_SIGNATURE).count();
        if count > allowance.entries {
            return Err(too_many_entries());
        }
        Archive::open(Cursor::new(bytes))?
    };
    if let Some(reason) = archive.left_outside.pop() {
        return Err(reason);
    }
    let mut contents = archive.read_folder("", allowance)?;
    let remaining = Allowance {
        entries: allowance.entries.saturating_sub(archive.count),
        files: allowance.files - contents.files.len(),
        bytes: allowance.bytes - contents.bytes(),
    };
    strip_single_folders(&mut contents.files);
    match (&*contents.files, &*contents.warnings) {
        ([], []) => Err("is an empty archive".to_owned()),
        ([], _) => Err(NOTHING.to_owned()),
        _ => Ok((contents, remaining)),
    }
}

fn too_many_entries() -> String {
    format!("has more than {} entries", Allowance::whole().entries)
}

impl<R: Read + Seek> Archive<R> {
    /// A defect of an entry is kept for its submission.
    fn new(packed: Packed<R>, headers: Vec<EntryHeader>) -> Self {
        let mut archive = Self {
            entries: BTreeMap::new(),
            count: headers.len(),
            left_out: LeftOut::new(),
            left_outside: Vec::new(),
            packed,
        };
        for (index, header) in headers.into_iter().enumerate() {
            archive.take(index, header);
        }
        archive
    }

    pub(crate) fn open(reader: R) -> Result<Self, String> {
        let mut zip = ZipArchive::new(reader).map_err(|e| zip_error(&e))?;
        if zip.len() > COURSE_ENTRIES_MAX {
            return Err(format!("has more than {COURSE_ENTRIES_MAX} entries"));
        }
        if zip.has_duplicate_names() {
            return Err("has two files of the same name".to_owned());
        }
        let headers: Result<Vec<EntryHeader>, String> = (0..zip.len())
            .map(|index| zip_header(&zip.by_index_raw(index).map_err(|e| zip_error(&e))?))
            .collect();
        Ok(Self::new(Packed::Zip(zip), headers?))
    }

    fn take(&mut self, index: usize, header: EntryHeader) {
        let found = match names::in_archive(&header.name) {
            Ok(Some(found)) if !header.is_folder && !found.path.is_empty() => found,
            Ok(_) => return,
            Err(reason) => return self.left_outside.push(reason),
        };
        let path = found.path;
        if let Some(why) = found.left_out.or(header.left_out) {
            return self.left_out.push((path, why));
        }
        let twice = || {
            let is_twice = self.entries.contains_key(&path);
            is_twice.then(|| format!("has {} twice", quote(&path)))
        };
        let entry = Entry {
            index,
            executable: header.executable,
            refusal: found.refusal.or(header.refusal).or_else(twice),
        };
        self.entries.insert(path, entry);
    }

    fn refusal(&self, path: &str) -> Option<String> {
        // Refused names may be very long.
        self.entries[path].refusal.clone().or_else(|| {
            let mut above = path.match_indices('/').map(|(at, _)| &path[..at]);
            let folder = above.find(|folder| self.entries.contains_key(*folder))?;
            Some(format!("has {} both as a file and a folder", quote(folder)))
        })
    }

    /// Groups the paths by their first part, below the folder that holds all groups: empty, or
    /// with its slash. If `accompanied`, documents and lists may be next to the groups.
    pub(crate) fn groups(&self, accompanied: bool) -> (String, BTreeMap<String, Vec<String>>) {
        let above = self.folder_of_folders(accompanied).unwrap_or_default();
        let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for path in self.entries.keys().filter(|path| path.starts_with(&above)) {
            let first = path[above.len()..].split('/').next().unwrap_or(path);
            if !first.starts_with('.') {
                let group = groups.entry(first.to_owned()).or_default();
                group.push(path.clone());
            }
        }
        // A person whose files are all left out is still named.
        for (path, _) in &self.left_out {
            if let Some(name) = group_of(path, &above) {
                groups.entry(name.to_owned()).or_default();
            }
        }
        (above, groups)
    }

    /// Lists the entries that are left out and belong to none of the groups of [`Archive::groups`].
    pub(crate) fn left_out_of_groups(&self, above: &str) -> Vec<String> {
        let mut others = self.left_out.clone();
        others.retain(|(path, _)| group_of(path, above).is_none());
        let [notes, _] = names::notes(&others, "");
        notes
    }

    /// Finds the one folder around everything, if it is not a submission itself: it holds nothing
    /// but folders, archives and files that a platform has named. If `accompanied`, it may hold
    /// documents and lists, too.
    fn folder_of_folders(&self, accompanied: bool) -> Option<String> {
        let mut seen = self
            .entries
            .keys()
            .filter(|path: &&String| !path.starts_with('.'));
        let (first, _) = seen.clone().next()?.split_once('/')?;
        let folder = format!("{first}/");
        let may_accompany = [DOCUMENTS, LISTS].concat();
        let fits = |path: &str| {
            path.contains('/')
                || path.starts_with('.')
                || is_archive(path)
                || model::platform::has_named_file(path)
                || list_files().any(|name| path == name)
                || accompanied && has_ending(&path.to_ascii_lowercase(), &may_accompany)
        };
        seen.all(|path| path.strip_prefix(&folder).is_some_and(fits))
            .then_some(folder)
    }

    /// Lists the folders in the one folder around everything, each with its slash, if documents or
    /// lists are next to them.
    pub(crate) fn beside_documents(&self) -> BTreeSet<String> {
        if self.folder_of_folders(false).is_some() {
            return BTreeSet::new();
        }
        self.folder_of_folders(true)
            .into_iter()
            .flat_map(|above| {
                self.entries.keys().filter_map(move |path| {
                    let (name, _) = path.strip_prefix(&above)?.split_once('/')?;
                    Some(format!("{above}{name}/"))
                })
            })
            .collect()
    }

    pub(crate) fn read_folder(
        &mut self,
        folder: &str,
        allowance: Allowance,
    ) -> Result<Submission, String> {
        let mut paths: Vec<String> = self.entries.keys().cloned().collect();
        paths.retain(|path| path.starts_with(folder));
        self.read(&paths, folder, allowance)
    }

    pub(crate) fn read(
        &mut self,
        paths: &[String],
        prefix: &str,
        allowance: Allowance,
    ) -> Result<Submission, String> {
        let marked: Vec<(&str, Why)> = paths
            .iter()
            .filter_map(|path| names::marked(path))
            .filter(|(folder, _)| folder.len() > prefix.len())
            .collect();
        let mut left_out = self.left_out.clone();
        let mut taken = Vec::new();
        for path in paths {
            match marked.iter().find(|(folder, _)| path.starts_with(folder)) {
                Some((folder, why)) => left_out.push(((*folder).to_owned(), *why)),
                None => taken.push(path),
            }
        }
        if let Some(reason) = taken.iter().find_map(|path| self.refusal(path)) {
            return Err(reason);
        }
        let mut bag = Bag::within(allowance);
        for path in taken {
            let entry = &self.entries[path];
            let mut file: Box<dyn Read> = match &mut self.packed {
                Packed::Zip(zip) => Box::new(zip.by_index(entry.index).map_err(|e| zip_error(&e))?),
                Packed::Tar(contents) => Box::new(&*contents[entry.index]),
            };
            let bytes = bag.read(&mut file, |e| {
                let shown = quote(path);
                format!("is damaged: {shown} cannot be unpacked ({e}); pack it again")
            })?;
            let executable = entry
                .executable
                .unwrap_or_else(|| looks_like_a_program(&bytes));
            let path = path.strip_prefix(prefix).unwrap_or(path).to_owned();
            bag.add(path, bytes, executable)?;
        }
        bag.files.sort_by(|a, b| a.path.cmp(&b.path));
        let [warnings, left_out] = names::notes(&left_out, prefix);
        Ok(Submission {
            warnings,
            left_out,
            ..Submission::of(bag.files)
        })
    }
}

/// Size of a header of a tar, and the unit of its contents, in bytes.
const TAR_BLOCK_BYTES: usize = 512;

impl<'a> Archive<Cursor<&'a [u8]>> {
    /// Reads no more than a submission may have, with as much again for what is left out.
    fn of_tar(bytes: &'a [u8], allowance: Allowance) -> Result<Self, String> {
        let damaged = |e: io::Error| format!("is not a readable tar ({e}); pack it again");
        let plain: Box<dyn Read> = if bytes.starts_with(GZIP) {
            Box::new(MultiGzDecoder::new(bytes))
        } else {
            Box::new(bytes)
        };
        let most = 2 * (allowance.bytes + 3 * TAR_BLOCK_BYTES * allowance.entries);
        let mut bounded = plain.take(most as u64);
        let (mut headers, mut contents) = (Vec::new(), Vec::new());
        let mut read = || {
            for file in tar::Archive::new(&mut bounded).entries().map_err(damaged)? {
                let mut file = file.map_err(damaged)?;
                if headers.len() == allowance.entries {
                    return Err(too_many_entries());
                }
                headers.push(tar_header(&file));
                let mut content = Vec::new();
                file.read_to_end(&mut content).map_err(damaged)?;
                contents.push(content);
            }
            Ok(())
        };
        let result = read();
        if bounded.limit() == 0 {
            return Err(too_large());
        }
        result.map(|()| Self::new(Packed::Tar(contents), headers))
    }
}

/// Returns the first part of a path below `above`, if it is a folder that may be a submission.
fn group_of<'a>(path: &'a str, above: &str) -> Option<&'a str> {
    let (name, _) = path.strip_prefix(above)?.split_once('/')?;
    names::odd(name).is_none().then_some(name)
}

fn tar_header<R: Read>(file: &tar::Entry<'_, R>) -> EntryHeader {
    let header = file.header();
    let kind = header.entry_type();
    let bytes = file.path_bytes();
    let is_file = kind.is_file() || kind.is_contiguous() || kind.is_gnu_sparse();
    EntryHeader {
        // Old tars have no kind for folders.
        is_folder: kind.is_dir()
            || kind.is_pax_global_extensions()
            || kind.is_file() && bytes.ends_with(b"/"),
        left_out: match std::str::from_utf8(&bytes) {
            Err(_) => Some(Why::NotUtf8),
            Ok(_) => (!is_file).then_some(Why::Link),
        },
        executable: Some(header.mode().is_ok_and(|mode| mode & EXECUTABLE != 0)),
        refusal: None,
        name: String::from_utf8_lossy(&bytes).into_owned(),
    }
}

fn zip_header<R: Read>(file: &ZipFile<'_, R>) -> Result<EntryHeader, String> {
    // A name that is not UTF-8 is in code page 437, as the zip format says.
    let name = file.name().map_err(|e| zip_error(&e))?.into_owned();
    let kind = file.unix_mode().map_or(0, |mode| mode & 0o170_000);
    let is_special = file.is_symlink() || !matches!(kind, 0 | 0o100_000);
    Ok(EntryHeader {
        is_folder: file.is_dir(),
        left_out: is_special.then_some(Why::Link),
        executable: (file.system() == System::Unix)
            .then(|| file.unix_mode().is_some_and(|mode| mode & EXECUTABLE != 0)),
        refusal: if file.encrypted() {
            Some("is encrypted; pack it again without a password".to_owned())
        } else if let CompressionMethod::Stored | CompressionMethod::Deflated = file.compression() {
            None
        } else {
            Some(format!(
                "has {} in a compression other than deflate; pack it again with a common zip program",
                quote(&name)
            ))
        },
        name,
    })
}

pub(crate) fn looks_like_a_program(bytes: &[u8]) -> bool {
    bytes.starts_with(b"#!") || bytes.starts_with(b"\x7fELF")
}

/// Strips the folders that contain everything but hidden files.
pub(crate) fn strip_single_folders(files: &mut Vec<SourceFile>) {
    let is_seen = |file: &&SourceFile| !file.path.starts_with('.');
    while let Some((folder, _)) =
        (files.iter().find(is_seen)).and_then(|file| file.path.split_once('/'))
    {
        let folder = format!("{folder}/");
        let is_inside = |file: &SourceFile| file.path.starts_with(&folder);
        if !files.iter().filter(is_seen).all(is_inside) {
            return;
        }
        for file in files.iter_mut().filter(|file| is_inside(file)) {
            file.path.drain(..folder.len());
        }
        // Inner files follow the hidden ones, and win.
        files.reverse();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|later, first| later.path == first.path);
    }
}

fn zip_error(error: &ZipError) -> String {
    format!("is not a readable zip or tar ({error}); pack it again")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::source::limit;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use model::competition::SubmissionLimits;
    use std::io::Write;
    use tar::{Builder, EntryType, Header};

    /// Makes a tar of entries: kind, path, mode, content.
    fn tar(entries: &[(EntryType, &str, u32, &[u8])]) -> Vec<u8> {
        let mut made = Builder::new(Vec::new());
        for (kind, path, mode, content) in entries {
            let mut header = Header::new_gnu();
            header.set_entry_type(*kind);
            header.set_mode(*mode);
            header.set_size(content.len() as u64);
            // The library itself would refuse a path that leads outside.
            let name = &mut header.as_old_mut().name;
            name[..path.len()].copy_from_slice(path.as_bytes());
            header.set_cksum();
            made.append(&header, *content).expect("in memory");
        }
        made.into_inner().expect("in memory")
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut made = GzEncoder::new(Vec::new(), Compression::default());
        made.write_all(bytes).expect("in memory");
        made.finish().expect("in memory")
    }

    fn reported(bytes: &[u8]) -> Result<Vec<String>, String> {
        let (contents, _) = unpack(bytes, Allowance::whole())?;
        let files = contents.files.iter().map(|file| {
            let mode = if file.executable { "x" } else { "-" };
            format!("{mode} {} {}", file.path, file.bytes.len())
        });
        Ok(files.chain(contents.warnings).collect())
    }

    #[test]
    fn a_tar_passes_the_gate_of_zips() {
        limit(SubmissionLimits { files: 4, mib: 1 });
        let file = EntryType::Regular;
        let zeros = vec![0; 3 << 20];
        let honest = tar(&[
            (EntryType::XGlobalHeader, "pax_global_header", 0o644, b""),
            (EntryType::Directory, "hw/", 0o755, b""),
            (file, "hw/src/a.c", 0o644, b"12"),
            (file, "hw/bot", 0o755, b"#!/bin/sh"),
            (EntryType::Symlink, "hw/link", 0o777, b""),
            (file, "hw/.git/config", 0o644, b"x"),
        ]);
        let expected = ["x bot 9", "- src/a.c 2"].map(str::to_owned);
        for bytes in [honest.clone(), gzip(&honest)] {
            let all = reported(&bytes).expect("honest");
            assert_eq!(all[..2], expected, "{all:?}");
            assert!(all[2].contains("links and special files"), "{all:?}");
        }
        let old = tar(&[(file, "hw/", 0o755, b""), (file, "hw/bot", 0o755, b"x")]);
        assert_eq!(reported(&old).expect("an old tar"), ["x bot 1"]);
        let mut latin = tar(&[(file, "bot", 0o755, b"x"), (file, "zo?", 0o644, b"x")]);
        let header = &mut latin[2 * TAR_BLOCK_BYTES..3 * TAR_BLOCK_BYTES];
        let mut latin_header = Header::from_byte_slice(header).clone();
        latin_header.as_old_mut().name[2] = 0xeb;
        latin_header.set_cksum();
        header.copy_from_slice(latin_header.as_bytes());
        let all = reported(&latin).expect("the other file");
        assert!(all[1].ends_with("its name is not UTF-8"), "{all:?}");
        let venv = tar(&[
            (file, "bot", 0o755, b"x"),
            (file, "v/lib/x", 0o644, &zeros[..1 << 20]),
            (file, "v/pyvenv.cfg", 0o644, b"x"),
        ]);
        let all = reported(&gzip(&venv)).expect("left out");
        assert_eq!(all[0], "x bot 1");
        let many = [(EntryType::Symlink, "x", 0o777, &b""[..]); 21];
        let only = |kind, path, content| tar(&[(kind, path, 0o644, content)]);
        let one = |path| only(file, path, b"x");
        let two = |a, b| tar(&[(file, a, 0o644, b"x"), (file, b, 0o644, b"y")]);
        let (much, bare) = ("has more than 1 MiB", "has no usable file");
        for (name, bytes, reason) in [
            ("absolute", one("/tmp/evil"), "has the absolute path"),
            ("up", one("a/../../evil"), "which is outside"),
            ("both", two("a", "a/b"), "both as a file"),
            ("twice", two("a", "a"), "has a twice"),
            ("many", tar(&many), "has more than 20 entries"),
            ("links", only(EntryType::Link, "a", b""), bare),
            ("large", only(file, "a", &zeros[..=1 << 20]), much),
            ("left-out bomb", gzip(&only(file, ".git/a", &zeros)), much),
            ("cut", gzip(&honest)[..40].to_vec(), "is not a readable tar"),
            ("no tar", gzip(b"hello"), "is not a readable tar"),
            ("empty", tar(&[]), "is not a readable zip or tar"),
        ] {
            let refused = reported(&bytes).expect_err(name);
            assert!(refused.contains(reason), "{name}: {refused}");
        }
    }
}
