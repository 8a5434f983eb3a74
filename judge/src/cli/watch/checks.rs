//! What `judge check` says of each new version, kept for its author's page: a bounded time of
//! checking at once, so that games go on.

use super::look::Terms;
use crate::check::{self, Examination};
use competition::Loaded;
use error::JudgeError;
use intake::KeptSubmissions;
use run::{Scheduled, open_run_cgroups, toolchains};
use sandbox::Isolation;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime};
use system::cleanup::TemporaryFolder;
use system::files::{make_folder, read_regular, write_whole};
use system::run_folder;
use words::competition::Competition;
use words::entrant::{Blame, Entrant, Readiness};
use words::entrants_folder::EntrantsFolder;

/// Initial states that are played in sample games.
const STATES: u32 = 2;
/// After so long no sample game of a version is begun.
const EACH_MAX: Duration = Duration::from_secs(10);

/// What is to be checked.
#[derive(Default)]
pub(super) struct Checks {
    /// Entrants with the numbers of their newest versions.
    queue: VecDeque<(String, usize)>,
    /// How programs are shut in here.
    isolation: Option<Isolation>,
}

/// What was found of a version, as it is kept.
#[derive(Serialize)]
struct Kept<'a> {
    version: usize,
    report: &'a check::CheckReport,
}

/// Of which version something was found.
#[derive(Deserialize)]
struct KeptVersion {
    version: usize,
}

impl Checks {
    /// Takes note of the versions that nobody has checked.
    pub(super) fn of(&mut self, scheduled: &Scheduled) {
        self.isolation = Some(scheduled.isolation().clone());
        for entrant in scheduled.entrants() {
            let Some(number) = newest(entrant) else {
                continue;
            };
            self.queue.retain(|(name, _)| *name != entrant.name);
            if checked(scheduled.folder(), &entrant.name) != Some(number) {
                self.queue.push_back((entrant.name.clone(), number));
            }
        }
    }

    /// Returns whether nothing is to be checked.
    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Checks one version after the other until this time is over, at least one; says of whom
    /// something is to be corrected, and where it stands.
    ///
    /// # Errors
    /// When the judge or the machine fails, of which nothing stays in the queue.
    pub(super) fn some(
        &mut self,
        run: &Path,
        rules: &Terms,
        time: Duration,
        now: SystemTime,
        stop: &Arc<AtomicBool>,
    ) -> Result<Vec<(String, PathBuf)>, JudgeError> {
        let began = Instant::now();
        let mut wrong = Vec::new();
        while let Some((name, number)) = self.queue.pop_front() {
            let Some(isolation) = &self.isolation else {
                break;
            };
            let report = examine(run, (&name, number), rules, isolation.clone(), now, stop)?;
            let text = folder(run)?.join(EntrantsFolder::Logs.file_of(&name, ".txt"));
            write_whole(&text, report.text().as_bytes())?;
            let kept = Kept {
                version: number,
                report: &report,
            };
            let json = serde_json::to_vec(&kept).expect("plain data");
            write_whole(
                &folder(run)?.join(EntrantsFolder::Logs.file_of(&name, ".json")),
                &json,
            )?;
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

/// Returns the number of the version that came last; none where nothing was kept, or it is built
/// later.
fn newest(entrant: &Entrant) -> Option<usize> {
    let receipt = &entrant.receipt;
    let broken = match (&entrant.readiness, &receipt.replaced) {
        (Readiness::Broken(broken), _) => Some(broken),
        (Readiness::Ready(_), replaced) => replaced.as_ref().map(|one| &one.broken),
    };
    if broken.is_some_and(|broken| broken.blame == Blame::Waiting) {
        return None;
    }
    let last = receipt.replaced.as_ref().and_then(|one| one.last.as_ref());
    last.or(receipt.version.as_ref())
        .map(|version| version.number)
}

fn folder(run: &Path) -> Result<PathBuf, JudgeError> {
    let folder = run_folder::logs(run)?.join("check");
    make_folder(&folder)?;
    Ok(folder)
}

/// Returns which version of somebody has been checked last.
fn checked(run: &Path, name: &str) -> Option<usize> {
    let place = run.join("logs/check");
    let text = read_regular(&place.join(EntrantsFolder::Logs.file_of(name, ".json"))).ok()?;
    let kept: KeptVersion = serde_json::from_slice(&text).ok()?;
    Some(kept.version)
}

fn examine(
    run: &Path,
    (name, number): (&str, usize),
    terms: &Terms,
    mut isolation: Isolation,
    now: SystemTime,
    stop: &Arc<AtomicBool>,
) -> Result<check::CheckReport, JudgeError> {
    let Loaded {
        rules, competition, ..
    } = &terms.loaded;
    let toolchains = toolchains(&terms.loaded.toolchains, &isolation)?;
    let mut submission = KeptSubmissions::of_run(run).take(name, Some(number), &**rules)?;
    submission.admit(&**rules);
    let folder = TemporaryFolder::new("check", Permissions::from_mode(0o755))
        .map_err(|e| JudgeError::io("make a folder in", std::env::temp_dir(), e))?;
    let run_cgroups = open_run_cgroups(&mut isolation, competition.conditions.processes)?;
    let exam = Examination {
        competition: Competition {
            states: STATES,
            // What is found must tell nothing of what is played.
            seed: None,
            ..competition.clone()
        },
        folder: folder.path(),
        isolation: &isolation,
        toolchains: &toolchains,
        run_cgroups: run_cgroups
            .as_ref()
            .map(sandbox::OpenRunCgroups::run_cgroups)
            .cloned(),
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
        pin: true,
        limit: EACH_MAX,
        // What did not build has just been tried.
        failed_of: Some(run),
        graded: false,
        received: now,
        interrupted: stop,
        progress: &|_| (),
    };
    check::examine(&exam, submission)
}
