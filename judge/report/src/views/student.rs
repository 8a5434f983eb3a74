//! The students' view: a folder for each entrant with its results, games, faults and output.

use super::folder::{MARK_NAME, ViewFolder, marked};
use super::latest::{LATEST_NAME, Latest, LatestSubmission};
use super::masked::{Masked, MaskedGames, OwnGames};
use super::own_words;
use super::published::put_page;
use super::{Extent, View};
use crate::html::{Live, OwnPage, Pages, StaffReports};
use crate::own_change::{OwnChange, versions};
use crate::played::PlayedRun;
use crate::run_data::{GameSource, RunData, standings};
use model::builtin::is_builtin;
use model::entrants_folder::EntrantsFolder;
use model::game_id::GameId;
use model::stderr::{with_own_paths, without_folders};
use rulebook::JudgeError;
use rulebook::scoring::StandingsTable;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use store::author_log::AuthorLogs;
use store::manifest::EntrantLine;
use store::names::PublicNames;

pub(super) fn write(
    run: &PlayedRun<'_>,
    masked: &Masked<'_>,
    extent: Extent<'_>,
    folder: &mut ViewFolder<'_>,
) -> Result<(), JudgeError> {
    let all_games = masked.games();
    let public = RunData::of_view(&masked.manifest, &all_games, &masked.moments)?;
    let mut numbers: HashMap<String, Vec<usize>> = HashMap::new();
    let table = standings(&masked.manifest, &all_games, &mut |number, result, _| {
        let names: HashSet<&str> = result.seats.iter().map(|seat| &*seat.entrant).collect();
        for name in names {
            numbers.entry(name.to_owned()).or_default().push(number);
        }
        Ok(())
    })?;
    let mut pages = Pages::gather(&public, &table)?;
    let logs = AuthorLogs::of_run(run.folder);
    let fixtures = masked.by_fixture();
    let played = all_games.count().to_string();
    let entrants = run.manifest.entrants.iter();
    for line in entrants.filter(|line| !is_builtin(&line.name)) {
        let line = &own_words::for_author(line, |text| masked.hidden_names.mask(text, &line.name));
        let name = masked.names.of(&line.name);
        let stem = PathBuf::from(EntrantsFolder::Views.folder_of(&line.name));
        let numbers = numbers.get(name).map_or(&[][..], Vec::as_slice);
        let games = MaskedGames {
            masked,
            own: Some(OwnGames {
                entrant: &line.name,
                numbers,
                logs: &logs,
            }),
        };
        let mark = marked(View::Student, &masked.manifest.keys);
        folder.file(stem.join(MARK_NAME), format!("{mark}{name}\n").as_bytes())?;
        let public_line = EntrantLine {
            name: name.to_owned(),
            ..line.clone()
        };
        let own = RunData {
            games: &games,
            people: std::slice::from_ref(&public_line),
            ..public.clone()
        };
        own.write_sources(&stem, folder)?;
        let standing = only(&table, name);
        let mut place = |name: &str| folder.place(stem.join(name));
        own.write_tables(Some((name, Some(&standing))), &mut place)?;
        let reported = reported(run, masked, &line.name, &fixtures)?;
        for (name, text) in reported.files() {
            folder.file(stem.join(name), text.as_bytes())?;
        }
        let build = reported.build.as_deref().unwrap_or_default();
        let submission = LatestSubmission::of_line(line, build);
        let digest = folder.digest(&stem, &[played.as_bytes(), submission.words.as_bytes()])?;
        let extension = line.timing.and_then(|timing| timing.closes);
        let page = OwnPage {
            extension: extension.filter(|_| extension != run.manifest.competition.deadline),
            submitted: &submission.words,
            received: submission.version,
            errors: &submission.wrote,
            reported: &reported,
            change: change(run, masked.names, &line.name)?,
            versions: versions(run.games.moments(), &line.name),
            live: extent.live.map(|made| Live {
                digest: &digest,
                made,
            }),
        };
        let page = pages.own((name, &own), &page, extent.full)?;
        put_page(&page, &pages, (&stem, Some(name)), &games, extent, folder)?;
        masked
            .hidden_names
            .refuse_leaks(&folder.unpublished().join(&stem), &line.name)?;
        if let Some(made) = extent.live {
            let latest = Latest {
                submission: Some(submission),
                ..public.latest(made, digest)
            };
            folder.file(stem.join(LATEST_NAME), &latest.text())?;
        }
    }
    Ok(())
}

fn reported(
    run: &PlayedRun<'_>,
    masked: &Masked<'_>,
    name: &str,
    numbers: &HashMap<GameId, usize>,
) -> Result<StaffReports, JudgeError> {
    let log = |kind| own_words::log(run.folder, kind, name);
    let mask = |text: &str| masked.hidden_names.mask(text, name);
    let own = |text: Option<String>| text.map(|text| mask(&without_folders(&text)));
    Ok(StaffReports {
        build: own(log("build")?),
        check: own(log("check")?),
        stderr: log("stderr")?.map(|text| mask(&with_own_paths(&renumbered(&text, numbers)))),
    })
}

/// Returns the effect of a student's last version, without opponents that no longer play.
fn change<'a>(
    run: &PlayedRun<'a>,
    names: &PublicNames,
    name: &str,
) -> Result<Option<OwnChange<'a>>, JudgeError> {
    let playing: HashSet<&str> = run.playing().map(|line| line.name.as_str()).collect();
    let mut change = run.own_change(name)?;
    for results_at in change
        .iter_mut()
        .flat_map(|change| [&mut change.before, &mut change.after])
    {
        let all = std::mem::take(&mut results_at.against).into_iter();
        let known = all.filter(|(name, _)| playing.contains(name.as_str()));
        let public = known.map(|(name, met)| (names.of(&name).to_owned(), met));
        results_at.against = public.collect();
    }
    Ok(change)
}

fn only(table: &StandingsTable, name: &str) -> StandingsTable {
    let mut table = table.clone();
    table.rows.retain(|row| row.entrant == name);
    table.unranked.clear();
    table.removed.retain(|removed| removed.entrant == name);
    table
}

fn renumbered(log: &str, numbers: &HashMap<GameId, usize>) -> String {
    log.lines()
        .map(|line| {
            let number = line.strip_prefix("== game ").and_then(|id| {
                let id = GameId::parse(id.as_bytes())?;
                numbers.get(&id)
            });
            number.map_or_else(
                || format!("{line}\n"),
                |number| format!("== game {number}\n"),
            )
        })
        .collect()
}
