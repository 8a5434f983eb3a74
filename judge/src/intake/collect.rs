//! Finding the submissions in a folder and recognising what each is.

use super::recognise::recognise;
use super::{Submission, source};
use crate::error::JudgeError;
use crate::fault::quote;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What was found in a folder.
#[derive(Debug)]
pub struct Collected {
    /// The submissions, by name.
    pub submissions: Vec<Submission>,
    /// Files that are no submissions.
    pub ignored: Vec<String>,
}

/// Reads every submission of a folder: each folder in it, and each executable file.
///
/// # Errors
/// When the folder cannot be read or holds no submission.
pub fn collect(folder: &Path) -> Result<Collected, JudgeError> {
    let mut paths = list(folder)?;
    paths.sort();
    let mut ignored = Vec::new();
    let mut found: BTreeMap<String, PathBuf> = BTreeMap::new();
    for path in paths {
        if let Some(reason) = not_a_candidate(&path)? {
            ignored.push(format!("{} ({reason})", quote(file_name(&path).as_bytes())));
            continue;
        }
        let name = entrant_name(&path);
        if let Some(reserved) = RESERVED
            .iter()
            .find(|reserved| name.starts_with(**reserved))
        {
            return Err(JudgeError::input(format!(
                "{} would enter as {name:?}, and names that begin with {reserved:?} belong to the built-in bots; rename it",
                path.display()
            )));
        }
        if let Some(other) = found.get(&name) {
            return Err(JudgeError::input(format!(
                "{} and {} would both enter as {name:?}; rename one of them",
                other.display(),
                path.display()
            )));
        }
        found.insert(name, path);
    }
    if found.is_empty() {
        let one = list(folder)?.iter().any(|path| path.is_file());
        let hint = if one {
            "; this looks like a single submission: name the folder above it"
        } else {
            ""
        };
        return Err(JudgeError::input(format!(
            "no submissions in {}: a submission is a folder of sources or an executable file that speaks the protocol (see protocol.md){hint}",
            folder.display()
        )));
    }
    let submissions = found
        .into_iter()
        .map(|(name, path)| read(name, &path))
        .collect();
    Ok(Collected {
        submissions,
        ignored,
    })
}

/// Reads one submission: a folder, or an executable file.
///
/// # Errors
/// When there is neither; the message says what there is.
pub fn collect_one(path: &Path) -> Result<Submission, JudgeError> {
    let real = path.canonicalize().map_err(|e| {
        JudgeError::input(format!(
            "cannot read {}: {e}; name a folder of sources or an executable file",
            path.display()
        ))
    })?;
    if let Some(reason) = not_a_candidate(&real)? {
        return Err(JudgeError::input(format!(
            "{} is no submission ({reason}); name a folder of sources or an executable file",
            path.display()
        )));
    }
    Ok(read(entrant_name(&real), &real))
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, JudgeError> {
    let failed = |e: std::io::Error| {
        JudgeError::input(format!(
            "cannot read the submissions folder {}: {e}; name a folder that holds one folder (or one executable) for each submission",
            folder.display()
        ))
    };
    let entries = fs::read_dir(folder).map_err(failed)?;
    let paths: Result<Vec<PathBuf>, _> = entries.map(|entry| entry.map(|e| e.path())).collect();
    let mut paths = paths.map_err(failed)?;
    paths.retain(|path| !file_name(path).starts_with('.'));
    Ok(paths)
}

/// Beginnings of names that no submission may take.
const RESERVED: [&str; 2] = [crate::builtin::PREFIX, crate::builtin::FILLER_PREFIX];

/// Tells why something in the folder is no submission.
fn not_a_candidate(path: &Path) -> Result<Option<&'static str>, JudgeError> {
    let meta = fs::symlink_metadata(path).map_err(|e| {
        JudgeError::input(format!(
            "cannot look at {}: {e}; make the submissions readable for you",
            path.display()
        ))
    })?;
    let executable = meta.permissions().mode() & 0o111 != 0;
    Ok(match meta.file_type() {
        kind if kind.is_dir() || (kind.is_file() && executable) => None,
        kind if kind.is_symlink() => Some("links are not followed"),
        kind if kind.is_file() && path.extension().is_some_and(|e| e == "zip") => {
            Some("unpack it into a folder of its own")
        }
        kind if kind.is_file() => Some("not executable"),
        _ => Some("neither folder nor file"),
    })
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn entrant_name(path: &Path) -> String {
    let stem = if path.is_dir() {
        path.file_name()
    } else {
        path.file_stem()
    };
    quote(stem.unwrap_or_default().to_string_lossy().as_bytes())
}

fn read(name: String, path: &Path) -> Submission {
    let mut warnings = Vec::new();
    let (files, form) = match source::read_all(path, &mut warnings) {
        Ok(files) => {
            let form = recognise(&files);
            (files, form)
        }
        Err(reason) => (Vec::new(), Err(reason)),
    };
    Submission {
        name,
        form,
        files,
        warnings,
    }
}
