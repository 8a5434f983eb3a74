//! Rows of CSV files and the contents of their cells.

use crate::words::joined;
use jiff::Timestamp;
use model::points::Points;
use model::text::{escape_cell, readable};
use std::fmt::{Display, Write};

pub(super) type Roles = &'static [&'static str];

/// The readers of a column, in order: each may also read the columns of those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reader {
    Public,
    Author,
    Staff,
}

pub(super) trait Cell {
    fn write(self, out: &mut String);
}

impl<T: Cell> Cell for Option<T> {
    fn write(self, out: &mut String) {
        if let Some(value) = self {
            value.write(out);
        }
    }
}

impl Cell for bool {
    fn write(self, out: &mut String) {
        self.then_some("yes").write(out);
    }
}

impl Cell for &str {
    fn write(self, out: &mut String) {
        out.push_str(&text(self));
    }
}

impl Cell for &String {
    fn write(self, out: &mut String) {
        self.as_str().write(out);
    }
}

impl Cell for String {
    fn write(self, out: &mut String) {
        self.as_str().write(out);
    }
}

/// A value that begins with a sign only as a number, such as `-0.5`.
pub(super) struct Plain<T>(pub(super) T);

impl<T: Display> Cell for Plain<T> {
    fn write(self, out: &mut String) {
        write!(out, "{}", self.0).expect(IN_MEMORY);
    }
}

macro_rules! plain {
    ($($kind:ty)*) => {
        $(impl Cell for $kind {
            fn write(self, out: &mut String) {
                Plain(self).write(out);
            }
        })*
    };
}

plain!(i32 u32 u64 usize Points Timestamp);

/// The columns of a sheet, whose cells may borrow from its rows.
pub(super) struct SheetColumns<'r, R>(Vec<SheetColumn<'r, R>>);

type WriteCell<'r, R> = dyn Fn(&'r R, &mut String) + 'r;

struct SheetColumn<'r, R> {
    name: String,
    reader: Reader,
    write: Box<WriteCell<'r, R>>,
}

impl<'r, R> SheetColumns<'r, R> {
    pub(super) fn new() -> Self {
        Self(Vec::new())
    }

    pub(super) fn with<C: Cell>(
        self,
        name: impl Into<String>,
        cell: impl Fn(&'r R) -> C + 'r,
    ) -> Self {
        self.with_for(Reader::Public, name, cell)
    }

    pub(super) fn with_for<C: Cell>(
        mut self,
        reader: Reader,
        name: impl Into<String>,
        cell: impl Fn(&'r R) -> C + 'r,
    ) -> Self {
        self.0.push(SheetColumn {
            name: name.into(),
            reader,
            write: Box::new(move |row, out| cell(row).write(out)),
        });
        self
    }

    /// Adds a column for each role: `ROLE_WHAT`, or `ROLE` where `what` is empty.
    pub(super) fn with_roles<C: Cell>(
        self,
        roles: Roles,
        what: &str,
        cell: impl Fn(&'r R, usize) -> C + Copy + 'r,
    ) -> Self {
        self.with_roles_for(Reader::Public, roles, what, cell)
    }

    pub(super) fn with_roles_for<C: Cell>(
        mut self,
        reader: Reader,
        roles: Roles,
        what: &str,
        cell: impl Fn(&'r R, usize) -> C + Copy + 'r,
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

    pub(super) fn csv(mut self, reader: Reader, rows: &'r [R]) -> Vec<u8> {
        self.0.retain(|column| column.reader <= reader);
        let mut csv = ::csv::Writer::from_writer(Vec::new());
        let names = self.0.iter().map(|column| &column.name);
        csv.write_record(names).expect(IN_MEMORY);
        let mut cell = String::new();
        for row in rows {
            for column in &self.0 {
                cell.clear();
                (column.write)(row, &mut cell);
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
    joined(readable(cell).split(';').map(escape_cell), ";")
}

pub(super) fn yes_or_no(flag: bool) -> &'static str {
    if flag { "yes" } else { "no" }
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
        let found = text("\r=1\u{1b}[2J\0\u{202e}");
        assert_eq!(found, "\\u{d}=1\\u{1b}[2J\\u{0}\\u{202e}");
        assert_eq!(text("alice"), "alice");
    }
}
