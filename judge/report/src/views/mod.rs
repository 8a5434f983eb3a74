//! Views of a run for different readers: the public, each student, the staff.

mod folder;
mod hidden_names;
mod latest;
mod masked;
mod published;
use self::folder::{ViewFolder, marked};
use self::latest::{for_author, log_of};
use self::masked::{Masked, MaskedGames, OwnGames};
use self::published::put_page;
use crate::exports::{GradeValue, grade_rows, people_of_run, sections};
use crate::html::{BotStderr, Live, Made, OwnPage, Pages, StaffReports};
use crate::moments::is_frozen;
use crate::moments::{OwnChange, versions};
use crate::outputs::names_csv;
use crate::run_data::{GameSource, PlayedRun, RunData, playing, standings};
pub use folder::{ENTRIES_MAX, MARK_NAME, check_view_place, names, public_fingerprint, read_mark};
pub(crate) use folder::{SUMS_NAME, sums, wrong_sums};
pub use hidden_names::HiddenNames;
pub use latest::{LATEST_NAME, Latest, LatestSubmission};
use model::builtin::is_builtin;
use model::entrants_folder::EntrantsFolder;
use model::game_id::GameId;
use model::last_words::{with_own_paths, without_folders};
use model::record::{MatchRecord, MatchResult};
pub(crate) use published::{PublishedGames, rewrite_own_tables, rewrite_public_view};
use rulebook::JudgeError;
use rulebook::scoring::StandingsTable;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use store::author_log::AuthorLogs;
use store::manifest::EntrantLine;
use store::names::PublicNames;
use system::run_folder::STAFF;

/// A kind of view, by its readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Public names only, and no words of bots.
    Public,
    /// A folder for each entrant with its own data, and the others under their public names.
    Student,
    /// Everything, identities included.
    Staff,
}

impl View {
    /// Returns the name that flags and files use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Student => "student",
            Self::Staff => "staff",
        }
    }
}

/// The extent of a run's games in a view.
#[derive(Clone, Copy, Debug)]
pub struct Extent<'a> {
    /// Whether every game has a page of its own.
    pub full: bool,
    /// The time of pages that look for newer ones in their place; `None` for other pages.
    pub live: Option<Made>,
    /// Set when the program should end.
    pub stop: &'a AtomicBool,
}

const FROZEN: &str = "the results are frozen since the time that freeze in [watch] names, and only staff may see \
                      later games; publish the secret first, with judge reveal RUN";

/// Writes a view of a run into the folder `out`, which errors name by `flag`, and calls `before` before the
/// folder is moved to its place. `extra` are more files for staff. Returns the paths of the files.
pub fn write_view(
    run: &PlayedRun<'_>,
    view: View,
    extent: Extent<'_>,
    (out, flag): (&Path, &str),
    extra: &[(PathBuf, Vec<u8>)],
    before: &mut dyn FnMut() -> Result<(), JudgeError>,
) -> Result<Vec<PathBuf>, JudgeError> {
    if view != View::Staff && is_frozen(&run.manifest.draw, run.games) {
        return Err(JudgeError::input(FROZEN));
    }
    let fingerprint = public_fingerprint(&run.manifest.keys);
    let mut folder = ViewFolder::begin((view, &fingerprint), (out, flag), extent.stop)?;
    fill(&mut folder, run, view, extent, extra).map_err(|error| folder.named(error, flag))?;
    before()?;
    folder.publish()
}

fn fill(
    folder: &mut ViewFolder<'_>,
    run: &PlayedRun<'_>,
    view: View,
    extent: Extent<'_>,
    extra: &[(PathBuf, Vec<u8>)],
) -> Result<(), JudgeError> {
    let names = run.public_names()?;
    if view == View::Staff {
        write_staff(run, &names, extent, folder)?;
        return extra
            .iter()
            .try_for_each(|(name, content)| folder.file(name, content));
    }
    let masked = Masked::new(run, &names)?;
    if view == View::Student {
        write_students(run, &masked, extent, folder)?;
    } else {
        let games = masked.games();
        RunData::of_view(&masked.manifest, &games, &masked.moments)?.write_view(extent, folder)?;
        masked.hidden_names.refuse_leaks(folder.unpublished(), "")?;
    }
    masked.list_numbers()
}

