//! A run as its reader may see it, and how its games become standings, in batches on all cores.

use crate::html::BotStderr;
use model::builtin;
use model::competition::{Competition, Disqualify};
use model::draw::Draw;
use model::record::{MatchRecord, MatchResult};
use rulebook::scoring::{Conduct, Gathering, Ranked, StandingsTable};
use rulebook::{JudgeError, schedule};
use std::borrow::Cow;
use std::ops::Range;
use store::manifest::{EntrantLine, Manifest};
use store::{MachineGames, Moment, UnequalMachines};
use system::cores;

/// A run as its reader may see it: with public names, all files derived from it are for the public.
#[derive(Clone)]
pub struct RunData<'a> {
    /// The manifest.
    pub manifest: &'a Manifest,
    /// The games.
    pub games: &'a dyn GameSource,
    /// The lines about submissions that the reader may see.
    pub people: &'a [EntrantLine],
    /// The moments of the run in order, with the present one last.
    pub moments: Cow<'a, [Moment]>,
    /// Number of games in the schedule.
    pub scheduled: usize,
    /// The machines that games were played on.
    pub machines: Cow<'a, [MachineGames]>,
    /// Whether readers have the run's folder.
    pub is_staff: bool,
}

impl<'a> RunData<'a> {
    pub(crate) fn of_view(
        manifest: &'a Manifest,
        games: &'a dyn GameSource,
        moments: &'a [Moment],
    ) -> Result<Self, JudgeError> {
        let competition = &manifest.competition;
        // The number of games does not depend on the draw.
        let draw = Draw::public(0, &competition.round);
        let filler = manifest.filler.as_ref();
        let ids = schedule::ids(competition, &draw, &manifest.playing(), filler, None)?;
        let plays = |line: &EntrantLine| line.artifact.is_some();
        let playing = manifest.entrants.partition_point(plays);
        Ok(Self {
            manifest,
            games,
            people: &manifest.entrants[playing..],
            moments: moments.into(),
            scheduled: ids.len(),
            machines: manifest.machines.as_slice().into(),
            is_staff: false,
        })
    }

    pub(crate) fn unequal(&self) -> Option<UnequalMachines> {
        UnequalMachines::among(self.machines.iter().map(|one| &one.line))
    }
}

/// Finished games, under the names that their reader may know, read on any core.
pub trait GameSource: Sync {
    /// Returns the number of games that there may be.
    fn count(&self) -> usize;

    /// Returns the number of a game in the tables, by its place from 0.
    fn number(&self, place: usize) -> usize {
        place + 1
    }

    /// Reads the result of a game by its number; `None` if it has not been played.
    fn result(&self, number: usize) -> Result<Option<MatchResult>, JudgeError>;

    /// Reads the same game with its moves.
    fn record(&self, number: usize) -> Result<Option<MatchRecord>, JudgeError>;

    /// Returns the bots' standard error in a game, as far as the reader may see it.
    fn wrote(&self, _number: usize, _record: &MatchRecord) -> Result<Vec<BotStderr>, JudgeError> {
        Ok(Vec::new())
    }
}

/// The callback for each game, with its number and whether it counts.
pub(crate) type Visit<'a> = dyn FnMut(usize, &MatchResult, bool) -> Result<(), JudgeError> + 'a;

pub(crate) type NumberedGame = (usize, MatchResult);

/// Number of games of the schedule that go to a core at a time.
pub(crate) const BATCH: usize = 256;

/// Visits the games in the order of their places, and returns the standings.
pub(crate) fn standings(
    manifest: &Manifest,
    games: &dyn GameSource,
    visit: &mut Visit<'_>,
) -> Result<StandingsTable, JudgeError> {
    gather(manifest, games, &|_| (), &mut |&()| Ok(()), visit)
}

/// Like [`standings`]; also calls `make` on batches, on any core, and `take` on its results in order.
pub(crate) fn gather<M: Send>(
    manifest: &Manifest,
    games: &dyn GameSource,
    make: &(dyn Fn(&[NumberedGame]) -> M + Sync),
    take: &mut dyn FnMut(&M) -> Result<(), JudgeError>,
    visit: &mut Visit<'_>,
) -> Result<StandingsTable, JudgeError> {
    let competition = &manifest.competition;
    let roles = schedule::roles(competition)?;
    let conduct = conduct(competition, games)?;
    let ranked = ranked(competition, &manifest.entrants);
    let resamples = manifest.draw.resamples;
    let mut gathering = Gathering::new(competition, &ranked, roles.len(), &conduct, resamples);
    let read = |places: Range<usize>| {
        let games = results(games, places)?;
        let batch = make(&games);
        Ok::<_, JudgeError>((games, batch))
    };
    cores::in_order(batches(games, BATCH), read, |(games, batch)| {
        take(batch)?;
        for (number, result) in games {
            let counts = gathering.add(*number, result);
            visit(*number, result, counts)?;
        }
        Ok(())
    })?;
    let mut table = gathering.table();
    table.removed.sort();
    Ok(table)
}

pub(crate) fn batches(
    games: &dyn GameSource,
    length: usize,
) -> impl Iterator<Item = Range<usize>> + use<> {
    let count = games.count();
    let firsts = (0..count).step_by(length);
    firsts.map(move |first| first..count.min(first + length))
}

pub(crate) fn results(
    games: &dyn GameSource,
    places: Range<usize>,
) -> Result<Vec<NumberedGame>, JudgeError> {
    places
        .map(|place| games.number(place))
        .filter_map(|number| {
            let result = games.result(number).transpose()?;
            Some(result.map(|result| (number, result)))
        })
        .collect()
}

/// Gathers the faults that disqualify, if disqualification removes games from the table.
fn conduct(competition: &Competition, games: &dyn GameSource) -> Result<Conduct, JudgeError> {
    let mut conduct = Conduct::default();
    if competition.scoring.disqualify == Disqualify::Remove {
        for number in (0..games.count()).map(|place| games.number(place)) {
            if let Some(result) = games.result(number)? {
                let seats = result.seats.iter().map(|seat| seat.entrant.as_str());
                let is_graded = competition.scoring.is_unranked(seats);
                conduct.add(number, &result, is_graded);
            }
        }
    }
    Ok(conduct)
}

/// Returns the entrants of the table: all that play, except for opponents (of a gauntlet or of graded games)
/// and those too late for a grade. Built-in bots take no rank, unless the competition ranks them or they are alone.
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
            unranked: !are_ranked && builtin::is_builtin(&line.name)
                || competition.scoring.is_prize_test(&line.name),
        })
        .collect()
}
