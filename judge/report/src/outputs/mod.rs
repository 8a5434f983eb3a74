//! The one derivation of standings, tables and page of a run; nothing else makes files of results.
//! A table is one list of columns and their readers.

mod entrants;
mod games;

use self::entrants::changes_of;
pub(crate) use self::entrants::names_csv;
pub use self::entrants::{ResultChange, copies_csv, ranked_by, results, write_identities};
use crate::blame::{FirstFault, FirstFaults};
use crate::html::Pages;
use crate::moments::thinned;
use crate::run_data::{
    BATCH, NumberedGame, PlayedRun, RunData, batches, gather, numbered, playing,
};
use crate::sheet::{Reader, Roles};
use crate::words::joined;
use engines::Lifetime;
use model::competition::Scoring;
use model::numbers::about;
use model::record::{MatchResult, SeatRecord};
use model::startup::Startup;
use model::tally::Tally;
use rulebook::scoring::{StandingsTable, tally};
use rulebook::{IoContext, Result, schedule};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use store::UnequalMachines;
use store::manifest::Manifest;
use system::files::{NewFile, write_whole};

const GATHERED: &[GatheredOutput] = &[
    entrants::STANDINGS,
    games::PAIRS,
    entrants::SUBMISSIONS,
    entrants::CHANGES,
];

const PER_GAME: &[PerGameOutput] = &[games::GAMES, games::FAULTS];

pub(crate) struct GatheredOutput {
    name: fn(&OutputSource<'_>) -> Option<String>,
    reader: Reader,
    /// The file in each student's folder with the part about that student.
    own: Option<&'static str>,
    csv: fn(&OutputSource<'_>, &StandingsTable, &Gathered<'_>) -> Vec<u8>,
}

/// A file with rows for each game, which everybody gets. Several cores may make rows at a time.
struct PerGameOutput {
    name: &'static str,
    /// Returns the file of some games.
    csv: fn(&OutputSource<'_>, &[NumberedGame]) -> Vec<u8>,
}

struct OutputSource<'a> {
    run: &'a RunData<'a>,
    roles: Roles,
    reader: Reader,
    /// The public name of the student whose tables these are.
    own: Option<&'a str>,
}

pub(crate) struct Gathered<'a> {
    scoring: &'a Scoring,
    roles: Roles,
    pairs: Pairs,
    said: BTreeMap<String, String>,
    firsts: FirstFaults,
    first_faults: Vec<FirstFault>,
    overloaded: Vec<usize>,
    wall_times: WallTimes<'a>,
}

impl<'a> Gathered<'a> {
    fn new(manifest: &'a Manifest, roles: Roles) -> Self {
        let names = manifest.entrants.iter().map(|line| line.name.as_str());
        let competition = &manifest.competition;
        Self {
            scoring: &competition.scoring,
            roles,
            pairs: Pairs::new(manifest),
            said: BTreeMap::new(),
            firsts: FirstFaults::new(roles),
            first_faults: Vec::new(),
            overloaded: Vec::new(),
            wall_times: WallTimes::of(names, competition.conditions.lifetime),
        }
    }

    fn add(&mut self, number: usize, result: &MatchResult, counts: bool) {
        if counts && self.roles.len() == 2 {
            self.pairs.add(self.scoring, result);
        }
        for seat in &result.seats {
            if let Some(name) = &seat.bot_name
                && self.said.get(&seat.entrant) != Some(name)
            {
                self.said.insert(seat.entrant.clone(), name.clone());
            }
        }
        self.first_faults.extend(self.firsts.of(number, result));
        self.overloaded.extend(result.overloaded.then_some(number));
        self.wall_times.add(result);
    }
}

struct Pairs {
    /// The entrants' names, sorted.
    names: Vec<String>,
    /// The tallies of both seats, by first entrant, then by second.
    tallies: Vec<Vec<[Tally; 2]>>,
}

impl Pairs {
    fn new(manifest: &Manifest) -> Self {
        let names: Vec<String> = playing(&manifest.entrants)
            .map(|line| line.name.clone())
            .collect();
        Self {
            tallies: vec![vec![Default::default(); names.len()]; names.len()],
            names,
        }
    }

    fn add(&mut self, scoring: &Scoring, result: &MatchResult) {
        let index = |seat: usize| self.names.binary_search(&result.seats[seat].entrant);
        if let (Ok(first), Ok(second)) = (index(0), index(1)) {
            for (seat, sum) in self.tallies[first][second].iter_mut().enumerate() {
                sum.add(&tally(scoring, result, seat));
            }
        }
    }
}

/// Mean wall time of an entrant's turns in a game, in microseconds, from which it is worth a note.
const WALL_US_MIN: u64 = 10_000_000;
/// The same for silence, which a busy machine does not lengthen.
const IDLE_US_MIN: u64 = 1_000_000;

const STARTUP_US_MIN: u64 = 1_000_000;

#[derive(Debug, Default)]
struct WallTimes<'a> {
    times: BTreeMap<&'a str, WallTime>,
    starts_each_turn: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct WallTime {
    games: u64,
    wall_us: u64,
    idle_us: u64,
    starts: u64,
    startup_us: u64,
    is_ready: bool,
}

