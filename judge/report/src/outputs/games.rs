//! `games.csv`: a row for each game.

use super::output::{ByGame, Made, Output};
use crate::sheet::{
    Lines, Reader, Roles, Rows, SheetColumns, or_empty, text, text_or_empty, yes_or_empty,
};
use engines::GameResult;
use model::competition::Competition;
use model::record::MatchResult;
use rulebook::scoring::tally;

pub(super) const OUTPUT: Output = Output {
    name: |_| Some("games.csv".to_owned()),
    reader: Reader::Public,
    made: Made::ByGame {
        own: "games.csv",
        rows: |source, reader| {
            let columns = columns(&source.manifest.competition, source.roles);
            Box::new(GamesTable(columns.for_reader(reader)))
        },
    },
};

struct GamesTable<'c>(SheetColumns<'c, GameRows>);

impl ByGame for GamesTable<'_> {
    fn head(&self, lines: &mut Lines) {
        lines.head(&self.0);
    }

    fn rows(&self, number: usize, result: &MatchResult, _: Option<&str>, lines: &mut Lines) {
        lines.row(&self.0, &GameRow { number, result });
    }
}

/// A game with its number in fixture order, from 1. Games that have not been played have numbers,
/// too.
struct GameRow<'a> {
    number: usize,
    result: &'a MatchResult,
}

/// The rows of `games.csv`.
enum GameRows {}

impl Rows for GameRows {
    type Row<'a> = GameRow<'a>;
}

fn columns(competition: &Competition, roles: Roles) -> SheetColumns<'_, GameRows> {
    SheetColumns::<GameRows>::new()
        .with("game", |row| row.number)
        .with_for(Reader::Staff, "fixture", |row| {
            row.result.fixture.to_string()
        })
        .with("state", |row| row.result.state)
        .with_roles(roles, "", |row, seat| text(&row.result.seats[seat].entrant))
        .with("winner", |row| text(&winners(row.result).join(" & ")))
        .with("won_as", move |row| won_as(row.result, roles).join(" & "))
        .with("end", |row| row.result.end.name())
        .with("charged", |row| {
            let seat = row.result.end.charged();
            text_or_empty(seat.map(|seat| row.result.seats[seat.index()].entrant.as_str()))
        })
        .with("charged_as", move |row| {
            or_empty(row.result.end.charged().map(|seat| roles[seat.index()]))
        })
        .with_for(Reader::Author, "detail", |row| {
            let fault = row.result.faults.last();
            let fault = fault.filter(|fault| row.result.ended_by(fault));
            text_or_empty(fault.map(|fault| fault.detail.as_str()))
        })
        .with("overloaded", |row| yes_or_empty(row.result.overloaded))
        .with("plies", |row| row.result.plies)
        .with_roles(roles, "cpu_us", |row, seat| row.result.seats[seat].cpu_us)
        .with_roles(roles, "off_turn_us", |row, seat| {
            row.result.seats[seat].off_turn_us
        })
        // The language of a program shows in it.
        .with_roles_for(Reader::Staff, roles, "uncharged_us", |row, seat| {
            row.result.seats[seat].uncharged_us
        })
        .with_roles(roles, "wall_us", |row, seat| row.result.seats[seat].wall_us)
        .with_roles(roles, "points", move |row, seat| {
            let tally = tally(&competition.scoring, row.result, seat);
            tally.points
        })
}

/// Lists the seats that won: all of them after a joint win, and none after a draw.
fn won(result: &MatchResult) -> impl Iterator<Item = usize> {
    result
        .outcome
        .seats
        .iter()
        .enumerate()
        .filter(|(_, outcome)| outcome.result == GameResult::Won)
        .map(|(seat, _)| seat)
}

fn winners(result: &MatchResult) -> Vec<&str> {
    won(result)
        .map(|seat| result.seats[seat].entrant.as_str())
        .collect()
}

fn won_as(result: &MatchResult, roles: Roles) -> Vec<&'static str> {
    won(result).map(|seat| roles[seat]).collect()
}
