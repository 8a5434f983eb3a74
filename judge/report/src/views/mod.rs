//! Views of a run for different readers (the public, each student, the staff), of all or of a part
//! of it.

mod folder;
mod gate;
mod latest;
mod masked;
mod own_words;
mod published;
mod student;
mod sums;

pub use folder::{MARK_NAME, check_view_place, public_fingerprint, read_mark};
pub use gate::Gate;
pub use latest::{LATEST_NAME, Latest, LatestSubmission};
pub use published::{PublishedGames, last_moment_again, rewrite_own_tables, rewrite_public_view};
pub use sums::{ENTRIES_MAX, SUMS_NAME, Sum, names, sums, wrong_sums};

use self::folder::ViewFolder;
use self::masked::Masked;
use self::published::put_page;
use crate::derive::{RunData, TablesOf};
use crate::exports::{GradeValue, grade_rows, people_of_run, sections};
use crate::gather::{GameSource, standings};
use crate::html::{BotStderr, Made, Pages, ReadGames};
use crate::moments::is_frozen;
use crate::outputs::names_csv;
use model::competition::FINAL;
use model::game_id::GameId;
use model::record::{MatchRecord, MatchResult};
use rulebook::scoring::StandingsTable;
use rulebook::{JudgeError, schedule};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use store::author_log::AuthorLogs;
use store::manifest::{EntrantLine, Manifest};
use store::names::{NamePreference, PublicNames};
use store::{Games, Keys};
use system::files::make_private_folder;
use system::run_folder::STAFF;

/// The message for a frozen run.
const FROZEN: &str = "the results are frozen since the time that freeze in [watch] names, and only staff may see \
                      later games; publish the secret first, with judge reveal RUN";

/// Writes a view of a run into a folder of its own; returns the paths of the files. The folder is
/// moved to its place after a call of `before`.
///
/// The place is `out`; errors name it by `flag`. `beside` are more files for staff: names below the
/// folder, and their content.
pub fn write_view(
    run: &PlayedRun<'_>,
    view: View,
    extent: Extent<'_>,
    (out, flag): (&Path, &str),
    beside: &[(PathBuf, Vec<u8>)],
    before: &mut dyn FnMut() -> Result<(), JudgeError>,
) -> Result<Vec<PathBuf>, JudgeError> {
    if view != View::Staff && is_frozen(&run.manifest.draw, run.games) {
        return Err(JudgeError::input(FROZEN));
    }
    let fingerprint = public_fingerprint(&run.manifest.keys);
    let mut folder = ViewFolder::begin((view, &fingerprint), (out, flag), extent.stop)?;
    fill(&mut folder, run, view, extent, beside).map_err(|error| folder.named(error, flag))?;
    before()?;
    folder.publish()
}

fn fill(
    folder: &mut ViewFolder<'_>,
    run: &PlayedRun<'_>,
    view: View,
    extent: Extent<'_>,
    beside: &[(PathBuf, Vec<u8>)],
) -> Result<(), JudgeError> {
    let names = run.public_names()?;
    if view == View::Staff {
        write_staff(run, &names, extent, folder)?;
        return beside
            .iter()
            .try_for_each(|(name, content)| folder.file(name, content));
    }
    let masked = Masked::new(run, &names)?;
    if view == View::Student {
        student::write(run, &masked, extent, folder)?;
    } else {
        masked.data()?.write_view(extent, folder)?;
        masked.gate.check(folder.unpublished(), "")?;
    }
    masked.list_numbers()
}

/// Writes the staff's view: the run's tables, the people behind each entrant, and the public names. It
/// also has a table for each section of the roster.
fn write_staff(
    run: &PlayedRun<'_>,
    names: &PublicNames,
    extent: Extent<'_>,
    folder: &mut ViewFolder<'_>,
) -> Result<(), JudgeError> {
    let data = RunData::of_run(run)?;
    let mut place = |name: &str| folder.place(name);
    let table = data.write_tables(TablesOf::Staff, &mut place, &mut |_, _, _| Ok(()))?;
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
    let games = StaffGames {
        run,
        logs: AuthorLogs::of_run(run.folder),
    };
    let pages = Pages::gather(data.page(&table, None), &games)?;
    let page = pages.whole(&games, extent.full)?;
    put_page(&page, &pages, (Path::new(""), None), &games, extent, folder)
}

/// Games as staff see them.
struct StaffGames<'a> {
    run: &'a PlayedRun<'a>,
    logs: AuthorLogs,
}

