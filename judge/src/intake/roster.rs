//! `roster.csv`: who is behind which submission. Identities are for staff only.

use super::Entrant;
use crate::error::JudgeError;
use crate::fault::quote;
use ::csv::{ReaderBuilder, StringRecord, Trim};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

/// The roster's name in a folder of submissions.
pub(super) const FILE_NAME: &str = "roster.csv";

/// The columns, in the order of [`Person`]'s fields; the first two must be there.
const COLUMNS: [&str; 5] = ["submission", "id", "name", "email", "section"];
/// How many of them must be there.
const COLUMNS_NEEDED: usize = 2;

/// One line of a roster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The entrant's name that the person plays under; empty where there is none.
    pub submission: String,
    /// What tells the person from all others.
    pub id: String,
    /// The person's name.
    pub name: String,
    /// The person's address.
    pub email: String,
    /// The class or group.
    pub section: String,
}

/// Who is behind which submission; several people may share one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roster {
    /// Everybody, in the order of the file.
    pub people: Vec<Person>,
}

impl Roster {
    /// Reads a roster.
    ///
    /// # Errors
    /// When it cannot be read, a needed column or value is missing, or an id comes twice; the
    /// message names the line.
    pub fn read(path: &Path) -> Result<Self, JudgeError> {
        let refused =
            |reason: String| JudgeError::input(format!("the roster {} {reason}", path.display()));
        let bytes = fs::read(path).map_err(|e| {
            refused(format!(
                "cannot be read: {e}; name a CSV file with --roster"
            ))
        })?;
        let text = String::from_utf8(bytes)
            .map_err(|_| refused("is not UTF-8; save it as \"CSV UTF-8\"".to_owned()))?;
        parse(&text).map_err(refused)
    }

    /// Lists the entrants that nobody on the roster is behind.
    pub fn unclaimed<'a>(&self, entrants: &'a [Entrant]) -> Vec<&'a str> {
        let claimed: HashSet<&str> = self.people.iter().map(|p| p.submission.as_str()).collect();
        let names = entrants.iter().map(|entrant| entrant.name.as_str());
        names.filter(|name| !claimed.contains(name)).collect()
    }

    /// Lists the people who handed in nothing.
    pub fn absent(&self, entrants: &[Entrant]) -> Vec<&Person> {
        let there: HashSet<&str> = entrants.iter().map(|e| e.name.as_str()).collect();
        let absent = |person: &&Person| !there.contains(person.submission.as_str());
        self.people.iter().filter(absent).collect()
    }
}

fn parse(text: &str) -> Result<Roster, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter(text))
        .trim(Trim::All)
        .from_reader(text.as_bytes());
    let header = reader
        .headers()
        .map_err(|e| format!("has no header: {e}"))?;
    let places = places(header)?;
    let mut roster = Roster::default();
    let mut lines: HashMap<String, u64> = HashMap::new();
    for row in reader.records() {
        let row = row.map_err(|e| broken(&e))?;
        let line = line_of(&row, text);
        let cell = |column: usize| {
            let cell = places[column].and_then(|place| row.get(place));
            cell.unwrap_or_default().to_owned()
        };
        let [submission, id, name, email, section] = [0, 1, 2, 3, 4].map(cell);
        if id.is_empty() {
            return Err(format!("line {line}: the id is empty"));
        }
        if let Some(other) = lines.insert(id.clone(), line) {
            let id = quote(id.as_bytes());
            return Err(format!("line {line}: id {id} is in line {other} already"));
        }
        roster.people.push(Person {
            submission,
            id,
            name,
            email,
            section,
        });
    }
    Ok(roster)
}

/// Finds what stands between the cells of the header: spreadsheets in some languages write
/// semicolons.
fn delimiter(text: &str) -> u8 {
    let header = text.lines().next().unwrap_or_default();
    match header {
        _ if header.contains(',') => b',',
        _ if header.contains(';') => b';',
        _ if header.contains('\t') => b'\t',
        _ => b',',
    }
}

/// Finds the columns; others are ignored.
fn places(header: &StringRecord) -> Result<[Option<usize>; 5], String> {
    let mut places = [None; 5];
    for (place, name) in header.iter().enumerate() {
        let known = COLUMNS
            .iter()
            .position(|column| column.eq_ignore_ascii_case(name));
        if let Some(column) = known
            && places[column].replace(place).is_some()
        {
            return Err(format!(
                "line 1: the column {} is there twice",
                COLUMNS[column]
            ));
        }
    }
    for (column, place) in COLUMNS.iter().zip(places).take(COLUMNS_NEEDED) {
        if place.is_none() {
            let found: Vec<String> = header.iter().map(|name| quote(name.as_bytes())).collect();
            return Err(format!(
                "line 1: the column {column} is missing; columns are {}, and here are {}",
                COLUMNS.join(", "),
                found.join(", ")
            ));
        }
    }
    Ok(places)
}

/// Finds a row's line, counted from 1; the reader counts from the empty lines before it.
fn line_of(row: &StringRecord, text: &str) -> u64 {
    row.position().map_or(0, |position| {
        let at = usize::try_from(position.byte()).unwrap_or(usize::MAX);
        let rest = text.as_bytes().get(at..).unwrap_or_default();
        let blank = rest.iter().take_while(|byte| b"\r\n".contains(byte));
        position.line() + blank.filter(|byte| **byte == b'\n').count() as u64
    })
}

fn broken(error: &::csv::Error) -> String {
    let line = error.position().map_or(0, ::csv::Position::line);
    match error.kind() {
        ::csv::ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => {
            format!("line {line}: has {len} cells, and the header has {expected_len}")
        }
        _ => format!("line {line}: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_spreadsheets_are_read() {
        let comma = "\u{feff}Submission,ID,Name,Email,Section,Comment\r\nann,7,\"Lee, Ann\",a@b,A,x\r\n ,8,Bob,,,\r\n";
        let roster = parse(comma).expect("well-formed");
        assert_eq!(roster.people[0].name, "Lee, Ann");
        assert_eq!(roster.people[0].section, "A");
        assert_eq!(roster.people[1].submission, "", "handed in nothing");
        let semicolon = "id;submission\n7;ann\n8;ann\n";
        let team = parse(semicolon).expect("well-formed").people;
        assert_eq!(team.len(), 2, "two people may share a submission");
        assert_eq!(team[1].email, "");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, words) in [
            ("", "line 1: the column submission is missing"),
            (
                "name,mail\n",
                "line 1: the column submission is missing; columns are submission, id, name, email, section, and here are name, mail",
            ),
            ("submission,id,ID\n", "line 1: the column id is there twice"),
            (
                "submission,id\nann,1\n\nbob,1\n",
                "line 4: id 1 is in line 2 already",
            ),
            ("submission,id\nann,1\nbob,\n", "line 3: the id is empty"),
            (
                "submission,id\nann\n",
                "line 2: has 1 cells, and the header has 2",
            ),
        ] {
            assert_eq!(
                parse(text).expect_err(text).find(words),
                Some(0),
                "{text:?}: {:?}",
                parse(text)
            );
        }
    }
}
