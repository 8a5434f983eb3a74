//! The left-out files of a submission, reported in a few lines for any number of files.

use super::names::{self, folder_of};
use std::collections::BTreeMap;
use words::fault::quote;
use words::numbers::counted;

/// Maximum number of entries named individually that are left out for one reason.
const NAMED_MAX: usize = 3;

/// Files that are left out, each with its reason.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    files: Vec<(String, &'static str)>,
}

impl LeftOut {
    /// Adds a file or a folder by its path.
    pub(super) fn push(&mut self, path: String, reason: &'static str) {
        self.files.push((path, reason));
    }

    /// Lists the paths.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(path, _)| path.as_str())
    }

    /// Copies it without the paths for which `is_known` is true.
    pub(super) fn without(&self, is_known: impl Fn(&str) -> bool) -> Self {
        let files = self.files.iter().filter(|(path, _)| !is_known(path));
        Self {
            files: files.cloned().collect(),
        }
    }

    /// Returns a note on each entry left out below a folder: `below` is empty, or ends with a
    /// slash. A folder that is left out as a whole is one entry. Many entries are reported by their
    /// folder only.
    pub(super) fn notes(&self, below: &str) -> Vec<String> {
        let mut by_reason: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
        for (path, reason) in &self.files {
            if let Some(path) = path.strip_prefix(below) {
                let things = by_reason.entry(reason).or_default();
                *things.entry(whole(path)).or_default() += 1;
            }
        }
        let notes = by_reason.into_iter();
        notes
            .flat_map(|(reason, things)| notes_of(reason, &things))
            .collect()
    }
}

/// Returns the folder that is left out as a whole, with its slash, or the path itself.
fn whole(path: &str) -> &str {
    let mut ends = path.match_indices('/').map(|(at, _)| at);
    let is_odd =
        |end: &usize| names::odd(&path[..*end][folder_of(&path[..*end]).len()..]).is_some();
    ends.find(is_odd).map_or(path, |end| &path[..=end])
}

/// Returns the notes on the entries left out for one reason; `things` gives each with its number of
/// files.
fn notes_of(reason: &str, things: &BTreeMap<&str, u64>) -> Vec<String> {
    if things.len() <= NAMED_MAX {
        let note = |(thing, files): (&&str, &u64)| {
            let shown = quote(thing.as_bytes());
            let count = if thing.ends_with('/') {
                format!(" ({})", counted(*files, "file"))
            } else {
                String::new()
            };
            format!("left out {shown}{count}: {reason}")
        };
        return things.iter().map(note).collect();
    }
    let files = counted(things.values().sum(), "file");
    let mut folders: Vec<&str> = things
        .keys()
        .map(|thing| folder_of(thing.trim_end_matches('/')))
        .collect();
    folders.dedup();
    let shown = |folder: &str| match folder {
        "" => "its own folder".to_owned(),
        folder => quote(folder.as_bytes()),
    };
    let place = match folders.as_slice() {
        [folder] => shown(folder),
        [first, others @ ..] => format!("{} and {}", shown(first), {
            counted(others.len() as u64, "other folder")
        }),
        [] => return Vec::new(),
    };
    vec![format!("left out {files} in {place}: {reason}")]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes(paths: &[String], below: &str) -> Vec<String> {
        let mut left_out = LeftOut::default();
        for path in paths {
            left_out.push(path.clone(), "hidden");
        }
        left_out.notes(below)
    }

    fn numbered(folder: &str, count: usize) -> Vec<String> {
        let names = (0..count).map(|n| format!("{folder}{n}"));
        names.collect()
    }

    #[test]
    fn a_folder_full_of_files_is_one_note() {
        let hidden = numbered("src/.idea/x/", 331);
        assert_eq!(
            notes(&hidden, ""),
            ["left out src/.idea/ (331 files): hidden"]
        );
        let links = numbered("lib/", 331);
        assert_eq!(notes(&links, ""), ["left out 331 files in lib/: hidden"]);
        let flat = numbered("f", 4);
        assert_eq!(
            notes(&flat, ""),
            ["left out 4 files in its own folder: hidden"]
        );
        let many: Vec<String> = (0..9).map(|n| format!("{n}/x")).collect();
        assert_eq!(
            notes(&many, ""),
            ["left out 9 files in 0/ and 8 other folders: hidden"]
        );
    }

    #[test]
    fn a_few_files_are_named() {
        let few = numbered("a/", 2);
        assert_eq!(
            notes(&few, ""),
            ["left out a/0: hidden", "left out a/1: hidden"]
        );
        assert_eq!(
            notes(&few, "a/").first().map(String::as_str),
            Some("left out 0: hidden")
        );
        assert!(notes(&few, "b/").is_empty());
    }
}
