//! The one derivation: the standings, tables and page of a run, for staff, the public or one student.
//! The run's folder, the views and `judge verify` call it. Nothing else makes a file of results.

use crate::blame::{FirstFault, FirstFaults};
use crate::gather::{BATCH, GameSource, NumberedGame, Visit, batch, gather, results};
use crate::html::{self, Live, PageMachines, PageSource, Pages};
use crate::moments::moments_of_page;
use crate::outputs::{
    GATHERED, Gathered, OutputSource, PER_GAME, ResultChange, Scored, changes_of,
};
use crate::sheet::{Lines, Reader, SheetFile};
use crate::slowest::{Slowest, WallTimes};
use crate::views::PlayedRun;
use model::draw::Draw;
use model::record::MatchResult;
use rulebook::scoring::StandingsTable;
use rulebook::{JudgeError, schedule};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use store::manifest::{DrawLine, Manifest};
use store::{MachineLines, Moment, UnequalMachines};
use system::files::write_whole;

/// A run as its reader may see it, from which all files of results are derived.
#[derive(Clone)]
pub(crate) struct RunData<'a> {
    pub(crate) manifest: &'a Manifest,
    pub(crate) games: &'a dyn GameSource,
    pub(crate) moments: Cow<'a, [Moment]>,
    /// Number of games in the schedule.
    pub(crate) scheduled: usize,
    /// By the digests in the games' records; `None` for readers who only see those in the manifest.
    pub(crate) machines: Option<MachineLines>,
}

/// The tables of one reader.
#[derive(Clone, Copy)]
pub(crate) enum TablesOf<'a> {
    Staff,
    Public,
    /// The rows about one entrant, whose own games these are. Its standing needs those of others.
    Student(&'a str, Option<&'a StandingsTable>),
}

/// Returns the path for a file's name.
pub(crate) type Place<'a> = dyn FnMut(&str) -> Result<PathBuf, JudgeError> + 'a;

impl<'a> RunData<'a> {
    /// Returns the run as staff see it.
    pub(crate) fn of_run(run: &'a PlayedRun<'a>) -> Result<Self, JudgeError> {
        Ok(Self {
            manifest: run.manifest,
            games: run,
            moments: moments_of_page(run.games).into(),
            scheduled: run.ids.len(),
            machines: Some(run.games.machines_of(run.ids)?),
        })
    }

    /// Returns a run whose manifest, games and moments are those of a view.
    pub(crate) fn of_view(
        manifest: &'a Manifest,
        games: &'a dyn GameSource,
        moments: &'a [Moment],
    ) -> Result<Self, JudgeError> {
        let competition = &manifest.competition;
        // The number of games does not depend on the draw.
        let draw = Draw::public(0, &competition.round);
        let ids = schedule::ids(
            competition,
            &draw,
            &manifest.playing(),
            manifest.filler.as_ref(),
        )?;
        Ok(Self {
            manifest,
            games,
            moments: moments.into(),
            scheduled: ids.len(),
            machines: None,
        })
    }

    /// Returns the fastest and the slowest machine, if they differ too much.
    fn unequal(&self) -> Option<UnequalMachines> {
        match &self.machines {
            Some(lines) => UnequalMachines::among(lines.values()),
            None => UnequalMachines::among(self.manifest.machines.iter().map(|one| &one.line)),
        }
    }

