//! Brightspace (D2L). Its zip has a folder or a file `USER-SUBMISSION - NAME - Mar 27, 2026 605 PM`
//! for each submission. From descriptions, not from downloads that were seen.

use super::{Content, GradeForm, ListForm, MaximumIn, NameForm, Named, Platform};

pub(super) const BRIGHTSPACE: Platform = Platform {
    name: "Brightspace",
    names: &[
        NameForm {
            pattern: "{user}-{number} - {person} - {time}",
            entrant: "{person}_{user}",
            of: Named::Folder,
            ..NameForm::BARE
        },
        NameForm {
            pattern: "{user}-{number} - {person} - {time} - {file}",
            entrant: "{person}_{user}",
            content: Content::File("{file}"),
            ..NameForm::BARE
        },
    ],
    once: None,
    list_file: None,
    lists: &[ListForm {
        sign: &[&["OrgDefinedId"]],
        submission: &["Username"],
        id: &["OrgDefinedId"],
        name: &[&["First Name"], &["Last Name"]],
        email: &["Email"],
        ..ListForm::BARE
    }],
    grades: Some(GradeForm {
        headings: &[
            "{title} Points Grade <Numeric MaxPoints:{maximum}>",
            "{title} Points Grade <Numeric MaxPoints:{maximum} {rest}",
            "{title} Points Grade",
        ],
        maximum: MaximumIn::Heading,
        feedback: &[],
        can_change: &[],
    }),
};
