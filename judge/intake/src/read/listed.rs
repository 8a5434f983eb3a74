//! Listing of submissions without their content, by the walk that also reads them.

use crate::read::identify::list;
use crate::read::source::{ContentDigest, EXECUTABLE, Fingerprint, FingerprintOfFiles};
use crate::read::unreadable::{Allowance, reason, too_large, too_many_files};
use crate::read::walk::walk;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use system::foreign::{Facts, ForeignFolder, Opened};
use system::kept_folder::digest_of_all;

/// The last listing. Files with the same facts are not read again.
#[derive(Debug, Default)]
pub struct Listed {
    known: HashMap<PathBuf, (Facts, ContentDigest)>,
    last: BTreeMap<PathBuf, Fingerprint>,
}

struct Files<'a> {
    before: &'a HashMap<PathBuf, (Facts, ContentDigest)>,
    known: HashMap<PathBuf, (Facts, ContentDigest)>,
}

impl Listed {
    /// Returns a fingerprint for each file and folder among the submissions of some places. `but`
    /// are folders to leave out, absolute and without links.
    pub fn list(&mut self, places: &[PathBuf], but: &[PathBuf]) -> BTreeMap<PathBuf, Fingerprint> {
        let mut files = Files {
            before: &self.known,
            known: HashMap::new(),
        };
        let mut all = BTreeMap::new();
        for place in places {
            let place = place.canonicalize().unwrap_or_else(|_| place.clone());
            let opened = Opened::at(&place);
            let Ok(Opened::Folder(folder)) = opened else {
                let fingerprint = files.of_entry(opened, &place, &[]);
                all.insert(place, fingerprint);
                continue;
            };
            let Ok(names) = list(&folder) else {
                // No change is known.
                let last = self
                    .last
                    .iter()
                    .filter(|(path, _)| path.starts_with(&place));
                all.extend(last.map(|(path, own)| (path.clone(), own.clone())));
                continue;
            };
            for name in names {
                let path = place.join(&name);
                if !but.contains(&path) {
                    let fingerprint = files.of_entry(folder.entry(&name), &path, but);
                    all.insert(path, fingerprint);
                }
            }
        }
        self.known = files.known;
        self.last.clone_from(&all);
        all
    }
}

impl Files<'_> {
    fn of_entry(
        &mut self,
        opened: io::Result<Opened>,
        path: &Path,
        but: &[PathBuf],
    ) -> Fingerprint {
        let files = match opened {
            Ok(Opened::Folder(folder)) => self.of_folder(&folder, but),
            Ok(Opened::File(file)) => self.of_file(file, path).map(|one| {
                let mut seen = FingerprintOfFiles::default();
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                seen.add(&name, one.0, one.1);
                seen
            }),
            Ok(Opened::Other(kind)) => {
                let kind = kind.refusal().unwrap_or_default();
                return Fingerprint::of(&[kind.as_bytes()]);
            }
            Err(error) => Err(reason("read", path, error)),
        };
        match files {
            Ok(seen) => seen.finish(),
            Err(reason) => Fingerprint::of(&[reason.as_bytes()]),
        }
    }

    fn of_folder(
        &mut self,
        root: &ForeignFolder,
        but: &[PathBuf],
    ) -> Result<FingerprintOfFiles, String> {
        let mut seen = FingerprintOfFiles::default();
        let (mut count, mut bytes) = (0, 0);
        let most = Allowance::whole();
        walk(root, most.entries, |folder, name, path| {
            let place = folder.path().join(name);
            if but.iter().any(|but| place.starts_with(but)) {
                return Ok(());
            }
            let failed = |e| reason("read", &place, e);
            count += 1;
            bytes += folder.facts_of(name).map_err(failed)?.bytes;
            if count > most.files {
                return Err(too_many_files());
            }
            if bytes > most.bytes as u64 {
                return Err(too_large());
            }
            let file = folder.file(name).map_err(failed)?;
            let (executable, content) = self.of_file(file, &place)?;
            seen.add(&path, executable, content);
            Ok(())
        })?;
        Ok(seen)
    }

    fn of_file(&mut self, file: File, path: &Path) -> Result<(bool, ContentDigest), String> {
        let failed = |e| reason("read", path, e);
        let facts = Facts::of(&file).map_err(failed)?;
        let before = self.before.get(path).filter(|(before, _)| *before == facts);
        let content = match before {
            Some((_, content)) => *content,
            None => content(file, &facts).map_err(failed)?,
        };
        self.known.insert(path.to_owned(), (facts, content));
        Ok((facts.mode & EXECUTABLE != 0, content))
    }
}