    /// Returns the data of the page.
    pub(crate) fn page<'b>(
        &'b self,
        table: &'b StandingsTable,
        live: Option<Live<'b>>,
    ) -> PageSource<'b> {
        let (machines, entrants) = match &self.machines {
            Some(lines) => (PageMachines::Named(lines), &*self.manifest.entrants),
            None => (PageMachines::Counted(&self.manifest.machines), &[][..]),
        };
        PageSource {
            has_run: self.machines.is_some(),
            competition: &self.manifest.competition,
            entrants,
            draw: &self.manifest.draw,
            scheduled: self.scheduled,
            numbers: self.games.count(),
            machines,
            table,
            moments: &self.moments,
            live,
        }
    }

    /// Writes the tables, game by game; returns the standings, unless a student's are not known.
    pub(crate) fn write_tables(
        &self,
        whose: TablesOf<'_>,
        place: &mut Place<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<Option<StandingsTable>, JudgeError> {
        let source = OutputSource::new(self.manifest)?;
        let (reader, own) = match whose {
            TablesOf::Staff => (Reader::Staff, None),
            TablesOf::Public => (Reader::Public, None),
            TablesOf::Student(name, _) => (Reader::Author, Some(name)),
        };
        let mut ends = Vec::new();
        for output in GATHERED.iter().filter(|output| output.reader <= reader) {
            let name = match whose {
                TablesOf::Staff | TablesOf::Public => (output.name)(&source),
                TablesOf::Student(_, known) => known.and(output.own).map(str::to_owned),
            };
            if let Some(name) = name {
                ends.push((output, place(&name)?));
            }
        }
        let (mut makers, mut files) = (Vec::new(), Vec::new());
        for output in PER_GAME {
            let columns = (output.columns)(&source).for_reader(reader);
            let mut head = Lines::new();
            head.head(&columns);
            let mut file = SheetFile::begin(place(output.name)?)?;
            file.add(&head.finish())?;
            makers.push((output, columns));
            files.push(file);
        }
        let rows = |batch: &[NumberedGame]| -> Vec<Vec<u8>> {
            let lines = makers.iter().map(|(output, columns)| {
                let mut lines = Lines::new();
                for (number, result) in batch {
                    (output.rows)(*number, result, own, &mut |row| lines.row(columns, row));
                }
                lines.finish()
            });
            lines.collect()
        };
        let mut add = |rows: &Vec<Vec<u8>>| {
            let mut both = files.iter_mut().zip(rows);
            both.try_for_each(|(file, rows)| file.add(rows))
        };
        let mut gathered = Gathered::new(&source);
        let table = if let TablesOf::Student(_, standing) = whose {
            let places = 0..self.games.count();
            let batches = places.step_by(BATCH).map(|first| batch(self.games, first));
            for places in batches {
                add(&rows(&results(self.games, places)?))?;
            }
            standing.cloned()
        } else {
            let visit = &mut |number: usize, result: &MatchResult, counts: bool| {
                gathered.add(&source, result, counts);
                visit(number, result, counts)
            };
            Some(gather(self.manifest, self.games, &rows, &mut add, visit)?)
        };
        if let Some(table) = &table {
            let scored = Scored {
                table,
                gathered: &gathered,
                is_mixed: self.unequal().is_some(),
            };
            for (output, path) in ends {
                write_whole(&path, &(output.csv)(&source, &scored, reader))?;
            }
        }
        files.into_iter().try_for_each(SheetFile::save)?;
        Ok(table)
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
    /// The entrant that games waited for longest, if they waited long.
    pub slowest: Option<Slowest>,
    /// Who needs long to start, in words.
    pub slow_starters: Option<String>,
    /// The fastest and the slowest machine, if they differ too much.
    pub unequal: Option<UnequalMachines>,
    /// The changes by a regrade; empty in other runs.
    pub changes: Vec<ResultChange>,
}

/// Writes the tables and the page of a run into a folder, and with `full` a page for each game, until
/// the flag is set.
pub fn write_results(
    run: &PlayedRun<'_>,
    folder: &Path,
    full: Option<&AtomicBool>,
) -> Result<Written, JudgeError> {
    let data = RunData::of_run(run)?;
    let mut written = data.write_for_staff(folder)?;
    let draw = &run.manifest.draw;
    let page = data.write_page(draw, &written.table, folder, full)?;
    written.paths.push(page);
    Ok(written)
}

/// Writes the tables of a run into a folder.
pub fn write_tables(run: &PlayedRun<'_>, folder: &Path) -> Result<Written, JudgeError> {
    RunData::of_run(run)?.write_for_staff(folder)
}

/// Writes the page of a run into a folder, with these facts of the draw; `full` as in
/// [`write_results`].
pub fn write_page(
    run: &PlayedRun<'_>,
    draw: &DrawLine,
    table: &StandingsTable,
    folder: &Path,
    full: Option<&AtomicBool>,
) -> Result<PathBuf, JudgeError> {
    RunData::of_run(run)?.write_page(draw, table, folder, full)
}

impl RunData<'_> {
    /// Writes the tables for staff into a folder.
    fn write_for_staff(&self, folder: &Path) -> Result<Written, JudgeError> {
        let competition = &self.manifest.competition;
        let roles = schedule::roles(competition)?;
        let mut paths = Vec::new();
        let (mut firsts, mut first_faults) = (FirstFaults::default(), Vec::new());
        let mut overloaded = Vec::new();
        let names = self.manifest.entrants.iter().map(|line| line.name.as_str());
        let mut wall_times = WallTimes::of(names, competition.conditions.lifetime);
        let mut place = |name: &str| {
            paths.push(folder.join(name));
            Ok(folder.join(name))
        };
        let table = self.write_tables(TablesOf::Staff, &mut place, &mut |game, result, _| {
            first_faults.extend(firsts.of(roles, game, result));
            overloaded.extend(result.overloaded.then_some(game));
            wall_times.add(result);
            Ok(())
        })?;
        let table = table.expect("staff see all games");
        Ok(Written {
            paths,
            first_faults,
            overloaded,
            slowest: wall_times.slowest(),
            slow_starters: wall_times.slow_starters(),
            unequal: self.unequal(),
            changes: changes_of(self.manifest, &table),
            table,
        })
    }

    fn write_page(
        &self,
        draw: &DrawLine,
        table: &StandingsTable,
        folder: &Path,
        full: Option<&AtomicBool>,
    ) -> Result<PathBuf, JudgeError> {
        let source = PageSource {
            draw,
            ..self.page(table, None)
        };
        let Some(stop) = full else {
            return html::write_report(folder, &source, self.games);
        };
        let pages = Pages::gather(source, self.games)?;
        let page = pages.whole(self.games, true)?;
        html::replace_games(folder, &pages, self.games, stop)?;
        let path = folder.join(html::FILE_NAME);
        write_whole(&path, page.as_bytes())?;
        Ok(path)
    }
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
