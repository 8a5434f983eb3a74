//! A run as it was played, and as its reader may see it; and how its games become standings, in batches on all cores.

use crate::exports::people_of_run;
use crate::html::BotStderr;
use model::builtin;
use model::competition::{Competition, Disqualify, FINAL};
use model::draw::Draw;
use model::game_id::GameId;
use model::record::{MatchRecord, MatchResult};
use rulebook::scoring::{Conduct, Gathering, Ranked, StandingsTable};
use rulebook::{JudgeError, Result, schedule};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use store::manifest::{EntrantLine, Manifest};
use store::names::{NamePreference, PublicNames};
use store::{Games, Keys, MachineGames, Moment, UnequalMachines};
use system::cores;
use system::files::make_private_folder;
use system::run_folder::STAFF;

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
    ) -> Result<Self> {
        let competition = &manifest.competition;
        // The number of games does not depend on the draw.
        let draw = Draw::public(0, &competition.round);
        let filler = manifest.filler.as_ref();
        let ids = schedule::ids(competition, &draw, &manifest.playing(), filler, None)?;
        Ok(Self {
            manifest,
            games,
            people: &manifest.entrants[playing(&manifest.entrants).count()..],
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
    fn result(&self, number: usize) -> Result<Option<MatchResult>>;

    /// Reads the same game with its moves.
    fn record(&self, number: usize) -> Result<Option<MatchRecord>>;

    /// Returns the bots' standard error in a game, as far as the reader may see it.
    fn wrote(&self, _number: usize, _record: &MatchRecord) -> Result<Vec<BotStderr>> {
        Ok(Vec::new())
    }
}

/// The callback for each game, with its number and whether it counts.
pub(crate) type Visit<'a> = dyn FnMut(usize, &MatchResult, bool) -> Result + 'a;

pub(crate) type NumberedGame = (usize, MatchResult);

/// Number of games of the schedule that go to a core at a time.
pub(crate) const BATCH: usize = 256;

/// Visits the games in the order of their places, and returns the standings.
pub(crate) fn standings(
    manifest: &Manifest,
    games: &dyn GameSource,
    visit: &mut Visit<'_>,
) -> Result<StandingsTable> {
    gather(manifest, games, &|_| (), &mut |&()| Ok(()), visit)
}

/// Like [`standings`]; also calls `make` on batches, on any core, and `take` on its results in order.
pub(crate) fn gather<M: Send>(
    manifest: &Manifest,
    games: &dyn GameSource,
    make: &(dyn Fn(&[NumberedGame]) -> M + Sync),
    take: &mut dyn FnMut(&M) -> Result,
    visit: &mut Visit<'_>,
) -> Result<StandingsTable> {
    let competition = &manifest.competition;
    let roles = schedule::roles(competition)?;
    let conduct = conduct(competition, games)?;
    let ranked = ranked(competition, &manifest.entrants);
    let resamples = manifest.draw.resamples;
    let mut gathering = Gathering::new(competition, &ranked, roles.len(), &conduct, resamples);
    let read = |places| {
        let games = numbered(games, places, |number| games.result(number))?;
        let batch = make(&games);
        Ok::<_, JudgeError>((games, batch))
    };
    cores::in_order(batches(games, BATCH), read, |(games, batch)| {
        take(batch)?;
        for (number, result) in games {
            visit(*number, result, gathering.add(*number, result))?;
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
    (0..count)
        .step_by(length)
        .map(move |first| first..count.min(first + length))
}

/// Reads the games that have been played at some places.
pub(crate) fn numbered<T>(
    games: &dyn GameSource,
    places: Range<usize>,
    read: impl Fn(usize) -> Result<Option<T>>,
) -> Result<Vec<(usize, T)>> {
    places
        .map(|place| games.number(place))
        .filter_map(|number| {
            let game = read(number).transpose()?;
            Some(game.map(|game| (number, game)))
        })
        .collect()
}

/// Gathers the faults that disqualify, if disqualification removes games from the table.
fn conduct(competition: &Competition, games: &dyn GameSource) -> Result<Conduct> {
    let mut conduct = Conduct::default();
    if competition.scoring.disqualify == Disqualify::Remove {
        for number in (0..games.count()).map(|place| games.number(place)) {
            if let Some(result) = games.result(number)? {
                let seats = result.seats.iter().map(|seat| seat.entrant.as_str());
                conduct.add(number, &result, competition.scoring.is_unranked(seats));
            }
        }
    }
    Ok(conduct)
}

pub(crate) fn playing(entrants: &[EntrantLine]) -> impl Iterator<Item = &EntrantLine> {
    entrants.iter().filter(|line| line.artifact.is_some())
}

/// Returns the entrants of the table: all that play, except for opponents (of a gauntlet or of graded games)
/// and those too late for a grade. Built-in bots take no rank, unless the competition ranks them or they are alone.
pub fn ranked(competition: &Competition, entrants: &[EntrantLine]) -> Vec<Ranked> {
    let mut all: Vec<&EntrantLine> = playing(entrants).collect();
    all.retain(|line| {
        !competition.is_opponent(&line.name) && !line.unranked && !line.is_too_late()
    });
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

/// A run that has been played, or is being played.
#[derive(Clone, Copy, Debug)]
pub struct PlayedRun<'a> {
    /// The run's folder.
    pub folder: &'a Path,
    /// The run's manifest.
    pub manifest: &'a Manifest,
    /// The ids of all its games, in fixture order.
    pub ids: &'a [GameId],
    /// The games that have been finished.
    pub games: &'a Games,
    /// The keys, which only staff may know.
    pub keys: &'a Keys,
}

impl PlayedRun<'_> {
    /// Returns the roles in the run's games.
    pub fn roles(&self) -> Result<&'static [&'static str]> {
        schedule::roles(&self.manifest.competition)
    }

    /// Computes the run's table.
    pub fn table(&self) -> Result<StandingsTable> {
        standings(self.manifest, self, &mut |_, _, _| Ok(()))
    }

    pub(crate) fn machines(&self) -> Result<Vec<MachineGames>> {
        let (lines, mut places) = (self.games.machines(), HashMap::new());
        let mut machines: Vec<MachineGames> = Vec::new();
        for id in self.ids.iter().filter(|_| !lines.is_empty()) {
            let digest = self.games.result(*id)?.and_then(|result| result.machine);
            let Some((digest, line)) = digest.and_then(|digest| lines.get_key_value(&digest))
            else {
                continue;
            };
            let place = *places.entry(digest).or_insert(machines.len());
            if place == machines.len() {
                let line = line.clone();
                machines.push(MachineGames { line, games: 0 });
            }
            machines[place].games += 1;
        }
        Ok(machines)
    }

    /// Chooses public names for all entrants. The run's folder keeps the names drawn.
    pub fn public_names(&self) -> Result<PublicNames> {
        let staff = self.folder.join(STAFF);
        make_private_folder(&staff)?;
        let said = self.said()?;
        let mut people: HashMap<String, (String, Vec<String>)> = HashMap::new();
        for person in people_of_run(self.folder)? {
            let (names, known) = people.entry(person.submission).or_default();
            known.extend([person.id, person.email]);
            let name = person.name.trim();
            if !names.is_empty() && !name.is_empty() {
                names.push_str(" & ");
            }
            names.push_str(name);
        }
        let called: Vec<NamePreference<'_>> = self
            .manifest
            .entrants
            .iter()
            .map(|line| {
                let own = people.get(&line.name);
                NamePreference {
                    entrant: &line.name,
                    anonymous: line.anonymous,
                    platform_named: line.platform_named,
                    nickname: (line.nickname.as_ref().or(said.get(&line.name))).map(String::as_str),
                    people: own.map_or("", |(names, _)| names),
                    known: own.map_or(&[], |(_, known)| known),
                }
            })
            .collect();
        let mut names = PublicNames::of_run(&staff, self.manifest.competition.names, &called)?;
        if self.manifest.competition.round == FINAL
            && names.has_hidden()
            && self.games.moments().any(|moment| moment.round != FINAL)
        {
            names.refused.push(SHOWN_BEFORE.to_owned());
        }
        Ok(names)
    }

    fn said(&self) -> Result<HashMap<String, String>> {
        let mut said = HashMap::new();
        for id in self.ids {
            let game = self.games.result(*id)?;
            for seat in game.into_iter().flat_map(|game| game.seats) {
                if let Some(name) = seat.bot_name {
                    said.insert(seat.entrant, name);
                }
            }
        }
        Ok(said)
    }
}

impl GameSource for PlayedRun<'_> {
    fn count(&self) -> usize {
        self.ids.len()
    }

    fn result(&self, number: usize) -> Result<Option<MatchResult>> {
        self.games.result(self.ids[number - 1])
    }

    fn record(&self, number: usize) -> Result<Option<MatchRecord>> {
        self.games.read(self.ids[number - 1])
    }
}

const SHOWN_BEFORE: &str = "note: the final round has the nicknames and pseudonyms of the practice rounds, so an author recognised there is recognised here, too; authors may choose new nicknames, and the final round in a folder of its own has new pseudonyms";
