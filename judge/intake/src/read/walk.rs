//! The walk over a submission's folder. Reading and listing share it and its bounds.

use crate::read::names::{self, LeftOut, Why};
use crate::read::places::{file_name, list};
use crate::read::source::{
    Allowance, Bag, ContentDigest, ContentDigests, EXECUTABLE, Fingerprint, too_large,
    too_many_files, unread,
};
use crate::read::submission::Submission;
use model::fault::quote;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::mem;
use std::path::{Path, PathBuf};
use system::foreign::{Facts, ForeignFolder, Kind, Opened};
use system::kept_folder::digest_of_all;
use system::run_folder;

/// Walks a submission's folder, and calls `take` with each file's folder, its name, and its path
/// from the submission's folder. Links, special files, folders of version control and editors, and
/// folders that work only where they were made are left out.
pub(crate) fn walk(
    root: &ForeignFolder,
    entries_max: usize,
    take: &mut dyn FnMut(&ForeignFolder, &OsStr, String) -> Result<(), String>,
) -> Result<LeftOut, String> {
    let mut walk = Walk {
        take,
        left_out: LeftOut::new(),
        remaining: entries_max,
    };
    walk.folder(root, "", 0)?;
    Ok(walk.left_out)
}

fn is_run(folder: &ForeignFolder) -> bool {
    folder.has_file(run_folder::MANIFEST) && folder.has_file(run_folder::JOURNAL)
}

/// Returns whether a folder is that of a run, or contains only such.
pub(crate) fn is_of_runs(folder: &ForeignFolder) -> bool {
    let is_run_inside = |name: OsString| folder.folder(&name).is_ok_and(|inner| is_run(&inner));
    let mut names = folder
        .names()
        .into_iter()
        .flatten()
        .take(Allowance::whole().entries)
        .peekable();
    is_run(folder) || names.peek().is_some() && names.all(|name| name.is_ok_and(is_run_inside))
}

struct Walk<'a> {
    take: &'a mut dyn FnMut(&ForeignFolder, &OsStr, String) -> Result<(), String>,
    left_out: LeftOut,
    /// The number of entries that it may still meet.
    remaining: usize,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &ForeignFolder, prefix: &str, depth: usize) -> Result<(), String> {
        if depth > names::DEPTH_MAX {
            return Err(names::too_deep(prefix));
        }
        let failed = |e| unread(folder.path(), e);
        let mut names = Vec::new();
        for name in folder.names().map_err(failed)? {
            let remaining = self.remaining.checked_sub(1);
            self.remaining = remaining.ok_or_else(too_many_files)?;
            names.push(name.map_err(failed)?);
        }
        names.sort();
        for name in names {
            self.entry(folder, &name, prefix, depth)?;
        }
        Ok(())
    }

    fn entry(
        &mut self,
        folder: &ForeignFolder,
        raw: &OsStr,
        prefix: &str,
        depth: usize,
    ) -> Result<(), String> {
        let Some(name) = raw.to_str() else {
            let path = format!("{prefix}{}", raw.to_string_lossy());
            self.left_out.push((path, Why::NotUtf8));
            return Ok(());
        };
        if names::is_junk(name) {
            return Ok(());
        }
        let path = format!("{prefix}{name}");
        let failed = |e| unread(&folder.path().join(raw), e);
        let kind = match folder.facts_of(raw) {
            // It has just been removed.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            facts => facts.map_err(failed)?.kind,
        };
        let why = match (names::odd(name), kind) {
            (Some(why), _) => why,
            (None, Kind::File) => return (self.take)(folder, raw, path),
            (None, Kind::Link | Kind::Special) => Why::Link,
            (None, Kind::Folder) => {
                let inner = folder.folder(raw).map_err(failed)?;
                let mut marks = names::MARKS.iter();
                match marks.find(|(file, _)| inner.has_file(file)) {
                    Some((_, why)) => *why,
                    None if is_run(&inner) => Why::Run,
                    None => return self.folder(&inner, &format!("{path}/"), depth + 1),
                }
            }
        };
        self.left_out.push((path, why));
        Ok(())
    }
}

pub(crate) fn read_file(file: File, name: &str) -> Result<Submission, String> {
    let mut bag = Bag::within(Allowance::whole());
    bag.take_file(file, Path::new(name), name.to_owned())?;
    Ok(Submission {
        fingerprints: [(quote(name), Fingerprint::of_files(&bag.digests))].into(),
        ..Submission::of(bag.files)
    })
}

