//! Views of a run for different readers: the public, each student, the staff.

mod folder;
mod hidden_names;
mod latest;
mod masked;
mod own_words;
mod published;
mod student;
mod sums;

pub use folder::{MARK_NAME, check_view_place, public_fingerprint, read_mark};
pub use hidden_names::HiddenNames;
pub use latest::{LATEST_NAME, Latest, LatestSubmission};
pub use sums::{ENTRIES_MAX, names};

pub(crate) use published::{PublishedGames, rewrite_own_tables, rewrite_public_view};
pub(crate) use sums::{SUMS_NAME, sums, wrong_sums};

use self::folder::ViewFolder;
use self::masked::Masked;
use self::published::put_page;
use crate::exports::{GradeValue, grade_rows, people_of_run, sections};
use crate::html::{BotStderr, Made, Pages};
use crate::moments::is_frozen;
use crate::outputs::names_csv;
use crate::played::PlayedRun;
use crate::run_data::{GameSource, RunData};
use model::record::{MatchRecord, MatchResult};
use rulebook::JudgeError;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use store::author_log::AuthorLogs;
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
        student::write(run, &masked, extent, folder)?;
    } else {
        let games = masked.games();
        let data = RunData::of_view(&masked.manifest, &games, &masked.moments)?;
        data.write_view(extent, folder)?;
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
    let (manifest, people) = (run.manifest, people_of_run(run.folder)?);
    folder.file("names.csv", &names_csv(&manifest.entrants, names))?;
    let scoring = &manifest.competition.scoring;
    let usual = GradeValue::usual(scoring);
    let grades = grade_rows(scoring, &manifest.entrants, &table, people, usual, None);
    if let Some(sections) = sections(&grades, names) {
        folder.file("sections.csv", &sections)?;
    }
    let pages = Pages::gather(&data, &table)?;
    let page = pages.whole(None, extent.full)?;
    put_page(&page, &pages, (Path::new(""), None), &games, extent, folder)
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
