//! Tables with one value for each entrant, in the staff's folder of a run. Staff may edit them, also
//! in a spreadsheet.

use model::text::{armed, defused};
use rulebook::JudgeError;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// Reads entrants and their values, in file order; empty if there is no file. `remedy` tells the
/// user what to do with an unreadable file.
pub(super) fn read(path: &Path, remedy: &str) -> Result<Vec<(String, String)>, JudgeError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(JudgeError::io("read", path, error)),
    };
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    let armed = |(entrant, kept): (String, String)| (armed(&entrant).into(), armed(&kept).into());
    let rows: Result<Vec<(String, String)>, _> =
        reader.deserialize().map(|row| row.map(armed)).collect();
    rows.map_err(|error| {
        JudgeError::input(format!(
            "cannot read {} ({error}); {remedy}",
            path.display()
        ))
    })
}

pub(super) fn text<'a>(
    heads: [&str; 2],
    rows: impl IntoIterator<Item = (&'a String, &'a String)>,
) -> Vec<u8> {
    let mut sheet = ::csv::Writer::from_writer(Vec::new());
    sheet.write_record(heads).expect("rows in memory");
    for (entrant, kept) in rows {
        let row = [entrant, kept].map(|cell| defused(cell));
        sheet.write_record(row).expect("rows in memory");
    }
    sheet.into_inner().expect("rows in memory")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_formulas_are_kept_and_no_spreadsheet_calculates_them() {
        let staff = tempfile::tempdir().expect("a temporary folder");
        let path = staff.path().join("kept.csv");
        let rows = [("=1", "@x"), ("ann", "+1"), ("'=2", "Zoe")];
        let rows = rows.map(|(entrant, kept)| (entrant.to_owned(), kept.to_owned()));
        let pairs = rows.iter().map(|(entrant, kept)| (entrant, kept));
        let text = text(["entrant", "asks_for"], pairs);
        fs::write(&path, &text).expect("ours");
        assert_eq!(text, b"entrant,asks_for\n'=1,'@x\nann,'+1\n''=2,Zoe\n");
        assert_eq!(read(&path, "").expect("ours"), rows);
    }
}
