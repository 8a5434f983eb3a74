//! Reports on new versions for their authors' pages, in bounded time, so that games continue.

use crate::Scheduled;
use intake::{KeptSubmissions, ProgramCache, Submission};
use model::entrant::{Blame, Entrant};
use model::entrants_folder::EntrantsFolder;
use rulebook::JudgeError;
use rulebook::Loaded;
use sandbox::Isolation;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime};
use system::files::{make_folder, read_regular, write_whole};
use system::run_folder;

/// Checks a version. The caller of a watch provides it: this crate does not know `judge check`.
pub type CheckVersion = fn(VersionToCheck<'_>) -> Result<VersionReport, JudgeError>;

/// A version, and how it is checked.
pub struct VersionToCheck<'a> {
    /// Its files, as the run keeps them.
    pub submission: Submission,
    /// The competition of the run.
    pub loaded: &'a Loaded,
    /// How the run's programs are confined.
    pub isolation: Isolation,
    /// The run's folder, which remembers failed builds.
    pub run: &'a Path,
    /// Programs that were built before; `None` if every build is started.
    pub cache: Option<ProgramCache>,
    /// The time of the check.
    pub now: SystemTime,
    /// Set from outside to end the check.
    pub stop: &'a Arc<AtomicBool>,
}

/// The result of checking a version.
pub struct VersionReport {
    /// Whether nothing has to be corrected.
    pub ok: bool,
    /// The report for its author, as text.
    pub text: String,
    /// The same report as a JSON object.
    pub json: Box<RawValue>,
}

pub(super) struct Checks {
    check: CheckVersion,
    queue: VecDeque<(String, usize)>,
    isolation: Option<Isolation>,
    cache: Option<ProgramCache>,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    version: usize,
    report: Box<RawValue>,
}

impl Checks {
    pub(super) const fn new(check: CheckVersion) -> Self {
        Self {
            check,
            queue: VecDeque::new(),
            isolation: None,
            cache: None,
        }
    }

    pub(super) fn of(&mut self, scheduled: &Scheduled) {
        self.isolation = Some(scheduled.isolation.clone());
        self.cache.clone_from(&scheduled.spec.machine.cache);
        for entrant in &scheduled.entrants {
            let Some(number) = newest(entrant) else {
                continue;
            };
            self.queue.retain(|(name, _)| *name != entrant.name);
            if checked(&scheduled.folder, &entrant.name) != Some(number) {
                self.queue.push_back((entrant.name.clone(), number));
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// At least one, and more until `time` is over. Returns whose versions are wrong, with reports.
    pub(super) fn some(
        &mut self,
        run: &Path,
        loaded: &Loaded,
        time: Duration,
        now: SystemTime,
        stop: &Arc<AtomicBool>,
    ) -> Result<Vec<(String, PathBuf)>, JudgeError> {
        let began = Instant::now();
        let mut wrong = Vec::new();
        while let (Some(isolation), Some((name, number))) =
            (&self.isolation, self.queue.pop_front())
        {
            let kept = KeptSubmissions::of_run(run);
            let version = VersionToCheck {
                submission: kept.take(&name, Some(number), &*loaded.rules)?,
                loaded,
                isolation: isolation.clone(),
                run,
                cache: self.cache.clone(),
                now,
                stop,
            };
            let report = (self.check)(version)?;
            let own = |ending| EntrantsFolder::Logs.file_of(&name, ending);
            let text = folder(run)?.join(own(".txt"));
            write_whole(&text, report.text.as_bytes())?;
            let kept = Kept {
                version: number,
                report: report.json,
            };
            let json = serde_json::to_vec(&kept).expect("plain data");
            write_whole(&folder(run)?.join(own(".json")), &json)?;
            if !report.ok {
                wrong.push((name, text));
            }
            if began.elapsed() >= time {
                break;
            }
        }
        Ok(wrong)
    }
}

/// Returns `None` if nothing was kept, or the version is built later.
fn newest(entrant: &Entrant) -> Option<usize> {
    let broken = entrant.broken_newest();
    if broken.is_some_and(|broken| broken.blame == Blame::Waiting) {
        return None;
    }
    let last = entrant.newest().or(entrant.version.as_ref());
    last.map(|version| version.number)
}

fn folder(run: &Path) -> Result<PathBuf, JudgeError> {
    let folder = run_folder::logs(run)?.join("check");
    make_folder(&folder)?;
    Ok(folder)
}

fn checked(run: &Path, name: &str) -> Option<usize> {
    let place = run.join("logs/check");
    let text = read_regular(&place.join(EntrantsFolder::Logs.file_of(name, ".json"))).ok()?;
    let kept: Kept = serde_json::from_slice(&text).ok()?;
    Some(kept.version)
}
