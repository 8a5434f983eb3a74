//! The walk over a submission's folder. Reading and listing share it and its bounds.

use crate::read::left_out::{LeftOut, Why};
use crate::read::names;
use crate::read::submission::Submission;
use crate::read::unreadable::{Allowance, Bag, reason, too_many_files};
use model::fault::quote;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;
use system::foreign::{ForeignFolder, Kind, Opened};
use system::run_folder;

/// Walks a submission's folder, and calls `take` with each file's folder, its name, and its path
/// from the submission's folder. Links, special files, folders of version control and editors, and
/// folders that work only where they were made are left out.
pub(crate) fn walk(
    root: &ForeignFolder,
    entries_max: usize,
    take: impl FnMut(&ForeignFolder, &OsStr, String) -> Result<(), String>,
) -> Result<LeftOut, String> {
    let mut walk = Walk {
        take,
        left_out: LeftOut::default(),
        entries: 0,
        entries_max,
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

struct Walk<F> {
    take: F,
    left_out: LeftOut,
    entries: usize,
    entries_max: usize,
}

impl<F: FnMut(&ForeignFolder, &OsStr, String) -> Result<(), String>> Walk<F> {
    fn folder(&mut self, folder: &ForeignFolder, prefix: &str, depth: usize) -> Result<(), String> {
        if depth > names::DEPTH_MAX {
            let shown = quote(prefix);
            let most = names::DEPTH_MAX;
            let reason = format!("has folders nested more than {most} deep: {shown}");
            return Err(reason);
        }
        for name in self.names(folder)? {
            self.entry(folder, &name, prefix, depth)?;
        }
        Ok(())
    }

    fn names(&mut self, folder: &ForeignFolder) -> Result<Vec<OsString>, String> {
        let failed = |e| reason("read", folder.path(), e);
        let mut names = Vec::new();
        for name in folder.names().map_err(failed)? {
            if self.entries == self.entries_max {
                return Err(too_many_files());
            }
            self.entries += 1;
            names.push(name.map_err(failed)?);
        }
        names.sort();
        Ok(names)
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
            self.left_out.push(path, Why::NotUtf8);
            return Ok(());
        };
        if names::is_junk(name) {
            return Ok(());
        }
        let path = format!("{prefix}{name}");
        let failed = |e| reason("read", &folder.path().join(raw), e);
        let kind = match folder.facts_of(raw) {
            // It has just been removed.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            facts => facts.map_err(failed)?.kind,
        };
        match (kind, names::odd(name)) {
            (Kind::Folder, odd) => {
                let inner = folder.folder(raw);
                let has = |file: &str| inner.as_ref().is_ok_and(|inner| inner.has_file(file));
                let mark = names::MARKS.iter().find(|(file, _)| has(file));
                if let Some(why) = odd.or(mark.map(|(_, why)| *why)) {
                    self.left_out.push(path, why);
                } else {
                    let inner = inner.map_err(failed)?;
                    if is_run(&inner) {
                        self.left_out.push(path, Why::Run);
                    } else {
                        self.folder(&inner, &format!("{path}/"), depth + 1)?;
                    }
                }
            }
            (_, Some(why)) => self.left_out.push(path, why),
            (Kind::File, None) => (self.take)(folder, raw, path)?,
            (Kind::Link | Kind::Special, None) => self.left_out.push(path, Why::Link),
        }
        Ok(())
    }
}

pub(crate) fn read_file(file: File, name: &str) -> Result<Submission, String> {
    let mut bag = Bag::within(Allowance::whole());
    bag.take_file(file, Path::new(name), name.to_owned())?;
    Ok(Submission {
        fingerprints: [(quote(name), bag.fingerprint.finish())].into(),
        ..Submission::of(bag.files)
    })
}

pub(crate) fn read_folder(
    root: &ForeignFolder,
    allowance: Allowance,
) -> Result<Submission, String> {
    let mut bag = Bag::within(allowance);
    let left_out = walk(root, allowance.entries, |folder, name, path| {
        bag.take(folder, name, path)
    })?;
    bag.files.sort_by(|a, b| a.path.cmp(&b.path));
    let name = root.path().file_name().unwrap_or_default();
    let fingerprint = bag.fingerprint.finish();
    Ok(Submission {
        fingerprints: [(quote(name.as_encoded_bytes()), fingerprint)].into(),
        warnings: left_out.notes("", false),
        left_out: left_out.notes("", true),
        ..Submission::of(bag.files)
    })
}

pub(crate) fn read_entry(
    folder: &ForeignFolder,
    name: &OsStr,
    allowance: Allowance,
) -> Result<Submission, String> {
    let path = folder.path().join(name);
    match folder.entry(name).map_err(|e| reason("read", &path, e))? {
        Opened::Folder(folder) => read_folder(&folder, allowance),
        Opened::File(file) => read_file(file, &name.to_string_lossy()),
        Opened::Other(kind) => {
            let why = kind.refusal().unwrap_or_default();
            Err(format!("cannot be read: {why}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::source::SourceFile;
    use crate::read::unreadable::limit;
    use model::competition::SubmissionLimits;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::{Path, PathBuf};
    use tempfile::TempDir;

    fn write(path: PathBuf, text: &str) {
        fs::create_dir_all(path.parent().expect("in a folder")).expect("writable");
        fs::write(path, text).expect("writable");
    }

    /// Reads a submission that `disturb` changes at a file called `now`. Returns the files' texts.
    fn read(above: &Path, disturb: &dyn Fn()) -> Result<Vec<String>, String> {
        let root = ForeignFolder::open(&above.join("eve")).expect("there");
        let mut bag = Bag::within(Allowance::whole());
        walk(&root, Allowance::whole().entries, |folder, name, path| {
            if name == "now" {
                disturb();
            }
            bag.take(folder, name, path)
        })?;
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
            write(above.path().join(path), text);
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
                write(above.path().join(name).join(file), "");
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
        write(above.path().join("runs/x"), "");
        assert!(!is_of_runs("runs"));
    }
}
