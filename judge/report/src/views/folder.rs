//! The folder of a view: completed elsewhere, then moved; only staff's hidden files are kept. `SHA256SUMS` has the
//! SHA-256 of every other file, for `sha256sum --check`. A folder to verify is not trusted.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a view that is being made"
)]

use super::View;
use super::hidden_names::entries;
use super::latest::LATEST_NAME;
use model::draw::{hash, hexadecimal};
use model::entrants_folder::VIEW_MARK;
use rulebook::{IoContext, JudgeError, Result, refuse};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use system::cleanup::TemporaryFolder;
use system::files::{
    copy_file, exchange, if_there, make_folder, parent_of, remove_unfinished, set_mode, write_whole,
};
use system::foreign::{Facts, ForeignFolder, Opened};
use system::run_folder::JOURNAL;

pub(super) struct ViewFolder<'a> {
    out: PathBuf,
    fresh: TemporaryFolder,
    view: View,
    stop: &'a AtomicBool,
    files: Vec<PathBuf>,
}

impl<'a> ViewFolder<'a> {
    /// Begins a folder for the place `out`, which `flag` sets ([`check_view_place`]); `run` identifies the run
    /// ([`super::public_fingerprint`]). Once `stop` is set, the folder takes no more files.
    pub(super) fn begin(
        (view, run): (View, &str),
        (out, flag): (&Path, &str),
        stop: &'a AtomicBool,
    ) -> Result<Self> {
        check_view_place(view, Some(run), out, flag)?;
        let parent = parent_of(out);
        make_folder(parent)?;
        // A killed report may have left such folders.
        remove_unfinished(parent);
        let fresh = TemporaryFolder::new_in(parent, ".new-", 0o700)
            .map_err(|e| refused(view, out, &e.to_string(), flag))?;
        let folder = Self {
            out: out.to_owned(),
            fresh,
            view,
            stop,
            files: Vec::new(),
        };
        let mark = folder.fresh.path().join(MARK_NAME);
        write_whole(&mark, marked(view, run).as_bytes())?;
        Ok(folder)
    }

    pub(super) fn file(&mut self, name: impl AsRef<Path>, content: &[u8]) -> Result {
        write_whole(&self.place(name)?, content)
    }

    pub(super) fn copy_tables(&mut self, from: &Path) -> Result {
        for (path, _) in entries(from)? {
            if path.extension().is_some_and(|ending| ending == "csv") {
                let name = path.file_name().expect("it is below the folder");
                fs::copy(&path, self.place(name)?).or_io("copy", &path)?;
            }
        }
        Ok(())
    }

