//! Reading the files of one submission, within bounds.

use crate::error::JudgeError;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// The most files of a submission.
pub(super) const FILES_MAX: usize = 500;
/// The most bytes of a submission.
pub(super) const BYTES_MAX: usize = 64 << 20;
/// The deepest folder in a submission.
const DEPTH_MAX: usize = 8;

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
    /// Tells whether the file lies in the submission's folder itself.
    pub fn is_flat(&self) -> bool {
        !self.path.contains('/')
    }
}

/// Reads all files below a folder, or one file, sorted by path. Hidden files, links and
/// special files are left out and named in `warnings`.
pub(super) fn read_all(root: &Path, warnings: &mut Vec<String>) -> Result<Vec<SourceFile>, String> {
    let mut reading = Reading {
        files: Vec::new(),
        bytes: 0,
        warnings,
    };
    let kind = fs::symlink_metadata(root).map_err(|e| reason("read", root, e))?;
    if kind.is_file() {
        let name = root
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        reading.file(root, name)?;
    } else {
        reading.folder(root, "", 0)?;
    }
    let mut files = reading.files;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

struct Reading<'a> {
    files: Vec<SourceFile>,
    bytes: usize,
    warnings: &'a mut Vec<String>,
}

impl Reading<'_> {
    fn folder(&mut self, folder: &Path, prefix: &str, depth: usize) -> Result<(), String> {
        if depth > DEPTH_MAX {
            return Err(format!("folders nest deeper than {DEPTH_MAX}: {prefix}"));
        }
        let entries = fs::read_dir(folder).map_err(|e| reason("read", folder, e))?;
        for entry in entries {
            let entry = entry.map_err(|e| reason("read", folder, e))?;
            let Ok(name) = entry.file_name().into_string() else {
                self.warnings
                    .push("left out a file whose name is not UTF-8".to_owned());
                continue;
            };
            let path = format!("{prefix}{name}");
            let kind = entry
                .file_type()
                .map_err(|e| reason("read", &entry.path(), e))?;
            if name == "__MACOSX" || name == ".DS_Store" {
                continue;
            }
            if name.starts_with('.') {
                self.warnings
                    .push(format!("left out {path}: hidden files are not taken"));
                continue;
            }
            if kind.is_dir() {
                self.folder(&entry.path(), &format!("{path}/"), depth + 1)?;
            } else if kind.is_file() {
                self.file(&entry.path(), path)?;
            } else {
                self.warnings.push(format!(
                    "left out {path}: links and special files are not taken"
                ));
            }
        }
        Ok(())
    }

    fn file(&mut self, file: &Path, path: String) -> Result<(), String> {
        if self.files.len() == FILES_MAX {
            return Err(format!("more than {FILES_MAX} files"));
        }
        let failed = |e| reason("read", file, e);
        // Between the look at its kind and now the file may have become a link or a pipe.
        let opened = File::options()
            .read(true)
            .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
            .open(file)
            .map_err(failed)?;
        let mode = opened.metadata().map_err(failed)?.permissions().mode();
        let room = BYTES_MAX - self.bytes;
        let mut bytes = Vec::new();
        opened
            .take(room as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        if bytes.len() > room {
            return Err(format!("more than {} MiB in all", BYTES_MAX >> 20));
        }
        self.bytes += bytes.len();
        self.files.push(SourceFile {
            path,
            bytes,
            executable: mode & 0o111 != 0,
        });
        Ok(())
    }
}

fn reason(action: &'static str, path: &Path, error: std::io::Error) -> String {
    JudgeError::io(action, path, error).to_string()
}
