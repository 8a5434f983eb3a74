//! All received versions of every submission. The files of each are kept under their hash.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a run's folder"
)]

use crate::read::executable;
use crate::read::source::{Allowance, SourceFile};
use crate::read::submission::Submission;
use crate::read::walk::read_entry;
use jiff::Timestamp;
use model::draw::hash;
use model::entrant::{Blame, Broken, VersionName};
use model::entrants_folder::{CONTENT, EntrantsFolder};
use model::lateness::{Deadlines, ReceiptRecord, Timing};
use rulebook::rules::Rules;
use rulebook::{IoContext, JudgeError, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::mem;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use system::files::{if_there, make_private_folder, sync_tree, write_whole};
use system::foreign::ForeignFolder;
use system::run_folder;

pub(crate) const CONTENT_NAME: &str = CONTENT;
const LIST_ENDING: &str = ".json";
const UNFINISHED: &str = ".new-";
/// Number of versions from which on one that was never built gives its number to the next.
const NUMBERED_MAX: usize = 1000;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SubmissionVersion {
    pub(crate) hash: String,
    /// When it was received, as `2026-11-21T14:02:00Z`.
    received: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<ReceiptRecord>,
    origin: String,
    /// Whether it could play; `None` until that has been tried.
    pub(crate) works: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) artifact: Option<String>,
}

impl SubmissionVersion {
    fn first_seen(&self) -> Timestamp {
        self.received.parse().unwrap_or(Timestamp::MAX)
    }

    fn better_record(&self, said: Option<ReceiptRecord>) -> Option<ReceiptRecord> {
        ReceiptRecord::better(self.record, said, self.first_seen())
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VersionLog {
    pub(crate) entrant: String,
    pub(crate) versions: Vec<SubmissionVersion>,
}

/// The received versions of a run.
#[derive(Debug)]
pub struct KeptSubmissions {
    pub(crate) folder: PathBuf,
}

/// The versions of one entrant, oldest first.
#[derive(Debug)]
pub(crate) struct History {
    path: PathBuf,
    damaged: Option<PathBuf>,
    content: PathBuf,
    log: VersionLog,
}

impl KeptSubmissions {
    /// Creates the store if need be, and removes unfinished files of a run that was killed.
    pub(crate) fn open(run: &Path) -> Result<Self> {
        let folder = run.join(run_folder::VERSIONS);
        make_private_folder(&folder)?;
        let content = folder.join(CONTENT_NAME);
        make_private_folder(&content)?;
        for place in [&folder, &content] {
            for entry in fs::read_dir(place).or_io("clean up", place)?.flatten() {
                if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
                    let path = entry.path();
                    if path.is_dir() {
                        fs::remove_dir_all(path).or_io("clean up", place)?;
                    } else {
                        fs::remove_file(path).or_io("clean up", place)?;
                    }
                }
            }
        }
        Ok(Self { folder })
    }

    /// Opens the versions in a run's folder for reading.
    pub fn of_run(run: &Path) -> Self {
        Self {
            folder: run.join(run_folder::VERSIONS),
        }
    }

    pub(crate) fn withdrawn(
        &self,
        present: &HashSet<&str>,
    ) -> Result<Vec<(String, VersionName, String)>> {
        let mut withdrawn = Vec::new();
        for (
            path,
            VersionLog {
                entrant,
                mut versions,
            },
        ) in self.logs()?
        {
            let number = versions.len();
            // A list under a name that its entrant's never had is damaged.
            if !present.contains(&*entrant)
                && self.list_of(&entrant) == path
                && let Some(SubmissionVersion {
                    received, origin, ..
                }) = versions.pop()
            {
                withdrawn.push((entrant, VersionName { number, received }, origin));
            }
        }
        Ok(withdrawn)
    }

    /// Reads all lists that are not damaged, each with its path.
    pub(crate) fn logs(&self) -> Result<Vec<(PathBuf, VersionLog)>> {
        let mut all = Vec::new();
        let entries = if_there(fs::read_dir(&self.folder)).or_io("read", &self.folder)?;
        for entry in entries.into_iter().flatten() {
            let path = entry.or_io("read", &self.folder)?.path();
            let is_list = path.extension().is_some_and(|ending| ending == "json");
            let log = is_list.then(|| read_log(&fs::read(&path).ok()?)).flatten();
            all.extend(log.map(|log| (path, log)));
        }
        Ok(all)
    }

    /// Returns when the judge first received the newest version of an entrant, and the better of
    /// its record and `said`. Returns `None` if the newest version has another hash.
    pub(crate) fn receipt(
        &self,
        entrant: &str,
        hash: &str,
        said: Option<ReceiptRecord>,
    ) -> Result<Option<(Timestamp, Option<ReceiptRecord>)>> {
        let path = self.list_of(entrant);
        // Receiving the version sets a damaged list aside.
        let log = read_if_there(&path)?.and_then(|text| read_log(&text));
        let versions = log.map(|log| log.versions).unwrap_or_default();
        let last = versions.last().filter(|last| last.hash == hash);
        Ok(last.map(|last| (last.first_seen(), last.better_record(said))))
    }

    /// A list names its entrant: where case makes no difference, the file may be another one's.
    fn list_of(&self, entrant: &str) -> PathBuf {
        let names = EntrantsFolder::Versions;
        let list = self.folder.join(names.file_of(entrant, LIST_ENDING));
        match fs::read(&list).ok().as_deref().and_then(read_log) {
            Some(log) if log.entrant != entrant => {
                self.folder.join(names.apart(entrant, LIST_ENDING))
            }
            _ => list,
        }
    }

    /// A damaged list is set aside, and a new one begins.
    pub(crate) fn history(&self, entrant: &str) -> Result<History> {
        let path = self.list_of(entrant);
        let text = read_if_there(&path)?;
        let log = text.as_deref().and_then(read_log);
        let is_damaged = text.is_some() && log.is_none();
        Ok(History {
            damaged: is_damaged.then(|| set_aside(&path)).transpose()?,
            path,
            content: self.folder.join(CONTENT_NAME),
            log: VersionLog {
                entrant: entrant.to_owned(),
                versions: log.map(|log| log.versions).unwrap_or_default(),
            },
        })
    }
}

fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>> {
    if_there(fs::read(path)).or_io("read", path)
}

impl History {
    /// Keeps received files, unless they equal the newest version; notes later evidence of receipt.
    pub(crate) fn receive(
        &mut self,
        files: &[SourceFile],
        origin: &str,
        now: SystemTime,
        record: Option<ReceiptRecord>,
    ) -> Result {
        let hash = content_hash(files);
        if let Some(last) = self.log.versions.last_mut()
            && last.hash == hash
        {
            let record = last.better_record(record);
            let before = mem::replace(&mut last.record, record);
            return if before == record {
                Ok(())
            } else {
                self.save()
            };
        }
        self.keep(&hash, files)?;
        if self.log.versions.len() >= NUMBERED_MAX {
            self.log.versions.pop_if(|last| last.works.is_none());
        }
        self.log.versions.push(SubmissionVersion {
            hash,
            received: whole_second(now).to_string(),
            record,
            origin: origin.to_owned(),
            works: None,
            artifact: None,
        });
        self.save()
    }

