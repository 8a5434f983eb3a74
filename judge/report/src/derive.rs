//! The one derivation of standings, tables and page of a run; nothing else makes files of results.

use crate::blame::FirstFault;
use crate::html::Pages;
use crate::moments::thinned;
use crate::outputs::{GATHERED, Gathered, OutputSource, PER_GAME, ResultChange, changes_of};
use crate::run_data::{BATCH, NumberedGame, PlayedRun, RunData, batches, gather, numbered};
use crate::sheet::Reader;
use rulebook::scoring::StandingsTable;
use rulebook::{JudgeError, schedule};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use store::UnequalMachines;
use system::files::{NewFile, write_whole};

pub(crate) type Place<'a> = dyn FnMut(&str) -> Result<PathBuf, JudgeError> + 'a;

impl<'a> RunData<'a> {
    pub(crate) fn of_run(run: &'a PlayedRun<'a>) -> Result<Self, JudgeError> {
        Ok(Self {
            manifest: run.manifest,
            games: run,
            people: &run.manifest.entrants,
            moments: (thinned(run.games.moments(), false).into_iter().cloned()).collect(),
            scheduled: run.ids.len(),
            machines: run.machines()?.into(),
            is_staff: true,
        })
    }

    /// Writes the tables, game by game; with `own`, those of one student (by public name).
    pub(crate) fn write_tables(
        &self,
        own: Option<(&str, Option<&StandingsTable>)>,
        place: &mut Place<'_>,
    ) -> Result<(Option<StandingsTable>, Gathered<'a>), JudgeError> {
        let reader = match own {
            _ if self.is_staff => Reader::Staff,
            Some(_) => Reader::Author,
            None => Reader::Public,
        };
        let source = OutputSource {
            run: self,
            roles: schedule::roles(&self.manifest.competition)?,
            reader,
            own: own.map(|(name, _)| name),
        };
        let mut ends = Vec::new();
        for output in GATHERED.iter().filter(|output| output.reader <= reader) {
            let name = match own {
                None => (output.name)(&source),
                Some((_, known)) => known.and(output.own).map(str::to_owned),
            };
            if let Some(name) = name {
                ends.push((output, place(&name)?));
            }
        }
        let mut files = Vec::new();
        for output in PER_GAME {
            let path = place(output.name)?;
            files.push((NewFile::begin(&path)?, path));
        }
        let csv = |games: &[NumberedGame]| -> Vec<Vec<u8>> {
            (PER_GAME.iter().map(|output| (output.csv)(&source, games))).collect()
        };
        let heads = csv(&[]);
        let rows = |games: &[NumberedGame]| {
            let mut rows = csv(games);
            for (rows, head) in rows.iter_mut().zip(&heads) {
                rows.drain(..head.len());
            }
            rows
        };
        let mut add = |rows: &Vec<Vec<u8>>| {
            files
                .iter_mut()
                .zip(rows)
                .try_for_each(|((file, path), rows)| {
                    file.write_all(rows)
                        .map_err(|e| JudgeError::io("write", &*path, e))
                })
        };
        add(&heads)?;
        let mut gathered = Gathered::new(self.manifest, source.roles);
        let table = if let Some((_, known)) = own {
            for places in batches(self.games, BATCH) {
                let read = |number| self.games.result(number);
                add(&rows(&numbered(self.games, places, read)?))?;
            }
            known.cloned()
        } else {
            let visit = &mut |number, result: &_, counts| {
                gathered.add(number, result, counts);
                Ok(())
            };
            Some(gather(self.manifest, self.games, &rows, &mut add, visit)?)
        };
        if let Some(table) = &table {
            for (output, path) in ends {
                write_whole(&path, &(output.csv)(&source, table, &gathered))?;
            }
        }
        files.into_iter().try_for_each(|(file, _)| file.keep())?;
        Ok((table, gathered))
    }

    fn write_for_staff(&self, folder: &Path) -> Result<Written, JudgeError> {
        let mut paths = Vec::new();
        let mut place = |name: &str| {
            paths.push(folder.join(name));
            Ok(folder.join(name))
        };
        let (table, gathered) = self.write_tables(None, &mut place)?;
        let table = table.expect("staff see all games");
        Ok(Written {
            paths,
            slowest: gathered.wall_times.slowest(),
            slow_starters: gathered.wall_times.slow_starters(),
            first_faults: gathered.first_faults,
            overloaded: gathered.overloaded,
            unequal: self.unequal(),
            changes: changes_of(self.manifest, &table),
            table,
        })
    }
}

/// The results of a run, for a summary of it.
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
    /// Whom games waited for longest, in words, if they waited long.
    pub slowest: Option<String>,
    /// Who needs long to start, in words.
    pub slow_starters: Option<String>,
    /// The fastest and the slowest machine, if they differ too much.
    pub unequal: Option<UnequalMachines>,
    /// The changes by a regrade; empty in other runs.
    pub changes: Vec<ResultChange>,
}

/// Writes tables and page of a run into a folder; with `full`, a page for each game, until the flag is set.
pub fn write_results(
    run: &PlayedRun<'_>,
    folder: &Path,
    full: Option<&AtomicBool>,
) -> Result<Written, JudgeError> {
    let data = RunData::of_run(run)?;
    let mut written = data.write_for_staff(folder)?;
    let page = Pages::gather(&data, &written.table)?.write(folder, full)?;
    written.paths.push(page);
    Ok(written)
}

/// Writes the tables of a run into a folder.
pub fn write_tables(run: &PlayedRun<'_>, folder: &Path) -> Result<Written, JudgeError> {
    RunData::of_run(run)?.write_for_staff(folder)
}

/// Memory of a process that makes tables, besides its games, in bytes.
const PROCESS_BYTES: u64 = 16_000_000;

/// Memory that tables take for each game, in bytes; the benchmark `tables` measures 79.
const GAME_BYTES: u64 = 80;

/// Returns the memory that the tables of `games` games take, in bytes.
pub const fn tables_bytes(games: u64) -> u64 {
    PROCESS_BYTES + games * GAME_BYTES
}
