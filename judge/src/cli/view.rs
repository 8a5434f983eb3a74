//! `judge view`: the page of a run, or of one of its games.

use super::display::shown;
use super::exit::Done;
use super::interrupt::stop_on_interrupt;
use super::past_run::PastRun;
use super::repro::find;
use super::view_terminal::Stepping;
use clap::Args;
use error::JudgeError;
use journal::Moment;
use report::{PlayedRun, html};
use std::path::PathBuf;
use system::files::write_whole;

#[derive(Args)]
pub(super) struct ViewArgs {
    /// The run folder
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// A game: its number in games.csv, or the beginning of its fixture id [default: write the
    /// page of the whole run again]
    #[arg(value_name = "GAME")]
    game: Option<String>,
    /// Also write a page for every game, into the folder `games` beside the run's page
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
        Ok(Done::Success)
    }

    fn report(&self) -> Result<PathBuf, JudgeError> {
        let past = PastRun::open(&self.run)?;
        let (ids, games) = (past.ids()?, past.games()?);
        let PastRun {
            folder,
            manifest,
            keys,
        } = past;
        let run = PlayedRun {
            folder: &folder,
            manifest: &manifest,
            ids: &ids,
            games: &games,
            keys: &keys,
        };
        let table = run.table()?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let machines = games.machines_of(&ids)?;
        let moments: Vec<Moment> = games.moments().cloned().collect();
        let source = html::PageSource {
            run: Some(&name),
            competition: &manifest.competition,
            entrants: &manifest.entrants,
            draw: &manifest.draw,
            scheduled: ids.len(),
            numbers: ids.len(),
            machines: html::PageMachines::Named(&machines),
            table: &table,
            moments: &moments,
            live: None,
        };
        let read = |number: usize| games.read(&ids[number - 1]);
        if !self.full {
            return html::write_report(&folder, &source, &read);
        }
        let stop = stop_on_interrupt()?;
        let pages = html::Pages::gather(source, &read)?;
        let page = pages.whole(&read, true)?;
        html::replace_games(&folder, &pages, &read, &stop)?;
        let path = folder.join(html::FILE_NAME);
        write_whole(&path, page.as_bytes())?;
        Ok(path)
    }
}