    pub(super) fn place(&mut self, name: impl AsRef<Path>) -> Result<PathBuf> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(JudgeError::Interrupted);
        }
        let path = self.fresh.path().join(&name);
        make_folder(path.parent().expect("it is below the folder"))?;
        self.files.push(self.out.join(name));
        Ok(path)
    }

    /// Replaces the path in an error: the user does not know the temporary folder.
    pub(super) fn named(&self, error: JudgeError, flag: &str) -> JudgeError {
        match error {
            JudgeError::Io { path, source, .. } if path.starts_with(self.fresh.path()) => {
                refused(self.view, &self.out, &source.to_string(), flag)
            }
            other => other,
        }
    }

    /// Returns a digest of the files below `stem` so far, and of other data, which identifies their page.
    pub(super) fn digest(&self, stem: &Path, more: &[&[u8]]) -> Result<String> {
        let sums = sums_of(&self.fresh.path().join(stem))?;
        Ok(hash(&[more, &[sums.as_bytes()]].concat()))
    }

    pub(super) fn unpublished(&self) -> &Path {
        self.fresh.path()
    }

    pub(super) fn publish(self) -> Result<Vec<PathBuf>> {
        let fresh = self.fresh.path();
        // Each student's folder has another recipient.
        let (mut mode, summed) = match self.view {
            View::Public => (0o755, vec![fresh.to_owned()]),
            View::Student => {
                let mut own = entries(fresh)?;
                own.retain(|(_, is_folder)| *is_folder);
                (0o700, own.into_iter().map(|(path, _)| path).collect())
            }
            View::Staff => (0o700, Vec::new()),
        };
        for folder in &summed {
            write_whole(&folder.join(SUMS_NAME), sums_of(folder)?.as_bytes())?;
        }
        let failed = |e| JudgeError::io("make the folder", &self.out, e);
        publish_files(fresh).map_err(failed)?;
        if self.out.exists() {
            keep_hidden(&self.out, fresh).map_err(failed)?;
            if self.view == View::Student {
                for own in &summed {
                    let name = own.file_name().expect("it is below the folder");
                    keep_hidden(&self.out.join(name), own).map_err(failed)?;
                }
                mode |= keep_group(&self.out, fresh).map_err(failed)?;
            }
        }
        set_mode(fresh, mode).map_err(failed)?;
        if !self.out.exists() {
            fs::rename(fresh, &self.out).map_err(failed)?;
        } else if exchange(fresh, &self.out).map_err(failed)? {
            // The earlier view is removed together with the temporary place.
            return Ok(self.files);
        } else {
            let old = tempfile::Builder::new()
                .prefix(".old-")
                .tempdir_in(fresh.parent().expect("it has one"))
                .map_err(failed)?;
            let earlier = old.path().join("view");
            fs::rename(&self.out, &earlier).map_err(failed)?;
            if let Err(error) = fs::rename(fresh, &self.out) {
                fs::rename(&earlier, &self.out).map_err(failed)?;
                return Err(failed(error));
            }
        }
        // The folder has moved and must not be removed.
        self.fresh.keep();
        Ok(self.files)
    }
}

/// Checks that a view of a run can be put at a place, which `flag` chooses: it is missing, an empty folder, or
/// the same view of the same run. `run` identifies the run; `None` is one that has not begun.
pub fn check_view_place(view: View, run: Option<&str>, out: &Path, flag: &str) -> Result {
    check_place(view, run, out).map_err(|reason| refused(view, out, &reason, flag))
}

/// Maximum size of a mark, in bytes; marks are much shorter.
const MARK_BYTES_MAX: u64 = 1 << 16;

fn check_place(view: View, run: Option<&str>, out: &Path) -> Result<(), String> {
    let there = if_there(fs::read_dir(out)).map_err(|error| error.to_string())?;
    let Some(mut entries) = there else {
        return Ok(());
    };
    if entries.next().is_none() {
        return Ok(());
    }
    let mark = ForeignFolder::open(out)
        .and_then(|out| out.read(MARK_NAME.as_ref(), MARK_BYTES_MAX))
        .unwrap_or_default();
    // Everything in the folder is removed, so a repository around a view would be lost.
    let is_repository = out.join(".git").exists();
    match parts(&String::from_utf8_lossy(&mark)) {
        Some((marked, of, "")) if marked == view && !is_repository => {
            if Some(of) == run {
                return Ok(());
            }
            Err("it is the view of another run; remove it if it is no longer needed".to_owned())
        }
        _ => Err("it contains other files".to_owned()),
    }
}

fn refused(view: View, out: &Path, reason: &str, flag: &str) -> JudgeError {
    JudgeError::input(format!(
        "cannot write the {} view into {}: {reason}; choose another folder with {flag}",
        view.name(),
        out.display()
    ))
}

fn publish_files(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let is_folder = entry.file_type()?.is_dir();
        let mode = if is_folder { 0o755 } else { 0o644 };
        set_mode(entry.path(), mode)?;
        if is_folder {
            publish_files(&entry.path())?;
        }
    }
    Ok(())
}

/// Keeps what staff put there: files whose names begin with a dot, such as a web server's settings.
fn keep_hidden(old: &Path, fresh: &Path) -> io::Result<()> {
    let (Some(above), Some(name)) = (old.parent(), old.file_name()) else {
        return Ok(());
    };
    // A link in place of the folder leads to foreign files.
    let old = match ForeignFolder::open(above).and_then(|above| above.folder(name)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        old => old?,
    };
    for name in old.names()? {
        let name = name?;
        let is_hidden = name.as_encoded_bytes().starts_with(b".");
        if is_hidden && let Opened::File(file) = old.entry(&name)? {
            copy_file(file, &fresh.join(name))?;
        }
    }
    Ok(())
}

