//! `games.csv`, `faults.csv`, and the file of pairs.

use super::{GatheredOutput, OutputSource, Pairs, PerGameOutput};
use crate::blame::opponents;
use crate::run_data::NumberedGame;
use crate::sheet::{Plain, Reader, Roles, SheetColumns};
use crate::words::joined;
use engines::GameResult;
use model::fault::Fault;
use model::record::MatchResult;
use model::tally::Tally;
use rulebook::scoring::tally;

/// A row for each game. Games that have not been played have numbers, too.
pub(super) const GAMES: PerGameOutput = PerGameOutput {
    name: "games.csv",
    csv: |source, games| columns_of_games(source).csv(source.reader, games),
};

pub(super) const FAULTS: PerGameOutput = PerGameOutput {
    name: "faults.csv",
    csv: |source, games| {
        let rows: Vec<FaultRow<'_>> = games
            .iter()
            .flat_map(|(number, result)| {
                result.faults.iter().map(move |fault| FaultRow {
                    number: *number,
                    result,
                    fault,
                })
            })
            .filter(|row| source.own.is_none_or(|own| row.entrant() == own))
            .collect();
        columns_of_faults(source.roles).csv(source.reader, &rows)
    },
};

struct FaultRow<'a> {
    number: usize,
    result: &'a MatchResult,
    fault: &'a Fault,
}

impl<'a> FaultRow<'a> {
    fn entrant(&self) -> &'a str {
        &self.result.seats[self.fault.seat.index()].entrant
    }
}

/// A row for each two entrants that played, by their seats.
pub(super) const PAIRS: GatheredOutput = GatheredOutput {
    name: pairs_name,
    reader: Reader::Public,
    own: None,
    csv: |source, _, gathered| {
        let Pairs { names, tallies } = &gathered.pairs;
        let rows: Vec<PairRow<'_>> = (names.iter().zip(tallies))
            .flat_map(|(first, row)| {
                (names.iter().zip(row)).map(move |(second, tallies)| ([first, second], tallies))
            })
            .filter(|(_, tallies)| tallies[0].games > 0)
            .collect();
        SheetColumns::<PairRow<'_>>::new()
            .with_roles(source.roles, "", |(names, _), seat| names[seat])
            .with("games", |(_, tallies)| tallies[0].games)
            .with_roles(source.roles, "wins", |(_, tallies), seat| {
                tallies[seat].wins
            })
            .with_roles(source.roles, "points", |(_, tallies), seat| {
                tallies[seat].points
            })
            .with_roles(source.roles, "cpu_us", |(_, tallies), seat| {
                tallies[seat].cpu_us
            })
            .with_roles(source.roles, "faults", |(_, tallies), seat| {
                tallies[seat].faults
            })
            .csv(source.reader, &rows)
    },
};

fn columns_of_games<'r>(source: &OutputSource<'r>) -> SheetColumns<'r, NumberedGame> {
    let (scoring, roles) = (&source.run.manifest.competition.scoring, source.roles);
    SheetColumns::<NumberedGame>::new()
        .with("game", |(number, _)| *number)
        .with_for(Reader::Staff, "fixture", |(_, game)| Plain(game.fixture))
        .with("state", |(_, game)| game.state)
        .with_roles(roles, "", |(_, game), seat| &game.seats[seat].entrant)
        .with("winner", |(_, game)| {
            won(game, |seat| &game.seats[seat].entrant)
        })
        .with("won_as", move |(_, game)| won(game, |seat| roles[seat]))
        .with("end", |(_, game)| game.end.name())
        .with("charged", |(_, game)| {
            Some(&game.seats[game.end.charged()?.index()].entrant)
        })
        .with("charged_as", move |(_, game)| {
            Some(roles[game.end.charged()?.index()])
        })
        .with_for(Reader::Author, "detail", |(_, game)| {
            let fault = game.faults.last()?;
            game.ended_by(fault).then_some(&fault.detail)
        })
        .with("overloaded", |(_, game)| game.overloaded)
        .with("plies", |(_, game)| game.plies)
        .with_roles(roles, "cpu_us", |(_, game), seat| game.seats[seat].cpu_us)
        .with_roles(roles, "off_turn_us", |(_, game), seat| {
            game.seats[seat].off_turn_us
        })
        // The language of a program shows in it.
        .with_roles_for(Reader::Staff, roles, "uncharged_us", |(_, game), seat| {
            game.seats[seat].uncharged_us
        })
        .with_roles(roles, "wall_us", |(_, game), seat| game.seats[seat].wall_us)
        .with_roles(roles, "points", move |(_, game), seat| {
            tally(scoring, game, seat).points
        })
}

fn columns_of_faults<'r>(roles: Roles) -> SheetColumns<'r, FaultRow<'r>> {
    SheetColumns::<FaultRow<'_>>::new()
        .with("game", |row| row.number)
        .with_for(Reader::Staff, "fixture", |row| Plain(row.result.fixture))
        .with("state", |row| row.result.state)
        .with("entrant", FaultRow::entrant)
        .with("seat", |row| row.fault.seat.index())
        .with("role", move |row| roles[row.fault.seat.index()])
        .with("opponents", |row| opponents(row.result, row.fault.seat))
        .with("ply", |row| row.fault.ply)
        .with("phase", |row| row.fault.phase.name())
        .with("cause", |row| row.fault.cause.name())
        .with_for(Reader::Author, "detail", |row| &row.fault.detail)
        .with_for(Reader::Author, "exit", |row| {
            row.fault.exit.as_ref().map(Plain)
        })
        .with_for(Reader::Author, "line", |row| row.fault.line.as_deref())
        .with("cpu_us", |row| row.fault.cpu_us)
        .with("wall_us", |row| row.fault.wall_us)
        .with("ended_game", |row| row.result.ended_by(row.fault))
        .with("overloaded", |row| row.result.overloaded)
}

/// Names the seats that won: all of them after a joint win, and none after a draw.
fn won<'a>(result: &MatchResult, name: impl Fn(usize) -> &'a str) -> String {
    let won = result
        .outcome
        .seats
        .iter()
        .enumerate()
        .filter(|(_, outcome)| outcome.result == GameResult::Won);
    joined(won.map(|(seat, _)| name(seat)), " & ")
}

/// Returns the file's name, made from the two roles: `cats_vs_catchers.csv`.
fn pairs_name(source: &OutputSource<'_>) -> Option<String> {
    let [first, second] = source.roles else {
        return None;
    };
    let is_noun = |role: &str| role.chars().all(char::is_alphabetic);
    Some(if is_noun(first) && is_noun(second) {
        format!("{first}s_vs_{second}s.csv")
    } else {
        "pairs.csv".to_owned()
    })
}

type PairRow<'a> = ([&'a String; 2], &'a [Tally; 2]);