pub(crate) fn read_folder(
    root: &ForeignFolder,
    allowance: Allowance,
) -> Result<Submission, String> {
    let mut bag = Bag::within(allowance);
    let left_out = walk(root, allowance.entries, &mut |folder, name, path| {
        bag.take(folder, name, path)
    })?;
    bag.files.sort_by(|a, b| a.path.cmp(&b.path));
    let name = root.path().file_name().unwrap_or_default();
    let fingerprint = Fingerprint::of_files(&bag.digests);
    let [warnings, left_out] = names::notes(&left_out, "");
    Ok(Submission {
        fingerprints: [(quote(name.as_encoded_bytes()), fingerprint)].into(),
        warnings,
        left_out,
        ..Submission::of(bag.files)
    })
}

pub(crate) fn read_entry(
    folder: &ForeignFolder,
    name: &OsStr,
    allowance: Allowance,
) -> Result<Submission, String> {
    let path = folder.path().join(name);
    match folder.entry(name).map_err(|e| unread(&path, e))? {
        Opened::Folder(folder) => read_folder(&folder, allowance),
        Opened::File(file) => read_file(file, &name.to_string_lossy()),
        Opened::Other(kind) => Err(format!(
            "cannot be read: {}",
            kind.refusal().unwrap_or_default()
        )),
    }
}

/// The last listing. Files with the same facts are not read again.
#[derive(Debug, Default)]
pub struct Listed {
    /// Files of the listing before.
    before: HashMap<PathBuf, (Facts, ContentDigest)>,
    known: HashMap<PathBuf, (Facts, ContentDigest)>,
    last: BTreeMap<PathBuf, Fingerprint>,
}

impl Listed {
    /// Returns a fingerprint for each file and folder among the submissions of some places. `but`
    /// are folders to leave out, absolute and without links.
    pub fn list(&mut self, places: &[PathBuf], but: &[PathBuf]) -> BTreeMap<PathBuf, Fingerprint> {
        self.before = mem::take(&mut self.known);
        let mut all = BTreeMap::new();
        for place in places {
            let place = place.canonicalize().unwrap_or_else(|_| place.clone());
            let opened = Opened::at(&place);
            let Ok(Opened::Folder(folder)) = opened else {
                all.insert(place.clone(), self.of_entry(opened, &place, &[]));
                continue;
            };
            let Ok(names) = list(&folder) else {
                // No change is known.
                let mut last = self.last.clone();
                last.retain(|path, _| path.starts_with(&place));
                all.append(&mut last);
                continue;
            };
            for name in names {
                let path = place.join(&name);
                if !but.contains(&path) {
                    let fingerprint = self.of_entry(folder.entry(&name), &path, but);
                    all.insert(path, fingerprint);
                }
            }
        }
        self.before.clear();
        self.last.clone_from(&all);
        all
    }

    fn of_entry(
        &mut self,
        opened: io::Result<Opened>,
        path: &Path,
        but: &[PathBuf],
    ) -> Fingerprint {
        let files = match opened {
            Ok(Opened::Folder(folder)) => self.of_folder(&folder, but),
            Ok(Opened::File(file)) => self
                .of_file(file, path)
                .map(|one| [(file_name(path), one)].into()),
            Ok(Opened::Other(kind)) => Err(kind.refusal().unwrap_or_default().to_owned()),
            Err(error) => Err(unread(path, error)),
        };
        files.map_or_else(
            |reason| Fingerprint::of_text(&reason),
            |files| Fingerprint::of_files(&files),
        )
    }

    fn of_folder(
        &mut self,
        root: &ForeignFolder,
        but: &[PathBuf],
    ) -> Result<ContentDigests, String> {
        let mut seen = ContentDigests::new();
        let mut bytes = 0;
        let most = Allowance::whole();
        walk(root, most.entries, &mut |folder, name, path| {
            let place = folder.path().join(name);
            if but.iter().any(|but| place.starts_with(but)) {
                return Ok(());
            }
            let failed = |e| unread(&place, e);
            bytes += folder.facts_of(name).map_err(failed)?.bytes;
            if seen.len() == most.files {
                return Err(too_many_files());
            }
            if bytes > most.bytes as u64 {
                return Err(too_large());
            }
            let file = folder.file(name).map_err(failed)?;
            seen.insert(path, self.of_file(file, &place)?);
            Ok(())
        })?;
        Ok(seen)
    }

