//! The names of files in submissions: which are taken, skipped or refused, and notes on those left out.

use engines::quote::shown;
use model::advice::archive_stem;
use model::fault::quote;
use model::language::Language;
use model::numbers::counted;
use std::collections::BTreeMap;
use std::ffi::OsStr;

/// Name of the file that says how the program of a game is built and run.
pub const GAME_FILE: &str = "game.toml";

const PATH_BYTES_MAX: usize = 512;
/// File systems allow 255 bytes, and some code here lengthens names.
const PART_BYTES_MAX: usize = 200;
pub(crate) const DEPTH_MAX: usize = 24;

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct PathInArchive {
    /// Of the file, or of the whole folder that is left out, with a slash at its end.
    pub(crate) path: String,
    pub(crate) left_out: Option<Why>,
    /// Why it cannot be kept. Its submission is refused.
    pub(crate) refusal: Option<String>,
}

/// Judges a path in a zip. Parts are separated by `/`, or by `\` where Windows programs wrote it.
/// Returns `None` for one that is left out silently.
pub(crate) fn in_archive(text: &str) -> Result<Option<PathInArchive>, String> {
    let shown = quote(text);
    let path = text.replace('\\', "/");
    if path.starts_with('/') || path.as_bytes().get(1) == Some(&b':') {
        return Err(format!("has the absolute path {shown}"));
    }
    let parts = parts(&path);
    if parts.contains(&"..") {
        return Err(format!("has the path {shown}, which is outside"));
    }
    if parts.iter().any(|part| is_junk(part)) {
        return Ok(None);
    }
    let path = parts.join("/");
    let refusal = refusal(&path);
    let odd = whole(&path, |part, _| odd(part)).filter(|_| refusal.is_none());
    Ok(Some(PathInArchive {
        path: odd.map_or(path.as_str(), |(whole, _)| whole).to_owned(),
        left_out: odd.map(|(_, why)| why),
        refusal,
    }))
}

pub(crate) fn parts(path: &str) -> Vec<&str> {
    let parts = path.split('/');
    parts.filter(|part| !matches!(*part, "" | ".")).collect()
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
    if path.len() > PATH_BYTES_MAX || path.split('/').any(|part| part.len() > PART_BYTES_MAX) {
        let shown = quote(path);
        return Some(format!("has a name that is too long: {shown}"));
    }
    // The last part is the file's own name.
    (path.split('/').count() > DEPTH_MAX + 1).then(|| too_deep(path))
}

pub(crate) fn too_deep(path: &str) -> String {
    let shown = quote(path);
    format!("has folders nested more than {DEPTH_MAX} deep: {shown}")
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

/// Returns a path such that a name that begins with a dash is not read as an option.
pub(crate) fn dashless(path: &str) -> String {
    if path.starts_with('-') {
        format!("./{path}")
    } else {
        path.to_owned()
    }
}

pub(crate) fn without_ending(name: &str) -> &str {
    let stem = archive_stem(name).filter(|stem| !stem.is_empty());
    stem.unwrap_or_else(|| match name.rfind('.') {
        Some(end @ 1..) => &name[..end],
        _ => name,
    })
}

pub(crate) fn is_readme(name: &str) -> bool {
    let stem = name.split('.').next();
    stem.is_some_and(|stem| stem.eq_ignore_ascii_case("readme"))
}

pub(crate) fn odd(part: &str) -> Option<Why> {
    match part {
        ".git" | ".hg" | ".svn" | ".bzr" | ".jj" | "CVS" | "_darcs" => Some(Why::VersionControl),
        ".idea" | ".vscode" | ".vs" | ".settings" | ".metadata" | ".zed" | ".fleet" => {
            Some(Why::Editor)
        }
        _ => unfit(part.as_ref()),
    }
}

/// Returns why nothing of this name is kept, neither of a submission nor of a build.
pub(crate) fn unfit(name: &OsStr) -> Option<Why> {
    let Some(name) = name.to_str() else {
        return Some(Why::NotUtf8);
    };
    let is_odd = name.chars().any(|c| shown(c) != [c]);
    is_odd.then_some(Why::Invisible)
}

/// Maximum number of entries named individually for one reason.
const NAMED_MAX: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Why {
    NotUtf8,
    Invisible,
    Link,
    Run,
    /// A virtual environment of Python: links to an interpreter, and absolute paths.
    Environment,
    /// A build folder of `CMake`, which refuses one that was made for another folder.
    CMake,
    Hidden,
    Made,
    VersionControl,
    Editor,
}

impl Why {
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::NotUtf8 => "its name is not UTF-8",
            Self::Invisible => "its name contains invisible characters",
            Self::Link => "links and special files are not accepted",
            Self::Run => "it was made by judge run",
            Self::Environment => {
                "a virtual environment of Python works only where it was made; submit the packages in a folder of your own"
            }
            Self::CMake => "CMake made it for another folder; build it from judge.toml",
            Self::Hidden => "hidden files are not accepted in this course's language",
            Self::Made => "tools made it, and this course's language does not need it",
            Self::VersionControl => "it belongs to version control",
            Self::Editor => "it belongs to an editor",
        }
    }
}

/// A folder ends with a slash, and is there once for each of its files where these are known.
pub(crate) type LeftOut = Vec<(String, Why)>;

