//! A folder of nothing but zips that a learning platform has made, each of a whole class at
//! another time: of each person the newest one counts. Among other submissions such a zip is no
//! class: its author could submit in the name of others.

use super::archive::{self, Archive};
use super::inbox::Inbox;
use super::platform::{self, Item};
use error::JudgeError;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use words::fault::quote;

/// What a zip is.
enum Zip {
    /// Everything in it has a name that a platform gives.
    Class,
    /// It cannot be read; it may be one that is still being copied.
    Unreadable(String),
    Other,
}

impl Inbox {
    /// Takes the zips of a class, if all these are; the oldest first. Returns whether they are.
    ///
    /// # Errors
    /// As [`Inbox::add`].
    pub(super) fn class_zips(&mut self, paths: &[PathBuf]) -> Result<bool, JudgeError> {
        let mut classes = Vec::new();
        let mut unreadable = Vec::new();
        for path in paths {
            match look(path) {
                Zip::Class => classes.push((changed(path), path)),
                Zip::Unreadable(reason) => {
                    let name = path.file_name().unwrap_or_default();
                    let name = quote(name.as_encoded_bytes());
                    unreadable.push(format!("{name} ({reason})"));
                }
                Zip::Other => return Ok(false),
            }
        }
        if classes.is_empty() {
            return Ok(false);
        }
        self.ignored.append(&mut unreadable);
        classes.sort();
        for (_, path) in classes {
            let mut class = self.beside();
            class.course_zip(path)?;
            self.newer(class);
        }
        Ok(true)
    }
}

fn look(path: &Path) -> Zip {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_file = fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file());
    if !is_file || !archive::is_named_as_archive(&name) {
        return Zip::Other;
    }
    let opened = File::open(path).map_err(|e| format!("cannot be read: {e}"));
    let archive = match opened.and_then(|file| Archive::open(BufReader::new(file))) {
        Ok(archive) => archive,
        Err(reason) => return Zip::Unreadable(reason),
    };
    let (above, groups) = archive.groups(true);
    let item = |(name, paths): (String, Vec<String>)| Item {
        is_folder: paths != [format!("{above}{name}")],
        name,
    };
    let items: Vec<Item> = groups.into_iter().map(item).collect();
    let (deliveries, _) = platform::deliveries(&items);
    let is_class = !deliveries.is_empty() && deliveries.iter().all(|one| one.mark.is_some());
    if is_class { Zip::Class } else { Zip::Other }
}

fn changed(path: &Path) -> SystemTime {
    let meta = fs::metadata(path);
    meta.and_then(|meta| meta.modified())
        .unwrap_or(SystemTime::UNIX_EPOCH)
}