    /// Returns whether these files came from this origin before, and other files after them.
    pub(crate) fn has_passed(&self, files: &[SourceFile], origin: &str) -> bool {
        let hash = content_hash(files);
        let mut before = self.log.versions.iter().rev().skip(1);
        before.any(|version| version.hash == hash && version.origin == origin)
    }

    /// Notes the hash of the last version's program, or `None` if it cannot play.
    pub(crate) fn note(&mut self, artifact: Option<&str>) -> Result {
        let Some(last) = self.log.versions.last_mut() else {
            return Ok(());
        };
        let works = Some(artifact.is_some());
        let artifact = artifact.map(str::to_owned).or(last.artifact.clone());
        if (last.works, &last.artifact) == (works, &artifact) {
            return Ok(());
        }
        (last.works, last.artifact) = (works, artifact);
        self.save()
    }

    /// Returns the program that was built in this run from these files, at any time.
    pub(crate) fn artifact(&self, index: usize) -> Option<&str> {
        let versions = &self.log.versions;
        let is_same = |version: &&SubmissionVersion| version.hash == versions[index].hash;
        let mut same = versions.iter().rev().filter(is_same);
        same.find_map(|version| version.artifact.as_deref())
    }

    pub(crate) fn last(&self) -> Option<usize> {
        self.log.versions.len().checked_sub(1)
    }

    /// Returns the index of a version by its number, counted from 1, if there is one.
    pub(crate) fn index(&self, number: usize) -> Option<usize> {
        let index = number.checked_sub(1)?;
        self.log.versions.get(index).map(|_| index)
    }

    pub(crate) fn note_on_damage(&self) -> Option<String> {
        let kept = self.damaged.as_ref()?.display();
        Some(format!(
            "the list of its earlier versions was damaged; it is kept as {kept}, and a new list starts"
        ))
    }

    /// Lists the versions that could play when they were the last, newest first.
    pub(crate) fn working(&self) -> Vec<usize> {
        let works = |&index: &usize| self.log.versions[index].works == Some(true);
        (0..self.log.versions.len()).rev().filter(works).collect()
    }

    pub(crate) fn name(&self, index: usize) -> VersionName {
        let version = &self.log.versions[index];
        let (received, _) = ReceiptRecord::received(version.record, version.first_seen());
        VersionName {
            number: index + 1,
            received: received.to_string(),
        }
    }

