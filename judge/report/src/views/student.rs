//! The students' view: a folder for each entrant with its row, its games and faults, and the output
//! of its bot and its compiler. The others appear under their public names. The tables of games and
//! faults can be recomputed from the folder's manifest and journal.

use super::folder::ViewFolder;
use super::latest::{Latest, LatestSubmission, PageDigest};
use super::mark::{MARK_NAME, marked};
use super::masked::Masked;
use super::own_words;
use super::page::Students;
use super::played::{Extent, PlayedRun, View};
use super::published::{PublicGames, PublishedGames, record_line};
use crate::html::{Live, OwnPage, Told};
use crate::moments::{self, MOMENTS};
use crate::outputs::{ByGame, Made, OUTPUTS, OutputSource, Scored, timing};
use crate::own_change::{Noted, OwnChange, OwnVersion, Stood};
use crate::sheet::{
    Lines, Reader, Rows, Sheet, SheetColumns, or_empty, text, text_or_empty, yes_or_no,
};
use model::builtin;
use model::entrants_folder::EntrantsFolder;
use model::game_id::GameId;
use model::record::MatchResult;
use rulebook::JudgeError;
use rulebook::scoring::StandingsTable;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use store::manifest::{EntrantLine, Manifest};
use store::names::PublicNames;
use store::{MachineLines, UnequalMachines};
use system::run_folder::{JOURNAL, MANIFEST};

/// Makers of the tables in students' folders that have rows for each game, by table name.
struct OwnMakers<'c>(Vec<(&'static str, Box<dyn ByGame + 'c>)>);

impl<'c> OwnMakers<'c> {
    fn new(source: &OutputSource<'c>) -> Self {
        let makers = OUTPUTS.iter().filter_map(|output| match output.made {
            Made::ByGame { own, rows } => {
                (output.name)(source).map(|_| (own, rows(source, Reader::Author)))
            }
            Made::AtEnd { .. } | Made::Gathered(_) => None,
        });
        Self(makers.collect())
    }
}

/// The tables and games of one entrant.
struct Own {
    /// The tables, in the order of their makers.
    tables: Vec<Lines>,
    /// The public numbers of the games.
    numbers: Vec<usize>,
}

impl Own {
    fn new(makers: &OwnMakers<'_>) -> Self {
        let begun = makers.0.iter().map(|(_, maker)| {
            let mut lines = Lines::new();
            maker.head(&mut lines);
            lines
        });
        Self {
            tables: begun.collect(),
            numbers: Vec::new(),
        }
    }

    /// Adds a game; `name` is the public name of the reader.
    fn add(&mut self, makers: &OwnMakers<'_>, number: usize, result: &MatchResult, name: &str) {
        for ((_, maker), lines) in makers.0.iter().zip(&mut self.tables) {
            maker.rows(number, result, Some(name), lines);
        }
        self.numbers.push(number);
    }

    /// Returns the tables by name.
    fn finish(self, makers: &OwnMakers<'_>) -> Vec<(&'static str, Vec<u8>)> {
        makers
            .0
            .iter()
            .map(|(name, _)| *name)
            .zip(self.tables.into_iter().map(Lines::finish))
            .collect()
    }
}

pub(super) fn write(
    run: &PlayedRun<'_>,
    names: &PublicNames,
    extent: Extent<'_>,
    folder: &mut ViewFolder<'_>,
) -> Result<(), JudgeError> {
    let masked = Masked::new(run, names)?;
    let public = masked.public();
    let table = public.score()?;
    let numbers = masked.by_fixture();
    let machines = masked.manifest.machines.iter().map(|one| &one.line);
    let unequal = UnequalMachines::among(machines);
    let students = run
        .manifest
        .entrants
        .iter()
        .filter(|line| !builtin::is_builtin(&line.name));
    let makers = OwnMakers::new(&OutputSource::new(&masked.manifest)?);
    let mut own = gather(run, &masked, &makers)?;
    let mut own_manifest = Manifest {
        entrants: Vec::new(),
        ..masked.manifest.clone()
    };
    let mut pages = Students::gather(&public, &masked, &table)?;
    let common = common_digest(run, &masked);
    for line in students {
        let line = &own_words::for_author(line, |text| masked.gate.mask(text, &line.name));
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
        own_manifest.entrants = vec![EntrantLine {
            name: one.name.to_owned(),
            ..line.clone()
        }];
        let scored = Scored {
            table: &only(&table, one.name),
            machines: &MachineLines::new(),
            unequal: unequal.as_ref(),
        };
        for (name, content) in own_rows(&own_manifest, &scored)? {
            put(name, &content)?;
        }
        let mut games = Vec::new();
        if let Some(mut own) = own.remove(&line.name) {
            games = std::mem::take(&mut own.numbers);
            for (name, content) in own.finish(&makers) {
                put(name, &content)?;
            }
        }
        let told = one.told(&numbers)?;
        for (name, text) in told.files() {
            put(name, text.as_bytes())?;
        }
        let journal = folder.place(one.stem.join(JOURNAL))?;
        write_journal(&journal, &masked, &games, &line.name)?;
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
        let unpublished = folder.unpublished().join(&one.stem);
        masked.gate.check(&unpublished, &line.name)?;
        if let Some(made) = extent.live {
            let latest = Latest {
                submission: Some(submission),
                ..public.latest(made, digest.clone())?
            };
            folder.tell_latest(one.stem, latest);
        }
    }
    masked.list_numbers()
}

