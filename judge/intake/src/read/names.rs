//! The names of files in submissions: which are taken, skipped or refused.

use crate::read::left_out::{Why, folder_of};
use engines::quote::shown;
use model::advice::archive_stem;
use model::fault::quote;
use model::language::Language;
use std::ffi::OsStr;

/// Name of the file that says how the program of a game is built and run.
pub const GAME_FILE: &str = "game.toml";

const PATH_BYTES_MAX: usize = 512;
/// File systems allow 255 bytes, and some code here lengthens names.
const PART_BYTES_MAX: usize = 200;
pub(crate) const DEPTH_MAX: usize = 24;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum PathVerdict {
    Take(String),
    /// Left out silently.
    Junk,
    /// Left out under this path, or with the whole folder of this path, which ends with a slash.
    LeaveOut(String, Why),
    /// Cannot be kept, under this path; its submission is refused for this reason.
    Refuse(String, String),
}

/// Judges a path in a zip. Parts are separated by `/`, or by `\` where Windows programs wrote it.
pub(crate) fn in_archive(text: &str) -> Result<PathVerdict, String> {
    let shown = quote(text);
    let path = text.replace('\\', "/");
    if path.starts_with('/') || path.as_bytes().get(1) == Some(&b':') {
        return Err(format!("has the absolute path {shown}"));
    }
    let parts: Vec<&str> = path
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    if parts.contains(&"..") {
        return Err(format!("has the path {shown}, which is outside"));
    }
    if parts.iter().any(|part| is_junk(part)) {
        return Ok(PathVerdict::Junk);
    }
    let path = parts.join("/");
    if let Some(reason) = refusal(&path) {
        return Ok(PathVerdict::Refuse(path, reason));
    }
    Ok(match whole(&path, |part, _| odd(part)) {
        Some((path, why)) => PathVerdict::LeaveOut(path.to_owned(), why),
        None => PathVerdict::Take(path),
    })
}

/// Returns the outermost part of a path with a reason, as a path with a slash if it is a folder.
fn whole(path: &str, why: impl Fn(&str, bool) -> Option<Why>) -> Option<(&str, Why)> {
    let mut start = 0;
    path.split_inclusive('/').find_map(|part| {
        let name = part.trim_end_matches('/');
        start += part.len();
        Some((&path[..start], why(name, name != part)?))
    })
}

/// Returns the part of a path that a course's kit does not use. Programs use all files.
pub(crate) fn aside(path: &str) -> Option<(&str, Why)> {
    whole(path, |part, is_folder| {
        let made = || (is_folder && Language::is_made_by_tools(part)).then_some(Why::Made);
        part.starts_with('.').then_some(Why::Hidden).or_else(made)
    })
}

pub(crate) fn refusal(path: &str) -> Option<String> {
    let shown = quote(path);
    if path.len() > PATH_BYTES_MAX || path.split('/').any(|part| part.len() > PART_BYTES_MAX) {
        return Some(format!("has a name that is too long: {shown}"));
    }
    // The last part is the file's own name.
    (path.split('/').count() > DEPTH_MAX + 1)
        .then(|| format!("has folders nested more than {DEPTH_MAX} deep: {shown}"))
}

pub(crate) fn is_junk(part: &str) -> bool {
    matches!(part, "__MACOSX" | ".DS_Store" | "Thumbs.db" | "desktop.ini") || part.starts_with("._")
}

/// Files that mark a folder that works only where it was made.
pub(crate) const MARKS: [(&str, Why); 2] = [
    ("pyvenv.cfg", Why::Environment),
    ("CMakeCache.txt", Why::CMake),
];

pub(crate) fn marked(path: &str) -> Option<(&str, Why)> {
    let (_, why) = MARKS.iter().find(|(name, _)| base_name(path) == *name)?;
    Some((folder_of(path), *why))
}

pub(crate) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

