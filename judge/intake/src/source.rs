//! Reading the files of one submission, within bounds.

use super::bounds::{BYTES_MAX, Excess, FILES_MAX};
use super::left_out::LeftOut;
use super::names;
use error::JudgeError;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use system::run_folder;
use words::fault::quote;

/// Why a submission is none where it has no files.
pub(super) const NOTHING: &str =
    "has no usable file (links, hidden and special files are not accepted)";

/// The same where there is nothing at all.
pub(super) const EMPTY: &str = "the folder is empty";

/// Endings of source files: who hands in one of these means it as a submission.
pub(super) const SOURCE_ENDINGS: [&str; 19] = [
    "py", "cpp", "cc", "c", "hs", "ml", "js", "ts", "rs", "java", "kt", "cs", "go", "rb", "pl",
    "lua", "php", "jl", "sh",
];

/// Endings of what people read and nobody runs.
pub(super) const DOCUMENTS: &[&str] = &[
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
    /// Returns whether the file lies in the submission's folder itself.
    pub fn is_flat(&self) -> bool {
        !self.path.contains('/')
    }
}

/// Returns whether a file's name has one of these endings.
pub(super) fn has_ending(path: &str, endings: &[&str]) -> bool {
    let ending = Path::new(path).extension();
    ending.is_some_and(|own| endings.iter().any(|known| own == *known))
}

/// Returns whether a text is UTF-16, which no compiler of ours reads.
pub(super) fn is_utf_16(bytes: &[u8]) -> bool {
    let starts = [&b"\xff\xfe"[..], b"\xfe\xff", b"#\0!", b"\0#\0!"];
    starts.iter().any(|start| bytes.starts_with(start))
}

/// Takes off the byte order mark of a text in UTF-8, if it has one.
pub(super) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Returns the last part of a path.
pub(super) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// What a folder or a zip holds.
#[derive(Debug, Default)]
pub(super) struct Contents {
    pub(super) files: Vec<SourceFile>,
    /// What was left out, with the reason.
    pub(super) notes: Vec<String>,
    /// Folders that tools have made, each with its slash; nothing is said of them where all is well.
    pub(super) passed_over: Vec<String>,
}

/// Why the files of a submission cannot be taken.
#[derive(Debug)]
pub(super) enum Unreadable {
    /// They are too many or too large.
    Excess(Excess),
    /// For this reason.
    Reason(String),
}

impl From<String> for Unreadable {
    fn from(reason: String) -> Self {
        Self::Reason(reason)
    }
}

impl Unreadable {
    /// Says it; `files` are all files that there are, with their sizes.
    pub(super) fn words(self, files: impl Iterator<Item = (String, u64)>) -> String {
        match self {
            Self::Excess(excess) => excess.words(files),
            Self::Reason(reason) => reason,
        }
    }
}

/// The files of one submission while they are read, within its bounds.
#[derive(Debug, Default)]
pub(super) struct Bag {
    pub(super) files: Vec<SourceFile>,
    bytes: usize,
}

impl Bag {
    /// Reads one file; what counts are the bytes that come, whatever was announced.
    ///
    /// # Errors
    /// When there are too many files or bytes; inside, when it cannot be read.
    pub(super) fn read(&self, from: &mut impl Read) -> Result<io::Result<Vec<u8>>, Unreadable> {
        if self.files.len() == FILES_MAX {
            return Err(Unreadable::Excess(Excess::Files));
        }
        let room = BYTES_MAX - self.bytes;
        let mut bytes = Vec::new();
        if let Err(error) = from.take(room as u64 + 1).read_to_end(&mut bytes) {
            return Ok(Err(error));
        }
        if bytes.len() > room {
            return Err(Unreadable::Excess(Excess::Bytes));
        }
        Ok(Ok(bytes))
    }

