//! The CSV files of a run.

use super::blame::{FirstFault, FirstFaults};
use super::changes::{ResultChange, changes, changes_csv, results};
use super::faults;
use super::machines::PlayedOn;
use super::pairs::{Pairs, pairs_name};
use super::sheet::{
    Reader, Roles, Rows, SheetColumns, SheetFile, or_empty, text, text_or_empty, yes_or_empty,
};
use super::standings::standings_csv;
use super::submissions::submissions_csv;
use super::thinned::moments_of_page;
use super::uncertainty::{boundaries_csv, chances_csv};
use competition::schedule;
use engines::GameResult;
use error::JudgeError;
use journal::manifest::{EntrantLine, Manifest};
use journal::{Games, MachineLines, Moment, UnequalMachines};
use scoring::{Conduct, Gathering, Ranked, StandingsTable, tally};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use system::cores;
use system::files::write_whole;
use words::builtin;
use words::competition::{Competition, Disqualify};
use words::record::MatchResult;

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
    pub table: StandingsTable,
    /// The first fault of each bot that made one, in fixture order.
    pub first_faults: Vec<FirstFault>,
    /// The numbers of the games that count although the machine was overloaded.
    pub overloaded: Vec<usize>,
    /// The machines that the games were played on.
    pub machines: MachineLines,
    /// How the run stood at some times.
    pub moments: Vec<Moment>,
    /// What a regrade changes; nothing in other runs.
    pub changes: Vec<ResultChange>,
}