    fn of_file(&mut self, file: File, path: &Path) -> Result<(bool, ContentDigest), String> {
        let failed = |e| unread(path, e);
        let facts = Facts::of(&file).map_err(failed)?;
        let content = match self.before.get(path) {
            Some((before, content)) if *before == facts => *content,
            _ => content(file, &facts).map_err(failed)?,
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
    use crate::read::source::{SourceFile, limit};
    use model::competition::SubmissionLimits;
    use std::ffi::OsStr;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::{Path, PathBuf};
    use tempfile::TempDir;

    /// Reads a submission that `disturb` changes at a file called `now`. Returns the files' texts.
    fn read(above: &Path, disturb: &dyn Fn()) -> Result<Vec<String>, String> {
        let root = ForeignFolder::open(&above.join("eve")).expect("there");
        let mut bag = Bag::within(Allowance::whole());
        walk(
            &root,
            Allowance::whole().entries,
            &mut |folder, name, path| {
                if name == "now" {
                    disturb();
                }
                bag.take(folder, name, path)
            },
        )?;
        let text = |file: SourceFile| String::from_utf8(file.bytes).expect("a text");
        Ok(bag.files.into_iter().map(text).collect())
    }

    fn eve() -> TempDir {
        let above = tempfile::tempdir().expect("a temporary folder");
        for (path, text) in [
            ("eve/a/now", "own"),
            ("eve/d/x", "own"),
            ("eve/d/e/x", "own"),
            ("secret/x", "secret"),
            ("secret/e/x", "secret"),
        ] {
            write(&above.path().join(path), text);
        }
        above
    }

    #[test]
    fn folder_swapped_for_link_during_read_leads_nowhere() {
        // Pairs of a name that becomes a link, and its target.
        for (name, target) in [
            ("eve/d", "../secret"),
            ("eve/d/e", "../../secret/e"),
            ("eve/d/x", "../../secret/x"),
            ("eve/a", "../secret"),
            ("eve", "secret"),
        ] {
            let above = eve();
            let swap = || {
                let name = above.path().join(name);
                fs::rename(&name, above.path().join("away")).expect("writable");
                symlink(target, name).expect("writable");
            };
            let texts = read(above.path(), &swap).unwrap_or_default();
            assert!(texts.iter().all(|text| text == "own"), "{name}: {texts:?}");
        }
        let above = eve();
        let texts = read(above.path(), &|| ()).expect("readable");
        assert_eq!(texts, ["own"; 3]);
    }

    #[test]
    fn folder_moved_during_read_keeps_its_contents() {
        let above = eve();
        let moved = || {
            fs::rename(above.path().join("eve"), above.path().join("mal")).expect("writable");
            fs::rename(above.path().join("secret"), above.path().join("eve")).expect("writable");
        };
        assert_eq!(read(above.path(), &moved).expect("readable"), ["own"; 3]);
    }

    #[test]
    fn excess_entries_are_refused_omitted_folders_count_once() {
        limit(SubmissionLimits { files: 500, mib: 8 });
        let above = eve();
        let first = above.path().join("secret/0");
        symlink("x", &first).expect("writable");
        for n in 1..Allowance::whole().entries {
            fs::hard_link(&first, above.path().join(format!("secret/{n}"))).expect("writable");
        }
        let put = |name: &str| {
            fs::rename(above.path().join("secret"), above.path().join(name)).expect("writable");
            let read = read(above.path(), &|| ());
            fs::rename(above.path().join(name), above.path().join("secret")).expect("writable");
            read
        };
        for name in ["eve/.git", "eve/.vscode"] {
            assert_eq!(put(name).expect(name), ["own"; 3]);
        }
        let excess = put("eve/more").expect_err("too many");
        assert_eq!(excess, too_many_files());
    }

    #[test]
    fn folders_of_runs_are_known() {
        let above = tempfile::tempdir().expect("a temporary folder");
        let run = |name: &str| {
            for file in [run_folder::MANIFEST, run_folder::JOURNAL] {
                write(&above.path().join(name).join(file), "");
            }
        };
        run("runs/1");
        run("runs/2");
        let is_of_runs = |name: &str| {
            let folder = ForeignFolder::open(&above.path().join(name)).expect("there");
            is_of_runs(&folder)
        };
        assert!(is_of_runs("runs"));
        assert!(is_of_runs("runs/1"));
        assert!(!is_of_runs(""), "runs is a folder of runs, and no run");
        write(&above.path().join("runs/x"), "");
        assert!(!is_of_runs("runs"));
    }

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().expect("in a folder")).expect("writable");
        fs::write(path, text).expect("writable");
    }

    fn class() -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let top = folder.path().canonicalize().expect("there");
        for path in "ann/bot.py ann/src/a.b/x ann/src/a/x ann/.git/x ann/node_modules/x cleo.py \
                     bob/build/bot dan/own.venv/pyvenv.cfg dan/bot.py old/run.json old/journal.jsonl"
            .split(' ')
        {
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
