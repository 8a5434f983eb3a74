//! Rows of CSV files and the contents of their cells.

use model::text::{defused, readable};
use rulebook::JudgeError;
use std::fmt::{Display, Write as _};
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;
use system::files::NewFile;

/// The roles in a competition's games.
pub(super) type Roles = &'static [&'static str];

/// The kind of rows of a sheet.
pub(super) trait Rows {
    /// The data of one row.
    type Row<'a>;
}

/// The readers of a column, in order: each may also read the columns of those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reader {
    Public,
    /// The author of the bot in a row.
    Author,
    Staff,
}

/// Writes the cell of a column, made from a row.
type CellMaker<'c, R> = Box<dyn for<'a> Fn(&<R as Rows>::Row<'a>, &mut String) + Sync + 'c>;

/// The columns of a sheet, in order: the name of each and the maker of its cells.
pub(super) struct SheetColumns<'c, R: Rows>(Vec<SheetColumn<'c, R>>);

struct SheetColumn<'c, R: Rows> {
    name: String,
    reader: Reader,
    cell: CellMaker<'c, R>,
}

impl<'c, R: Rows> SheetColumns<'c, R> {
    pub(super) fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a column for everybody.
    pub(super) fn with<C: Display>(
        self,
        name: impl Into<String>,
        cell: impl for<'a> Fn(&R::Row<'a>) -> C + Sync + 'c,
    ) -> Self {
        self.with_for(Reader::Public, name, cell)
    }

    /// Adds a column for some readers.
    pub(super) fn with_for<C: Display>(
        mut self,
        reader: Reader,
        name: impl Into<String>,
        cell: impl for<'a> Fn(&R::Row<'a>) -> C + Sync + 'c,
    ) -> Self {
        self.0.push(SheetColumn {
            name: name.into(),
            reader,
            cell: Box::new(move |row, text| {
                write!(text, "{}", cell(row)).expect(IN_MEMORY);
            }),
        });
        self
    }

    /// Adds a column for each role: `ROLE_WHAT`, or `ROLE` where `what` is empty.
    pub(super) fn with_roles<C, F>(self, roles: Roles, what: &str, cell: F) -> Self
    where
        C: Display,
        F: for<'a> Fn(&R::Row<'a>, usize) -> C + Copy + Sync + 'c,
    {
        self.with_roles_for(Reader::Public, roles, what, cell)
    }

    /// Adds the same columns for one kind of reader.
    pub(super) fn with_roles_for<C, F>(
        mut self,
        reader: Reader,
        roles: Roles,
        what: &str,
        cell: F,
    ) -> Self
    where
        C: Display,
        F: for<'a> Fn(&R::Row<'a>, usize) -> C + Copy + Sync + 'c,
    {
        for (seat, role) in roles.iter().enumerate() {
            let name = match what {
                "" => column(role),
                _ => format!("{}_{what}", column(role)),
            };
            self = self.with_for(reader, name, move |row| cell(row, seat));
        }
        self
    }

    /// Keeps the columns that a reader may see.
    pub(super) fn for_reader(mut self, reader: Reader) -> Self {
        self.0.retain(|column| column.reader <= reader);
        self
    }
}

/// Rows of a sheet as CSV text.
pub(super) struct Lines {
    text: ::csv::Writer<Vec<u8>>,
    cell: String,
}

impl Lines {
    pub(super) fn new() -> Self {
        Self {
            text: ::csv::Writer::from_writer(Vec::new()),
            cell: String::new(),
        }
    }

    /// Adds the names of the columns.
    pub(super) fn head<R: Rows>(&mut self, columns: &SheetColumns<'_, R>) {
        let names = columns.0.iter().map(|column| column.name.as_str());
        self.text.write_record(names).expect(IN_MEMORY);
    }

    pub(super) fn row<R: Rows>(&mut self, columns: &SheetColumns<'_, R>, row: &R::Row<'_>) {
        for column in &columns.0 {
            self.cell.clear();
            (column.cell)(row, &mut self.cell);
            self.text.write_field(&self.cell).expect(IN_MEMORY);
        }
        self.text.write_record(None::<&[u8]>).expect(IN_MEMORY);
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.text.into_inner().expect(IN_MEMORY)
    }
}

/// A sheet that is being written.
pub(super) struct Sheet<'c, R: Rows> {
    columns: SheetColumns<'c, R>,
    lines: Lines,
}

impl<'c, R: Rows> Sheet<'c, R> {
    pub(super) fn new(columns: SheetColumns<'c, R>) -> Self {
        let mut lines = Lines::new();
        lines.head(&columns);
        Self { columns, lines }
    }

    pub(super) fn row(&mut self, row: &R::Row<'_>) {
        self.lines.row(&self.columns, row);
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.lines.finish()
    }
}

const IN_MEMORY: &str = "rows in memory, all of one length";

/// A file that is being written; it gets its name when it is complete.
pub(super) struct SheetFile {
    path: PathBuf,
    file: BufWriter<NewFile>,
}

impl SheetFile {
    pub(super) fn begin(path: PathBuf) -> Result<Self, JudgeError> {
        let file = BufWriter::new(NewFile::begin(&path)?);
        Ok(Self { path, file })
    }

    pub(super) fn add(&mut self, lines: &[u8]) -> Result<(), JudgeError> {
        self.file
            .write_all(lines)
            .map_err(|e| JudgeError::io("write", &self.path, e))
    }

    /// Moves the file to its place.
    pub(super) fn save(self) -> Result<(), JudgeError> {
        self.file
            .into_inner()
            .map_err(|e| JudgeError::io("write", &self.path, e.into_error()))?
            .keep()
    }
}

/// Makes foreign text safe for a terminal and a spreadsheet. Where a comma is the decimal sign, a
/// spreadsheet begins a cell after each semicolon.
pub(super) fn text(cell: &str) -> String {
    // Most names need none of it.
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_. ".contains(&byte);
    if cell.bytes().all(is_plain) && !cell.starts_with('-') {
        return cell.to_owned();
    }
    let cells: Vec<String> = readable(cell).split(';').map(defused).collect();
    cells.join(";")
}

/// Returns the cell of an optional value.
pub(super) fn or_empty(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// Returns the cell of an optional foreign text.
pub(super) fn text_or_empty(cell: Option<&str>) -> String {
    text(cell.unwrap_or_default())
}

pub(super) fn yes_or_no(flag: bool) -> String {
    if flag { "yes" } else { "no" }.to_owned()
}

pub(super) fn yes_or_empty(flag: bool) -> String {
    if flag { "yes" } else { "" }.to_owned()
}

/// Turns a role's name into a part of a column's name.
pub(super) fn column(role: &str) -> String {
    role.replace([' ', '-'], "_")
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn cells_that_a_spreadsheet_would_calculate_are_defused() {
        for cell in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "＝1", "＠SUM(A1)"] {
            assert_eq!(text(cell), format!("'{cell}"));
            assert_eq!(text(&format!("x;{cell}")), format!("x;'{cell}"));
        }
        assert_eq!(
            text("\r=1\u{1b}[2J\0\u{202e}"),
            "\\u{d}=1\\u{1b}[2J\\u{0}\\u{202e}"
        );
        assert_eq!(text("alice"), "alice");
    }
}
