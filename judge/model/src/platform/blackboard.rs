//! Blackboard. Its download has all files in one folder, as `TITLE_USER_attempt_2026-03-27-18-05-00_FILE`.
//! From descriptions, not from downloads that were seen.

use super::{Content, GradeForm, ListForm, MaximumIn, NameForm, Platform};

pub(super) const BLACKBOARD: Platform = Platform {
    name: "Blackboard",
    names: &[
        NameForm {
            pattern: "{word}_{entrant}_attempt_{time}_{file}",
            content: Content::File("{file}"),
            ..NameForm::BARE
        },
        NameForm {
            pattern: "{word}_{entrant}_attempt_{time}.txt",
            content: Content::Typed("text"),
            ..NameForm::BARE
        },
    ],
    once: None,
    list_file: None,
    lists: &[ListForm {
        sign: &[&["Last Name"], &["First Name"], &["Username"]],
        submission: &["Username"],
        id: &["Student ID"],
        name: &[&["First Name"], &["Last Name"]],
        email: &["Email"],
        ..ListForm::BARE
    }],
    grades: Some(GradeForm {
        headings: &["{title} {bracket}Total Pts: {maximum} {rest}"],
        maximum: MaximumIn::Heading,
        feedback: &[],
        can_change: &[],
    }),
};
