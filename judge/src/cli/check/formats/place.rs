//! The author's file and line that a finding is about, from the output of compilers and
//! interpreters.

use crate::check::Check;
use std::path::Path;
use system::foreign::ForeignFolder;

/// Maximum number of files of a submission that are searched, and their maximum depth.
const FILES_MAX: usize = 1000;
const DEPTH_MAX: usize = 8;

/// A line of a file of the submission.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Path of the file, starting with the submission's path on the command line.
    pub(super) file: String,
    /// Number of the line, from 1.
    pub(super) line: u32,
}

/// The files of a submission.
pub(super) struct Places {
    /// Prefix of the paths; empty in the current folder.
    folder: String,
    /// Paths relative to `folder`, in order.
    files: Vec<String>,
}

impl Places {
    /// Lists the files of the submission at `path`. An unreadable one has no places.
    pub(super) fn find(path: &Path) -> Self {
        let mut files = Vec::new();
        if let Ok(folder) = ForeignFolder::open(path) {
            list(&folder, "", 0, &mut files);
        }
        files.sort();
        let folder = path.to_string_lossy();
        let folder = folder.trim_start_matches("./").trim_end_matches('/');
        let folder = if folder == "." { "" } else { folder };
        Self::new(folder, files)
    }

    #[cfg(test)]
    pub(super) fn among(folder: &str, files: &[&str]) -> Self {
        Self::new(folder, files.iter().map(|f| (*f).to_owned()).collect())
    }

    fn new(folder: &str, files: Vec<String>) -> Self {
        Self {
            folder: folder.to_owned(),
            files,
        }
    }

    /// Returns the first line of the author's own files that a finding names.
    pub(super) fn of(&self, check: &Check) -> Option<Place> {
        std::iter::once(&check.message)
            .chain(&check.detail)
            .find_map(|line| self.named_in(line))
    }

    /// Returns the first line of the first file, or of the submission if it is a file.
    pub(super) fn first(&self) -> Place {
        let file = self.files.first().map_or("", String::as_str);
        self.place(file, 1)
    }

    fn place(&self, file: &str, line: u32) -> Place {
        let file = match (self.folder.as_str(), file) {
            ("", "") => ".".to_owned(),
            ("", file) => file.to_owned(),
            (folder, "") => folder.to_owned(),
            (folder, file) => format!("{folder}/{file}"),
        };
        Place { file, line }
    }

    fn named_in(&self, text: &str) -> Option<Place> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let by_word = words.iter().find_map(|word| self.colons(word));
        // Python and OCaml write `File "bot.py", line 3`.
        by_word.or_else(|| {
            let (_, rest) = text.split_once("File \"")?;
            let (file, rest) = rest.split_once("\", line ")?;
            self.own(file, number(rest)?)
        })
    }

    /// Parses `Cat.h:4:8:`, the form of g++ and GHC.
    fn colons(&self, word: &str) -> Option<Place> {
        let (file, rest) = word.split_once(':')?;
        self.own(file, number(rest)?)
    }

    /// Returns the place if the file belongs to the submission, perhaps in a folder that builds do
    /// not have.
    fn own(&self, file: &str, line: u32) -> Option<Place> {
        let file = file.trim_start_matches("./");
        let same = |own: &&String| {
            let end = own.strip_suffix(file);
            !file.is_empty() && end.is_some_and(|end| end.is_empty() || end.ends_with('/'))
        };
        let mut named = self.files.iter().filter(same);
        let own = named.next()?;
        named.next().is_none().then(|| self.place(own, line))
    }
}

/// Parses the number at the start of a text.
fn number(text: &str) -> Option<u32> {
    let digits = text.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok().filter(|line| *line > 0)
}

fn list(folder: &ForeignFolder, prefix: &str, depth: usize, files: &mut Vec<String>) {
    for own in folder.names().into_iter().flatten().flatten() {
        if files.len() >= FILES_MAX {
            return;
        }
        let name = own.to_string_lossy();
        if name.starts_with('.') {
            continue;
        }
        let path = format!("{prefix}{name}");
        match folder.folder(&own) {
            Ok(inner) if depth < DEPTH_MAX => list(&inner, &format!("{path}/"), depth + 1, files),
            Ok(_) => {}
            Err(_) => files.push(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Place, Places};

    #[test]
    fn compilers_and_interpreters_name_a_line_of_the_authors_files() {
        let places = Places::among("ann", &["Cat.h", "src/assignment.ml", "a/x.py", "b/x.py"]);
        for (text, place) in [
            ("./Cat.h:4:8: error: what", Some(("ann/Cat.h", 4))),
            (
                "File \"assignment.ml\", line 3, characters 1-2:",
                Some(("ann/src/assignment.ml", 3)),
            ),
            ("./judge_agents.cpp:3:1: error: what", None),
            ("ratio 3:4 and a:b", None),
            ("which of both? x.py:3", None),
            (
                "  File \"a/x.py\", line 12, in step",
                Some(("ann/a/x.py", 12)),
            ),
        ] {
            let expected = place.map(|(file, line)| Place {
                file: file.to_owned(),
                line,
            });
            assert_eq!(places.named_in(text), expected, "{text}");
        }
    }
}
