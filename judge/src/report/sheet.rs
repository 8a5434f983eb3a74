//! Rows on their way to a CSV file, and what is in their cells.

use crate::error::JudgeError;
use crate::files::NewFile;
use std::io;
use std::path::{Path, PathBuf};

/// The names of a competition's seats.
pub(super) type Roles = &'static [&'static str];

/// Rows on their way to a file.
pub(super) struct Sheet {
    rows: ::csv::Writer<Vec<u8>>,
    /// Columns that are left out.
    without: Vec<usize>,
}

impl Sheet {
    pub(super) fn new(header: &[String]) -> Self {
        Self::without(&[], header)
    }

    /// Begins a sheet that leaves out the columns with these names.
    pub(super) fn without(names: &[&str], header: &[String]) -> Self {
        let is_out = |(_, column): &(usize, &String)| names.contains(&column.as_str());
        let out = header.iter().enumerate().filter(is_out);
        let mut sheet = Self {
            rows: ::csv::Writer::from_writer(Vec::new()),
            without: out.map(|(index, _)| index).collect(),
        };
        sheet.row(header);
        sheet
    }

    pub(super) fn row(&mut self, cells: &[String]) {
        let kept = cells.iter().enumerate();
        let kept = kept.filter(|(index, _)| !self.without.contains(index));
        self.rows
            .write_record(kept.map(|(_, cell)| cell))
            .expect("rows in memory, all of one length");
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.rows.into_inner().expect("rows in memory")
    }
}

/// Rows on their way into a file, which has its name when they are all there.
pub(super) struct SheetFile {
    path: PathBuf,
    rows: ::csv::Writer<NewFile>,
}

impl SheetFile {
    pub(super) fn begin(path: &Path, header: &[String]) -> Result<Self, JudgeError> {
        let mut sheet = Self {
            path: path.to_owned(),
            rows: ::csv::Writer::from_writer(NewFile::begin(path)?),
        };
        sheet.row(header)?;
        Ok(sheet)
    }

    pub(super) fn row(&mut self, cells: &[String]) -> Result<(), JudgeError> {
        let written = self.rows.write_record(cells);
        written.map_err(|e| JudgeError::io("write", &self.path, io::Error::other(e)))
    }

    /// Names the file; returns the path.
    pub(super) fn save(self) -> Result<PathBuf, JudgeError> {
        let file = self.rows.into_inner();
        let file = file.map_err(|e| JudgeError::io("write", &self.path, e.into_error()))?;
        file.keep()?;
        Ok(self.path)
    }
}

/// Makes a text that came from outside safe to be opened in a spreadsheet, which would take
/// a leading `=`, `+`, `-` or `@` for a formula.
pub(super) fn text(cell: &str) -> String {
    match cell.chars().next() {
        Some('=' | '+' | '-' | '@' | '\t' | '\r') => format!("'{cell}"),
        _ => cell.to_owned(),
    }
}

/// Makes cells of texts that need no defusing.
pub(super) fn strings(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

pub(super) fn yes_or_empty(flag: bool) -> String {
    if flag { "yes" } else { "" }.to_owned()
}

/// Makes a role's name fit for the name of a column.
pub(super) fn column(role: &str) -> String {
    role.replace([' ', '-'], "_")
}

/// Names one column for each role.
pub(super) fn per_role(roles: Roles, what: &str) -> impl Iterator<Item = String> {
    roles.iter().map(move |role| match what {
        "" => column(role),
        _ => format!("{}_{what}", column(role)),
    })
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn cells_that_a_spreadsheet_would_calculate_are_defused() {
        for cell in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"] {
            assert_eq!(text(cell), format!("'{cell}"));
        }
        assert_eq!(text("alice"), "alice");
    }
}
