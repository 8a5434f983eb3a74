//! What each student may see: a folder for each entrant with its row, its games and faults,
//! and what its bot and its compiler wrote. The others appear under their public names. From the
//! manifest and the journal in it the tables of games and faults can be made again.

use super::folder::ViewFolder;
use super::latest::{Latest, LatestSubmission, PageDigest};
use super::mark::{MARK_NAME, marked};
use super::masked::Masked;
use super::own_words;
use super::page::Students;
use super::played::{Extent, PlayedRun, View};
use super::published::{PublicGames, PublishedGames, record_line};
use crate::csv::{GameRow, GameRows, game_columns};
use crate::faults;
use crate::faults::FaultRows;
use crate::html::{Live, OwnPage, Told};
use crate::moments::{self, MOMENTS};
use crate::own_change::{Noted, OwnChange, OwnVersion, Stood};
use crate::sheet::{
    Reader, Roles, Rows, Sheet, SheetColumns, or_empty, text, text_or_empty, yes_or_no,
};
use crate::standings::standings_csv;
use crate::submissions::timing;
use competition::schedule;
use error::JudgeError;
use journal::UnequalMachines;
use journal::manifest::{EntrantLine, Manifest};
use journal::names::PublicNames;
use scoring::StandingsTable;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use system::run_folder::{JOURNAL, MANIFEST};
use words::builtin;
use words::competition::Competition;
use words::entrants_folder::EntrantsFolder;
use words::record::MatchResult;

/// The games and faults of one entrant.
struct Own<'a> {
    games: Sheet<'a, GameRows>,
    faults: Sheet<'a, FaultRows>,
    /// The public numbers of the games.
    numbers: Vec<usize>,
}

impl<'a> Own<'a> {
    fn new(competition: &'a Competition, roles: Roles) -> Self {
        Self {
            games: Sheet::new(game_columns(competition, roles).for_reader(Reader::Author)),
            faults: Sheet::new(faults::columns(roles).for_reader(Reader::Author)),
            numbers: Vec::new(),
        }
    }

    /// Adds a game; `name` is the public name of the reader.
    fn add(&mut self, number: usize, result: &MatchResult, name: &str) {
        self.games.row(&GameRow { number, result });
        for row in faults::rows(number, result).filter(|row| row.entrant() == name) {
            self.faults.row(&row);
        }
        self.numbers.push(number);
    }
}

pub(super) fn write(
    run: &PlayedRun<'_>,
    names: &PublicNames,
    extent: Extent<'_>,
    folder: &mut ViewFolder<'_>,
) -> Result<(), JudgeError> {
    let roles = run.roles()?;
    let masked = Masked::new(run, names)?;
    let public = masked.public();
    let (table, _) = public.score()?;
    let numbers = masked.by_fixture();
    let machines = masked.manifest.machines.iter().map(|one| &one.line);
    let unequal = UnequalMachines::among(machines);
    let all = run.manifest.entrants.iter();
    let students = all.filter(|line| !builtin::is_builtin(&line.name));
    let mut own = gather(run, &masked, roles)?;
    let mut pages = Students::gather(&public, &masked, &table)?;
    let common = common_digest(run, &masked);
    for line in students {
        let line = &own_words::for_author(line);
        let one = Student {
            run,
            masked: &masked,
            line,
            name: masked.names.of(&line.name),
            stem: PathBuf::from(EntrantsFolder::Views.folder_of(&line.name)),
        };
        let mut digest = common.clone();
        let mut put = |name: &str, content: &[u8]| {
            digest.add(content);
            folder.file(one.stem.join(name), content)
        };
        let mark = format!(
            "{}{}\n",
            marked(View::Student, &masked.manifest.keys),
            one.name
        );
        put(MARK_NAME, mark.as_bytes())?;
        put("submission.csv", &submission(line, names))?;
        put(MANIFEST, &masked.manifest.text())?;
        if !masked.moments.is_empty() {
            put(MOMENTS, &moments::text(&masked.moments))?;
        }
        let own_line = EntrantLine {
            name: one.name.to_owned(),
            ..line.clone()
        };
        let standing = standings_csv(
            &run.manifest.competition,
            roles,
            &only(&table, one.name),
            &[own_line],
            unequal.as_ref(),
        );
        put("standing.csv", &standing)?;
        let mut games = Vec::new();
        if let Some(own) = own.remove(&line.name) {
            put("games.csv", &own.games.finish())?;
            put("faults.csv", &own.faults.finish())?;
            games = own.numbers;
        }
        let told = one.told(&numbers)?;
        for (name, text) in told.files() {
            put(name, text.as_bytes())?;
        }
        write_journal(
            &folder.place(one.stem.join(JOURNAL))?,
            &masked,
            &games,
            &line.name,
        )?;
        let build = told.build.as_deref().unwrap_or_default();
        let submission = LatestSubmission::of_line(line, build);
        digest.add(submission.words.as_bytes());
        let digest = digest.text();
        let extension = line.timing.and_then(|timing| timing.closes);
        let extension = extension.filter(|_| extension != run.manifest.competition.deadline);
        let page = OwnPage {
            extension,
            submitted: &submission.words,
            received: submission.version,
            errors: &submission.wrote,
            told: &told,
            change: one.change()?,
            versions: one.versions(),
            live: extent.live.map(|made| Live {
                digest: &digest,
                made,
            }),
        };
        pages.write(line, &page, extent, &one.stem, folder)?;
        if let Some(made) = extent.live {
            let latest = Latest {
                submission: Some(submission),
                ..public.latest(made, digest.clone())?
            };
            folder.tell_latest(one.stem, latest);
        }
    }
    Ok(())
}

