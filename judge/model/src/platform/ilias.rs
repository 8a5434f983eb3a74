//! ILIAS. Its zip has for each person a folder `LAST_FIRST_LOGIN_NUMBER`, and for a team a folder
//! `Team NUMBER`, which is like any other (Modules/Exercise, `ilExSubmission`). Its list of grades is
//! an Excel file; this one is of the course's members. No download was seen.

use super::{ListForm, NameForm, NameSign, Named, Platform};

pub(super) const ILIAS: Platform = Platform {
    name: "ILIAS",
    names: &[NameForm {
        pattern: "{last}_{first}_{word}_{number}",
        entrant: "{word}",
        of: Named::Folder,
        sign: NameSign::All,
        ..NameForm::BARE
    }],
    once: None,
    list_file: None,
    lists: &[ListForm {
        sign: &[
            &["Login", "Username", "Benutzername", "Anmeldename"],
            &["Last name", "Lastname", "Nachname"],
            &["First name", "Firstname", "Vorname"],
        ],
        submission: &["Login", "Username", "Benutzername", "Anmeldename"],
        id: &[
            "Matriculation number",
            "Matrikelnummer",
            "Login",
            "Username",
            "Benutzername",
            "Anmeldename",
        ],
        name: &[
            &["First name", "Firstname", "Vorname"],
            &["Last name", "Lastname", "Nachname"],
        ],
        email: &["Email", "E-Mail"],
        ..ListForm::BARE
    }],
    grades: None,
};
