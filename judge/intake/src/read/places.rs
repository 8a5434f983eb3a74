//! Places that somebody names: what is in a folder, and an existing path in place of one that does not exist.

#![expect(clippy::disallowed_methods, reason = "staff name the place")]

use crate::read::names;
use model::builtin::PREFIX;
use model::text::readable;
use rulebook::nearest::nearest;
use rulebook::rules::Rules;
use rulebook::{JudgeError, Result};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;
use system::foreign::{ForeignFolder, Kind};

const ENTRIES_MAX: usize = 100_000;

pub(crate) fn list(folder: &ForeignFolder) -> Result<Vec<OsString>> {
    names_of(folder, ENTRIES_MAX).map_err(|e| unreadable(folder.path(), &e))
}

fn names_of(folder: &ForeignFolder, names_max: usize) -> io::Result<Vec<OsString>> {
    let mut names = folder
        .names()?
        .filter(|name| name.as_ref().map_or(true, |name| is_visible(name)))
        .take(names_max + 1)
        .collect::<io::Result<Vec<_>>>()?;
    if names.len() > names_max {
        return Err(io::Error::other(format!(
            "it has more than {names_max} entries; split it into several folders"
        )));
    }
    names.sort();
    Ok(names)
}

fn is_visible(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    !name.starts_with('.') && !names::is_junk(&name)
}

/// Returns whether an entry is a folder, and not a link to one.
pub(crate) fn is_folder(folder: &ForeignFolder, name: &OsStr) -> bool {
    let facts = folder.facts_of(name);
    facts.is_ok_and(|facts| facts.kind == Kind::Folder)
}

pub(crate) fn unreadable(folder: &Path, error: &io::Error) -> JudgeError {
    JudgeError::input(format!(
        "{} {}; give a folder with a folder, zip or program for each submission",
        folder.display(),
        unreadable_words(folder, error)
    ))
}

pub(crate) fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

const SIMILAR_MAX: usize = 1000;

/// Suggests an existing path, as ` (did you mean bots/alice?)`; empty if there is none alike.
pub fn did_you_mean_path(path: &Path) -> String {
    let Some(there) = path.ancestors().find(|above| in_full(above).is_dir()) else {
        return String::new();
    };
    let mut meant = there.to_owned();
    for name in path.strip_prefix(there).unwrap_or(path) {
        match named_like(&meant, &name.to_string_lossy()) {
            Some(name) => meant.push(name),
            None => return String::new(),
        }
    }
    if meant == path {
        return String::new();
    }
    format!(" (did you mean {}?)", readable(&meant.to_string_lossy()))
}

/// Says why a file that somebody named cannot be read, and which one was probably meant.
pub fn unreadable_words(path: &Path, error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => format!("does not exist{}", did_you_mean_path(path)),
        ErrorKind::IsADirectory => "is a folder; give a file".to_owned(),
        ErrorKind::NotADirectory => "is below a file; check the path".to_owned(),
        _ => format!("cannot be read: {error}"),
    }
}

pub(crate) fn did_you_mean_bot(path: &Path, game: Option<&Arc<dyn Rules>>) -> String {
    let games: Vec<Arc<dyn Rules>> = match game {
        Some(game) => vec![Arc::clone(game)],
        None => rulebook::rules::built_in().collect(),
    };
    let baselines = games.iter().flat_map(|game| game.baselines());
    let bots: BTreeSet<&str> = baselines.map(|(name, _)| name).collect();
    let typed = path.to_string_lossy();
    let meant = match typed.split_once(':') {
        Some((prefix, name)) => nearest(prefix, [PREFIX.trim_end_matches(':')])
            .and_then(|_| nearest(name, bots.iter().copied())),
        None => bots.get(&*typed).copied(),
    };
    match meant {
        Some(bot) if !path.exists() => format!(" (did you mean {PREFIX}{bot}?)"),
        _ => did_you_mean_path(path),
    }
}

/// Returns the folder; the empty path is the current one.
fn in_full(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    }
}

fn named_like(folder: &Path, name: &str) -> Option<String> {
    let entries = fs::read_dir(in_full(folder)).ok()?.flatten();
    let names: Vec<String> = entries
        .take(SIMILAR_MAX)
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    nearest(name, names.iter().map(String::as_str)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_is_hidden_is_no_entry() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in [".hidden", "ann", "bob"] {
            fs::write(folder.path().join(name), "").expect("writable");
        }
        let folder = ForeignFolder::open(folder.path()).expect("there");
        assert_eq!(names_of(&folder, 2).expect("they fit"), ["ann", "bob"]);
        names_of(&folder, 1).expect_err("too many");
    }

    #[test]
    fn existing_path_is_suggested_for_any_mistyped_part() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir_all(folder.path().join("bots/alice")).expect("writable");
        let at = |path: &str| folder.path().join(path);
        let meant = format!(" (did you mean {}?)", at("bots/alice").display());
        for (path, expected) in [
            ("bots/alcie", &*meant),
            ("bost/alcie", &*meant),
            ("bots/zoe", ""),
            ("games/alice", ""),
        ] {
            assert_eq!(did_you_mean_path(&at(path)), expected, "{path}");
        }
        let meant = " (did you mean builtin:random?)";
        for (typed, expected) in [
            ("random", meant),
            ("bultin:random", meant),
            ("builtin:ramdom", meant),
            ("builtin:abcdef", ""),
        ] {
            let meant = did_you_mean_bot(Path::new(typed), None);
            assert_eq!(meant, expected, "{typed}");
        }
        // Tests run in their crate's folder.
        let relative = Path::new("srcc");
        assert_eq!(did_you_mean_path(relative), " (did you mean src?)");
    }
}
