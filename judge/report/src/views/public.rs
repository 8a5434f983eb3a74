//! What everybody may see: the table, the pairs, the games and the faults, under public names.

use super::folder::ViewFolder;
use super::masked::Masked;
use super::page;
use super::played::{Extent, PlayedRun};
use crate::csv::{GameRow, game_columns};
use crate::faults;
use crate::pairs::{Pairs, pairs_name};
use crate::sheet::{Reader, Roles, Sheet};
use crate::standings::standings_csv;
use error::JudgeError;
use journal::names::PublicNames;
use scoring::{Conduct, Gathering, Ranked, StandingsTable};
use words::competition::Disqualify;

pub(super) fn write(
    run: &PlayedRun<'_>,
    names: &PublicNames,
    extent: Extent<'_>,
    folder: &mut ViewFolder<'_>,
) -> Result<(), JudgeError> {
    let roles = run.roles()?;
    let competition = &run.manifest.competition;
    let masked = Masked::new(run, names)?;
    let (table, pairs) = score(run, &masked, roles)?;
    let standings = standings_csv(competition, roles, &table);
    folder.file("standings.csv", &standings)?;
    if roles.len() == 2 {
        folder.file(pairs_name(roles), &pairs.csv(roles))?;
    }
    let columns = game_columns(competition, roles);
    let mut games = Sheet::new(columns.for_reader(Reader::Public));
    let mut faults = Sheet::new(faults::columns(roles).for_reader(Reader::Public));
    for &place in masked.order() {
        if let Some((number, result)) = masked.read(place)? {
            games.row(&GameRow {
                number,
                result: &result,
            });
            for row in faults::rows(number, &result) {
                faults.row(&row);
            }
        }
    }
    folder.file("games.csv", &games.finish())?;
    folder.file("faults.csv", &faults.finish())?;
    page::public(run, &masked, &table, extent, folder)
}

/// Makes the table of the run, by the same rules as the staff's, with public names.
pub(super) fn score(
    run: &PlayedRun<'_>,
    masked: &Masked<'_>,
    roles: Roles,
) -> Result<(StandingsTable, Pairs), JudgeError> {
    let competition = &run.manifest.competition;
    let name = |entrant: &str| masked.names.of(entrant).to_owned();
    let ranked = run.ranked().into_iter();
    let ranked: Vec<Ranked> = ranked
        .map(|one| Ranked {
            name: name(&one.name),
            ..one
        })
        .collect();
    let mut conduct = Conduct::default();
    if competition.scoring.disqualify == Disqualify::Remove {
        for place in 0..run.ids.len() {
            if let Some((number, result)) = masked.read(place)? {
                conduct.add(number, &result);
            }
        }
    }
    let mut playing: Vec<String> = run.playing().map(|line| name(&line.name)).collect();
    playing.sort();
    let mut gathering = Gathering::new(
        competition,
        &ranked,
        roles.len(),
        &conduct,
        run.manifest.draw.resamples,
    );
    let mut pairs = Pairs::new(&playing);
    for place in 0..run.ids.len() {
        if let Some((number, result)) = masked.read(place)?
            && gathering.add(number, &result)
        {
            pairs.add(competition, &result);
        }
    }
    let mut table = gathering.table();
    table.removed.sort();
    Ok((table, pairs))
}

impl PlayedRun<'_> {
    /// Makes the table as the public sees it: by public names, and with the numbers that games
    /// have for the public.
    ///
    /// # Errors
    /// When the run cannot be read.
    pub fn public_table(&self, names: &PublicNames) -> Result<StandingsTable, JudgeError> {
        let masked = Masked::new(self, names)?;
        let (table, _) = score(self, &masked, self.roles()?)?;
        Ok(table)
    }
}
