//! `games.csv`, `faults.csv`, and the file of pairs.

use super::{GameRow, GameRows, GatheredOutput, OutputSource, Pairs, PerGameOutput};
use crate::blame::opponents;
use crate::sheet::{
    Reader, Roles, Rows, Sheet, SheetColumns, or_empty, text, text_or_empty, yes_or_empty,
};
use engines::GameResult;
use model::record::MatchResult;
use model::tally::Tally;
use rulebook::scoring::tally;

/// A row for each game.
pub(super) const GAMES: PerGameOutput = PerGameOutput {
    name: "games.csv",
    columns: games,
    rows: |number, result, _, add| {
        add(&GameRow {
            number,
            result,
            fault: None,
        });
    },
};

/// A row for each fault of each bot.
pub(super) const FAULTS: PerGameOutput = PerGameOutput {
    name: "faults.csv",
    columns: faults,
    rows: |number, result, own, add| {
        for fault in &result.faults {
            let row = GameRow {
                number,
                result,
                fault: Some(fault),
            };
            if own.is_none_or(|own| row.entrant() == own) {
                add(&row);
            }
        }
    },
};

/// A row for each two entrants that played, by their seats.
pub(super) const PAIRS: GatheredOutput = GatheredOutput {
    name: pairs_name,
    reader: Reader::Public,
    own: None,
    csv: |source, scored, _| {
        let Pairs { names, tallies } = &scored.gathered.pairs;
        let mut sheet = Sheet::new(pairs(source.roles));
        for (first, row) in names.iter().zip(tallies) {
            for (second, tallies) in names.iter().zip(row) {
                if tallies[0].games > 0 {
                    let names = [first, second];
                    sheet.row(&PairTallies { names, tallies });
                }
            }
        }
        sheet.finish()
    },
};

fn games<'c>(source: &OutputSource<'c>) -> SheetColumns<'c, GameRows> {
    let (competition, roles) = (&source.manifest.competition, source.roles);
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

fn faults<'c>(source: &OutputSource<'c>) -> SheetColumns<'c, GameRows> {
    let roles = source.roles;
    SheetColumns::<GameRows>::new()
        .with("game", |row| row.number)
        .with_for(Reader::Staff, "fixture", |row| {
            row.result.fixture.to_string()
        })
        .with("state", |row| row.result.state)
        .with("entrant", |row| text(row.entrant()))
        .with("seat", |row| row.fault().seat.index())
        .with("role", move |row| roles[row.fault().seat.index()])
        .with("opponents", |row| {
            text(&opponents(row.result, row.fault().seat))
        })
        .with("ply", |row| row.fault().ply)
        .with("phase", |row| row.fault().phase.name())
        .with("cause", |row| row.fault().cause.name())
        .with_for(Reader::Author, "detail", |row| text(&row.fault().detail))
        .with_for(Reader::Author, "exit", |row| or_empty(row.fault().exit))
        .with_for(Reader::Author, "line", |row| {
            text_or_empty(row.fault().line.as_deref())
        })
        .with("cpu_us", |row| row.fault().cpu_us)
        .with("wall_us", |row| row.fault().wall_us)
        .with("ended_game", |row| {
            yes_or_empty(row.result.ended_by(row.fault()))
        })
        .with("overloaded", |row| yes_or_empty(row.result.overloaded))
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

/// Two entrants and their tallies against each other, by seat.
struct PairTallies<'a> {
    names: [&'a String; 2],
    tallies: &'a [Tally; 2],
}

/// The rows of the file of pairs.
enum PairRows {}

impl Rows for PairRows {
    type Row<'a> = PairTallies<'a>;
}

fn pairs(roles: Roles) -> SheetColumns<'static, PairRows> {
    SheetColumns::<PairRows>::new()
        .with_roles(roles, "", |pair, seat| text(pair.names[seat]))
        .with("games", |pair| pair.tallies[0].games.to_string())
        .with_roles(roles, "wins", |pair, seat| {
            pair.tallies[seat].wins.to_string()
        })
        .with_roles(roles, "points", |pair, seat| {
            pair.tallies[seat].points.to_string()
        })
        .with_roles(roles, "cpu_us", |pair, seat| {
            pair.tallies[seat].cpu_us.to_string()
        })
        .with_roles(roles, "faults", |pair, seat| {
            pair.tallies[seat].faults.to_string()
        })
}