pub(crate) fn without_ending(name: &str) -> &str {
    if let Some(stem) = archive_stem(name).filter(|stem| !stem.is_empty()) {
        return stem;
    }
    match name.rfind('.') {
        Some(end @ 1..) => &name[..end],
        _ => name,
    }
}

pub(crate) fn is_readme(name: &str) -> bool {
    name.split('.')
        .next()
        .unwrap_or_default()
        .eq_ignore_ascii_case("readme")
}

pub(crate) fn odd(part: &str) -> Option<Why> {
    match part {
        ".git" | ".hg" | ".svn" | ".bzr" | ".jj" | "CVS" | "_darcs" => Some(Why::VersionControl),
        ".idea" | ".vscode" | ".vs" | ".settings" | ".metadata" | ".zed" | ".fleet" => {
            Some(Why::Editor)
        }
        _ => unfit(part.as_ref()).map(|_| Why::Invisible),
    }
}

/// Returns why nothing of this name is kept, neither of a submission nor of a build.
pub(crate) fn unfit(name: &OsStr) -> Option<&'static str> {
    let Some(name) = name.to_str() else {
        return Some("its name is not UTF-8");
    };
    name.chars()
        .any(|c| shown(c) != [c])
        .then_some("its name contains invisible characters")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outside_paths_are_refused_in_any_spelling() {
        for path in r"../x a/../../x a\..\x /etc/passwd \x C:\x c:x ..".split(' ') {
            assert!(in_archive(path).is_err(), "{path}");
        }
        let long = "x".repeat(201);
        let deep = "d/".repeat(25) + "x";
        let wide = ["y".repeat(100), "y".repeat(100)].join("/") + "/" + &"z/".repeat(200);
        for path in [long, deep, wide] {
            let got = in_archive(&path);
            assert!(matches!(got, Ok(PathVerdict::Refuse(..))), "{got:?}");
        }
    }

    #[test]
    fn honest_paths_are_taken_and_odd_ones_omitted() {
        let take = |path: &str| PathVerdict::Take(path.to_owned());
        for (path, taken) in [
            ("a/b.h", "a/b.h"),
            ("./a//b.h", "a/b.h"),
            ("src\\b.h", "src/b.h"),
            ("straße/ü.py", "straße/ü.py"),
            ("a..b", "a..b"),
        ] {
            assert_eq!(in_archive(path), Ok(take(taken)));
        }
        for path in ["__MACOSX/x", "a/.DS_Store", "._x", "a/Thumbs.db"] {
            assert_eq!(in_archive(path), Ok(PathVerdict::Junk), "{path}");
        }
        for (path, whole, why) in [
            ("a\nb", "a\nb", Why::Invisible),
            ("x\u{202e}gpj.exe", "x\u{202e}gpj.exe", Why::Invisible),
            ("a\0b", "a\0b", Why::Invisible),
            ("hw/.git/config", "hw/.git/", Why::VersionControl),
            (".git", ".git", Why::VersionControl),
            ("src/.vscode/a/b", "src/.vscode/", Why::Editor),
        ] {
            let verdict = PathVerdict::LeaveOut(whole.to_owned(), why);
            assert_eq!(in_archive(path), Ok(verdict));
        }
    }

    #[test]
    fn hidden_and_vendored_files_are_taken_without_evidence() {
        for (path, apart) in [
            (".cargo/config.toml", Some((".cargo/", Why::Hidden))),
            ("src/.gitignore", Some(("src/.gitignore", Why::Hidden))),
            ("a/node_modules/x.js", Some(("a/node_modules/", Why::Made))),
            ("src/build", None),
            ("vendor/github.com/x/y.go", None),
        ] {
            assert_eq!(in_archive(path), Ok(PathVerdict::Take(path.to_owned())));
            assert_eq!(aside(path), apart, "{path}");
        }
        assert_eq!(marked("b/CMakeCache.txt"), Some(("b/", Why::CMake)));
        assert_eq!(marked("b/cache.txt"), None);
    }
}