/// One student, and the run.
struct Student<'a> {
    run: &'a PlayedRun<'a>,
    masked: &'a Masked<'a>,
    line: &'a EntrantLine,
    /// The public name.
    name: &'a str,
    /// The folder's name.
    stem: PathBuf,
}

impl Student<'_> {
    /// Reads what programs wrote for this student; `numbers` are the public ones of games.
    fn told(&self, numbers: &HashMap<&str, usize>) -> Result<Told, JudgeError> {
        let log = |kind| own_words::log(self.run.folder, kind, &self.line.name);
        let own = |text: Option<String>| text.map(|text| own_words::own_paths(&text));
        Ok(Told {
            build: own(log("build")?),
            check: own(log("check")?),
            stderr: log("stderr")?.map(|text| renumbered(&text, numbers)),
        })
    }

    /// Finds what the last version has changed, by public names; nothing is said of who does not
    /// play any more.
    fn change(&self) -> Result<Option<OwnChange>, JudgeError> {
        let noted = Noted {
            manifest: self.run.manifest,
            keys: self.run.keys,
            games: self.run.games,
        };
        let change = noted.own_change(&self.line.name)?;
        let playing: HashSet<&str> = self.run.playing().map(|line| line.name.as_str()).collect();
        let public = |stood: Stood| Stood {
            against: stood
                .against
                .into_iter()
                .filter(|(name, _)| playing.contains(name.as_str()))
                .map(|(name, met)| (self.masked.names.of(&name).to_owned(), met))
                .collect(),
            ..stood
        };
        Ok(change.map(|change| OwnChange {
            before: public(change.before),
            after: public(change.after),
        }))
    }

    /// Lists the versions that have played, the last one first.
    fn versions(&self) -> Vec<OwnVersion> {
        OwnVersion::list(self.run.games.moments(), &self.line.name)
    }
}

/// Makes the name of what the pages of all students are made from.
fn common_digest(run: &PlayedRun<'_>, masked: &Masked<'_>) -> PageDigest {
    let mut digest = PageDigest::default();
    digest.add(&masked.manifest.text());
    digest.add(&moments::text(&masked.moments));
    for id in run.ids.iter().filter(|id| run.games.contains(id)) {
        digest.add(id.as_bytes());
    }
    digest
}

