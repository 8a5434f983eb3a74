//! Moodle's zip of all submissions of an assignment. It has for each person a folder
//! `NAME_NUMBER_assignsubmission_file_`. Downloaded without folders, it has files whose names begin
//! in this way. The number is the participant's in the grading worksheet. Typed text is in
//! `NAME_NUMBER_assignsubmission_onlinetext_` (mod/assign, `download_submissions`).

use super::{Content, Item, Named};

/// Text between a participant and the kind of submission.
const MARK: &str = "_assignsubmission_";

/// Returns whether a name contains Moodle's mark twice. People choose their files' names, and
/// perhaps their own: either could name somebody else.
pub(super) fn is_ambiguous(name: &str) -> bool {
    name.matches(MARK).count() > 1
}

/// Returns the person and the content of a file or folder. Returns `None` if Moodle has not named
/// it, or the name is ambiguous.
pub(super) fn named(item: &Item) -> Option<Named> {
    let (entrant, rest) = item.name.split_once(MARK)?;
    if entrant.is_empty() || is_ambiguous(&item.name) {
        return None;
    }
    let (kind, inside) = rest.split_once('_').unwrap_or((rest, ""));
    let content = match (kind, inside) {
        ("onlinetext", _) => Content::Typed("text"),
        ("file", "") => Content::Whole,
        ("file", _) if item.is_folder => return None,
        // Somebody has packed the folder again.
        ("file", ending) if ending.starts_with('.') => Content::File(format!("{entrant}{ending}")),
        ("file", name) => Content::File(name.to_owned()),
        _ => return None,
    };
    Some(Named {
        entrant: entrant.to_owned(),
        content,
        late: None,
        upload: 0,
        received: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(name: &str, is_folder: bool) -> Option<(String, Content)> {
        let item = Item {
            name: name.to_owned(),
            is_folder,
        };
        named(&item).map(|named| (named.entrant, named.content))
    }

    #[test]
    fn folders_and_files_of_participants_are_told() {
        let file = |name: &str| Content::File(name.to_owned());
        for (name, is_folder, entrant, content) in [
            (
                "Zoë Müller_7_assignsubmission_file_",
                true,
                "Zoë Müller_7",
                Content::Whole,
            ),
            (
                "Ann Lee_17_assignsubmission_file",
                true,
                "Ann Lee_17",
                Content::Whole,
            ),
            (
                "A B_8_assignsubmission_file_my_hw.zip",
                false,
                "A B_8",
                file("my_hw.zip"),
            ),
            (
                "A B_8_assignsubmission_file_.zip",
                false,
                "A B_8",
                file("A B_8.zip"),
            ),
            (
                "A B_8_assignsubmission_onlinetext_",
                true,
                "A B_8",
                Content::Typed("text"),
            ),
            (
                "A B_8_assignsubmission_onlinetext_onlinetext.html",
                false,
                "A B_8",
                Content::Typed("text"),
            ),
        ] {
            assert_eq!(
                told(name, is_folder),
                Some((entrant.to_owned(), content)),
                "{name}"
            );
        }
        for name in [
            "ann",
            "_assignsubmission_file_",
            "a_assignsubmission_comments_",
        ] {
            assert_eq!(told(name, true), None, "{name}");
        }
    }
}