/// Returns notes on what is left out below a folder, first without what nobody misses, and then on
/// that. `below` is empty, or ends with a slash.
pub(crate) fn notes(left_out: &[(String, Why)], below: &str) -> [Vec<String>; 2] {
    let mut by_reason: BTreeMap<Why, BTreeMap<&str, u64>> = BTreeMap::new();
    for (path, why) in left_out {
        if let Some(path) = path.strip_prefix(below) {
            let things = by_reason.entry(*why).or_default();
            *things.entry(path).or_default() += 1;
        }
    }
    [false, true].map(|is_usual| {
        let reasons = by_reason.iter();
        reasons
            .filter(|(why, _)| matches!(why, Why::Made | Why::VersionControl) == is_usual)
            .flat_map(|(why, things)| notes_of(why.words(), things))
            .collect()
    })
}

/// `things` gives each entry with its number of files.
fn notes_of(reason: &str, things: &BTreeMap<&str, u64>) -> Vec<String> {
    if things.len() <= NAMED_MAX {
        let note = |(thing, files): (&&str, &u64)| {
            let shown = quote(thing);
            if thing.ends_with('/') {
                let files = counted(files, "file");
                return format!("left out {shown} ({files}): {reason}");
            }
            format!("left out {shown}: {reason}")
        };
        return things.iter().map(note).collect();
    }
    let files = counted(things.values().sum::<u64>(), "file");
    let mut folders: Vec<&str> = things
        .keys()
        .map(|thing| folder_of(thing.trim_end_matches('/')))
        .collect();
    folders.dedup();
    let mut place = match folders[0] {
        "" => "its own folder".to_owned(),
        folder => quote(folder),
    };
    if let others @ 1.. = folders.len() as u64 - 1 {
        place = format!("{place} and {}", counted(others, "other folder"));
    }
    vec![format!("left out {files} in {place}: {reason}")]
}

/// Returns the folder of a path with its final `/`; empty for the submission's own.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rfind('/').map_or("", |end| &path[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, left_out: Option<Why>) -> PathInArchive {
        PathInArchive {
            path: path.to_owned(),
            left_out,
            refusal: None,
        }
    }

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
            let refusal = got.expect("inside").and_then(|one| one.refusal);
            assert!(refusal.is_some(), "{path}");
        }
    }

    #[test]
    fn honest_paths_are_taken_and_odd_ones_omitted() {
        for (path, taken) in [
            ("a/b.h", "a/b.h"),
            ("./a//b.h", "a/b.h"),
            ("src\\b.h", "src/b.h"),
            ("straße/ü.py", "straße/ü.py"),
            ("a..b", "a..b"),
        ] {
            assert_eq!(in_archive(path), Ok(Some(found(taken, None))));
        }
        for path in ["__MACOSX/x", "a/.DS_Store", "._x", "a/Thumbs.db"] {
            assert_eq!(in_archive(path), Ok(None), "{path}");
        }
        for (path, whole, why) in [
            ("a\nb", "a\nb", Why::Invisible),
            ("x\u{202e}gpj.exe", "x\u{202e}gpj.exe", Why::Invisible),
            ("a\0b", "a\0b", Why::Invisible),
            ("hw/.git/config", "hw/.git/", Why::VersionControl),
            (".git", ".git", Why::VersionControl),
            ("src/.vscode/a/b", "src/.vscode/", Why::Editor),
        ] {
            assert_eq!(in_archive(path), Ok(Some(found(whole, Some(why)))));
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
            assert_eq!(in_archive(path), Ok(Some(found(path, None))));
            assert_eq!(aside(path), apart, "{path}");
        }
        assert_eq!(marked("b/CMakeCache.txt"), Some(("b/", Why::CMake)));
        assert_eq!(marked("b/cache.txt"), None);
    }

    const LINK: &str = Why::Link.words();

    /// Returns the notes below a folder, without their beginning and reason.
    fn notes_below(paths: &[String], below: &str) -> Vec<String> {
        let left_out: LeftOut = paths.iter().map(|path| (path.clone(), Why::Link)).collect();
        let [notes, _] = notes(&left_out, below);
        let end = format!(": {LINK}");
        let notes = notes.iter().map(|note| {
            let inner = note.strip_prefix("left out ").expect(note);
            inner.strip_suffix(&end).expect(note).to_owned()
        });
        notes.collect()
    }

    fn numbered(folder: &str, count: usize) -> Vec<String> {
        let names = (0..count).map(|n| format!("{folder}{n}"));
        names.collect()
    }

    #[test]
    fn few_files_are_named_and_many_are_counted() {
        let whole = vec!["src/in/".to_owned(); 331];
        let many: Vec<String> = (0..9).map(|n| format!("{n}/x")).collect();
        for (paths, note) in [
            (whole, "src/in/ (331 files)"),
            (numbered("lib/", 331), "331 files in lib/"),
            (numbered("f", 4), "4 files in its own folder"),
            (many, "9 files in 0/ and 8 other folders"),
        ] {
            assert_eq!(notes_below(&paths, ""), [note]);
        }
        let few = numbered("a/", 2);
        assert_eq!(notes_below(&few, ""), ["a/0", "a/1"]);
        assert_eq!(notes_below(&few, "a/"), ["0", "1"]);
        assert!(notes_below(&few, "b/").is_empty());
    }
}