/// Returns the tables that are made once all games have been added; `manifest` and `scored` include
/// only one student.
fn own_rows(
    manifest: &Manifest,
    scored: &Scored<'_>,
) -> Result<Vec<(&'static str, Vec<u8>)>, JudgeError> {
    let source = OutputSource::new(manifest)?;
    Ok(OUTPUTS
        .iter()
        .filter_map(|output| match output.made {
            Made::AtEnd { own, csv } => {
                (output.name)(&source).and_then(|_| Some((own?, csv(&source, scored))))
            }
            Made::Gathered(_) | Made::ByGame { .. } => None,
        })
        .collect())
}

/// One student of a run.
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
    /// Reads the programs' output for this student; `numbers` are the public numbers of games.
    fn told(&self, numbers: &HashMap<GameId, usize>) -> Result<Told, JudgeError> {
        let log = |kind| own_words::log(self.run.folder, kind, &self.line.name);
        let mask = |text: &str| self.masked.gate.mask(text, &self.line.name);
        let own = |text: Option<String>| text.map(|text| mask(&own_words::own_paths(&text)));
        Ok(Told {
            build: own(log("build")?),
            check: own(log("check")?),
            stderr: log("stderr")?.map(|text| mask(&renumbered(&text, numbers))),
        })
    }

    /// Returns the effect of the last version, under public names, without opponents that no longer
    /// play.
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

/// Computes the digest of the data that the pages of all students share.
fn common_digest(run: &PlayedRun<'_>, masked: &Masked<'_>) -> PageDigest {
    let mut digest = PageDigest::default();
    digest.add(&masked.manifest.text());
    digest.add(&moments::text(&masked.moments));
    for id in run.ids.iter().filter(|id| run.games.contains(**id)) {
        digest.add(id.text().as_bytes());
    }
    digest
}

fn gather(
    run: &PlayedRun<'_>,
    masked: &Masked<'_>,
    makers: &OwnMakers<'_>,
) -> Result<HashMap<String, Own>, JudgeError> {
    let mut own: HashMap<String, Own> = HashMap::new();
    for (&place, number) in masked.order().iter().zip(1..) {
        let Some(game) = run.games.result(run.ids[place])? else {
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
            own.or_insert_with(|| Own::new(makers))
                .add(makers, number, &result, name);
        }
    }
    Ok(own)
}

/// Writes the games of one entrant, in the order of `games.csv`, which lists their numbers.
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

/// Recomputes the tables of one student from the manifest and the games in the student's folder;
/// returns names and contents. Omits tables that need more. `numbers` are the public numbers of the
/// games, and `name` is the student's public name.
///
/// # Errors
/// When the games cannot be read.
pub fn rewrite_own_tables(
    manifest: &Manifest,
    games: &PublishedGames,
    numbers: &[usize],
    name: &str,
) -> Result<Vec<(&'static str, Vec<u8>)>, JudgeError> {
    let makers = OwnMakers::new(&OutputSource::new(manifest)?);
    let mut own = Own::new(&makers);
    for (line, &number) in (1..=games.count()).zip(numbers) {
        if let Some(result) = games.result(line)? {
            own.add(&makers, number, &result, name);
        }
    }
    Ok(own.finish(&makers))
}

/// Returns the table with one entrant's row alone.
fn only(table: &StandingsTable, name: &str) -> StandingsTable {
    let mut table = table.clone();
    table.rows.retain(|row| row.standing.entrant == name);
    table.beside.clear();
    table.removed.retain(|removed| removed.entrant == name);
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
        .with("timing", |line| timing(line, |it| it.verdict()))
        .with("penalty", |line| or_empty(line.penalty()))
        .with("reason", |line| text_or_empty(line.broken.as_deref()))
        .with("warnings", |line| text(&line.warnings.join("; ")));
    let mut sheet = Sheet::new(columns);
    sheet.row(line);
    sheet.finish()
}

/// Replaces the fixtures' ids in a log by the numbers of their games.
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
