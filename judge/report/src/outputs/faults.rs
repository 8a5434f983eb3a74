//! `faults.csv`: a row for each fault of each bot.

use super::output::{ByGame, Made, Output};
use crate::blame::opponents;
use crate::sheet::{
    Lines, Reader, Roles, Rows, SheetColumns, or_empty, text, text_or_empty, yes_or_empty,
};
use model::fault::Fault;
use model::record::MatchResult;

pub(super) const OUTPUT: Output = Output {
    name: |_| Some("faults.csv".to_owned()),
    reader: Reader::Public,
    made: Made::ByGame {
        own: "faults.csv",
        rows: |source, reader| Box::new(Faults(columns(source.roles).for_reader(reader))),
    },
};

struct Faults(SheetColumns<'static, FaultRows>);

impl ByGame for Faults {
    fn head(&self, lines: &mut Lines) {
        lines.head(&self.0);
    }

    fn rows(&self, number: usize, result: &MatchResult, own: Option<&str>, lines: &mut Lines) {
        for fault in &result.faults {
            let row = FaultRow {
                number,
                result,
                fault,
            };
            if own.is_none_or(|own| row.entrant() == own) {
                lines.row(&self.0, &row);
            }
        }
    }
}

/// A fault with the number of its game.
struct FaultRow<'a> {
    number: usize,
    result: &'a MatchResult,
    fault: &'a Fault,
}

impl<'a> FaultRow<'a> {
    /// Returns the entrant that made the fault.
    fn entrant(&self) -> &'a str {
        &self.result.seats[self.fault.seat.index()].entrant
    }
}

/// The rows of `faults.csv`.
enum FaultRows {}

impl Rows for FaultRows {
    type Row<'a> = FaultRow<'a>;
}

/// Returns the columns of `faults.csv`.
fn columns(roles: Roles) -> SheetColumns<'static, FaultRows> {
    SheetColumns::<FaultRows>::new()
        .with("game", |row| row.number)
        .with_for(Reader::Staff, "fixture", |row| {
            row.result.fixture.to_string()
        })
        .with("state", |row| row.result.state)
        .with("entrant", |row| text(row.entrant()))
        .with("seat", |row| row.fault.seat.index())
        .with("role", move |row| roles[row.fault.seat.index()])
        .with("opponents", |row| {
            text(&opponents(row.result, row.fault.seat))
        })
        .with("ply", |row| row.fault.ply)
        .with("phase", |row| row.fault.phase.name())
        .with("cause", |row| row.fault.cause.name())
        .with_for(Reader::Author, "detail", |row| text(&row.fault.detail))
        .with_for(Reader::Author, "exit", |row| or_empty(row.fault.exit))
        .with_for(Reader::Author, "line", |row| {
            text_or_empty(row.fault.line.as_deref())
        })
        .with("cpu_us", |row| row.fault.cpu_us)
        .with("wall_us", |row| row.fault.wall_us)
        .with("ended_game", |row| {
            yes_or_empty(row.result.ended_by(row.fault))
        })
        .with("overloaded", |row| yes_or_empty(row.result.overloaded))
}
