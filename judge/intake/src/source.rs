//! Reading the files of one submission, within bounds.

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

/// The most files of a submission.
pub(super) const FILES_MAX: usize = 500;
/// The most bytes of a submission.
pub(super) const BYTES_MAX: usize = 64 << 20;

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

/// Returns the last part of a path.
pub(super) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns the folder of a path with the `/` behind it; empty for the submission's own.
pub(super) fn folder_of(path: &str) -> &str {
    path.rfind('/').map_or("", |end| &path[..=end])
}

/// The files of one submission while they are read, within its bounds.
#[derive(Debug, Default)]
pub(super) struct Bag {
    pub(super) files: Vec<SourceFile>,
    /// What was left out, with the reason.
    pub(super) warnings: Vec<String>,
    bytes: usize,
}

impl Bag {
    /// Reads one file; what counts are the bytes that come, whatever was announced.
    ///
    /// # Errors
    /// When there are too many files or bytes; inside, when it cannot be read.
    pub(super) fn read(&self, from: &mut impl Read) -> Result<io::Result<Vec<u8>>, String> {
        if self.files.len() == FILES_MAX {
            return Err(format!("has more than {FILES_MAX} files"));
        }
        let room = BYTES_MAX - self.bytes;
        let mut bytes = Vec::new();
        if let Err(error) = from.take(room as u64 + 1).read_to_end(&mut bytes) {
            return Ok(Err(error));
        }
        if bytes.len() > room {
            return Err(format!("has more than {} MiB in total", BYTES_MAX >> 20));
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
/// special files are left out and named in `warnings`.
pub(super) fn read_all(root: &Path, warnings: &mut Vec<String>) -> Result<Vec<SourceFile>, String> {
    let mut bag = Bag::default();
    let kind = fs::symlink_metadata(root).map_err(|e| reason("read", root, e))?;
    if kind.is_file() {
        let name = root
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        read_file(&mut bag, root, name)?;
    } else {
        read_folder(&mut bag, root, "", 0)?;
    }
    warnings.append(&mut bag.warnings);
    let mut files = bag.files;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn read_folder(bag: &mut Bag, folder: &Path, prefix: &str, depth: usize) -> Result<(), String> {
    if depth > names::DEPTH_MAX {
        let shown = quote(prefix.as_bytes());
        let most = names::DEPTH_MAX;
        return Err(format!("has folders nested more than {most} deep: {shown}"));
    }
    let entries = fs::read_dir(folder).map_err(|e| reason("read", folder, e))?;
    for entry in entries {
        let entry = entry.map_err(|e| reason("read", folder, e))?;
        let Ok(name) = entry.file_name().into_string() else {
            bag.warnings
                .push("left out a file whose name is not UTF-8".to_owned());
            continue;
        };
        let path = format!("{prefix}{name}");
        let kind = entry
            .file_type()
            .map_err(|e| reason("read", &entry.path(), e))?;
        if names::is_junk(&name) {
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
            let shown = quote(path.as_bytes());
            bag.warnings.push(format!("left out {shown}: {why}"));
        } else if kind.is_dir() {
            read_folder(bag, &entry.path(), &format!("{path}/"), depth + 1)?;
        } else {
            read_file(bag, &entry.path(), path)?;
        }
    }
    Ok(())
}

fn read_file(bag: &mut Bag, file: &Path, path: String) -> Result<(), String> {
    let failed = |e| reason("read", file, e);
    // Between the look at its kind and now the file may have become a link or a pipe.
    let mut opened = File::options()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(file)
        .map_err(failed)?;
    let mode = opened.metadata().map_err(failed)?.permissions().mode();
    let bytes = bag.read(&mut opened)?.map_err(failed)?;
    bag.add(path, bytes, mode & 0o111 != 0)
}

fn reason(action: &'static str, path: &Path, error: io::Error) -> String {
    JudgeError::io(action, path, error).to_string()
}