/// For a larger file, such as a zip of a whole class, its facts show a change.
fn content(file: File, facts: &Facts) -> io::Result<ContentDigest> {
    let most = Allowance::whole().bytes as u64;
    if facts.bytes > most {
        return Ok(Sha256::digest(facts.to_bytes()).into());
    }
    // The file may be growing.
    digest_of_all(file.take(most + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::unreadable::limit;
    use crate::read::walk::read_entry;
    use model::competition::SubmissionLimits;
    use std::ffi::OsStr;
    use std::fs;
    use std::os::unix::fs::symlink;
    use tempfile::TempDir;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().expect("in a folder")).expect("writable");
        fs::write(path, text).expect("writable");
    }

    fn class() -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let top = folder.path().canonicalize().expect("there");
        for path in [
            "ann/bot.py",
            "ann/src/a.b/x",
            "ann/src/a/x",
            "ann/.git/x",
            "ann/node_modules/x",
            "bob/build/bot",
            "cleo.py",
            "dan/own.venv/pyvenv.cfg",
            "dan/bot.py",
            "old/run.json",
            "old/journal.jsonl",
        ] {
            write(&top.join(path), path);
        }
        symlink("ann", top.join("link")).expect("writable");
        symlink("bot.py", top.join("ann/link")).expect("writable");
        (folder, top)
    }

    fn list(listed: &mut Listed, top: &Path) -> BTreeMap<PathBuf, Fingerprint> {
        listed.list(&[top.to_owned()], &[])
    }

    #[test]
    fn listing_has_fingerprints_of_files_read() {
        let (_folder, top) = class();
        let listed = list(&mut Listed::default(), &top);
        let folder = ForeignFolder::open(&top).expect("there");
        for name in ["ann", "bob", "cleo.py", "dan"] {
            let read = read_entry(&folder, OsStr::new(name), Allowance::whole()).expect("readable");
            let own = &listed[&top.join(name)];
            assert_eq!(read.fingerprints, [(name.to_owned(), own.clone())].into());
        }
    }

    #[test]
    fn taken_files_change_listing_and_omitted_files_never() {
        let (_folder, top) = class();
        let mut listed = Listed::default();
        let mut before = list(&mut listed, &top);
        for (path, is_taken) in [
            ("ann/.git/x", false),
            ("ann/.git/y", false),
            ("ann/.cache/x", true),
            ("ann/node_modules/x", true),
            ("ann/src/a/x", true),
            ("bob/build/bot", true),
            ("dan/own.venv/x", false),
            ("dan/more", true),
            ("cleo.py", true),
        ] {
            write(&top.join(path), "changed");
            let now = list(&mut listed, &top);
            let own = top.join(path.split('/').next().expect("a name"));
            assert_eq!(now.get(&own) != before.get(&own), is_taken, "{path}");
            before.insert(own.clone(), now[&own].clone());
            assert_eq!(now, before, "{path}: nobody else's has changed");
        }
    }

    #[test]
    fn nobodys_flood_hides_a_change_of_anybody() {
        limit(SubmissionLimits { files: 500, mib: 8 });
        let (_folder, top) = class();
        let mut listed = Listed::default();
        for flooded in ["bob", "ann/.git"] {
            let first = top.join(flooded).join("0");
            symlink("x", &first).expect("writable");
            for n in 1..=Allowance::whole().entries {
                fs::hard_link(&first, top.join(format!("{flooded}/{n}"))).expect("writable");
            }
        }
        let flooded = list(&mut listed, &top);
        for (path, is_readable) in [("ann/zoo", true), ("dan/zoo", true), ("bob/zoo", false)] {
            write(&top.join(path), "new");
            let own = top.join(path.split('/').next().expect("a name"));
            let now = list(&mut listed, &top);
            assert_eq!(now[&own] != flooded[&own], is_readable, "{path}");
            let folder = ForeignFolder::open(&top).expect("there");
            let name = own.file_name().expect("a name");
            let read = read_entry(&folder, name, Allowance::whole());
            assert_eq!(read.is_ok(), is_readable, "{path}: is read if listed");
        }
    }
}
