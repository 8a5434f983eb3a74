//! Canvas's zip of all submissions of an assignment. It has all files in one folder, each called
//! `NAME[_LATE]_USER_UPLOAD_FILE`. NAME is the sortable name in lower case without blanks and
//! punctuation (`müllerjörg`), USER and UPLOAD are Canvas's own numbers. In an anonymous assignment
//! the name is `[LATE_]anon_CODE_UPLOAD_FILE`. A typed submission is `…_USER_text.html` or
//! `…_USER_link.html` (canvas-lms, `lib/content_zipper.rb`).

use super::{Content, Item, Named};
use unicode_normalization::char::is_combining_mark;

/// Canvas's mark in the name of a late file.
const LATE: &str = "LATE";
/// Beginning of names in an anonymous assignment.
const ANONYMOUS: &str = "anon";

/// Returns the person and the content of a file, or `None` if Canvas has not named it.
pub(super) fn named(item: &Item) -> Option<Named> {
    if item.is_folder {
        return None;
    }
    let parts: Vec<&str> = item.name.split('_').collect();
    of_upload(&parts).or_else(|| of_typed(&parts))
}

fn of_upload(parts: &[&str]) -> Option<Named> {
    // The author's own name for the file may contain numbers too.
    let places = 1..parts.len().checked_sub(2)?;
    places.into_iter().find_map(|at| {
        let upload = number(parts[at + 1])?;
        let (entrant, late) = person(&parts[..=at])?;
        let name = parts[at + 2..].join("_");
        (!name.is_empty()).then_some(Named {
            entrant,
            content: Content::File(name),
            late: Some(late),
            upload,
            received: None,
        })
    })
}

fn of_typed(parts: &[&str]) -> Option<Named> {
    let (last, before) = parts.split_last()?;
    let content = match *last {
        "text.html" => Content::Typed("text"),
        "link.html" => Content::Typed("link"),
        _ => return None,
    };
    let (entrant, late) = person(before)?;
    Some(Named {
        entrant,
        content,
        late: Some(late),
        upload: 0,
        received: None,
    })
}

/// Returns a person's entrant name, and whether the submission was late.
fn person(parts: &[&str]) -> Option<(String, bool)> {
    let late = parts.contains(&LATE);
    let rest: Vec<&str> = parts.iter().copied().filter(|part| *part != LATE).collect();
    let (last, name) = rest.split_last()?;
    let is_letter = |c: char| c.is_alphanumeric() || is_combining_mark(c);
    let is_named = !name.is_empty()
        && (name.iter()).all(|part| {
            !part.is_empty()
                && part
                    .chars()
                    .all(|c: char| is_letter(c) && !c.is_uppercase())
        });
    let is_anonymous = *name == [ANONYMOUS] && !last.is_empty();
    let is_numbered = is_named && number(last).is_some();
    (is_numbered || is_anonymous).then(|| (rest.join("_"), late))
}

fn number(part: &str) -> Option<u64> {
    let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    part.parse().ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_canvas_are_taken_apart() {
        let file = |name: &str| Content::File(name.to_owned());
        for (name, entrant, late, upload, content) in [
            (
                "müllerjörg_123_456_Cat.h",
                "müllerjörg_123",
                false,
                456,
                file("Cat.h"),
            ),
            (
                "leeann_LATE_1_2_my_hw_3.zip",
                "leeann_1",
                true,
                2,
                file("my_hw_3.zip"),
            ),
            // With a mark of its own, as Canvas writes `İpek` in lower case.
            (
                "yılmazi\u{307}pek_911_70013_bot.py",
                "yılmazi\u{307}pek_911",
                false,
                70013,
                file("bot.py"),
            ),
            (
                "हिन्दी_LATE_912_70014_bot.py",
                "हिन्दी_912",
                true,
                70014,
                file("bot.py"),
            ),
            ("leeann_1_2_3_4.py", "leeann_1", false, 2, file("3_4.py")),
            (
                "anon_Xy1z2_77_Cat.h",
                "anon_Xy1z2",
                false,
                77,
                file("Cat.h"),
            ),
            (
                "LATE_anon_12345_77_Cat.h",
                "anon_12345",
                true,
                77,
                file("Cat.h"),
            ),
            (
                "leeann_LATE_1_text.html",
                "leeann_1",
                true,
                0,
                Content::Typed("text"),
            ),
            (
                "leeann_1_link.html",
                "leeann_1",
                false,
                0,
                Content::Typed("link"),
            ),
        ] {
            let item = Item {
                name: name.to_owned(),
                is_folder: false,
            };
            let expected = Named {
                entrant: entrant.to_owned(),
                content,
                late: Some(late),
                upload,
                received: None,
            };
            assert_eq!(named(&item), Some(expected), "{name}");
        }
    }

    #[test]
    fn other_names_are_left_alone() {
        for name in [
            "alice_123_assignment.ml",
            "Alice_1_2_bot.py",
            "_1_2_bot.py",
            "bot.py",
            "1_2_3",
            "my_text.html",
            "a b_1_2_bot.py",
            "ann_1_2_",
        ] {
            let item = Item {
                name: name.to_owned(),
                is_folder: false,
            };
            assert_eq!(named(&item), None, "{name}");
        }
    }
}
