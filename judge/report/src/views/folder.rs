//! The folder of a view: made whole beside its place, and then put there, so that nothing of
//! an earlier view stays in it.

use super::latest::{LATEST_NAME, Latest};
use super::played::View;
use error::JudgeError;
use sha2::{Digest, Sha256};
use std::fs::{self, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use system::cleanup::TemporaryFolder;
use system::files::{exchange, make_folder, remove_unfinished, write_whole};
use words::hash::hexadecimal;

/// The file that tells whose view a folder is.
pub const MARK_NAME: &str = "view.txt";

/// Reads what the file `view.txt` of a folder says: whose view it is, and in the folder of one
/// student the public name of this one. None where it says anything else.
pub fn read_mark(text: &str) -> Option<(View, Option<&str>)> {
    let views = [View::Public, View::Student, View::Staff];
    views.into_iter().find_map(|view| {
        let name = text.strip_prefix(marked(view).as_str())?;
        match (view, name.strip_suffix('\n')) {
            (_, None) if name.is_empty() => Some((view, None)),
            (View::Student, Some(name)) => Some((view, Some(name))),
            _ => None,
        }
    })
}

pub(super) struct ViewFolder<'a> {
    out: PathBuf,
    fresh: TemporaryFolder,
    view: View,
    stop: &'a AtomicBool,
    files: Vec<PathBuf>,
    /// Folders in it, and what `latest.json` says there.
    latest: Vec<(PathBuf, Latest)>,
}

impl<'a> ViewFolder<'a> {
    /// Begins a folder that is to stand at `out`: nothing, an empty folder, or the same view.
    /// When `stop` is set, no more files are taken.
    pub(super) fn begin(view: View, out: &Path, stop: &'a AtomicBool) -> Result<Self, JudgeError> {
        check_place(view, out).map_err(|reason| refused(view, out, &reason, "--out"))?;
        let parent = match out.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        make_folder(parent)?;
        // What a report that was killed has left.
        remove_unfinished(parent);
        let private = Permissions::from_mode(0o700);
        let fresh = TemporaryFolder::new_in(parent, ".new-", private);
        let folder = Self {
            out: out.to_owned(),
            fresh: fresh.map_err(|e| refused(view, out, &e.to_string(), "--out"))?,
            view,
            stop,
            files: Vec::new(),
            latest: Vec::new(),
        };
        let mark = folder.fresh.path().join(MARK_NAME);
        write_whole(&mark, marked(view).as_bytes())?;
        Ok(folder)
    }

    /// Writes a file; `name` may have folders before it.
    pub(super) fn file(
        &mut self,
        name: impl AsRef<Path>,
        content: &[u8],
    ) -> Result<(), JudgeError> {
        write_whole(&self.place(name)?, content)
    }

    /// Says beside a page what it is of.
    pub(super) fn tell_latest(&mut self, folder: PathBuf, latest: Latest) {
        self.latest.push((folder, latest));
    }

