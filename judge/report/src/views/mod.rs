//! Views of a run for different readers: the public, each student, the staff. A run's published form is its manifest
//! and games under public names, and files derived from these.

mod folder;
mod hidden_names;
mod latest;
mod masked;

use self::folder::{ViewFolder, marked};
use self::latest::{for_author, log_of};
use self::masked::{Masked, MaskedGames, OwnGames};
use crate::exports::{GradeValue, grade_rows, people_of_run, sections};
use crate::html::{BotStderr, FILE_NAME, GAMES_FOLDER, Live, Made, OwnPage, Pages, StaffReports};
use crate::moments::{self, MOMENTS, OwnChange, is_frozen, versions};
use crate::outputs::names_csv;
use crate::run_data::{GameSource, PlayedRun, RunData, playing, standings};
pub use folder::{ENTRIES_MAX, MARK_NAME, check_view_place, names, public_fingerprint, read_mark};
pub(crate) use folder::{SUMS_NAME, sums, wrong_sums};
pub use hidden_names::HiddenNames;
pub use latest::{LATEST_NAME, Latest, LatestSubmission};
use model::builtin::is_builtin;
use model::entrants_folder::EntrantsFolder;
use model::fixture::Terms;
use model::game_id::GameId;
use model::record::{MatchRecord, MatchResult};
use model::stderr::{with_own_paths, without_folders};
use rulebook::scoring::StandingsTable;
use rulebook::{IoContext, JudgeError, Result, refuse};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use store::author_log::AuthorLogs;
use store::manifest::{EntrantLine, Manifest};
use store::names::PublicNames;
use store::{LINE_BYTES_MAX, Moment};
use system::run_folder::{JOURNAL, MANIFEST, STAFF};

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
    before: &mut dyn FnMut() -> Result,
) -> Result<Vec<PathBuf>> {
    if view != View::Staff && is_frozen(&run.manifest.draw, run.games) {
        return refuse(FROZEN);
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
) -> Result {
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
) -> Result {
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

    fn result(&self, number: usize) -> Result<Option<MatchResult>> {
        self.0.result(number)
    }

    fn record(&self, number: usize) -> Result<Option<MatchRecord>> {
        self.0.record(number)
    }

    fn wrote(&self, _number: usize, record: &MatchRecord) -> Result<Vec<BotStderr>> {
        BotStderr::of_all(&self.1, record)
    }
}

fn write_students(
    run: &PlayedRun<'_>,
    masked: &Masked<'_>,
    extent: Extent<'_>,
    folder: &mut ViewFolder<'_>,
) -> Result {
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
        let given = OwnPage {
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
        let page = pages.own((name, &own), &given, extent.full)?;
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
) -> Result<StaffReports> {
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
) -> Result<Option<OwnChange<'a>>> {
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

impl RunData<'_> {
    fn write_view(&self, extent: Extent<'_>, folder: &mut ViewFolder<'_>) -> Result {
        let top = Path::new("");
        self.write_sources(top, folder)?;
        let (table, _) = self.write_tables(None, &mut |name| folder.place(name))?;
        let table = table.expect("a view has all games");
        let digest = folder.digest(top, &[])?;
        let live = extent.live.map(|made| Live {
            digest: &digest,
            made,
        });
        let pages = Pages::gather(self, &table)?;
        let page = pages.whole(live, extent.full)?;
        put_page(&page, &pages, top, self.games, extent, folder)?;
        if let Some(made) = extent.live {
            folder.file(LATEST_NAME, &self.latest(made, digest).text())?;
        }
        Ok(())
    }

    /// Writes the sources that the rest of a view can be derived from, below `stem`.
    fn write_sources(&self, stem: &Path, folder: &mut ViewFolder<'_>) -> Result {
        folder.file(stem.join(MANIFEST), &self.manifest.text())?;
        if !self.moments.is_empty() {
            folder.file(stem.join(MOMENTS), &moments::text(&self.moments))?;
        }
        let path = folder.place(stem.join(JOURNAL))?;
        let mut out = BufWriter::new(File::create(&path).or_io("write", &path)?);
        for place in 0..self.games.count() {
            if let Some(record) = self.games.record(self.games.number(place))? {
                // Such lines are not signed.
                serde_json::to_writer(&mut out, &record).or_io("write", &path)?;
                out.write_all(b"\n").or_io("write", &path)?;
            }
        }
        out.into_inner()
            .or_io("write", &path)?
            .sync_all()
            .or_io("write", &path)
    }

    fn latest(&self, made: Made, digest: String) -> Latest {
        Latest {
            made: made.at.to_string(),
            freeze: made.freeze,
            digest,
            round: self.manifest.competition.round.clone(),
            played: self.games.count(),
            of: self.scheduled,
            submission: None,
        }
    }
}

/// Writes a page below `stem`, and if the extent says so, pages of games.
fn put_page(
    page: &str,
    pages: &Pages<'_>,
    stem: &Path,
    games: &dyn GameSource,
    extent: Extent<'_>,
    folder: &mut ViewFolder<'_>,
) -> Result {
    folder.file(stem.join(FILE_NAME), page.as_bytes())?;
    if extent.full {
        pages.write_games(&folder.place(stem.join(GAMES_FOLDER))?, games, extent.stop)?;
    }
    Ok(())
}

#[derive(Debug)]
pub(crate) struct PublishedGames {
    path: PathBuf,
    file: File,
    terms: Terms,
    /// The start of each line, and the end of the last one, in bytes.
    starts: Vec<u64>,
    /// The number of each game, if it is not that of its line.
    pub(crate) numbers: Option<Vec<usize>>,
}

impl PublishedGames {
    /// Reads the open journal of a view, which may come from anybody; `path` is for messages.
    pub(crate) fn read_from(
        file: File,
        path: PathBuf,
        manifest: &Manifest,
        games_max: usize,
    ) -> Result<Self> {
        let refused = |reason: String| {
            JudgeError::input(format!(
                "{} is not the journal of a view: {reason}; publish the view again (judge report)",
                path.display()
            ))
        };
        let mut starts = vec![0];
        let mut reader = BufReader::new(&file);
        loop {
            let mut line = (&mut reader).take(LINE_BYTES_MAX + 1);
            let length = line.skip_until(b'\n').or_io("read", &path)? as u64;
            if length == 0 {
                break;
            }
            let number = starts.len();
            if length > LINE_BYTES_MAX {
                let bound = LINE_BYTES_MAX >> 20;
                return Err(refused(format!("line {number} is longer than {bound} MiB")));
            }
            if number > games_max {
                return Err(refused(format!("it has more than {games_max} lines")));
            }
            starts.push(starts.last().copied().unwrap_or_default() + length);
        }
        Ok(Self {
            terms: rulebook::rules::terms_of(&manifest.competition.conditions)?,
            file,
            path,
            starts,
            numbers: None,
        })
    }

    /// Reads the game of a line, counted from 1.
    pub(crate) fn read(&self, line: usize) -> Result<MatchRecord> {
        self.parse(line, MatchRecord::read)
    }

    fn line(&self, number: usize) -> usize {
        self.numbers
            .as_ref()
            .map_or(number, |all| 1 + all.partition_point(|one| *one < number))
    }

    fn parse<T>(
        &self,
        number: usize,
        parse: fn(&[u8], &Terms) -> Result<T, serde_json::Error>,
    ) -> Result<T> {
        let (start, end) = (self.starts[number - 1], self.starts[number]);
        let length = usize::try_from(end - start).expect("it was in memory");
        let mut line = vec![0; length];
        self.file
            .read_exact_at(&mut line, start)
            .or_io("read", &self.path)?;
        parse(&line, &self.terms).map_err(|error| {
            JudgeError::input(format!(
                "line {number} of {} is not a game of this view: {error}",
                self.path.display()
            ))
        })
    }
}

impl GameSource for PublishedGames {
    fn count(&self) -> usize {
        self.starts.len() - 1
    }

    fn number(&self, place: usize) -> usize {
        let numbers = self.numbers.as_ref();
        numbers.map_or(place + 1, |numbers| numbers[place])
    }

    fn result(&self, number: usize) -> Result<Option<MatchResult>> {
        self.parse(self.line(number), MatchResult::read).map(Some)
    }

    fn record(&self, number: usize) -> Result<Option<MatchRecord>> {
        self.read(self.line(number)).map(Some)
    }
}

/// Makes a public view again from its manifest, its games and its moments alone.
pub(crate) fn rewrite_public_view(
    manifest: &Manifest,
    games: &PublishedGames,
    moments: &[Moment],
    extent: Extent<'_>,
    out: &Path,
) -> Result<Vec<PathBuf>> {
    let mut folder =
        ViewFolder::begin((View::Public, &manifest.keys), (out, "--out"), extent.stop)?;
    RunData::of_view(manifest, games, moments)?.write_view(extent, &mut folder)?;
    folder.publish()
}

/// Makes those tables of a student again that need no games of others.
pub(crate) fn rewrite_own_tables(
    manifest: &Manifest,
    games: &PublishedGames,
    name: &str,
    out: &Path,
) -> Result {
    RunData::of_view(manifest, games, &[])?
        .write_tables(Some((name, None)), &mut |name| Ok(out.join(name)))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::artifact::Confinement;
    use std::io::Seek;
    use store::Keys;
    use store::manifest::Machine;

    fn manifest() -> Manifest {
        let run = tempfile::tempdir().expect("a temporary folder");
        let keys = Keys::make(run.path(), false).expect("valid");
        let competition =
            rulebook::standard(&*rulebook::rules::find("catch-the-cat").expect("registered"));
        let confinement =
            r#"{"level":"weak","landlock_version":1,"seccomp":true,"ids":null,"counter":null}"#;
        let confinement: Confinement = serde_json::from_str(confinement).expect("plain data");
        let machine = Machine::detect(false, confinement);
        Manifest::new("1", competition, &keys, &[], machine)
    }

    #[test]
    fn journal_with_endless_or_excess_lines_is_refused() {
        let read = |length: u64, games_max| {
            let mut file = tempfile::tempfile().expect("a temporary file");
            file.write_all(b"{}\n{}\n").expect("writable");
            file.set_len(length).expect("it has no content");
            file.rewind().expect("valid");
            let games = PublishedGames::read_from(file, "j".into(), &manifest(), games_max);
            games.map(|games| games.count()).map_err(|e| e.to_string())
        };
        assert_eq!(read(6, 2), Ok(2));
        assert_eq!(read(7, 3), Ok(3));
        let again = "publish the view again (judge report)";
        let refused =
            |reason: &str| Err(format!("j is not the journal of a view: {reason}; {again}"));
        assert_eq!(read(6, 1), refused("it has more than 1 lines"));
        assert_eq!(read(1 << 42, 9), refused("line 3 is longer than 64 MiB"));
    }
}