/// Gives a new folder the group that staff chose for the old one; returns the group's permissions.
fn keep_group(old: &Path, fresh: &Path) -> io::Result<u32> {
    let (old, own) = (fs::metadata(old)?, fs::metadata(fresh)?.gid());
    if old.gid() == own {
        return Ok(0);
    }
    chown(fresh, None, Some(old.gid()))?;
    Ok(old.mode() & 0o2050)
}

/// The file that marks a folder as a view of a run, and names both.
pub const MARK_NAME: &str = VIEW_MARK;

/// Returns the name of a run in its views, derived from [`store::Keys::fingerprint`], which files that are not
/// for the public contain.
pub fn public_fingerprint(fingerprint: &str) -> String {
    hash(&[b"view", fingerprint.as_bytes()])
}

/// Parses `view.txt`: the view's kind, and in the folder of one student its public name.
pub fn read_mark(text: &str) -> Option<(View, Option<&str>)> {
    let (view, _, name) = parts(text)?;
    match (view, name.strip_suffix('\n')) {
        (_, None) if name.is_empty() => Some((view, None)),
        (View::Student, Some(name)) => Some((view, Some(name))),
        _ => None,
    }
}

pub(super) fn parts(text: &str) -> Option<(View, &str, &str)> {
    [View::Public, View::Student, View::Staff]
        .into_iter()
        .find_map(|view| {
            let (run, rest) = text.strip_prefix(&beginning(view))?.split_once('\n')?;
            Some((view, run, rest))
        })
}

pub(super) fn marked(view: View, run: &str) -> String {
    format!("{}{run}\n", beginning(view))
}

fn beginning(view: View) -> String {
    let view = view.name();
    format!("the {view} view of a run, made by judge report\nrun ")
}

pub(crate) const SUMS_NAME: &str = "SHA256SUMS";
const CHUNK_BYTES: usize = 1 << 16;
/// Maximum length of a file of a view other than its journal, in bytes. The longest is the table of
/// games, with up to 500 bytes for each of 20 million.
const FILE_BYTES_MAX: u64 = 16 << 30;
/// Maximum number of entries; no view of the largest run has more.
pub const ENTRIES_MAX: usize = 1 << 20;
/// Least block of a file system, and thus the least hole in a file, in bytes.
const HOLE_BYTES: usize = 1 << 12;
/// Maximum depth of nested folders.
const DEPTH_MAX: usize = 8;

/// The SHA-256 of a file, or the reason why it has none.
type Sum = Result<String, String>;

/// Returns the SHA-256 of each file below a folder, by name with `/` between folders. A file that
/// no view has is not read, or not to its end.
pub(crate) fn sums(folder: &ForeignFolder) -> Result<BTreeMap<String, Sum>> {
    let (mut sums, mut left) = (BTreeMap::new(), ENTRIES_MAX);
    each_below(folder, "", DEPTH_MAX, &mut left, &mut |name, file| {
        let sum = match file {
            Some(file) => sum(&name, file)?,
            None => Err("it is not a regular file".to_owned()),
        };
        sums.insert(name, sum);
        Ok(())
    })?;
    Ok(sums)
}

/// Lists the files below a folder, by name with `/` between folders.
pub fn names(folder: &ForeignFolder) -> Result<Vec<String>> {
    let (mut names, mut left) = (Vec::new(), ENTRIES_MAX);
    each_below(folder, "", DEPTH_MAX, &mut left, &mut |name, _| {
        names.push(name);
        Ok(())
    })?;
    names.sort();
    Ok(names)
}

/// Function for each entry with its name and its file; `None` if it is not a regular file.
type Act<'a> = &'a mut dyn FnMut(String, Option<File>) -> io::Result<()>;

