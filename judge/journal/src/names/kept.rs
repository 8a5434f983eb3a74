//! Tables with one value for each entrant, in the staff's folder of a run. Staff may edit them.

use error::JudgeError;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use system::files::write_whole;

/// Reads entrants and their values, in file order; empty if there is no file. `remedy` tells the
/// user what to do with an unreadable file.
pub(super) fn read(path: &Path, remedy: &str) -> Result<Vec<(String, String)>, JudgeError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(JudgeError::io("read", path, error)),
    };
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    let rows: Result<Vec<(String, String)>, _> = reader.deserialize().collect();
    rows.map_err(|error| {
        JudgeError::input(format!(
            "cannot read {} ({error}); {remedy}",
            path.display()
        ))
    })
}

pub(super) fn write<'a>(
    path: &Path,
    heads: [&str; 2],
    rows: impl IntoIterator<Item = (&'a String, &'a String)>,
) -> Result<(), JudgeError> {
    let mut sheet = ::csv::Writer::from_writer(Vec::new());
    sheet.write_record(heads).expect("rows in memory");
    for (entrant, kept) in rows {
        let row = [entrant, kept];
        sheet.write_record(row).expect("rows in memory");
    }
    write_whole(path, &sheet.into_inner().expect("rows in memory"))
}
