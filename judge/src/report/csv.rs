//! The CSV files of a run.

use super::blame::{FirstFault, FirstFaults};
use super::faults;
use super::pairs::{Pairs, pairs_name};
use super::sheet::{Roles, Sheet, SheetFile, per_role, strings, text, yes_or_empty};
use super::standings::standings_sheet;
use super::sure::{boundaries_sheet, chances_sheet};
use crate::competition::{Competition, Disqualify};
use crate::error::JudgeError;
use crate::files::write_whole;
use crate::journal::Games;
use crate::manifest::{EntrantLine, Manifest};
use crate::record::MatchResult;
use crate::schedule;
use crate::scoring::{Conduct, Gathering, Ranked, Table, tally};
use engines::GameResult;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What the files of a run are made from.
#[derive(Debug)]
pub struct RunFiles<'a> {
    /// The run's folder.
    pub folder: &'a Path,
    /// What the run is.
    pub manifest: &'a Manifest,
    /// The fixture ids of every game of the competition, in order.
    pub games: &'a [String],
    /// The games that have been played.
    pub journal: &'a Games,
}

/// The files of a run, and what a summary of it needs.
#[derive(Debug)]
pub struct Written {
    /// Where the files are.
    pub paths: Vec<PathBuf>,
    /// Who stands where.
    pub table: Table,
    /// The first fault of each bot that made one, in fixture order.
    pub first_faults: Vec<FirstFault>,
    /// What each entrant's bot called itself in the last of its games.
    pub said: BTreeMap<String, String>,
}

/// Writes `games.csv`, `faults.csv`, the file of pairs, `standings.csv`, `chances.csv` and
/// `boundaries.csv`.
///
/// # Errors
/// When the journal cannot be read or a file cannot be written.
pub fn write_csvs(run: &RunFiles<'_>) -> Result<Written, JudgeError> {
    let competition = &run.manifest.competition;
    let roles = schedule::roles(competition)?;
    let at = |name: &str| run.folder.join(name);
    let mut pairs = Pairs::new(&playing(&run.manifest.entrants));
    let mut games = SheetFile::begin(&at("games.csv"), &games_header(roles))?;
    let mut faults = SheetFile::begin(&at("faults.csv"), &faults::header())?;
    let mut firsts = FirstFaults::default();
    let mut first_faults = Vec::new();
    let mut said: BTreeMap<String, String> = BTreeMap::new();
    let table = gather(run, &mut |game, result, counts| {
        games.row(&game_row(competition, roles, game, result))?;
        for row in faults::rows(roles, game, result) {
            faults.row(&row)?;
        }
        first_faults.extend(firsts.of(roles, game, result));
        for seat in &result.seats {
            if let Some(name) = &seat.says
                && said.get(&seat.entrant) != Some(name)
            {
                said.insert(seat.entrant.clone(), name.clone());
            }
        }
        if counts {
            pairs.add(competition, result);
        }
        Ok(())
    })?;
    let mut paths = Vec::new();
    let mut save = |name: &str, sheet: Sheet| {
        write_whole(&at(name), &sheet.finish())?;
        paths.push(at(name));
        Ok::<(), JudgeError>(())
    };
    save("standings.csv", standings_sheet(competition, roles, &table))?;
    if roles.len() == 2 {
        save(&pairs_name(roles), pairs.sheet(roles))?;
    }
    save("chances.csv", chances_sheet(&table))?;
    save("boundaries.csv", boundaries_sheet(&table))?;
    paths.push(games.save()?);
    paths.push(faults.save()?);
    Ok(Written {
        paths,
        table,
        first_faults,
        said,
    })
}

/// Goes through the games that have been played, in the order of the schedule, and makes the
/// table. `visit` is shown each with its number (from 1), and told whether it counts.
///
/// # Errors
/// When the journal cannot be read, and those of `visit`.
pub fn gather(run: &RunFiles<'_>, visit: &mut Visit<'_>) -> Result<Table, JudgeError> {
    let competition = &run.manifest.competition;
    let roles = schedule::roles(competition)?;
    let conduct = conduct(run)?;
    let ranked = ranked(competition, &run.manifest.entrants);
    let mut gathering = Gathering::new(competition, &ranked, roles.len(), &conduct);
    for (id, game) in run.games.iter().zip(1..) {
        if let Some(result) = run.journal.result(id)? {
            let counts = gathering.add(game, &result);
            visit(game, &result, counts)?;
        }
    }
    Ok(gathering.table())
}

