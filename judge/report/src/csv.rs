//! The tables of a run: gathering its games and writing them.

use super::blame::{FirstFault, FirstFaults};
use super::outputs::{OutputSource, ResultChange, Scored, changes_of};
use super::sheet::Reader;
use super::slowest::{Slowest, WallTimes};
use super::tables::Tables;
use super::thinned::moments_of_page;
use model::builtin;
use model::competition::{Competition, Disqualify};
use model::game_id::GameId;
use model::record::MatchResult;
use rulebook::JudgeError;
use rulebook::schedule;
use rulebook::scoring::{Conduct, Gathering, Ranked, StandingsTable};
use std::path::{Path, PathBuf};
use store::manifest::{EntrantLine, Manifest};
use store::{Games, MachineLines, Moment, UnequalMachines};
use system::cores;

/// The data behind the files of a run.
#[derive(Debug)]
pub struct RunFiles<'a> {
    /// The run's folder.
    pub folder: &'a Path,
    /// The run's manifest.
    pub manifest: &'a Manifest,
    /// The fixture ids of every game of the competition, in order.
    pub games: &'a [GameId],
    /// The journal with the games played.
    pub journal: &'a Games,
}

/// The files of a run, and the data for a summary of it.
#[derive(Debug)]
pub struct Written {
    /// The paths of the files.
    pub paths: Vec<PathBuf>,
    /// The table with the ranks.
    pub table: StandingsTable,
    /// The first fault of each bot that made one, in fixture order.
    pub first_faults: Vec<FirstFault>,
    /// The numbers of games that count although the machine was overloaded.
    pub overloaded: Vec<usize>,
    /// The entrant that games waited for longest, if they waited long.
    pub slowest: Option<Slowest>,
    /// Who needs long to start, in words.
    pub slow_starters: Option<String>,
    /// The machines that the games were played on.
    pub machines: MachineLines,
    /// The moments of the run on its own page.
    pub moments: Vec<Moment>,
    /// The changes by a regrade; empty in other runs.
    pub changes: Vec<ResultChange>,
}

/// Writes all outputs of a run.
///
/// # Errors
/// When the journal cannot be read or a file cannot be written.
pub fn write_csvs(run: &RunFiles<'_>) -> Result<Written, JudgeError> {
    let source = OutputSource::new(run.manifest)?;
    let mut paths = Vec::new();
    let mut tables = Tables::begin(source, Reader::Staff, &mut |name| {
        let path = run.folder.join(name);
        paths.push(path.clone());
        Ok(path)
    })?;
    let mut firsts = FirstFaults::default();
    let mut first_faults = Vec::new();
    let mut overloaded = Vec::new();
    let names = run.manifest.entrants.iter().map(|line| line.name.as_str());
    let mut wall_times = WallTimes::of(names, run.manifest.competition.conditions.lifetime);
    let (makers, files) = (&tables.makers, &mut tables.rows);
    let make = |batch: &[NumberedGame]| {
        let games = batch.iter().map(|(number, result)| (*number, result));
        makers.rows(&games.collect::<Vec<_>>())
    };
    let mut take = |rows: &Vec<Vec<u8>>| files.add(rows);
    let table = gather_made(run, &make, &mut take, &mut |game, result, counts| {
        first_faults.extend(firsts.of(source.roles, game, result));
        overloaded.extend(result.overloaded.then_some(game));
        wall_times.add(result);
        tables.gathered.add(result, counts);
        Ok(())
    })?;
    let machines = run.journal.machines_of(run.games)?;
    tables.save(&Scored {
        table: &table,
        machines: &machines,
        unequal: UnequalMachines::among(machines.values()).as_ref(),
    })?;
    Ok(Written {
        paths,
        first_faults,
        overloaded,
        slowest: wall_times.slowest(),
        slow_starters: wall_times.slow_starters(),
        moments: moments_of_page(run.journal),
        changes: changes_of(run.manifest, &table),
        machines,
        table,
    })
}

/// Visits the games played in the order of the schedule, and returns the table. `visit` gets each
/// game with its number (from 1) and whether it counts.
///
/// # Errors
/// When the journal cannot be read, and those of `visit`.
pub fn gather(run: &RunFiles<'_>, visit: &mut Visit<'_>) -> Result<StandingsTable, JudgeError> {
    gather_made(run, &|_: &[NumberedGame]| (), &mut |&()| Ok(()), visit)
}

/// Memory of a process that makes tables, besides its games, in bytes.
const PROCESS_BYTES: u64 = 16_000_000;

/// Memory that tables take for each game, in bytes: ids, places in the journal, and packed results.
/// The benchmark `tables` measures 79.
const GAME_BYTES: u64 = 80;

/// Returns the memory that the tables of `games` games take, in bytes.
pub const fn tables_bytes(games: u64) -> u64 {
    PROCESS_BYTES + games * GAME_BYTES
}

/// A game and its number in fixture order, from 1.
type NumberedGame = (usize, MatchResult);

/// Number of games of the schedule that go to a core at a time.
const BATCH: usize = 256;

/// Gathers a run like [`gather`], and calls `make` on batches of consecutive games, on any core.
/// `take` gets the results in the order of the games.
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
    let read = |(first, ids): (usize, &[GameId])| {
        let games: Vec<NumberedGame> = ids
            .iter()
            .zip(first..)
            .filter_map(|(id, number)| {
                let result = run.journal.result(*id).transpose()?;
                Some(result.map(|result| (number, result)))
            })
            .collect::<Result<_, JudgeError>>()?;
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

/// The callback for each game besides the table.
pub type Visit<'a> = dyn FnMut(usize, &MatchResult, bool) -> Result<(), JudgeError> + 'a;

/// Gathers the faults that disqualify, if disqualification removes games from the table.
fn conduct(run: &RunFiles<'_>) -> Result<Conduct, JudgeError> {
    let mut conduct = Conduct::default();
    if run.manifest.competition.scoring.disqualify == Disqualify::Remove {
        for (id, game) in run.games.iter().zip(1..) {
            if let Some(result) = run.journal.result(*id)? {
                let seats = result.seats.iter().map(|seat| seat.entrant.as_str());
                let is_graded = run.manifest.competition.scoring.is_unranked(seats);
                conduct.add(game, &result, is_graded);
            }
        }
    }
    Ok(conduct)
}

/// Returns the entrants of the table: all that can play, except for opponents (of a gauntlet or of
/// graded games) and entrants that are too late for a grade. Built-in bots are beside the table,
/// unless the competition ranks them or there is nobody else.
pub fn ranked(competition: &Competition, entrants: &[EntrantLine]) -> Vec<Ranked> {
    let all: Vec<&EntrantLine> = entrants
        .iter()
        .filter(|line| line.artifact.is_some())
        .filter(|line| !competition.is_opponent(&line.name))
        .filter(|line| !line.unranked && !line.is_too_late())
        .collect();
    let are_ranked =
        competition.scoring.rank_builtins || all.iter().all(|line| builtin::is_builtin(&line.name));
    all.iter()
        .map(|line| Ranked {
            name: line.name.clone(),
            knew_draw: line.knew_draw,
            tokens: line.tokens,
            penalty: line.penalty(),
            beside: !are_ranked && builtin::is_builtin(&line.name)
                || competition.scoring.is_prize_test(&line.name),
        })
        .collect()
}
