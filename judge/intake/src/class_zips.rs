//! A folder of nothing but zips from a learning platform, each of a whole class at another time.
//! The newest version of each person counts. Among other submissions such a zip is no class,
//! because its author could submit in the name of others.

use super::archive::Archive;
use super::ignored::Ignored;
use super::inbox::Inbox;
use super::platform::{self, Item};
use model::fault::quote;
use rulebook::JudgeError;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::BufReader;
use std::time::SystemTime;
use system::foreign::{ForeignFolder, Opened};

/// Kind of a zip.
enum Zip {
    /// A zip in which every name comes from a platform.
    Class(File),
    /// A zip that cannot be read, perhaps because it is still being copied.
    Unreadable(String),
    Other,
}

impl Inbox {
    /// Takes the zips of a class, oldest first, if a folder holds nothing else. Returns whether it
    /// does.
    ///
    /// # Errors
    /// As [`Inbox::add`].
    pub(super) fn class_zips(
        &mut self,
        folder: &ForeignFolder,
        names: &[OsString],
    ) -> Result<bool, JudgeError> {
        let mut classes = Vec::new();
        let mut unreadable = Vec::new();
        for name in names {
            match look(folder, name) {
                Zip::Class(file) => classes.push((changed(&file), name, file)),
                Zip::Unreadable(reason) => {
                    let name = quote(name.as_encoded_bytes());
                    unreadable.push(Ignored::entry(name, reason));
                }
                Zip::Other => return Ok(false),
            }
        }
        if classes.is_empty() {
            return Ok(false);
        }
        self.ignored.append(&mut unreadable);
        classes.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
        for (_, name, file) in classes {
            let mut class = self.beside();
            class.course_zip(file, &folder.path().join(name))?;
            self.newer(class);
        }
        Ok(true)
    }
}

fn look(folder: &ForeignFolder, name: &OsStr) -> Zip {
    if !model::advice::is_archive(&name.to_string_lossy()) {
        return Zip::Other;
    }
    let file = match folder.entry(name) {
        Ok(Opened::File(file)) => file,
        Ok(Opened::Folder(_) | Opened::Other(_)) => return Zip::Other,
        Err(e) => return Zip::Unreadable(format!("cannot be read: {e}")),
    };
    let archive = match Archive::open(BufReader::new(&file)) {
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
    if is_class {
        Zip::Class(file)
    } else {
        Zip::Other
    }
}

fn changed(file: &File) -> SystemTime {
    let meta = file.metadata();
    meta.and_then(|meta| meta.modified())
        .unwrap_or(SystemTime::UNIX_EPOCH)
}
