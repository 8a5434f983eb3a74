//! The repository's files, and those that tests write.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// Returns the repository, or the copy of it that `JUDGE_TESTS_ROOT` names. An ordinary user may
/// have no access to the folder in which these tests were compiled.
pub(crate) fn root() -> &'static Path {
    static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
        let here = || Path::new(env!("CARGO_MANIFEST_DIR")).parent();
        let named = std::env::var_os("JUDGE_TESTS_ROOT").map(PathBuf::from);
        named.unwrap_or_else(|| here().expect("judge lies in the repository").to_owned())
    });
    &ROOT
}

/// Reads a file of the repository.
pub(crate) fn source(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Returns the program, or the copy of it that `JUDGE_TESTS_PROGRAM` names.
pub(crate) fn program() -> &'static Path {
    static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
        let named = std::env::var_os("JUDGE_TESTS_PROGRAM");
        named.map_or_else(|| env!("CARGO_BIN_EXE_judge").into(), PathBuf::from)
    });
    &PROGRAM
}

/// Writes a program that starts at once. A child writes it: a process that another test just
/// starts would hold our file open, and the system starts no file that is open for writing.
pub(crate) fn write_program(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("below a folder")).expect("writable");
    let mut writer = Command::new("/bin/sh")
        .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = writer.stdin.take().expect("piped");
    stdin.write_all(text.as_bytes()).expect("it reads");
    drop(stdin);
    let status = writer.wait().expect("a running child");
    assert!(status.success(), "{}", path.display());
}

/// Writes a program that only the judge starts, with the folders around it.
pub(crate) fn executable(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("below a folder")).expect("writable");
    fs::write(path, text).expect("writable");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("writable");
}

/// Copies a program that this process, or its child, starts at once: see [`write_program`].
pub(crate) fn copy_program(from: impl AsRef<OsStr>, to: &Path) {
    let copied = Command::new("cp").arg(from).arg(to).status();
    assert!(copied.expect("it starts").success(), "{}", to.display());
}

/// Copies a folder, with modes: a program with another mode is built again.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a new folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("readable");
        let place = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &place);
        } else {
            fs::copy(entry.path(), place).expect("copied with its mode");
        }
    }
    let mode = fs::metadata(from).expect("a folder").permissions();
    fs::set_permissions(to, mode).expect("writable");
}

pub(crate) fn all_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut all = Vec::new();
    for path in entries.map(|entry| entry.expect("readable").path()) {
        if path.is_dir() && !path.is_symlink() {
            all.extend(all_below(&path));
        }
        all.push(path);
    }
    all
}

/// Lists the names in a folder, sorted.
#[track_caller]
pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let names = entries.map(|entry| entry.expect("readable").file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into()).collect();
    names.sort();
    names
}

pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = all_below(folder);
    files.retain(|path| !path.is_dir());
    files
}

pub(crate) fn text_below(folder: &Path) -> String {
    let texts = all_below(folder).into_iter().map(|path| {
        let name = path.file_name().expect("it has one").to_string_lossy();
        let text = fs::read(&path).unwrap_or_default();
        format!("{name}\n{}\n", String::from_utf8_lossy(&text))
    });
    texts.collect()
}
