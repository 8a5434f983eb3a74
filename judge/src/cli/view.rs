//! `judge view`: the page of a run, or of one of its games.

use super::Done;
use super::past_run::{self, PastRun};
use super::repro::find;
use super::view_terminal::Stepping;
use super::words::shown;
use crate::competition::Disqualify;
use crate::error::JudgeError;
use crate::journal;
use crate::manifest::Manifest;
use crate::record::MatchRecord;
use crate::report::html;
use crate::schedule;
use crate::scoring::{Conduct, Gathering, Ranked};
use clap::Args;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct View {
    /// The run's folder
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// A game, by its number in games.csv or the beginning of its fixture's id; without it, the
    /// page of the whole run is written again
    #[arg(value_name = "GAME")]
    game: Option<String>,
    /// Shows the game here and writes no page
    #[arg(long, requires = "game")]
    terminal: bool,
    #[command(flatten)]
    stepping: Stepping,
}

impl View {
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        if let (true, Some(game)) = (self.terminal, &self.game) {
            return self.stepping.show(&self.run, game);
        }
        let path = match &self.game {
            Some(game) => {
                let found = find::find(&self.run, game)?;
                let competition = &found.manifest.competition;
                html::write_game(&found.run, competition, found.number, &found.record)?
            }
            None => self.report()?,
        };
        say!("wrote {}; open it in a browser", shown(&path));
        Ok(Done::Well)
    }

    fn report(&self) -> Result<PathBuf, JudgeError> {
        let PastRun { folder, manifest } = PastRun::open(&self.run)?;
        let ids = past_run::ids(&manifest)?;
        let records = records(&folder)?;
        let table = gathering(&manifest, &ids, &records)?.table();
        let source = html::Source {
            folder: &folder,
            competition: &manifest.competition,
            entrants: &manifest.entrants,
            ids: &ids,
            table: &table,
        };
        html::write_report(&source, &|id| Ok(records.get(id).cloned()))
    }
}

fn records(folder: &Path) -> Result<HashMap<String, MatchRecord>, JudgeError> {
    let records = journal::look(folder, "")?.records.into_iter();
    Ok(records
        .map(|record| (record.fixture.clone(), record))
        .collect())
}

fn gathering(
    manifest: &Manifest,
    ids: &[String],
    records: &HashMap<String, MatchRecord>,
) -> Result<Gathering, JudgeError> {
    let competition = &manifest.competition;
    let opponents = competition.schedule.opponents();
    let playing = manifest
        .entrants
        .iter()
        .filter(|line| line.artifact.is_some());
    let ranked = playing.filter(|line| !opponents.contains(&line.name));
    let ranked: Vec<Ranked> = ranked
        .map(|line| Ranked {
            name: line.name.clone(),
            tokens: line.tokens,
        })
        .collect();
    let played = || ids.iter().filter_map(|id| records.get(id));
    let mut conduct = Conduct::default();
    if competition.scoring.disqualify == Disqualify::Remove {
        played().for_each(|record| conduct.add(record));
    }
    let roles = schedule::roles(competition)?;
    let mut gathering = Gathering::new(competition, &ranked, roles.len(), &conduct);
    for record in played() {
        gathering.add(record);
    }
    Ok(gathering)
}
