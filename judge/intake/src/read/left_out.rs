use model::fault::quote;
use model::numbers::counted;
use std::collections::BTreeMap;

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
    const fn words(self) -> &'static str {
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

    const fn is_usual(self) -> bool {
        matches!(self, Self::Made | Self::VersionControl)
    }
}

/// A folder ends with a slash, and is there once for each of its files where these are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeftOut {
    entries: Vec<(String, Why)>,
}

impl LeftOut {
    pub(crate) fn push(&mut self, path: String, why: Why) {
        self.entries.push((path, why));
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(path, _)| path.as_str())
    }

    pub(crate) fn without(&self, is_known: impl Fn(&str) -> bool) -> Self {
        let entries = self.entries.iter().filter(|(path, _)| !is_known(path));
        Self {
            entries: entries.cloned().collect(),
        }
    }

    /// Returns notes on the `usual` entries below a folder, or on all others. `below` is empty, or
    /// ends with a slash.
    pub(crate) fn notes(&self, below: &str, usual: bool) -> Vec<String> {
        let mut by_reason: BTreeMap<Why, BTreeMap<&str, u64>> = BTreeMap::new();
        for (path, why) in self
            .entries
            .iter()
            .filter(|(_, why)| why.is_usual() == usual)
        {
            if let Some(path) = path.strip_prefix(below) {
                let things = by_reason.entry(*why).or_default();
                *things.entry(path).or_default() += 1;
            }
        }
        by_reason
            .into_iter()
            .flat_map(|(why, things)| notes_of(why.words(), &things))
            .collect()
    }
}

/// `things` gives each entry with its number of files.
fn notes_of(reason: &str, things: &BTreeMap<&str, u64>) -> Vec<String> {
    if things.len() <= NAMED_MAX {
        let note = |(thing, files): (&&str, &u64)| {
            let shown = quote(thing);
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
        folder => quote(folder),
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

/// Returns the folder of a path with its final `/`; empty for the submission's own.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rfind('/').map_or("", |end| &path[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINK: &str = Why::Link.words();

    /// Returns the notes below a folder, without their beginning and reason.
    fn notes(paths: &[String], below: &str) -> Vec<String> {
        let mut left_out = LeftOut::default();
        for path in paths {
            left_out.push(path.clone(), Why::Link);
        }
        let notes = left_out.notes(below, false).into_iter();
        let end = format!(": {LINK}");
        let told = |note: String| {
            Some(
                note.strip_prefix("left out ")?
                    .strip_suffix(&end)?
                    .to_owned(),
            )
        };
        notes.map(|note| told(note).expect("words")).collect()
    }

    fn numbered(folder: &str, count: usize) -> Vec<String> {
        let names = (0..count).map(|n| format!("{folder}{n}"));
        names.collect()
    }

    #[test]
    fn a_folder_full_of_files_is_one_note() {
        let whole = vec!["src/in/".to_owned(); 331];
        let many: Vec<String> = (0..9).map(|n| format!("{n}/x")).collect();
        for (paths, note) in [
            (whole, "src/in/ (331 files)"),
            (numbered("lib/", 331), "331 files in lib/"),
            (numbered("f", 4), "4 files in its own folder"),
            (many, "9 files in 0/ and 8 other folders"),
        ] {
            assert_eq!(notes(&paths, ""), [note]);
        }
    }

    #[test]
    fn a_few_files_are_named() {
        let few = numbered("a/", 2);
        assert_eq!(notes(&few, ""), ["a/0", "a/1"]);
        assert_eq!(notes(&few, "a/"), ["0", "1"]);
        assert!(notes(&few, "b/").is_empty());
    }
}
