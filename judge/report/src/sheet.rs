//! Rows of CSV files and the contents of their cells.

use model::text::{defused, readable};
use std::fmt::{Display, Write};

pub(super) type Roles = &'static [&'static str];

/// The readers of a column, in order: each may also read the columns of those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reader {
    Public,
    Author,
    Staff,
}

pub(super) struct SheetColumns<'c, R>(Vec<SheetColumn<'c, R>>);

type Cell<'c, R> = dyn Fn(&R, &mut String) + 'c;

struct SheetColumn<'c, R> {
    name: String,
    reader: Reader,
    cell: Box<Cell<'c, R>>,
}

impl<'c, R> SheetColumns<'c, R> {
    pub(super) fn new() -> Self {
        Self(Vec::new())
    }

    pub(super) fn with<C: Display>(
        self,
        name: impl Into<String>,
        cell: impl Fn(&R) -> C + 'c,
    ) -> Self {
        self.with_for(Reader::Public, name, cell)
    }

    pub(super) fn with_for<C: Display>(
        mut self,
        reader: Reader,
        name: impl Into<String>,
        cell: impl Fn(&R) -> C + 'c,
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
    pub(super) fn with_roles<C: Display>(
        self,
        roles: Roles,
        what: &str,
        cell: impl Fn(&R, usize) -> C + Copy + 'c,
    ) -> Self {
        self.with_roles_for(Reader::Public, roles, what, cell)
    }

    pub(super) fn with_roles_for<C: Display>(
        mut self,
        reader: Reader,
        roles: Roles,
        what: &str,
        cell: impl Fn(&R, usize) -> C + Copy + 'c,
    ) -> Self {
        for (seat, role) in roles.iter().enumerate() {
            let name = match what {
                "" => column(role),
                _ => format!("{}_{what}", column(role)),
            };
            self = self.with_for(reader, name, move |row| cell(row, seat));
        }
        self
    }

    pub(super) fn csv(mut self, reader: Reader, rows: impl IntoIterator<Item = R>) -> Vec<u8> {
        self.0.retain(|column| column.reader <= reader);
        let mut csv = ::csv::Writer::from_writer(Vec::new());
        let names = self.0.iter().map(|column| &column.name);
        csv.write_record(names).expect(IN_MEMORY);
        let mut cell = String::new();
        for row in rows {
            for column in &self.0 {
                cell.clear();
                (column.cell)(&row, &mut cell);
                csv.write_field(&cell).expect(IN_MEMORY);
            }
            csv.write_record(None::<&[u8]>).expect(IN_MEMORY);
        }
        csv.into_inner().expect(IN_MEMORY)
    }
}

const IN_MEMORY: &str = "rows in memory, all of one length";

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

pub(super) fn or_empty(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

pub(super) fn text_or_empty(cell: Option<&str>) -> String {
    text(cell.unwrap_or_default())
}

pub(super) fn yes_or_no(flag: bool) -> String {
    if flag { "yes" } else { "no" }.to_owned()
}

pub(super) fn yes_or_empty(flag: bool) -> String {
    if flag { "yes" } else { "" }.to_owned()
}

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