fn each_below(
    folder: &ForeignFolder,
    before: &str,
    depth: usize,
    left: &mut usize,
    act: Act<'_>,
) -> Result {
    let failed = |e| JudgeError::io("read", folder.path(), e);
    let names = folder.sorted_names(*left).map_err(failed)?;
    *left -= names.len();
    for own in names {
        let name = format!("{before}{}", own.to_string_lossy());
        match folder.entry(&own).map_err(failed)? {
            Opened::Folder(inner) if depth > 0 => {
                each_below(&inner, &format!("{name}/"), depth - 1, left, act)?;
            }
            Opened::File(file) => act(name, Some(file)).map_err(failed)?,
            Opened::Folder(_) | Opened::Other(_) => act(name, None).map_err(failed)?,
        }
    }
    Ok(())
}

/// Computes a file's digest. A hole is free to make but takes as long to read as any content, and
/// it ends the reading. Nothing that judge publishes has that many NUL bytes in a row.
fn sum(name: &str, file: File) -> io::Result<Sum> {
    // Only the journal may have any length.
    if name != JOURNAL && Facts::of(&file)?.bytes > FILE_BYTES_MAX {
        return Ok(Err(format!(
            "it is longer than {} GiB, as no file here is",
            FILE_BYTES_MAX >> 30
        )));
    }
    let mut hasher = Sha256::new();
    let mut reader = BufReader::with_capacity(CHUNK_BYTES, file);
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            return Ok(Ok(hexadecimal(&hasher.finalize())));
        }
        if chunk.len() >= HOLE_BYTES && chunk.iter().all(|byte| *byte == 0) {
            return Ok(Err(format!(
                "it has {} NUL bytes in a row, as no file here has",
                chunk.len()
            )));
        }
        hasher.update(chunk);
        let read = chunk.len();
        reader.consume(read);
    }
}

fn sums_of(folder: &Path) -> Result<String> {
    let opened = ForeignFolder::open(folder).or_io("read", folder)?;
    // That file changes without the others.
    sums(&opened)?
        .into_iter()
        .filter(|(name, _)| name != LATEST_NAME)
        .map(|(name, sum)| match sum {
            Ok(sum) => Ok(format!("{sum}  {name}\n")),
            Err(reason) => refuse(format!("{name}: {reason}")),
        })
        .collect()
}