    pub(crate) fn timing(&self, index: usize, deadlines: &Deadlines) -> Timing {
        let version = &self.log.versions[index];
        deadlines.timing(&self.log.entrant, version.record, version.first_seen())
    }

    /// Reads a version as a submission. Returns `None` if its files are no longer the received ones.
    pub(crate) fn submission(&self, index: usize) -> Option<Submission> {
        let version = &self.log.versions[index];
        Some(Submission {
            origin: version.origin.clone(),
            record: version.record,
            ..Submission::of(self.files(index)?)
        })
    }

    pub(crate) fn files(&self, index: usize) -> Option<Vec<SourceFile>> {
        let hash = &self.log.versions[index].hash;
        let content = ForeignFolder::open(&self.content).ok()?;
        let read = read_entry(&content, OsStr::new(hash), Allowance::whole());
        let files = read.ok()?.files;
        (content_hash(&files) == *hash).then_some(files)
    }

    /// Makes a folder that gets its name when it is complete and on the disk.
    fn keep(&self, hash: &str, files: &[SourceFile]) -> Result {
        let failed = |e| JudgeError::io("write", &self.content, e);
        let folder = self.content.join(hash);
        if folder.exists() {
            return Ok(());
        }
        let fresh = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .tempdir_in(&self.content)
            .map_err(failed)?;
        executable::write_files(files, fresh.path()).map_err(failed)?;
        sync_tree(fresh.path()).map_err(failed)?;
        match fs::rename(fresh.path(), &folder) {
            Ok(()) => drop(fresh.keep()),
            // Somebody else submitted the same.
            Err(_) if folder.exists() => {}
            Err(e) => return Err(failed(e)),
        }
        Ok(())
    }

    fn save(&self) -> Result {
        let mut text = serde_json::to_vec_pretty(&self.log).expect("plain data");
        text.push(b'\n');
        write_whole(&self.path, &text)
    }
}

fn read_log(text: &[u8]) -> Option<VersionLog> {
    serde_json::from_slice(text).ok()
}

fn whole_second(time: SystemTime) -> Timestamp {
    let second = Timestamp::try_from(time).unwrap_or_default().as_second();
    Timestamp::from_second(second).unwrap_or_default()
}

fn set_aside(path: &Path) -> Result<PathBuf> {
    let named = |number: u32| path.with_extension(format!("json.damaged-{number}"));
    let free = (1..u32::MAX)
        .map(named)
        .find(|path| !path.exists())
        .expect("there are more numbers than files");
    fs::rename(path, &free).or_io("set aside", path)?;
    Ok(free)
}

pub(crate) fn content_hash(files: &[SourceFile]) -> String {
    let mut parts: Vec<&[u8]> = vec![b"version"];
    executable::push_files(&mut parts, files);
    hash(&parts)
}

/// A version that a run has received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptVersion {
    /// Its number, counted from 1.
    pub number: usize,
    /// The hash of its files, see [`Submission::content`].
    pub content: String,
    /// When the judge first received it.
    pub received: Timestamp,
    /// Number and receipt of the last version that was built or failed to build.
    pub tried: Option<(usize, Timestamp)>,
}

impl KeptSubmissions {
    /// Keeps a version with its receipt, before it can be built.
    pub fn receive(&self, submission: &Submission) -> Result {
        let files = submission.all_files();
        let Some(received) = submission.received.filter(|_| !files.is_empty()) else {
            return Ok(());
        };
        let mut history = self.history(&submission.name)?;
        history.receive(&files, &submission.origin, received.into(), None)
    }

    /// Reads a version of an entrant, counted from 1, or the last one.
    pub fn take(
        &self,
        entrant: &str,
        number: Option<usize>,
        game: &dyn Rules,
    ) -> Result<Submission> {
        let history = self.history(entrant)?;
        let wrong = |reason: String| JudgeError::input(format!("{entrant} {reason}"));
        let Some(last) = history.last() else {
            return Err(wrong("has no version in this run".to_owned()));
        };
        let number = number.unwrap_or(last + 1);
        let index = history.index(number).ok_or_else(|| {
            let all = (0..=last).map(|index| history.name(index).to_string());
            let names = all.collect::<Vec<_>>().join(", ");
            wrong(format!("has no version {number}; there are: {names}"))
        })?;
        let kept = history.submission(index).ok_or_else(|| {
            let version = history.name(index);
            wrong(format!(
                "cannot play {version}: its files have changed since they were received, or were removed to make room; restore the folder versions from a backup"
            ))
        })?;
        Ok(kept.identified(entrant, Some(game)))
    }