impl ReadGames for StaffGames<'_> {
    fn record(&self, number: usize) -> Result<Option<MatchRecord>, JudgeError> {
        self.run.record(number)
    }

    fn wrote(&self, _number: usize, record: &MatchRecord) -> Result<Vec<BotStderr>, JudgeError> {
        BotStderr::of_all(&self.logs, record)
    }
}

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

/// A run that has been played, or is being played.
#[derive(Clone, Copy, Debug)]
pub struct PlayedRun<'a> {
    /// The run's folder.
    pub folder: &'a Path,
    /// The run's manifest.
    pub manifest: &'a Manifest,
    /// The ids of all its games, in fixture order.
    pub ids: &'a [GameId],
    /// The games that have been finished.
    pub games: &'a Games,
    /// The keys, which only staff may know.
    pub keys: &'a Keys,
}

impl PlayedRun<'_> {
    /// Returns the roles in the run's games.
    pub fn roles(&self) -> Result<&'static [&'static str], JudgeError> {
        schedule::roles(&self.manifest.competition)
    }

    fn playing(&self) -> impl Iterator<Item = &EntrantLine> {
        self.manifest
            .entrants
            .iter()
            .filter(|line| line.artifact.is_some())
    }

    /// Computes the run's table.
    pub fn table(&self) -> Result<StandingsTable, JudgeError> {
        standings(self.manifest, self, &mut |_, _, _| Ok(()))
    }

    /// Chooses public names for all entrants. The run's folder keeps the names drawn, and the order
    /// of requests for names.
    pub fn public_names(&self) -> Result<PublicNames, JudgeError> {
        let staff = self.folder.join(STAFF);
        make_private_folder(&staff)?;
        let all = &self.manifest.entrants;
        let said = self.said()?;
        let people = self.people()?;
        let called: Vec<NamePreference<'_>> = all
            .iter()
            .map(|line| NamePreference {
                entrant: &line.name,
                anonymous: line.anonymous,
                platform_named: line.platform_named,
                nickname: line
                    .nickname
                    .as_deref()
                    .or(said.get(&line.name).map(String::as_str)),
                people: people.get(&line.name).map_or("", |(names, _)| names),
                known: people.get(&line.name).map_or(&[], |(_, known)| known),
            })
            .collect();
        let rule = self.manifest.competition.names;
        let mut names = PublicNames::of_run(&staff, rule, &called)?;
        let is_final = self.manifest.competition.round == FINAL;
        let mut shown = self.games.moments().filter(|moment| moment.round != FINAL);
        if is_final && names.hide_somebody() && shown.next().is_some() {
            names.refused.push(SHOWN_BEFORE.to_owned());
        }
        Ok(names)
    }

    /// Returns the names of the people behind each entrant, by the roster, and their ids and
    /// addresses.
    fn people(&self) -> Result<HashMap<String, (String, Vec<String>)>, JudgeError> {
        let mut people: HashMap<String, (String, Vec<String>)> = HashMap::new();
        for person in people_of_run(self.folder)? {
            let (names, known) = people.entry(person.submission).or_default();
            known.extend([person.id, person.email]);
            let name = person.name.trim();
            if !name.is_empty() {
                let between = if names.is_empty() { "" } else { " & " };
                names.push_str(between);
                names.push_str(name);
            }
        }
        Ok(people)
    }

    /// Returns the name that each bot gave itself in its last game.
    fn said(&self) -> Result<HashMap<String, String>, JudgeError> {
        let mut said = HashMap::new();
        for id in self.ids {
            let seats = self
                .games
                .result(*id)?
                .into_iter()
                .flat_map(|game| game.seats);
            for seat in seats {
                if let Some(name) = seat.says {
                    said.insert(seat.entrant, name);
                }
            }
        }
        Ok(said)
    }
}

impl ReadGames for PlayedRun<'_> {
    fn record(&self, number: usize) -> Result<Option<MatchRecord>, JudgeError> {
        self.games.read(self.ids[number - 1])
    }
}

impl GameSource for PlayedRun<'_> {
    fn count(&self) -> usize {
        self.ids.len()
    }

    fn result(&self, number: usize) -> Result<Option<MatchResult>, JudgeError> {
        self.games.result(self.ids[number - 1])
    }
}

/// The message where practice rounds may have made known who is behind a name of the final round.
const SHOWN_BEFORE: &str = "note: the final round has the nicknames and pseudonyms of the practice rounds, so an author recognised there is recognised here, too; authors may choose new nicknames, and the final round in a folder of its own has new pseudonyms";

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
