//! Names in folders with files of entrants and of the judge: no two get the same.

use crate::draw::hash;
use alloc::string::String;

/// A kind of folder with something for each entrant. Only this type makes file names of entrants' names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntrantsFolder {
    /// The view of each student.
    Views,
    /// The versions received from each entrant.
    Versions,
    /// The output of each bot, its build or its check.
    Logs,
    /// The grader's file for each entrant.
    Grades,
    /// The sources of each entrant.
    Sources,
}

/// The file that names a view's owner.
pub const VIEW_MARK: &str = "view.txt";
/// The folder with the files of all versions, named by their hash.
pub const CONTENT: &str = "content";
/// The table of all scores.
pub const SCORES: &str = "scores.csv";

/// Names that the judge uses itself, or that have a meaning to software that shows the folder.
const OWN_NAMES: [(EntrantsFolder, &str); 4] = [
    (EntrantsFolder::Views, VIEW_MARK),
    // A web server shows it instead of the folder.
    (EntrantsFolder::Views, "index.html"),
    (EntrantsFolder::Versions, CONTENT),
    (EntrantsFolder::Grades, SCORES),
];

/// Maximum length of a stem, in bytes: the ending and the limit of 255 leave little more.
const STEM_BYTES_MAX: usize = 120;
/// 128 bits, so that nobody can find two names with the same digits.
const APART_DIGITS: usize = 32;
const PART_DIGITS: usize = 8;

impl EntrantsFolder {
    /// Returns the name of an entrant's folder.
    pub fn folder_of(self, entrant: &str) -> String {
        self.file_of(entrant, "")
    }

    /// Returns the name of an entrant's file: its own if that is valid and not one of the judge's.
    pub fn file_of(self, entrant: &str, ending: &str) -> String {
        let name = format!("{entrant}{ending}");
        let is_own = OWN_NAMES
            .iter()
            .any(|(folder, own)| *folder == self && own.eq_ignore_ascii_case(&name));
        if is_plain(entrant) && !is_own {
            return name;
        }
        self.apart(entrant, ending)
    }

    /// Returns another name, for use when the first is taken. No other entrant gets it either.
    pub fn apart(self, entrant: &str, ending: &str) -> String {
        format!("{}{ending}", with_hash(entrant, APART_DIGITS))
    }
}

fn is_of_plain(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ')
}

/// Returns whether a name is a valid file name and cannot come from [`with_hash`].
fn is_plain(name: &str) -> bool {
    let is_made = name.rsplit_once('-').is_some_and(|(_, end)| {
        end.len() == APART_DIGITS && end.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    let can_be = name.chars().all(is_of_plain) && !name.is_empty() && !name.starts_with('.');
    can_be && !is_made && name.len() <= STEM_BYTES_MAX
}

/// Makes a valid file name from a name, with some digits of its hash.
fn with_hash(name: &str, digits: usize) -> String {
    let mut stem: String = name
        .chars()
        .map(|c: char| if is_of_plain(c) { c } else { '_' })
        .collect();
    while stem.len() > STEM_BYTES_MAX {
        stem.pop();
    }
    let hash = hash(&[name.as_bytes()]);
    format!("{}-{}", stem.trim_start_matches('.'), &hash[..digits])
}

/// Makes a valid part of the name of a folder that belongs to no entrant.
pub fn part_of_name(text: &str) -> String {
    if text.chars().all(is_of_plain) && !text.starts_with('.') && text.len() <= STEM_BYTES_MAX {
        return String::from(text);
    }
    with_hash(text, PART_DIGITS)
}

#[cfg(test)]
mod tests {
    use super::{EntrantsFolder, OWN_NAMES, part_of_name};
    use alloc::collections::BTreeSet;
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    const FOLDERS: [EntrantsFolder; 5] = [
        EntrantsFolder::Views,
        EntrantsFolder::Versions,
        EntrantsFolder::Logs,
        EntrantsFolder::Grades,
        EntrantsFolder::Sources,
    ];

    #[test]
    fn no_entrant_has_a_name_of_the_judges() {
        for (folder, text) in OWN_NAMES {
            let stem = text.split('.').next().unwrap_or_default();
            let (upper, hidden) = (text.to_uppercase(), format!(".{text}"));
            for entrant in [text, stem, &upper, &hidden, " ", ""] {
                for ending in ["", ".txt", ".csv", ".json"] {
                    let name = folder.file_of(entrant, ending);
                    assert!(!name.eq_ignore_ascii_case(text), "{entrant:?}{ending}");
                    assert!(!name.starts_with('.'), "{name}");
                }
            }
        }
    }

    #[test]
    fn index_html_entrant_gets_suffixed_folder() {
        let views = EntrantsFolder::Views;
        for name in ["index.html", "Index.HTML"] {
            let folder = views.folder_of(name);
            assert!(folder.starts_with(&format!("{name}-")), "{folder}");
        }
        // Every student has such a page in their own folder.
        assert_eq!(views.folder_of("report.html"), "report.html");
        let versions = EntrantsFolder::Versions.folder_of("index.html");
        assert_eq!(versions, "index.html");
    }

    #[test]
    fn entrant_folder_names_never_collide() {
        for folder in FOLDERS {
            let mut names: Vec<String> = ["a:b", "a?b", "a_b", "view.txt", ".x", "x", "ö/ö", ""]
                .map(ToString::to_string)
                .to_vec();
            names.push("long".repeat(99));
            names.push("long".repeat(98));
            // A student who knows how names are made takes such a name, again and again.
            for _ in 0..3 {
                let made: Vec<String> = names.iter().map(|name| folder.folder_of(name)).collect();
                let upper: Vec<String> = names.iter().map(|name| folder.apart(name, "")).collect();
                names.extend(made.into_iter().chain(upper));
            }
            let different: BTreeSet<&String> = names.iter().collect();
            for ending in ["", ".json"] {
                let made = different.iter().map(|name| folder.file_of(name, ending));
                let made: BTreeSet<String> = made.collect();
                assert_eq!(made.len(), different.len());
                let mut made = made.iter();
                assert!(made.all(|name| name.len() < 200 && !name.contains('/')));
            }
            let digest = folder.folder_of("a:b");
            let digest = digest.rsplit_once('-').map_or(0, |(_, end)| end.len());
            assert_eq!(digest, 128 / 4);
        }
    }

    #[test]
    fn honest_names_stay_as_they_are() {
        let names = "ann|Müller Anna_5070|v1.2|content|bot-20261124|team-deadbeef";
        for name in names.split('|') {
            assert_eq!(EntrantsFolder::Views.folder_of(name), name);
            let list = EntrantsFolder::Versions.file_of(name, ".json");
            assert_eq!(list, format!("{name}.json"));
        }
        assert_eq!(part_of_name("course 1"), "course 1");
    }
}