impl WallTime {
    fn add(&mut self, seat: &SeatRecord) {
        self.games += 1;
        self.wall_us = self.wall_us.saturating_add(seat.wall_us);
        self.idle_us = self.idle_us.saturating_add(seat.idle_us);
    }
}

fn about_us(us: u64) -> String {
    about(Duration::from_micros(us).as_secs_f64())
}

impl<'a> WallTimes<'a> {
    fn of(entrants: impl Iterator<Item = &'a str>, lifetime: Lifetime) -> Self {
        Self {
            times: entrants.map(|name| (name, WallTime::default())).collect(),
            starts_each_turn: lifetime == Lifetime::Turn,
        }
    }

    fn add(&mut self, result: &MatchResult) {
        let MatchResult { seats, faults, .. } = result;
        let turns = if self.starts_each_turn {
            (result.plies / seats.len()).max(1) as u64
        } else {
            1
        };
        for seat in seats {
            let Some(time) = self.times.get_mut(seat.entrant.as_str()) else {
                continue;
            };
            time.add(seat);
            if seat.startup_wall_us > 0 {
                time.starts += turns;
                time.startup_us = time.startup_us.saturating_add(seat.startup_wall_us);
            }
            let startup = Startup::of(&seat.entrant, seats, faults, result.overloaded);
            time.is_ready |= startup == Startup::Ready;
        }
    }

    fn slow_starters(&self) -> Option<String> {
        let slow = self.times.iter().filter_map(|(name, time)| {
            let mean_us = time.startup_us.checked_div(time.starts)?;
            let never = if time.is_ready { "" } else { ", never ready" };
            (mean_us > STARTUP_US_MIN)
                .then(|| format!("{name} (about {}{never})", about_us(mean_us)))
        });
        match &*joined(slow, ", ") {
            "" => None,
            slow => Some(format!("more than a second to start, in each game: {slow}")),
        }
    }

    /// Names the entrant with the longest turns by wall time; the times are means of its games.
    fn slowest(&self) -> Option<String> {
        let (entrant, wall_us, idle_us) = self
            .times
            .iter()
            .filter_map(|(name, time)| {
                let wall_us = time.wall_us.checked_div(time.games)?;
                Some((name, wall_us, time.idle_us / time.games))
            })
            .max_by_key(|(_, wall_us, _)| *wall_us)
            .filter(|(_, wall_us, idle_us)| *wall_us >= WALL_US_MIN || *idle_us >= IDLE_US_MIN)?;
        let silent = (idle_us * 2 > wall_us).then(|| {
            let silent = about_us(idle_us);
            format!(", {silent} of it silent: it sleeps or waits (idle_s limits that)")
        });
        Some(format!(
            "slowest by wall time: {entrant}, about {} a game{}",
            about_us(wall_us),
            silent.unwrap_or_default()
        ))
    }
}

type Place<'a> = dyn FnMut(&str) -> Result<PathBuf> + 'a;

impl<'a> RunData<'a> {
    pub(crate) fn of_run(run: &'a PlayedRun<'a>) -> Result<Self> {
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
    ) -> Result<(Option<StandingsTable>, Gathered<'a>)> {
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
                .try_for_each(|((file, path), rows)| file.write_all(rows).or_io("write", &*path))
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

    fn write_for_staff(&self, folder: &Path) -> Result<Written> {
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
) -> Result<Written> {
    let data = RunData::of_run(run)?;
    let mut written = data.write_for_staff(folder)?;
    let page = Pages::gather(&data, &written.table)?.write(folder, full)?;
    written.paths.push(page);
    Ok(written)
}

/// Writes the tables of a run into a folder.
pub fn write_tables(run: &PlayedRun<'_>, folder: &Path) -> Result<Written> {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Entrant, wall time and silence of a seat, in microseconds.
    type Seat = (&'static str, u64, u64);

    fn slowest(games: &[[Seat; 2]]) -> Option<String> {
        let mut times = WallTimes::of(["ann", "bob"].into_iter(), Lifetime::Game);
        for (entrant, wall_us, idle_us) in games.iter().flatten() {
            if let Some(time) = times.times.get_mut(entrant) {
                time.add(&SeatRecord {
                    wall_us: *wall_us,
                    idle_us: *idle_us,
                    ..SeatRecord::default()
                });
            }
        }
        times.slowest()
    }

    #[test]
    fn slowest_is_named_by_mean_when_games_wait() {
        let second = 1_000_000;
        let quick = [("ann", 10, 0), ("bob", 9 * second, second - 1)];
        assert_eq!(slowest(&[quick, quick]), None);
        assert_eq!(slowest(&[]), None);
        let waits = [("ann", 4 * second, 3 * second), ("bob", 0, 0)];
        let silent = [("ann", 2 * second, 2 * second), ("bob", 5 * second, 0)];
        let thinks = [("ann", 12 * second, second), ("bob", 3, 0)];
        let alone = [("ann", 2 * second, second), ("a stranger", 90 * second, 0)];
        for (games, words) in [
            (&[waits, silent][..], "3.00 s a game, 2.50 s of it silent"),
            (&[thinks], "12 s a game"),
            (&[alone], "2.00 s a game"),
        ] {
            let found = slowest(games).expect("games wait for it");
            let words = format!("slowest by wall time: ann, about {words}");
            assert!(found.starts_with(&words), "{found}");
        }
    }
}