pub(crate) fn wrong_sums(text: &str, found: &BTreeMap<String, Sum>) -> BTreeSet<String> {
    let mut listed: BTreeSet<&str> = text.lines().take(ENTRIES_MAX).collect();
    let mut wrong = BTreeSet::new();
    for (name, sum) in found.iter().filter(|(name, _)| *name != SUMS_NAME) {
        match sum {
            Ok(sum) if listed.remove(&*format!("{sum}  {name}")) => false,
            Ok(sum) => wrong.insert(format!(
                "{name}: {SUMS_NAME} does not have its SHA-256, {sum}"
            )),
            Err(reason) => wrong.insert(format!("{name}: {reason}")),
        };
    }
    wrong.extend(
        listed
            .iter()
            .map(|line| format!("{SUMS_NAME}: no file here has {line}")),
    );
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn hidden_files_are_kept_except_through_link() {
        let top = tempfile::tempdir().expect("a temporary folder");
        let [old, link, fresh] = ["old", "link", "fresh"].map(|name| top.path().join(name));
        make_folder(&old).expect("writable");
        make_folder(&fresh).expect("writable");
        write_whole(&old.join(".keys"), b"secret").expect("writable");
        write_whole(&old.join("shown"), b"").expect("writable");
        symlink(&old, &link).expect("writable");
        let kept = || {
            let entries = ForeignFolder::open(&fresh).and_then(|fresh| fresh.sorted_names(9));
            entries.expect("readable")
        };
        keep_hidden(&link, &fresh).expect_err("it leads elsewhere");
        assert!(kept().is_empty());
        keep_hidden(&old, &fresh).expect("writable");
        assert_eq!(kept(), [".keys"]);
        keep_hidden(&top.path().join("none"), &fresh).expect("there was none");
    }

    #[test]
    fn view_replaces_only_same_view_of_same_run() {
        let own = marked(View::Public, "5f");
        let students = marked(View::Student, "5f");
        for (mark, run, refused) in [
            (own.as_str(), Some("5f"), ""),
            (&own, Some("60"), "another run"),
            (&own, None, "another run"),
            (&students, Some("5f"), "other files"),
            ("mine\n", Some("5f"), "other files"),
        ] {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let check = || check_place(View::Public, run, folder.path()).err();
            assert_eq!(check(), None, "it is empty");
            fs::write(folder.path().join(MARK_NAME), mark).expect("writable");
            let reported = check().unwrap_or_default();
            let holds = reported.contains(refused) && reported.is_empty() == refused.is_empty();
            assert!(holds, "{mark} {reported}");
            fs::create_dir(folder.path().join(".git")).expect("writable");
            assert!(check().is_some(), "a repository");
        }
    }

    static GOES_ON: AtomicBool = AtomicBool::new(false);

    fn publish(view: View, out: &Path, files: &[&str]) {
        let mut folder = ViewFolder::begin((view, "5f"), (out, "--out"), &GOES_ON).expect("valid");
        for name in files {
            folder.file(name, b"content").expect("valid");
        }
        folder.publish().expect("valid");
    }

    #[test]
    fn staff_hidden_files_survive_replacement_without_checksums() {
        let top = tempfile::tempdir().expect("a temporary folder");
        let out = top.path().join("students");
        publish(View::Student, &out, &["ann/report.html", "bob/report.html"]);
        for name in ".htaccess ann/.htaccess bob/.htaccess ann/mine.txt".split(' ') {
            fs::write(out.join(name), "staff's").expect("writable");
        }
        publish(View::Student, &out, &["ann/report.html", "cid/report.html"]);
        let has = |name: &str| out.join(name).exists();
        assert!(has(".htaccess") && has("ann/.htaccess") && has("cid/report.html"));
        assert!(!has("bob") && !has("ann/mine.txt"));
        let sums = fs::read_to_string(out.join("ann").join(SUMS_NAME)).expect("there");
        assert!(!sums.contains(".htaccess"), "{sums}");
    }

    #[test]
    fn students_folder_is_private_except_for_chosen_group() {
        let top = tempfile::tempdir().expect("a temporary folder");
        let mode = |path: &Path| fs::metadata(path).expect("there").mode() & 0o7777;
        let (out, public) = (top.path().join("students"), top.path().join("www"));
        fs::create_dir(&out).expect("new");
        set_mode(&out, 0o755).expect("writable");
        publish(View::Student, &out, &["ann/report.html"]);
        assert_eq!(mode(&out), 0o700);
        // Only root may give it to any group.
        let other = fs::metadata(&out).expect("there").gid() + 1;
        if chown(&out, None, Some(other)).is_ok() {
            set_mode(&out, 0o2755).expect("writable");
            publish(View::Student, &out, &["ann/report.html"]);
            assert_eq!(mode(&out), 0o2750);
            assert_eq!(fs::metadata(&out).expect("there").gid(), other);
        }
        publish(View::Public, &public, &["report.html"]);
        let modes = [public.clone(), public.join("report.html")].map(|path| mode(&path));
        assert_eq!(modes, [0o755, 0o644]);
    }

    #[test]
    fn mark_names_view_run_and_student() {
        let student = marked(View::Student, "5f") + "ann\n";
        assert_eq!(read_mark(&student), Some((View::Student, Some("ann"))));
        assert_eq!(parts(&student), Some((View::Student, "5f", "ann\n")));
        let public = marked(View::Public, "5f");
        assert_eq!(read_mark(&public), Some((View::Public, None)));
        assert_eq!(parts(&public), Some((View::Public, "5f", "")));
        assert_eq!(read_mark(&(public + "ann\n")), None);
        assert_eq!(read_mark("something else\n"), None);
    }
}
