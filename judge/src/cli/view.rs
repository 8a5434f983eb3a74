//! `judge view`: writes the tables and the page of a run, or the page of one of its games.

use super::exit::Done;
use super::interrupt::stop_on_interrupt;
use super::repro::find;
use super::run_tell;
use super::view_terminal::Stepping;
use crate::progress::Stages;
use clap::Args;
use model::numbers::counted;
use report::html;
use rulebook::JudgeError;
use run::PastRun;
use run::commands::shown;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct ViewArgs {
    /// The run folder
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// A game: its number in games.csv, from 1, or the beginning of its id
    ///
    /// Without it, the tables and the page of the whole run are written again.
    #[arg(value_name = "GAME")]
    game: Option<String>,
    /// Also write a page for every game
    ///
    /// Into the folder `games` beside the run's page.
    #[arg(long, conflicts_with = "game")]
    full: bool,
    /// Show the game in this terminal and write no page
    #[arg(long, requires = "game")]
    terminal: bool,
    #[command(flatten)]
    stepping: Stepping,
}

impl ViewArgs {
    pub(super) fn execute(&self) -> Result<Done, JudgeError> {
        if let Some(game) = &self.game
            && (self.terminal || self.stepping.is_given())
        {
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
        Ok(Done::Success)
    }

    /// Writes the tables and the page of a run, all of the same moment.
    fn report(&self) -> Result<PathBuf, JudgeError> {
        let past = PastRun::open(&self.run)?;
        let games = past.games(&Stages::default())?;
        let ids = games.listed();
        run_tell::findings(&games);
        let folder = &past.folder;
        let stop = self.full.then(stop_on_interrupt).transpose()?;
        past.write(&games, stop.as_deref(), &Stages::default())?;
        let played = ids.iter().filter(|id| games.contains(**id)).count();
        say!(
            "wrote the tables; they and the page have {played} of {}",
            counted(ids.len() as u64, "game")
        );
        Ok(folder.join(html::FILE_NAME))
    }
}