/// What is done with a game besides adding it up.
pub type Visit<'a> = dyn FnMut(usize, &MatchResult, bool) -> Result<(), JudgeError> + 'a;

/// Looks for what disqualifies, where that removes games from the table.
fn conduct(run: &RunFiles<'_>) -> Result<Conduct, JudgeError> {
    let mut conduct = Conduct::default();
    if run.manifest.competition.scoring.disqualify == Disqualify::Remove {
        for (id, game) in run.games.iter().zip(1..) {
            if let Some(result) = run.journal.result(id)? {
                conduct.add(game, &result);
            }
        }
    }
    Ok(conduct)
}

/// Returns who is ranked: everybody who can play, but for the opponents of a gauntlet.
pub fn ranked(competition: &Competition, entrants: &[EntrantLine]) -> Vec<Ranked> {
    let opponents = competition.schedule.opponents();
    let ranked = entrants.iter().filter(|line| line.artifact.is_some());
    ranked
        .filter(|line| !opponents.contains(&line.name))
        .map(|line| Ranked {
            name: line.name.clone(),
            tokens: line.tokens,
        })
        .collect()
}

fn playing(entrants: &[EntrantLine]) -> Vec<String> {
    let playing = entrants.iter().filter(|line| line.artifact.is_some());
    playing.map(|line| line.name.clone()).collect()
}

pub(super) fn games_header(roles: Roles) -> Vec<String> {
    let mut header = strings(&["game", "fixture", "state"]);
    header.extend(per_role(roles, ""));
    header.extend(strings(&[
        "winner",
        "won_as",
        "end",
        "charged",
        "charged_as",
        "detail",
        "overloaded",
        "plies",
    ]));
    for what in ["cpu_us", "off_turn_us", "uncharged_us", "wall_us", "points"] {
        header.extend(per_role(roles, what));
    }
    header
}

/// Makes the row of a game; `game` is its number in fixture order, from 1, whether or not
/// the games before it have been played.
pub(super) fn game_row(
    competition: &Competition,
    roles: Roles,
    game: usize,
    result: &MatchResult,
) -> Vec<String> {
    let seats = 0..result.seats.len();
    let mut row = vec![game.to_string(), result.fixture.clone()];
    row.push(result.state.to_string());
    row.extend(result.seats.iter().map(|seat| text(&seat.entrant)));
    row.extend(winners(result, roles));
    row.push(result.end.name().to_owned());
    row.extend(charged(result, roles));
    row.push(yes_or_empty(result.overloaded));
    row.push(result.plies.to_string());
    row.extend(result.seats.iter().map(|seat| seat.cpu_us.to_string()));
    row.extend(result.seats.iter().map(|seat| seat.off_turn_us.to_string()));
    row.extend(
        result
            .seats
            .iter()
            .map(|seat| seat.uncharged_us.to_string()),
    );
    row.extend(result.seats.iter().map(|seat| seat.wall_us.to_string()));
    row.extend(seats.map(|seat| tally(&competition.scoring, result, seat).points.to_string()));
    row
}

/// Names who won, and in which roles: joint winners with ` & ` between them, nobody after a
/// draw.
fn winners(result: &MatchResult, roles: Roles) -> [String; 2] {
    let seats = result.seats.iter().zip(&result.outcome.seats).zip(roles);
    let won = seats.filter(|((_, outcome), _)| outcome.result == GameResult::Won);
    let (names, roles): (Vec<&str>, Vec<&str>) = won
        .map(|((seat, _), role)| (seat.entrant.as_str(), *role))
        .unzip();
    [text(&names.join(" & ")), roles.join(" & ")]
}

/// Names whose fault ended the game, in which role, and the fault in words.
fn charged(result: &MatchResult, roles: Roles) -> [String; 3] {
    let Some(seat) = result.end.charged() else {
        return Default::default();
    };
    let detail = result
        .faults
        .last()
        .map(|fault| text(&fault.detail))
        .unwrap_or_default();
    [
        text(&result.seats[seat.index()].entrant),
        roles[seat.index()].to_owned(),
        detail,
    ]
}