fn gather<'a>(
    run: &'a PlayedRun<'_>,
    masked: &Masked<'_>,
    roles: Roles,
) -> Result<HashMap<String, Own<'a>>, JudgeError> {
    let competition = &run.manifest.competition;
    let mut own: HashMap<String, Own> = HashMap::new();
    for (&place, number) in masked.order().iter().zip(1..) {
        let Some(game) = run.games.result(&run.ids[place])? else {
            continue;
        };
        let mut participants: Vec<String> =
            game.seats.into_iter().map(|seat| seat.entrant).collect();
        participants.sort();
        participants.dedup();
        for entrant in participants {
            let Some(result) = masked.result_for(number, Some(&entrant))? else {
                continue;
            };
            let name = masked.names.of(&entrant);
            let own = own.entry(entrant.clone());
            own.or_insert_with(|| Own::new(competition, roles))
                .add(number, &result, name);
        }
    }
    Ok(own)
}

/// Writes the games of one entrant, in the order of `games.csv`, which has their numbers.
fn write_journal(
    path: &Path,
    masked: &Masked<'_>,
    numbers: &[usize],
    entrant: &str,
) -> Result<(), JudgeError> {
    let failed = |e| JudgeError::io("write", path, e);
    let mut out = BufWriter::new(File::create(path).map_err(failed)?);
    for &number in numbers {
        if let Some(record) = masked.record_for(number, Some(entrant))? {
            out.write_all(&record_line(&record)).map_err(failed)?;
        }
    }
    let out = out.into_inner().map_err(|e| failed(e.into_error()))?;
    out.sync_all().map_err(failed)
}

/// The tables of one student that can be made again from what the student has.
#[derive(Debug)]
pub struct OwnTables {
    /// `games.csv`.
    pub games: Vec<u8>,
    /// `faults.csv`.
    pub faults: Vec<u8>,
}

/// Makes the tables of one student again from the manifest and the games in the student's folder.
/// `numbers` are the public numbers of the games, and `name` is the student's public name.
///
/// # Errors
/// When the games cannot be read.
pub fn rewrite_own_tables(
    manifest: &Manifest,
    games: &PublishedGames,
    numbers: &[usize],
    name: &str,
) -> Result<OwnTables, JudgeError> {
    let competition = &manifest.competition;
    let mut own = Own::new(competition, schedule::roles(competition)?);
    for (line, &number) in (1..=games.count()).zip(numbers) {
        if let Some(result) = games.result(line)? {
            own.add(number, &result, name);
        }
    }
    Ok(OwnTables {
        games: own.games.finish(),
        faults: own.faults.finish(),
    })
}

/// Keeps one entrant's row.
fn only(table: &StandingsTable, name: &str) -> StandingsTable {
    let mut table = table.clone();
    table.rows.retain(|row| row.standing.entrant == name);
    table.beside.clear();
    table.removed.retain(|(removed, _)| removed == name);
    table
}

/// The row of `submission.csv`.
enum SubmissionRows {}

impl Rows for SubmissionRows {
    type Row<'a> = EntrantLine;
}

fn submission(line: &EntrantLine, names: &PublicNames) -> Vec<u8> {
    let columns = SheetColumns::<SubmissionRows>::new()
        .with("entrant", |line| text(&line.name))
        .with("public_name", |line| text(names.of(&line.name)))
        .with("form", |line| line.form.clone())
        .with("plays", |line| yes_or_no(line.artifact.is_some()))
        .with("artifact", |line| or_empty(line.artifact.as_ref()))
        .with("received", |line| timing(line, |it| Some(it.received)))
        .with("deadline", |line| timing(line, |it| it.closes))
        .with("timing", |line| {
            timing(line, |it| it.closes.map(|_| it.lateness.name()))
        })
        .with("penalty", |line| or_empty(line.penalty()))
        .with("reason", |line| text_or_empty(line.broken.as_deref()))
        .with("warnings", |line| text(&line.warnings.join("; ")));
    let mut sheet = Sheet::new(columns);
    sheet.row(line);
    sheet.finish()
}

/// Puts the numbers of games in the place of their fixtures' ids.
fn renumbered(log: &str, numbers: &HashMap<&str, usize>) -> String {
    let lines = log.lines().map(|line| {
        let number = line.strip_prefix("== game ").and_then(|id| numbers.get(id));
        number.map_or_else(
            || format!("{line}\n"),
            |number| format!("== game {number}\n"),
        )
    });
    lines.collect()
}
