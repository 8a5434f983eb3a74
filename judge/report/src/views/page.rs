//! The contest page as each student and the staff may see it. For students it is made from
//! masked games and public names only.

use super::folder::ViewFolder;
use super::masked::Masked;
use super::played::{Extent, PlayedRun};
use super::published::PublicRun;
use crate::html::{FILE_NAME, GAMES_FOLDER, OwnPage, PageMachines, PageSource, Pages, ReadGame};
use error::JudgeError;
use journal::Moment;
use journal::manifest::EntrantLine;
use scoring::StandingsTable;
use std::path::Path;

/// Writes the page for staff: that of the run's folder.
pub(super) fn staff(
    run: &PlayedRun<'_>,
    table: &StandingsTable,
    extent: Extent<'_>,
    folder: &mut ViewFolder<'_>,
) -> Result<(), JudgeError> {
    let read = |number: usize| run.games.read(&run.ids[number - 1]);
    let name = run.folder.file_name().unwrap_or_default().to_string_lossy();
    let machines = run.games.machines_of(run.ids)?;
    let moments: Vec<Moment> = run.games.moments().cloned().collect();
    let source = PageSource {
        run: Some(&name),
        competition: &run.manifest.competition,
        entrants: &run.manifest.entrants,
        draw: &run.manifest.draw,
        scheduled: run.ids.len(),
        numbers: run.ids.len(),
        machines: PageMachines::Named(&machines),
        table,
        moments: &moments,
        live: None,
    };
    let pages = Pages::gather(source, &read)?;
    put(&pages, &read, extent, folder)
}

fn put(
    pages: &Pages<'_>,
    read: ReadGame<'_>,
    extent: Extent<'_>,
    folder: &mut ViewFolder<'_>,
) -> Result<(), JudgeError> {
    let page = pages.whole(read, extent.full)?;
    folder.file(FILE_NAME, page.as_bytes())?;
    if extent.full {
        let games = folder.place(GAMES_FOLDER)?;
        pages.write_games(&games, None, read, extent.stop)?;
    }
    Ok(())
}

/// The pages of students, made from one look at all games.
pub(super) struct Students<'a> {
    masked: &'a Masked<'a>,
    pages: Pages<'a>,
}

impl<'a> Students<'a> {
    pub(super) fn gather(
        public: &PublicRun<'a>,
        masked: &'a Masked<'a>,
        table: &'a StandingsTable,
    ) -> Result<Self, JudgeError> {
        let read = |number: usize| public.shown(number);
        let pages = Pages::gather(public.source(table)?, &read)?;
        Ok(Self { masked, pages })
    }

    /// Writes the page of one student into its folder `own` of the view.
    pub(super) fn write(
        &mut self,
        line: &EntrantLine,
        page: &OwnPage<'_>,
        extent: Extent<'_>,
        own: &Path,
        folder: &mut ViewFolder<'_>,
    ) -> Result<(), JudgeError> {
        let read = |number: usize| self.masked.record_for(number, Some(&line.name));
        let line = EntrantLine {
            name: self.masked.names.of(&line.name).to_owned(),
            ..line.clone()
        };
        let text = self.pages.own(&line, page, &read, extent.full)?;
        folder.file(own.join(FILE_NAME), text.as_bytes())?;
        if extent.full {
            let games = folder.place(own.join(GAMES_FOLDER))?;
            let name = Some(line.name.as_str());
            self.pages.write_games(&games, name, &read, extent.stop)?;
        }
        Ok(())
    }
}
