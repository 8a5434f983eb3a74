//! Canvas. Its zip has `NAME[_LATE]_USER_UPLOAD_FILE`, where NAME is the sortable name in lower case
//! without blanks and punctuation; or `[LATE_]anon_CODE_UPLOAD_FILE`. A typed submission is
//! `…_USER_text.html` or `…_USER_link.html` (canvas-lms, `lib/content_zipper.rb`).

use super::{Content, GradeForm, ListForm, MaximumIn, NameForm, Platform};

pub(super) const CANVAS: Platform = Platform {
    name: "Canvas",
    names: &[
        NameForm {
            pattern: "{letters}_[LATE_]{user}_{upload}_{file}",
            entrant: "{letters}_{user}",
            content: Content::File("{file}"),
            ..NameForm::BARE
        },
        NameForm {
            pattern: "[LATE_]anon_{word}_{upload}_{file}",
            entrant: "anon_{word}",
            content: Content::File("{file}"),
            ..NameForm::BARE
        },
        NameForm {
            pattern: "{letters}_[LATE_]{user}_{typed}.html",
            entrant: "{letters}_{user}",
            content: Content::Typed("{typed}"),
            ..NameForm::BARE
        },
        NameForm {
            pattern: "[LATE_]anon_{word}_{typed}.html",
            entrant: "anon_{word}",
            content: Content::Typed("{typed}"),
            ..NameForm::BARE
        },
    ],
    once: None,
    list_file: None,
    lists: &[
        ListForm {
            sign: &[&["Student"], &["ID"]],
            submission: &["ID"],
            id: &["SIS User ID", "ID", "Integration ID"],
            name: &[&["Student"]],
            email: &["SIS Login ID"],
            nobody: &["", "Points Possible", "Student, Test"],
            ..ListForm::BARE
        },
        // The groups of a set. One member has uploaded, and has the number.
        ListForm {
            sign: &[&["canvas_user_id"], &["group_name"]],
            submission: &["canvas_user_id"],
            id: &["user_id"],
            name: &[&["name"]],
            email: &["login_id"],
            section: &["group_name"],
            is_of_teams: true,
            ..ListForm::BARE
        },
    ],
    grades: Some(GradeForm {
        headings: &[],
        maximum: MaximumIn::Row("Points Possible"),
        feedback: &[],
        can_change: &[],
    }),
};
