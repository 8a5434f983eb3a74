//! The upkeep of a watch: reports on new versions, and a bound on the run's folder.

use crate::Scheduled;
use intake::{KeptSubmissions, ProgramCache, RemovedVersions, Submission, bytes_of};
use model::entrant::{Blame, Entrant};
use model::entrants_folder::EntrantsFolder;
use rulebook::{Loaded, Result};
use sandbox::Isolation;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use store::manifest::Manifest;
use system::files::{make_folder, read_regular, write_whole};
use system::run_folder;

/// Checks a version. The caller of a watch provides it: this crate does not know `judge check`.
pub type CheckVersion = fn(VersionToCheck<'_>) -> Result<VersionReport>;

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
        stop: &Arc<AtomicBool>,
    ) -> Result<Vec<(String, PathBuf)>> {
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
                stop,
            };
            let report = (self.check)(version)?;
            let folder = run_folder::logs(run)?.join("check");
            make_folder(&folder)?;
            let own = |ending| folder.join(EntrantsFolder::Logs.file_of(&name, ending));
            let text = own(".txt");
            write_whole(&text, report.text.as_bytes())?;
            let kept = Kept {
                version: number,
                report: report.json,
            };
            let json = serde_json::to_vec(&kept).expect("plain data");
            write_whole(&own(".json"), &json)?;
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

fn checked(run: &Path, name: &str) -> Option<usize> {
    let own = EntrantsFolder::Logs.file_of(name, ".json");
    let text = read_regular(&run.join("logs/check").join(own)).ok()?;
    let kept: Kept = serde_json::from_slice(&text).ok()?;
    Some(kept.version)
}

const MEASURE_INTERVAL: Duration = Duration::from_secs(60);

#[derive(Default)]
pub(super) struct Disk {
    measured: Option<(Instant, Option<u64>)>,
    /// Why nothing is built or played, while the folder is too large.
    pub(super) refusal: Option<String>,
}

impl Disk {
    pub(super) const fn is_full(&self) -> bool {
        self.refusal.is_some()
    }

    /// Frees space of authors or of a folder with too much of it; returns the removed versions.
    pub(super) fn free(
        &mut self,
        run: &Path,
        bytes_max: Option<u64>,
    ) -> Result<Vec<RemovedVersions>> {
        if let Some((at, bound)) = self.measured
            && bound == bytes_max
            && at.elapsed() < MEASURE_INTERVAL
        {
            return Ok(Vec::new());
        }
        let playing = in_use(run)?;
        let most = bytes_max.unwrap_or(u64::MAX);
        let excess = || bytes_of(run).saturating_sub(most);
        if excess() > 0 {
            intake::remove_programs_but(run, &playing)?;
        }
        let removed = intake::remove_versions(run, &playing, excess())?;
        let excess = Some(excess()).filter(|excess| *excess > 0);
        self.refusal = excess.map(|excess| {
            let [held, most] = [most + excess, most].map(|bytes| bytes.div_ceil(1_000_000));
            format!(
                "{} holds {held} MB, but disk_max is {most} MB: judge still receives versions, but builds and plays \
                 nothing until there is room; raise disk_max, or move away files that are not needed (logs, parts)",
                run.display()
            )
        });
        self.measured = Some((Instant::now(), bytes_max));
        Ok(removed)
    }
}