    /// Returns where a file or a folder can be made that is put in its place with all others.
    ///
    /// # Errors
    /// When the folder cannot be written, or the work is interrupted.
    pub(super) fn place(&mut self, name: impl AsRef<Path>) -> Result<PathBuf, JudgeError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(JudgeError::Interrupted);
        }
        let path = self.fresh.path().join(&name);
        make_folder(path.parent().expect("it is below the folder"))?;
        self.files.push(self.out.join(name));
        Ok(path)
    }

    /// Puts the folder in its place; returns where its files are now.
    pub(super) fn publish(mut self) -> Result<Vec<PathBuf>, JudgeError> {
        match self.view {
            View::Public => write_sums(self.fresh.path())?,
            // Each is for somebody else.
            View::Student => {
                for (folder, is_folder) in entries(self.fresh.path())? {
                    if is_folder {
                        write_sums(&folder)?;
                    }
                }
            }
            View::Staff => {}
        }
        for (folder, latest) in std::mem::take(&mut self.latest) {
            self.file(folder.join(LATEST_NAME), &latest.text())?;
        }
        let failed = |e| JudgeError::io("make the folder", &self.out, e);
        publish_files(self.fresh.path()).map_err(failed)?;
        let mode = match self.view {
            View::Public => 0o755,
            View::Student | View::Staff => 0o700,
        };
        fs::set_permissions(self.fresh.path(), Permissions::from_mode(mode)).map_err(failed)?;
        if !self.out.exists() {
            fs::rename(self.fresh.path(), &self.out).map_err(failed)?;
        } else if exchange(self.fresh.path(), &self.out).map_err(failed)? {
            // What was there goes with the place where this was made.
            return Ok(self.files);
        } else {
            let parent = self.fresh.path().parent().expect("it has one");
            let old = tempfile::Builder::new().prefix(".old-").tempdir_in(parent);
            let old = old.map_err(failed)?;
            let earlier = old.path().join("view");
            fs::rename(&self.out, &earlier).map_err(failed)?;
            if let Err(error) = fs::rename(self.fresh.path(), &self.out) {
                fs::rename(&earlier, &self.out).map_err(failed)?;
                return Err(failed(error));
            }
        }
        // It is not there any more, and not ours to remove.
        self.fresh.keep();
        Ok(self.files)
    }
}

/// Checks that a view can be put at a place: that there is nothing, an empty folder, or the same
/// view. `flag` chooses another place.
///
/// # Errors
/// When there is something else.
pub fn check_view_place(view: View, out: &Path, flag: &str) -> Result<(), JudgeError> {
    check_place(view, out).map_err(|reason| refused(view, out, &reason, flag))
}

fn check_place(view: View, out: &Path) -> Result<(), String> {
    match fs::read_dir(out) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error.to_string()),
        Ok(mut entries) => {
            let mark = fs::read_to_string(out.join(MARK_NAME)).unwrap_or_default();
            // All that is in it goes, so a repository around a view would be lost.
            let is_ours = mark == marked(view) && !out.join(".git").exists();
            if entries.next().is_some() && !is_ours {
                return Err("it contains other files".to_owned());
            }
            Ok(())
        }
    }
}

fn refused(view: View, out: &Path, reason: &str, flag: &str) -> JudgeError {
    JudgeError::input(format!(
        "cannot write the {} view into {}: {reason}; choose another folder with {flag}",
        view.name(),
        out.display()
    ))
}

/// Lets whoever may enter the folder read what is in it.
fn publish_files(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            fs::set_permissions(entry.path(), Permissions::from_mode(0o755))?;
            publish_files(&entry.path())?;
        } else {
            fs::set_permissions(entry.path(), Permissions::from_mode(0o644))?;
        }
    }
    Ok(())
}

/// The file with the SHA-256 of every other file of a view, as `sha256sum --check` reads it.
pub const SUMS_NAME: &str = "SHA256SUMS";

fn write_sums(folder: &Path) -> Result<(), JudgeError> {
    let mut sums = String::new();
    add_sums(folder, "", &mut sums)?;
    write_whole(&folder.join(SUMS_NAME), sums.as_bytes())
}

fn add_sums(folder: &Path, before: &str, sums: &mut String) -> Result<(), JudgeError> {
    for (path, is_folder) in entries(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{before}{name}");
        if is_folder {
            add_sums(&path, &format!("{name}/"), sums)?;
        } else {
            let bytes = fs::read(&path).map_err(|e| JudgeError::io("read", &path, e))?;
            let sum = hexadecimal(&Sha256::digest(bytes));
            sums.extend([&sum, "  ", &name, "\n"]);
        }
    }
    Ok(())
}

/// Lists what is in a folder, by name, and whether each is a folder.
fn entries(folder: &Path) -> Result<Vec<(PathBuf, bool)>, JudgeError> {
    let failed = |e| JudgeError::io("read", folder, e);
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        all.push((entry.path(), entry.file_type().map_err(failed)?.is_dir()));
    }
    all.sort();
    Ok(all)
}

/// Returns what tells whose view a folder is.
pub(super) fn marked(view: View) -> String {
    format!("the {} view of a run, made by judge report\n", view.name())
}
