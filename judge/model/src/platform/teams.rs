//! Microsoft Teams: `Submitted files/PERSON/ASSIGNMENT/Version NUMBER`. Its grades cannot be put back.
//! From programs of others that read it.

use super::{ListForm, NameForm, NameSign, Named, Platform};

pub(super) const TEAMS: Platform = Platform {
    name: "Microsoft Teams",
    names: &[NameForm {
        pattern: "{person}",
        entrant: "{person}",
        of: Named::Folder,
        sign: NameSign::Around("Submitted files"),
        inside: &["{folder}/Version {upload}/{file}", "{folder}/{file}"],
        ..NameForm::BARE
    }],
    once: None,
    list_file: None,
    lists: &[ListForm {
        sign: &[&["First Name"], &["Last Name"], &["Email Address"]],
        id: &["Email Address"],
        name: &[&["First Name"], &["Last Name"]],
        email: &["Email Address"],
        ..ListForm::BARE
    }],
    grades: None,
};
