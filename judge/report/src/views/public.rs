//! What everybody may see: the table, the pairs, the games and the faults, under public names.

use super::folder::Folder;
use super::masked::Masked;
use super::page;
use super::{Extent, Played};
use crate::csv::{game_row, games_header};
use crate::faults;
use crate::pairs::{Pairs, pairs_name};
use crate::sheet::{Roles, Sheet};
use crate::standings::standings_sheet;
use journal::names::PublicNames;
use scoring::{Conduct, Gathering, Ranked, Table};
use system::error::JudgeError;
use words::competition::Disqualify;

/// Columns of the run's own files that the public does not see.
const HIDDEN: [&str; 4] = ["fixture", "detail", "exit", "line"];

pub(super) fn write(
    run: &Played<'_>,
    names: &PublicNames,
    extent: Extent<'_>,
    folder: &mut Folder<'_>,
) -> Result<(), JudgeError> {
    let roles = run.roles()?;
    let competition = &run.manifest.competition;
    let masked = Masked::new(run, names)?;
    let (table, pairs) = score(run, &masked, roles)?;
    let sheet = standings_sheet(competition, roles, &table);
    folder.file("standings.csv", &sheet.finish())?;
    if roles.len() == 2 {
        folder.file(pairs_name(roles), &pairs.sheet(roles).finish())?;
    }
    let mut games = Sheet::without(&HIDDEN, &games_header(roles));
    let mut faults = Sheet::without(&HIDDEN, &faults::header());
    for &place in masked.order() {
        if let Some((number, result)) = masked.read(place)? {
            games.row(&game_row(competition, roles, number, &result));
            for row in faults::rows(roles, number, &result) {
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
    run: &Played<'_>,
    masked: &Masked<'_>,
    roles: Roles,
) -> Result<(Table, Pairs), JudgeError> {
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
    let mut gathering = Gathering::new(competition, &ranked, roles.len(), &conduct);
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
