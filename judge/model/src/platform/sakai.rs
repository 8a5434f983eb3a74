//! Sakai. Its zip has folders `LAST, FIRST(LOGIN)`, or files whose names begin so; `grades.csv` has two
//! lines above its headings. From programs of others that read it.

use super::{Content, GradeForm, ListForm, MaximumIn, NameForm, NameSign, Named, Platform};

pub(super) const SAKAI: Platform = Platform {
    name: "Sakai",
    names: &[
        NameForm {
            pattern: "{person}({login})_Submission attachment(s)_{file}",
            entrant: "{login}",
            content: Content::File("{file}"),
            ..NameForm::BARE
        },
        NameForm {
            pattern: "{person}, {first}({login})",
            entrant: "{login}",
            of: Named::Folder,
            sign: NameSign::All,
            inside: &["Submission attachment(s)/{file}"],
            ..NameForm::BARE
        },
    ],
    once: None,
    list_file: None,
    lists: &[ListForm {
        sign: &[&["Display ID"], &["ID"], &["Last Name"]],
        submission: &["ID"],
        id: &["Display ID"],
        name: &[&["First Name"], &["Last Name"]],
        ..ListForm::BARE
    }],
    grades: Some(GradeForm {
        headings: &["grade", "Grade"],
        maximum: MaximumIn::Heading,
        feedback: &[],
        can_change: &[],
    }),
};
