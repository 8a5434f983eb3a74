//! Gradescope. Its export has a folder `submission_NUMBER` for each submission, and next to them
//! `submission_metadata.yml` with all submitters. From descriptions, not from exports that were seen.

use super::{GradeForm, ListForm, MaximumIn, Platform};

pub(super) const GRADESCOPE: Platform = Platform {
    name: "Gradescope",
    // A number names nobody, so its folders are like any others.
    names: &[],
    once: None,
    list_file: Some("submission_metadata.yml"),
    lists: &[ListForm {
        sign: &[&["SID"], &["Submission ID"]],
        submission: &["Submission ID"],
        prefix: "submission_",
        id: &["SID", "Email"],
        name: &[&["First Name", "Name"], &["Last Name"]],
        email: &["Email"],
        section: &["Sections"],
        time: &["Submission Time"],
        ..ListForm::BARE
    }],
    grades: Some(GradeForm {
        headings: &["Total Score"],
        maximum: MaximumIn::Column("Max Points"),
        feedback: &[],
        can_change: &[],
    }),
};