fn write_staff(
    run: &PlayedRun<'_>,
    names: &PublicNames,
    extent: Extent<'_>,
    folder: &mut ViewFolder<'_>,
) -> Result<(), JudgeError> {
    let games = StaffGames(run, AuthorLogs::of_run(run.folder));
    let data = RunData {
        games: &games,
        ..RunData::of_run(run)?
    };
    let (table, _) = data.write_tables(None, &mut |name| folder.place(name))?;
    let table = table.expect("staff see all games");
    folder.copy_tables(&run.folder.join(STAFF))?;
    let (scoring, entrants) = (&run.manifest.competition.scoring, &run.manifest.entrants);
    folder.file("names.csv", &names_csv(entrants, names))?;
    let (people, usual) = (people_of_run(run.folder)?, GradeValue::usual(scoring));
    let grades = grade_rows(scoring, entrants, &table, people, usual, None);
    if let Some(sections) = sections(&grades, names) {
        folder.file("sections.csv", &sections)?;
    }
    let pages = Pages::gather(&data, &table)?;
    let page = pages.whole(None, extent.full)?;
    put_page(&page, &pages, Path::new(""), &games, extent, folder)
}

struct StaffGames<'a>(&'a PlayedRun<'a>, AuthorLogs);

impl GameSource for StaffGames<'_> {
    fn count(&self) -> usize {
        self.0.count()
    }

    fn result(&self, number: usize) -> Result<Option<MatchResult>, JudgeError> {
        self.0.result(number)
    }

    fn record(&self, number: usize) -> Result<Option<MatchRecord>, JudgeError> {
        self.0.record(number)
    }

    fn wrote(&self, _number: usize, record: &MatchRecord) -> Result<Vec<BotStderr>, JudgeError> {
        BotStderr::of_all(&self.1, record)
    }
}

fn write_students(
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
        let line = &for_author(line, |text| masked.hidden_names.mask(text, &line.name));
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
        put_page(&page, &pages, &stem, &games, extent, folder)?;
        let made = folder.unpublished().join(&stem);
        masked.hidden_names.refuse_leaks(&made, &line.name)?;
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
    let log = |kind, of_author: &dyn Fn(&str) -> String| {
        let text = log_of(run.folder, kind, name)?;
        Ok::<_, JudgeError>(text.map(|text| masked.hidden_names.mask(&of_author(&text), name)))
    };
    Ok(StaffReports {
        build: log("build", &without_folders)?,
        check: log("check", &without_folders)?,
        stderr: log("stderr", &|text| with_own_paths(&renumbered(text, numbers)))?,
    })
}

/// Returns the effect of a student's last version, without opponents that no longer play.
fn change<'a>(
    run: &PlayedRun<'a>,
    names: &PublicNames,
    name: &str,
) -> Result<Option<OwnChange<'a>>, JudgeError> {
    let playing: HashSet<&str> = playing(&run.manifest.entrants)
        .map(|line| line.name.as_str())
        .collect();
    let mut change = run.own_change(name)?;
    if let Some(OwnChange { before, after }) = &mut change {
        for results_at in [before, after] {
            results_at.against = std::mem::take(&mut results_at.against)
                .into_iter()
                .filter(|(name, _)| playing.contains(name.as_str()))
                .map(|(name, met)| (names.of(&name).to_owned(), met))
                .collect();
        }
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
    let number_in =
        |line: &str| numbers.get(&GameId::parse(line.strip_prefix("== game ")?.as_bytes())?);
    log.lines()
        .map(|line| match number_in(line) {
            Some(number) => format!("== game {number}\n"),
            None => format!("{line}\n"),
        })
        .collect()
}