fn in_use(run: &Path) -> Result<BTreeSet<String>> {
    let hashes = Manifest::read(run)?.into_iter().flat_map(|run| {
        run.entrants
            .into_iter()
            .filter_map(|line| line.artifact)
            .chain(run.filler.map(|filler| filler.artifact.to_string()))
    });
    Ok(hashes.collect())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests read what they have made")]
mod tests {
    use super::*;
    use std::fs;

    fn refusal(run: &Path, bytes_max: Option<u64>) -> (Option<String>, Vec<RemovedVersions>) {
        let mut disk = Disk::default();
        let removed = disk.free(run, bytes_max).expect("readable");
        (disk.refusal, removed)
    }

    #[test]
    fn programs_that_nobody_plays_with_go_first() {
        let run = tempfile::tempdir().expect("a temporary folder");
        let program = run.path().join("artifacts/old");
        fs::create_dir_all(&program).expect("writable");
        fs::write(program.join("bot"), vec![1; 3_000_000]).expect("writable");
        fs::write(run.path().join("artifacts/old.json"), "{}").expect("writable");
        fs::create_dir(run.path().join("versions")).expect("writable");
        let list = r#"{"entrant":"ann","versions":[{"hash":"h","received":"","origin":"","works":true,"artifact":"old"}]}"#;
        fs::write(run.path().join("versions/ann.json"), list).expect("writable");
        assert_eq!(refusal(run.path(), Some(1_000_000)), (None, Vec::new()));
        let left = fs::read_dir(run.path().join("artifacts")).expect("there");
        assert_eq!(left.count(), 0);
        fs::write(run.path().join("journal.jsonl"), vec![1; 3_000_000]).expect("writable");
        let (reported, _) = refusal(run.path(), Some(1_000_000));
        let reported = reported.expect("it is full");
        assert!(reported.contains("disk_max is 1 MB"), "{reported}");
        assert_eq!(refusal(run.path(), Some(10_000_000)).0, None);
        assert_eq!(refusal(run.path(), None).0, None);
    }

    /// Makes an entrant's versions of a size each; each is built or not.
    fn versions(run: &Path, entrant: &str, bytes: usize, built: &[bool]) {
        let content = run.join("versions/content");
        let line = |(number, is_built): (usize, &bool)| {
            let folder = content.join(format!("{entrant}{number}"));
            fs::create_dir_all(&folder).expect("writable");
            fs::write(folder.join("bot"), vec![1; bytes]).expect("writable");
            let built = format!(r#""works":true,"artifact":"p{entrant}{number}""#);
            let built = if *is_built { &built } else { r#""works":null"# };
            format!(r#"{{"hash":"{entrant}{number}","received":"","origin":"",{built}}}"#)
        };
        let lines: Vec<String> = built.iter().enumerate().map(line).collect();
        let list = format!(
            r#"{{"entrant":"{entrant}","versions":[{}]}}"#,
            lines.join(",")
        );
        fs::write(run.join(format!("versions/{entrant}.json")), list).expect("writable");
    }

    const ANN: [&str; 6] = ["ann0", "ann1", "ann2", "ann3", "ann4", "ann5"];

    fn left(run: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(run.join("versions/content"))
            .expect("there")
            .map(|entry| entry.expect("valid").file_name())
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn only_filling_author_loses_never_built_versions() {
        let run = tempfile::tempdir().expect("a temporary folder");
        let run = run.path();
        versions(run, "ann", 100_000, &[true, false, true, true, true, true]);
        let flood = [[true].as_slice(), &[false; 9]].concat();
        versions(run, "mal", 1_000_000, &flood);
        let (reported, removed) = refusal(run, Some(5_000_000));
        assert_eq!(reported, None);
        let removed = removed.iter().map(|one| (&*one.entrant, one.versions));
        assert_eq!(removed.collect::<Vec<_>>(), [("mal", 6)]);
        let mal = ["mal0", "mal7", "mal8", "mal9"];
        assert_eq!(left(run), [&ANN[..], &mal].concat());
        // Files that no list names any more are removed, too.
        fs::create_dir(run.join("versions/content/gone")).expect("writable");
        fs::write(run.join("versions/content/gone/bot"), "x").expect("writable");
        refusal(run, Some(4_000_000));
        assert!(!left(run).contains(&"gone".to_owned()));
    }

    #[test]
    fn large_author_keeps_playable_versions_small_keeps_all() {
        let run = tempfile::tempdir().expect("a temporary folder");
        let run = run.path();
        versions(run, "ann", 10_000, &[true; 6]);
        versions(run, "mal", 1_000_000, &[true; 8]);
        let (reported, _) = refusal(run, Some(2_000_000));
        assert!(reported.is_some(), "what may play takes more");
        let mal = ["mal5", "mal6", "mal7"];
        assert_eq!(left(run), [&ANN[..], &mal].concat());
    }
}