    /// Adds a file that [`Bag::read`] gave.
    ///
    /// # Errors
    /// When its path cannot be kept.
    pub(super) fn add(
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

/// Returns whether a folder is that of a run.
fn is_run(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).is_file();
    has(run_folder::MANIFEST) && has(run_folder::JOURNAL)
}

/// Returns whether a folder is that of a run, or holds folders of runs and nothing else.
pub(super) fn is_of_runs(folder: &Path) -> bool {
    let all_inside = || {
        let entries: Vec<_> = fs::read_dir(folder).ok()?.collect::<Result<_, _>>().ok()?;
        let all = entries.iter().all(|entry| is_run(&entry.path()));
        Some(all && !entries.is_empty())
    };
    is_run(folder) || all_inside().unwrap_or(false)
}

/// Reads all files below a folder, or one file, sorted by path. Hidden files, links and
/// special files are left out and named in the notes; folders that tools have made are passed over,
/// unless there is nothing else.
pub(super) fn read_all(root: &Path) -> Result<Contents, String> {
    let kind = fs::symlink_metadata(root).map_err(|e| reason("read", root, e))?;
    if kind.is_file() {
        let mut bag = Bag::default();
        let name = root.file_name().unwrap_or_default();
        let read = read_file(&mut bag, root, name.to_string_lossy().into_owned());
        read.map_err(|unreadable| unreadable.words([].into_iter()))?;
        let files = bag.files;
        return Ok(Contents {
            files,
            ..Contents::default()
        });
    }
    let mut walk = Walk::default();
    let mut read = walk.read_folder(root, "", 0);
    if read.is_ok() && walk.bag.files.is_empty() && !walk.passed_over.is_empty() {
        walk = Walk {
            takes_all: true,
            ..Walk::default()
        };
        read = walk.read_folder(root, "", 0);
    }
    read.map_err(|unreadable| unreadable.words(sizes(root).into_iter()))?;
    let mut files = walk.bag.files;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(Contents {
        files,
        notes: walk.left_out.notes(""),
        passed_over: walk.passed_over,
    })
}

/// A folder while it is read.
#[derive(Default)]
struct Walk {
    bag: Bag,
    left_out: LeftOut,
    passed_over: Vec<String>,
    /// Whether folders that tools have made are read, too.
    takes_all: bool,
}

impl Walk {
    fn read_folder(&mut self, folder: &Path, prefix: &str, depth: usize) -> Result<(), Unreadable> {
        if depth > names::DEPTH_MAX {
            let shown = quote(prefix.as_bytes());
            let most = names::DEPTH_MAX;
            let reason = format!("has folders nested more than {most} deep: {shown}");
            return Err(reason.into());
        }
        let entries = fs::read_dir(folder).map_err(|e| reason("read", folder, e))?;
        for entry in entries {
            let entry = entry.map_err(|e| reason("read", folder, e))?;
            let name = match entry.file_name().into_string() {
                Ok(name) => name,
                Err(name) => {
                    let path = format!("{prefix}{}", name.to_string_lossy());
                    self.left_out.push(path, names::NOT_UTF_8);
                    continue;
                }
            };
            let path = format!("{prefix}{name}");
            let kind = entry
                .file_type()
                .map_err(|e| reason("read", &entry.path(), e))?;
            if names::is_junk(&name) {
                continue;
            }
            if kind.is_dir() && !self.takes_all && is_made_by_tools(&entry.path(), &name) {
                self.passed_over.push(format!("{path}/"));
                continue;
            }
            let why = names::odd(&name).or_else(|| {
                (!kind.is_dir() && !kind.is_file())
                    .then_some("links and special files are not accepted")
            });
            let why = why.or_else(|| {
                (kind.is_dir() && is_of_runs(&entry.path())).then_some("it was made by judge run")
            });
            if let Some(why) = why {
                self.left_out.push(path, why);
            } else if kind.is_dir() {
                self.read_folder(&entry.path(), &format!("{path}/"), depth + 1)?;
            } else {
                read_file(&mut self.bag, &entry.path(), path)?;
            }
        }
        Ok(())
    }
}

fn is_made_by_tools(folder: &Path, name: &str) -> bool {
    names::is_made_by_tools(name, |file| folder.join(file).is_file())
}

/// How many files and folders are looked at to find the largest folder.
const LOOKED_AT_MAX: usize = 100_000;

/// Lists the files below a folder with their sizes, as far as they would be read; of very many,
/// only the first.
fn sizes(root: &Path) -> Vec<(String, u64)> {
    let mut sizes = Vec::new();
    let mut folders = vec![(root.to_owned(), String::new())];
    let mut looked_at = 0;
    while let Some((folder, prefix)) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            looked_at += 1;
            if looked_at > LOOKED_AT_MAX {
                return sizes;
            }
            let name = entry.file_name().to_string_lossy().into_owned();
            let Ok(meta) = entry.metadata() else { continue };
            if names::is_junk(&name) || names::odd(&name).is_some() {
                continue;
            }
            if meta.is_file() {
                sizes.push((format!("{prefix}{name}"), meta.len()));
            } else if meta.is_dir() && !is_made_by_tools(&entry.path(), &name) {
                folders.push((entry.path(), format!("{prefix}{name}/")));
            }
        }
    }
    sizes
}

fn read_file(bag: &mut Bag, file: &Path, path: String) -> Result<(), Unreadable> {
    let failed = |e| reason("read", file, e);
    // Between the look at its kind and now the file may have become a link or a pipe.
    let mut opened = File::options()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(file)
        .map_err(failed)?;
    let mode = opened.metadata().map_err(failed)?.permissions().mode();
    let bytes = bag.read(&mut opened)?.map_err(failed)?;
    Ok(bag.add(path, bytes, mode & 0o111 != 0)?)
}

fn reason(action: &'static str, path: &Path, error: io::Error) -> String {
    JudgeError::io(action, path, error).to_string()
}