    /// Returns the newest version of an entrant, if any.
    pub fn newest(&self, entrant: &str) -> Result<Option<KeptVersion>> {
        let history = self.history(entrant)?;
        let versions = &history.log.versions;
        let tried = versions.iter().rposition(|version| version.works.is_some());
        Ok(versions.last().map(|last| KeptVersion {
            number: versions.len(),
            content: last.hash.clone(),
            received: last.first_seen(),
            tried: tried.map(|index| (index + 1, versions[index].first_seen())),
        }))
    }

    /// Lists the entrants whose newest submission is late only because the judge's clock alone
    /// dates it. A submission seen for the first time counts as seen at `now`.
    pub fn late_by_first_sight(
        &self,
        submissions: &[Submission],
        deadlines: &Deadlines,
        now: Timestamp,
    ) -> Result<Vec<String>> {
        let mut late = Vec::new();
        for submission in submissions {
            let files = submission.all_files();
            let is_again = |one: &Submission| {
                one.record == Some(ReceiptRecord::InTime) && one.all_files() == files
            };
            // The same files came in time, so that only their second submission is late.
            if files.is_empty() || submission.earlier.iter().any(is_again) {
                continue;
            }
            let name = &submission.name;
            let said = deadlines.record(name, submission.record);
            let (first_seen, record) = self
                .receipt(name, &content_hash(&files), said)?
                .unwrap_or((submission.received.unwrap_or(now), said));
            if (deadlines.timing(name, record, first_seen)).is_late_by_first_sight() {
                late.push(name.clone());
            }
        }
        Ok(late)
    }

    /// Returns the receipt of a submission that staff let play in place of version `number`,
    /// counted from 1: that version's, or else the roster's; without either, it is in time.
    pub fn stands_in(
        &self,
        entrant: &str,
        number: Option<usize>,
        deadlines: &Deadlines,
    ) -> Result<ReceiptRecord> {
        let history = self.history(entrant)?;
        let timing = match number.and_then(|number| history.index(number)) {
            Some(index) => history.timing(index, deadlines),
            None => deadlines.timing(
                entrant,
                deadlines.record(entrant, None),
                Timestamp::UNIX_EPOCH,
            ),
        };
        Ok(ReceiptRecord::Chosen(timing.stands_in()))
    }

    /// Reads the files of a version, counted from 1. Returns `None` if they are gone or changed.
    pub fn files(&self, entrant: &str, number: usize) -> Result<Option<Vec<SourceFile>>> {
        let history = self.history(entrant)?;
        Ok(history.index(number).and_then(|index| history.files(index)))
    }
}

impl Submission {
    /// Returns the hash of all submitted files, or `None` if there are none.
    pub fn content(&self) -> Option<String> {
        let files = self.all_files();
        (!files.is_empty()).then(|| content_hash(&files))
    }

    /// Makes the submission of an entrant of whom nothing could be kept, in words of [`Broken`].
    pub fn refused(name: String, words: &str, blame: Blame) -> Self {
        let reason = words
            .strip_prefix(Broken::OURS)
            .filter(|_| !blame.is_authors())
            .unwrap_or(words);
        Self {
            name,
            blame,
            ..Self::unreadable(reason.to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edited_list_withdraws_nobody_and_earlier_versions_are_known() {
        let run = tempfile::tempdir().expect("a folder");
        let store = KeptSubmissions::open(run.path()).expect("writable");
        let withdrawn = || {
            let all = store.withdrawn(&HashSet::new()).expect("readable");
            let names = all.into_iter().map(|(name, ..)| name);
            names.collect::<Vec<_>>()
        };
        let mut history = store.history("quitter").expect("readable");
        history
            .receive(&[], "quitter", SystemTime::UNIX_EPOCH, None)
            .expect("writable");
        assert_eq!(withdrawn(), ["quitter"]);
        let list = store.list_of("quitter");
        let text = fs::read_to_string(&list).expect("readable");
        let changed = text.replace("\"entrant\": \"quitter\"", "\"entrant\": \"auitter\"");
        assert_ne!(changed, text);
        fs::write(&list, changed).expect("writable");
        assert!(withdrawn().is_empty());
        // Earlier versions from the same origin are known.
        let mut history = store.history("ann").expect("readable");
        let files = |text: &str| vec![SourceFile::new("Cat.h", text)];
        for (text, origin) in [("1", "Cat.h"), ("2", "Cat-1.h")] {
            let received = history.receive(&files(text), origin, SystemTime::UNIX_EPOCH, None);
            received.expect("writable");
        }
        assert!(history.has_passed(&files("1"), "Cat.h"));
        assert!(!history.has_passed(&files("1"), "Cat-2.h"));
        let is_last = history.has_passed(&files("2"), "Cat-1.h");
        assert!(!is_last, "it is the last");
    }
}
