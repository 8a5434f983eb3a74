//! Who is behind which submission, in a folder that only the judge's user may look into.

use super::sheet::{Sheet, strings, text};
use std::path::Path;
use system::error::JudgeError;
use system::files::{make_private_folder, write_whole};
use words::entrant::{Entrant, Person, Readiness, Roster};

/// The folder's name in a run's folder.
const FOLDER_NAME: &str = "staff";

/// Writes `staff/identities.csv`: a row for each submission and each person behind it, and for
/// each person who handed in nothing.
///
/// # Errors
/// When the run's folder cannot be written.
pub fn write_identities(
    run: &Path,
    entrants: &[Entrant],
    roster: Option<&Roster>,
) -> Result<(), JudgeError> {
    let mut sheet = Sheet::new(&strings(&[
        "submission",
        "id",
        "name",
        "email",
        "section",
        "handed_in",
        "plays",
        "version",
        "received",
        "origin",
        "authors",
    ]));
    let people = |name: &str| {
        let all = roster.iter().flat_map(|roster| &roster.people);
        let name = name.to_owned();
        all.filter(move |person| person.submission == name)
    };
    for entrant in entrants {
        let mut behind = people(&entrant.name).peekable();
        if behind.peek().is_none() {
            sheet.row(&row(&entrant.name, None, Some(entrant)));
        }
        for person in behind {
            sheet.row(&row(&entrant.name, Some(person), Some(entrant)));
        }
    }
    for person in roster.iter().flat_map(|roster| roster.absent(entrants)) {
        sheet.row(&row(&person.submission, Some(person), None));
    }
    let folder = run.join(FOLDER_NAME);
    make_private_folder(&folder)?;
    write_whole(&folder.join("identities.csv"), &sheet.finish())
}

fn row(submission: &str, person: Option<&Person>, entrant: Option<&Entrant>) -> Vec<String> {
    let of = |get: fn(&Person) -> &String| person.map(get).map(|cell| text(cell));
    let mut row = vec![text(submission)];
    let cells = [
        of(|p| &p.id),
        of(|p| &p.name),
        of(|p| &p.email),
        of(|p| &p.section),
    ];
    row.extend(cells.map(Option::unwrap_or_default));
    let yes_or_no = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    row.push(yes_or_no(entrant.is_some()));
    let plays = |e: &Entrant| matches!(e.readiness, Readiness::Ready(_));
    row.push(yes_or_no(entrant.is_some_and(plays)));
    let receipt = entrant.map(|entrant| &entrant.receipt);
    let version = receipt.and_then(|receipt| receipt.version.as_ref());
    row.push(version.map(|v| v.number.to_string()).unwrap_or_default());
    row.push(version.map(|v| v.received.clone()).unwrap_or_default());
    row.push(receipt.map(|r| text(&r.origin)).unwrap_or_default());
    row.push(
        receipt
            .map(|r| text(&r.about.authors.join("; ")))
            .unwrap_or_default(),
    );
    row
}
