//! GitHub Classroom. `gh classroom clone student-repos` makes folders `ASSIGNMENT-LOGIN` or
//! `ASSIGNMENT-TEAM`. From descriptions, not from exports that were seen.

use super::{GradeForm, ListForm, MaximumIn, Platform};

pub(super) const CLASSROOM: Platform = Platform {
    name: "GitHub Classroom",
    // Only a list tells the login from the assignment.
    names: &[],
    once: None,
    list_file: None,
    lists: &[
        ListForm {
            sign: &[&["identifier"], &["github_username"]],
            submission: &["github_username"],
            id: &["identifier"],
            name: &[&["name"]],
            has_named: true,
            ..ListForm::BARE
        },
        ListForm {
            sign: &[&["roster_identifier"], &["student_repository_name"]],
            submission: &["student_repository_name"],
            id: &["roster_identifier", "github_username"],
            section: &["group_name"],
            time: &["submission_timestamp"],
            has_named: true,
            ..ListForm::BARE
        },
    ],
    grades: Some(GradeForm {
        headings: &["points_awarded"],
        maximum: MaximumIn::Column("points_available"),
        feedback: &[],
        can_change: &[],
    }),
};
