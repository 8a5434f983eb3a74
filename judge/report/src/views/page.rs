//! The contest page for each student and for the staff. Students' pages are made from masked games
//! and public names only.

use super::folder::ViewFolder;
use super::masked::Masked;
use super::played::{Extent, PlayedRun};
use super::published::PublicRun;
use crate::html::{
    BotStderr, FILE_NAME, GAMES_FOLDER, OwnPage, PageMachines, PageSource, Pages, ReadGame,
    ReadGames,
};
use crate::thinned::moments_of_page;
use model::record::MatchRecord;
use rulebook::JudgeError;
use rulebook::scoring::StandingsTable;
use std::path::Path;
use store::author_log::AuthorLogs;
use store::manifest::EntrantLine;

/// Writes the page for staff, which is also the page in the run's folder.
pub(super) fn staff(
    run: &PlayedRun<'_>,
    table: &StandingsTable,
    extent: Extent<'_>,
    folder: &mut ViewFolder<'_>,
) -> Result<(), JudgeError> {
    let read = StaffGames {
        run,
        logs: AuthorLogs::of_run(run.folder),
    };
    let machines = run.games.machines_of(run.ids)?;
    let moments = moments_of_page(run.games);
    let source = PageSource {
        has_run: true,
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

/// Games as staff see them.
struct StaffGames<'a> {
    run: &'a PlayedRun<'a>,
    logs: AuthorLogs,
}

impl ReadGames for StaffGames<'_> {
    fn record(&self, number: usize) -> Result<Option<MatchRecord>, JudgeError> {
        self.run.games.read(self.run.ids[number - 1])
    }

    fn wrote(&self, _number: usize, record: &MatchRecord) -> Result<Vec<BotStderr>, JudgeError> {
        BotStderr::of_all(&self.logs, record)
    }
}

/// Games as the author of one entrant sees them.
struct OwnGames<'a> {
    masked: &'a Masked<'a>,
    logs: &'a AuthorLogs,
    /// The entrant's own name.
    entrant: &'a str,
}

impl ReadGames for OwnGames<'_> {
    fn record(&self, number: usize) -> Result<Option<MatchRecord>, JudgeError> {
        self.masked.record_for(number, Some(self.entrant))
    }

    fn wrote(&self, number: usize, record: &MatchRecord) -> Result<Vec<BotStderr>, JudgeError> {
        let fixture = self.masked.fixture(number);
        let own = (self.entrant, &*fixture);
        let name = self.masked.names.of(self.entrant);
        let mask = |text: &str| self.masked.gate.mask(text, self.entrant);
        BotStderr::of_one(self.logs, own, (name, record), mask)
    }
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

/// The pages of students, made after one pass over all games.
pub(super) struct Students<'a> {
    masked: &'a Masked<'a>,
    pages: Pages<'a>,
    logs: AuthorLogs,
}

impl<'a> Students<'a> {
    pub(super) fn gather(
        public: &PublicRun<'a>,
        masked: &'a Masked<'a>,
        table: &'a StandingsTable,
    ) -> Result<Self, JudgeError> {
        let read = |number: usize| public.shown(number);
        let pages = Pages::gather(public.source(table)?, &read)?;
        let logs = AuthorLogs::of_run(masked.folder());
        Ok(Self {
            masked,
            pages,
            logs,
        })
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
        let read = OwnGames {
            masked: self.masked,
            logs: &self.logs,
            entrant: &line.name,
        };
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
