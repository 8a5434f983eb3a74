//! ILIAS. Its zip has folders `LAST_FIRST_LOGIN_NUMBER`, and `Team NUMBER` (Modules/Exercise,
//! `ilExSubmission`). Its grades are an Excel file; this list is of the members. No download was seen.

use super::{Headings, ListForm, NameForm, NameSign, Named, Platform};

const LOGIN: Headings = &["Login", "Username", "Benutzername", "Anmeldename"];
const LAST: Headings = &["Last name", "Lastname", "Nachname"];
const FIRST: Headings = &["First name", "Firstname", "Vorname"];

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
        sign: &[LOGIN, LAST, FIRST],
        submission: LOGIN,
        id: &["Matriculation number", "Matrikelnummer"],
        name: &[FIRST, LAST],
        email: &["Email", "E-Mail"],
        ..ListForm::BARE
    }],
    grades: None,
};
