//! `judge view`: the page of a run, or of one of its games.

use super::Done;
use super::past_run::{self, PastRun};
use super::repro::find;
use super::words::shown;
use crate::error::JudgeError;
use crate::journal::Games;
use crate::report::{Played, html};
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct View {
    /// The run's folder
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// A game, by its number in games.csv or the beginning of its fixture's id; without it, the
    /// page of the whole run is written again
    #[arg(value_name = "GAME")]
    game: Option<String>,
}

impl View {
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
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
        let games = Games::open(&folder)?;
        let run = Played {
            folder: &folder,
            manifest: &manifest,
            ids: &ids,
            games: &games,
        };
        let table = run.table()?;
        let source = html::Source {
            folder: &folder,
            competition: &manifest.competition,
            entrants: &manifest.entrants,
            ids: &ids,
            table: &table,
        };
        html::write_report(&source, &|id| games.read(id))
    }
}
