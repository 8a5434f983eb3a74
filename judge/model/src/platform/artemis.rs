//! Artemis. Its export has for each participation `COURSE-EXERCISE-NUMBER-LOGIN`, with names hidden
//! `…-NUMBER-student-submission.git`. Practice repositories begin with `practice-` (ls1intum/Artemis,
//! `getStudentRepositoryName`). Only the equal text before the number tells such names from others.

use super::{Content, Headings, ListForm, NameForm, NameSign, Named, Platform};

const NAME: Headings = &["Name", "Team Name"];
const LOGIN: Headings = &["Username", "Login", "Team Short Name"];

pub(super) const ARTEMIS: Platform = Platform {
    name: "Artemis",
    names: &[
        NameForm {
            pattern: "practice-{same}-{number}-{login}",
            of: Named::Packed,
            content: Content::Nothing("a practice repository"),
            sign: NameSign::Same,
            ..NameForm::BARE
        },
        NameForm {
            pattern: "{same}-{number}-student-submission{rest}",
            entrant: "participation {number}",
            of: Named::Packed,
            sign: NameSign::Same,
            ..NameForm::BARE
        },
        NameForm {
            pattern: "{same}-{number}-{login}",
            entrant: "{login}",
            of: Named::Packed,
            sign: NameSign::Same,
            ..NameForm::BARE
        },
    ],
    once: None,
    list_file: None,
    lists: &[ListForm {
        sign: &[NAME, LOGIN],
        submission: LOGIN,
        name: &[NAME],
        members: &["Students"],
        email: &["Email", "E-Mail"],
        ..ListForm::BARE
    }],
    grades: None,
};
