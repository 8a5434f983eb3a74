use crate::exports::people_of_run;
use crate::run_data::{GameSource, standings};
use model::competition::FINAL;
use model::game_id::GameId;
use model::record::{MatchRecord, MatchResult};
use rulebook::JudgeError;
use rulebook::schedule;
use rulebook::scoring::StandingsTable;
use std::collections::HashMap;
use std::path::Path;
use store::manifest::{EntrantLine, Manifest};
use store::names::{NamePreference, PublicNames};
use store::{Games, Keys, MachineGames};
use system::files::make_private_folder;
use system::run_folder::STAFF;

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
    pub fn roles(&self) -> Result<&'static [&'static str], JudgeError> {
        schedule::roles(&self.manifest.competition)
    }

    pub(crate) fn playing(&self) -> impl Iterator<Item = &EntrantLine> {
        self.manifest
            .entrants
            .iter()
            .filter(|line| line.artifact.is_some())
    }

    /// Computes the run's table.
    pub fn table(&self) -> Result<StandingsTable, JudgeError> {
        standings(self.manifest, self, &mut |_, _, _| Ok(()))
    }

    pub(crate) fn machines(&self) -> Result<Vec<MachineGames>, JudgeError> {
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
    pub fn public_names(&self) -> Result<PublicNames, JudgeError> {
        let staff = self.folder.join(STAFF);
        make_private_folder(&staff)?;
        let all = &self.manifest.entrants;
        let said = self.said()?;
        let people = self.people()?;
        let called: Vec<NamePreference<'_>> = all
            .iter()
            .map(|line| NamePreference {
                entrant: &line.name,
                anonymous: line.anonymous,
                platform_named: line.platform_named,
                nickname: line
                    .nickname
                    .as_deref()
                    .or(said.get(&line.name).map(String::as_str)),
                people: people.get(&line.name).map_or("", |(names, _)| names),
                known: people.get(&line.name).map_or(&[], |(_, known)| known),
            })
            .collect();
        let rule = self.manifest.competition.names;
        let mut names = PublicNames::of_run(&staff, rule, &called)?;
        let is_final = self.manifest.competition.round == FINAL;
        let mut shown = self.games.moments().filter(|moment| moment.round != FINAL);
        if is_final && names.has_hidden() && shown.next().is_some() {
            names.refused.push(SHOWN_BEFORE.to_owned());
        }
        Ok(names)
    }

    /// Returns by entrant the names of the people behind it, by the roster, and their ids and addresses.
    fn people(&self) -> Result<HashMap<String, (String, Vec<String>)>, JudgeError> {
        let mut people: HashMap<String, (String, Vec<String>)> = HashMap::new();
        for person in people_of_run(self.folder)? {
            let (names, known) = people.entry(person.submission).or_default();
            known.extend([person.id, person.email]);
            let name = person.name.trim();
            if !name.is_empty() {
                let between = if names.is_empty() { "" } else { " & " };
                names.push_str(between);
                names.push_str(name);
            }
        }
        Ok(people)
    }

    fn said(&self) -> Result<HashMap<String, String>, JudgeError> {
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

    fn result(&self, number: usize) -> Result<Option<MatchResult>, JudgeError> {
        self.games.result(self.ids[number - 1])
    }

    fn record(&self, number: usize) -> Result<Option<MatchRecord>, JudgeError> {
        self.games.read(self.ids[number - 1])
    }
}

const SHOWN_BEFORE: &str = "note: the final round has the nicknames and pseudonyms of the practice rounds, so an author recognised there is recognised here, too; authors may choose new nicknames, and the final round in a folder of its own has new pseudonyms";
