//! Artemis. Its export has for each participation a folder or a zip `COURSE-EXERCISE-NUMBER-LOGIN`:
//! the course's short name, the exercise's title, the number of the participation, and the student's
//! login or the team's short name. With names hidden it is `…-NUMBER-student-submission.git`.
//! Practice repositories begin with `practice-` (ls1intum/Artemis, `getStudentRepositoryName`).
//!
//! The text before the number is the same for all of an exercise. Only this distinguishes such a
//! name from one that somebody has chosen.

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
    // The scores, or the members.
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
