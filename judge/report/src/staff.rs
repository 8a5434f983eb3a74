//! The people behind submissions, in a folder that only the judge's user may read.

use super::sheet::{Rows, Sheet, SheetColumns, or_empty, text, text_or_empty, yes_or_no};
use model::entrant::{Entrant, Person, Roster, VersionName};
use rulebook::JudgeError;
use std::path::Path;
use system::files::{make_private_folder, write_whole};
use system::run_folder::STAFF;

/// Writes `staff/identities.csv`: a row for each submission and each person behind it, and for each
/// person without a submission.
///
/// # Errors
/// When the run's folder cannot be written.
pub fn write_identities(
    run: &Path,
    entrants: &[Entrant],
    roster: Option<&Roster>,
) -> Result<(), JudgeError> {
    let mut sheet = Sheet::new(columns());
    let people = |name: &str| {
        let all = roster.iter().flat_map(|roster| &roster.people);
        let name = name.to_owned();
        all.filter(move |person| person.submission == name)
    };
    for entrant in entrants {
        let mut behind = people(&entrant.name).peekable();
        if behind.peek().is_none() {
            sheet.row(&identity(&entrant.name, None, Some(entrant)));
        }
        for person in behind {
            sheet.row(&identity(&entrant.name, Some(person), Some(entrant)));
        }
    }
    let names = || entrants.iter().map(|entrant| entrant.name.as_str());
    for person in roster.iter().flat_map(|roster| roster.absent(names())) {
        sheet.row(&identity(&person.submission, Some(person), None));
    }
    let folder = run.join(STAFF);
    make_private_folder(&folder)?;
    write_whole(&folder.join("identities.csv"), &sheet.finish())
}

/// A submission and a person behind it; either may be missing.
struct Identity<'a> {
    submission: &'a str,
    person: Option<&'a Person>,
    entrant: Option<&'a Entrant>,
}

fn identity<'a>(
    submission: &'a str,
    person: Option<&'a Person>,
    entrant: Option<&'a Entrant>,
) -> Identity<'a> {
    Identity {
        submission,
        person,
        entrant,
    }
}

/// The rows of `identities.csv`.
enum Identities {}

impl Rows for Identities {
    type Row<'a> = Identity<'a>;
}

fn columns() -> SheetColumns<'static, Identities> {
    fn person(identity: &Identity<'_>, get: fn(&Person) -> &String) -> String {
        text_or_empty(identity.person.map(get).map(String::as_str))
    }
    fn version<'a>(identity: &Identity<'a>) -> Option<&'a VersionName> {
        identity.entrant?.receipt.version.as_ref()
    }
    SheetColumns::<Identities>::new()
        .with("submission", |identity| text(identity.submission))
        .with("id", |identity| person(identity, |person| &person.id))
        .with("name", |identity| person(identity, |person| &person.name))
        .with("email", |identity| person(identity, |person| &person.email))
        .with("section", |identity| {
            person(identity, |person| &person.section)
        })
        .with("extension", |identity| {
            or_empty(identity.person.and_then(|person| person.extension))
        })
        .with("submitted", |identity| {
            yes_or_no(identity.entrant.is_some())
        })
        .with("plays", |identity| {
            yes_or_no(identity.entrant.and_then(Entrant::artifact).is_some())
        })
        .with("version", |identity| {
            or_empty(version(identity).map(|version| version.number))
        })
        .with("received", |identity| {
            or_empty(version(identity).map(|version| &version.received))
        })
        .with("origin", |identity| {
            let origin = identity.entrant.map(|entrant| &entrant.receipt.origin);
            text_or_empty(origin.map(String::as_str))
        })
        .with("authors", |identity| {
            let receipt = identity.entrant.map(|entrant| &entrant.receipt);
            let authors = receipt.map(|receipt| receipt.about.authors.join("; "));
            text_or_empty(authors.as_deref())
        })
}

/// The names of entrants that have something in common, and what it is, in words.
type Same<'a> = (&'a [String], &'static str);

/// The rows of `copies.csv`.
enum CopyRows {}

impl Rows for CopyRows {
    type Row<'a> = Same<'a>;
}

/// Returns a table of entrants that have something in common: their names, and what it is.
pub fn copies_csv<'a>(copies: impl Iterator<Item = Same<'a>>) -> Vec<u8> {
    let columns = SheetColumns::<CopyRows>::new()
        .with("entrants", |(entrants, _)| text(&entrants.join(", ")))
        .with("same", |(_, same)| text(same));
    let mut sheet = Sheet::new(columns);
    for row in copies {
        sheet.row(&row);
    }
    sheet.finish()
}
