//! The people behind submissions, as the run keeps them for staff.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a run's folder"
)]

use model::entrant::Person;
use model::text::armed;
use rulebook::JudgeError;
use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use system::run_folder::STAFF;

/// Reads the people behind a run's submissions; empty if the run keeps no such file.
///
/// # Errors
/// When the file exists and cannot be read.
pub fn people_of_run(run: &Path) -> Result<Vec<Person>, JudgeError> {
    let path = run.join(STAFF).join("identities.csv");
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(JudgeError::io("read", &path, error)),
    };
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    let rows: Result<Vec<HashMap<String, String>>, _> = reader.deserialize().collect();
    let rows = rows.map_err(|error| {
        JudgeError::input(format!(
            "cannot read {} ({error}); pass a roster with --roster",
            path.display()
        ))
    })?;
    let person = |mut row: HashMap<String, String>| {
        let mut take = |column: &str| armed(&row.remove(column).unwrap_or_default()).to_owned();
        Person {
            submission: take("submission"),
            id: take("id"),
            name: take("name"),
            email: take("email"),
            section: take("section"),
            extension: take("extension").parse().ok(),
            ..Person::default()
        }
    };
    Ok(rows
        .into_iter()
        .map(person)
        .filter(|who| !who.id.is_empty())
        .collect())
}