/// Writes `games.csv`, `faults.csv`, the file of pairs, `standings.csv`, `submissions.csv`,
/// `chances.csv`, `boundaries.csv` and `machines.csv`.
///
/// # Errors
/// When the journal cannot be read or a file cannot be written.
pub fn write_csvs(run: &RunFiles<'_>) -> Result<Written, JudgeError> {
    let competition = &run.manifest.competition;
    let roles = schedule::roles(competition)?;
    let at = |name: &str| run.folder.join(name);
    let mut pairs = Pairs::new(&playing(&run.manifest.entrants));
    let (game_columns, fault_columns) = (game_columns(competition, roles), faults::columns(roles));
    let mut games = SheetFile::begin(&at("games.csv"), &game_columns)?;
    let mut faults = SheetFile::begin(&at("faults.csv"), &fault_columns)?;
    let mut firsts = FirstFaults::default();
    let mut first_faults = Vec::new();
    let mut overloaded = Vec::new();
    let mut said: BTreeMap<String, String> = BTreeMap::new();
    let mut played_on = PlayedOn::default();
    let rows = |batch: &[NumberedGame]| {
        let numbered = || batch.iter().map(|(number, result)| (*number, result));
        let games = numbered().map(|(number, result)| GameRow { number, result });
        let faults = numbered().flat_map(|(number, result)| faults::rows(number, result));
        (game_columns.rows(games), fault_columns.rows(faults))
    };
    let mut add_rows = |(game_rows, fault_rows): &(Vec<u8>, Vec<u8>)| {
        games.add(game_rows)?;
        faults.add(fault_rows)
    };
    let table = gather_made(run, &rows, &mut add_rows, &mut |game, result, counts| {
        first_faults.extend(firsts.of(roles, game, result));
        overloaded.extend(result.overloaded.then_some(game));
        played_on.add(result.machine.as_deref());
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
    let submissions = submissions_csv(&run.manifest.entrants, &said);
    let mut paths = Vec::new();
    let mut save = |name: &str, content: Vec<u8>| {
        write_whole(&at(name), &content)?;
        paths.push(at(name));
        Ok::<(), JudgeError>(())
    };
    let machines = run.journal.machines_of(run.games)?;
    let unequal = UnequalMachines::among(machines.values());
    save(
        "standings.csv",
        standings_csv(
            competition,
            roles,
            &table,
            &run.manifest.entrants,
            unequal.as_ref(),
        ),
    )?;
    if roles.len() == 2 {
        save(&pairs_name(roles), pairs.csv(roles))?;
    }
    save("submissions.csv", submissions)?;
    let mut changed = Vec::new();
    if let Some(regrade) = &run.manifest.regrade {
        let after = results(&competition.scoring, &run.manifest.entrants, &table);
        changed = changes(regrade, after);
        save("changes.csv", changes_csv(&changed))?;
    }
    save("chances.csv", chances_csv(&table))?;
    save("boundaries.csv", boundaries_csv(&table))?;
    save("machines.csv", played_on.csv(&machines))?;
    paths.push(games.save()?);
    paths.push(faults.save()?);
    Ok(Written {
        paths,
        table,
        first_faults,
        overloaded,
        machines,
        moments: moments_of_page(run.journal),
        changes: changed,
    })
}

/// Goes through the games that have been played, in the order of the schedule, and makes the
/// table. `visit` is shown each with its number (from 1), and told whether it counts.
///
/// # Errors
/// When the journal cannot be read, and those of `visit`.
pub fn gather(run: &RunFiles<'_>, visit: &mut Visit<'_>) -> Result<StandingsTable, JudgeError> {
    gather_made(run, &|_: &[NumberedGame]| (), &mut |&()| Ok(()), visit)
}

/// A game and its number in fixture order, from 1.
type NumberedGame = (usize, MatchResult);

/// So many games of the schedule go to a core at a time.
const BATCH: usize = 256;

/// Does the same, and has `make` make something of each few games in a row, on any core; `take`
/// takes it in the order of the games.
fn gather_made<M: Send>(
    run: &RunFiles<'_>,
    make: &(dyn Fn(&[NumberedGame]) -> M + Sync),
    take: &mut dyn FnMut(&M) -> Result<(), JudgeError>,
    visit: &mut Visit<'_>,
) -> Result<StandingsTable, JudgeError> {
    let competition = &run.manifest.competition;
    let roles = schedule::roles(competition)?;
    let conduct = conduct(run)?;
    let ranked = ranked(competition, &run.manifest.entrants);
    let mut gathering = Gathering::new(
        competition,
        &ranked,
        roles.len(),
        &conduct,
        run.manifest.draw.resamples,
    );
    let read = |(first, ids): (usize, &[String])| {
        let games = ids.iter().zip(first..).filter_map(|(id, number)| {
            let result = run.journal.result(id).transpose()?;
            Some(result.map(|result| (number, result)))
        });
        let games: Vec<NumberedGame> = games.collect::<Result<_, JudgeError>>()?;
        let batch = make(&games);
        Ok::<_, JudgeError>((games, batch))
    };
    let batches = (1..).step_by(BATCH).zip(run.games.chunks(BATCH));
    cores::in_order(batches, read, |(games, batch)| {
        take(batch)?;
        for (game, result) in games {
            let counts = gathering.add(*game, result);
            visit(*game, result, counts)?;
        }
        Ok(())
    })?;
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

/// Returns who is in the table: everybody who can play, but for the opponents of a gauntlet and
/// those who came too late for a grade. Built-in bots are beside it, unless the competition ranks
/// them or there is nobody else.
pub fn ranked(competition: &Competition, entrants: &[EntrantLine]) -> Vec<Ranked> {
    let opponents = competition.schedule.opponents();
    let playing = entrants.iter().filter(|line| line.artifact.is_some());
    let all: Vec<&EntrantLine> = playing
        .filter(|line| !opponents.contains(&line.name))
        .filter(|line| !line.unranked && !line.is_too_late())
        .collect();
    let are_ranked =
        competition.scoring.rank_builtins || all.iter().all(|line| builtin::is_builtin(&line.name));
    let ranked = all.iter().map(|line| Ranked {
        name: line.name.clone(),
        knew_draw: line.knew_draw,
        tokens: line.tokens,
        penalty: line.penalty(),
        beside: !are_ranked && builtin::is_builtin(&line.name),
    });
    ranked.collect()
}

fn playing(entrants: &[EntrantLine]) -> Vec<String> {
    let playing = entrants.iter().filter(|line| line.artifact.is_some());
    playing.map(|line| line.name.clone()).collect()
}

/// A game with its number in fixture order, from 1, whether or not the games before it have
/// been played.
pub(super) struct GameRow<'a> {
    pub(super) number: usize,
    pub(super) result: &'a MatchResult,
}

/// The rows of `games.csv`.
pub(super) enum GameRows {}

impl Rows for GameRows {
    type Row<'a> = GameRow<'a>;
}

/// Lists the columns of `games.csv`.
pub(super) fn game_columns(competition: &Competition, roles: Roles) -> SheetColumns<'_, GameRows> {
    SheetColumns::<GameRows>::new()
        .with("game", |row| row.number)
        .with_for(Reader::Staff, "fixture", |row| row.result.fixture.clone())
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
        .with_roles(roles, "uncharged_us", |row, seat| {
            row.result.seats[seat].uncharged_us
        })
        .with_roles(roles, "wall_us", |row, seat| row.result.seats[seat].wall_us)
        .with_roles(roles, "points", move |row, seat| {
            let tally = tally(&competition.scoring, row.result, seat);
            tally.points
        })
}

/// Lists the seats that won, all of them after a joint win and none after a draw.
fn won(result: &MatchResult) -> impl Iterator<Item = usize> {
    let seats = result.outcome.seats.iter().enumerate();
    let won = seats.filter(|(_, outcome)| outcome.result == GameResult::Won);
    won.map(|(seat, _)| seat)
}

fn winners(result: &MatchResult) -> Vec<&str> {
    won(result)
        .map(|seat| result.seats[seat].entrant.as_str())
        .collect()
}

fn won_as(result: &MatchResult, roles: Roles) -> Vec<&'static str> {
    won(result).map(|seat| roles[seat]).collect()
}
