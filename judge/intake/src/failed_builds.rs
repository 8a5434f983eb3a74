//! Builds that have failed, noted beside the programs of a run, so that a watch, which comes to
//! them again with every new version of anybody, does not begin them again.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a run's folder"
)]

use super::disturbed::Disturbed;
use super::failure::BuildFailure;
use error::JudgeError;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use system::files::{read_regular, write_whole};
use words::competition::BuildLimits;
use words::entrant::Blame;

/// After so long a build is begun again that ran out of time or of memory: the machine may have
/// been busy.
const TRANSIENT_COUNTS: SignedDuration = SignedDuration::from_hours(24);

/// What the names of notes end with.
const ENDING: &str = ".failed.json";

/// Where failed builds of a run are remembered, and under which conditions they are begun now.
pub(super) struct FailedBuilds {
    /// The folder `artifacts` of the run.
    folder: PathBuf,
    limits: BuildLimits,
    now: Timestamp,
}

/// What is noted of a failed build.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Note {
    /// The version of the judge that began it.
    judge: String,
    /// How long it was let take.
    limits: BuildLimits,
    /// When its submission was received, or looked at again, as RFC 3339.
    at: String,
    /// It ran out of time, or somebody may have killed a part of it: it counts for a while.
    transient: bool,
    reason: String,
    output: String,
}

impl FailedBuilds {
    /// Finds what a run remembers; builds now have these limits, at this time.
    pub(super) fn of_run(run: &Path, limits: BuildLimits, now: SystemTime) -> Self {
        Self {
            folder: run.join("artifacts"),
            limits,
            now: Timestamp::try_from(now).unwrap_or(Timestamp::MAX),
        }
    }

    /// Returns why the build of what has this hash failed, where it would fail again. A note that
    /// cannot be read costs a build and nothing else.
    pub(super) fn recall(&self, hash: &str) -> Option<BuildFailure> {
        let text = read_regular(&place(&self.folder, hash)).ok()?;
        let note: Note = serde_json::from_slice(&text).ok()?;
        let is_same = note.judge == env!("CARGO_PKG_VERSION") && note.limits == self.limits;
        let counts = is_same && (!note.transient || self.is_recent(&note.at));
        counts.then(|| BuildFailure {
            timed_out: note.transient,
            ..BuildFailure::with(note.reason, note.output)
        })
    }

    /// Notes a failure, where it is the submission's.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn note(&self, hash: &str, failure: &BuildFailure) -> Result<(), JudgeError> {
        if failure.blame != Blame::Submission {
            return Ok(());
        }
        let note = Note {
            judge: env!("CARGO_PKG_VERSION").to_owned(),
            limits: self.limits,
            at: self.now.to_string(),
            transient: failure.timed_out || failure.disturbed != Disturbed::No,
            reason: failure.reason.clone(),
            output: failure.output.clone(),
        };
        let text = serde_json::to_vec(&note).expect("it has nothing but text and numbers in it");
        write_whole(&place(&self.folder, hash), &text)
    }

    /// Returns whether this was less than a day ago; after a clock was set back nobody knows.
    fn is_recent(&self, at: &str) -> bool {
        let at: Option<Timestamp> = at.parse().ok();
        at.is_some_and(|at| {
            let age = self.now.duration_since(at);
            !age.is_negative() && age < TRANSIENT_COUNTS
        })
    }
}

/// Forgets the failures of a run that may have been the machine's: at the deadline each build gets
/// another chance.
///
/// # Errors
/// When a note is there and cannot be removed.
pub fn forget_transient_failures(run: &Path) -> Result<(), JudgeError> {
    let folder = run.join("artifacts");
    for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(hash) = name.to_str().and_then(|name| name.strip_suffix(ENDING)) else {
            continue;
        };
        let text = read_regular(&entry.path()).unwrap_or_default();
        let note = serde_json::from_slice::<Note>(&text);
        if note.is_ok_and(|note| note.transient) {
            forget(&folder, hash)?;
        }
    }
    Ok(())
}

/// Forgets that a build failed, in the folder `artifacts` of a run, as it has gone well since.
///
/// # Errors
/// When the note is there and cannot be removed.
pub(super) fn forget(folder: &Path, hash: &str) -> Result<(), JudgeError> {
    let place = place(folder, hash);
    match fs::remove_file(&place) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(JudgeError::io("remove", &place, e)),
        _ => Ok(()),
    }
}

fn place(folder: &Path, hash: &str) -> PathBuf {
    folder.join(format!("{hash}{ENDING}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const LIMITS: BuildLimits = BuildLimits {
        wall_ms: 1000,
        cpu_ms: 1000,
    };

    fn begin() -> (tempfile::TempDir, SystemTime) {
        let run = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(run.path().join("artifacts")).expect("ours");
        (run, SystemTime::UNIX_EPOCH + Duration::from_hours(9000))
    }

    fn failure() -> BuildFailure {
        BuildFailure::with("g++ exited with 1".to_owned(), "error: no\n".to_owned())
    }

    #[test]
    fn a_failure_is_recalled_by_the_same_judge_with_the_same_limits() {
        let (run, now) = begin();
        let failed = FailedBuilds::of_run(run.path(), LIMITS, now);
        assert!(failed.recall("one").is_none());
        failed.note("one", &failure()).expect("it can be written");
        let later = now + Duration::from_hours(9000);
        let recalled = FailedBuilds::of_run(run.path(), LIMITS, later).recall("one");
        let recalled = recalled.expect("it was noted");
        assert_eq!(recalled.reason, "g++ exited with 1");
        assert_eq!(recalled.output, "error: no\n");
        assert!(failed.recall("two").is_none());
        let longer = FailedBuilds::of_run(run.path(), BuildLimits::default(), now);
        assert!(longer.recall("one").is_none());
        let place = run.path().join("artifacts/one.failed.json");
        let text = fs::read_to_string(&place).expect("it was noted");
        let older = text.replace(env!("CARGO_PKG_VERSION"), "0.0.0");
        for text in [older.as_str(), "{"] {
            fs::write(&place, text).expect("ours");
            assert!(failed.recall("one").is_none(), "{text}");
        }
        forget(&run.path().join("artifacts"), "one").expect("it can be removed");
        assert!(!place.exists());
    }

    #[test]
    fn what_ran_out_of_time_or_was_killed_is_tried_again_after_a_day_or_at_the_deadline() {
        let (run, now) = begin();
        let day = Duration::from_hours(24);
        let at = |time| FailedBuilds::of_run(run.path(), LIMITS, time);
        let slow = BuildFailure {
            timed_out: true,
            ..failure()
        };
        let killed = |disturbed| BuildFailure {
            disturbed,
            ..failure()
        };
        for (hash, failure) in [
            ("wrong", failure()),
            ("slow", slow),
            ("killed", killed(Disturbed::Surely)),
            ("one", killed(Disturbed::Perhaps)),
        ] {
            at(now).note(hash, &failure).expect("it can be written");
        }
        for (time, counts) in [
            (now, true),
            (now + day - Duration::from_secs(1), true),
            (now + day, false),
            // The clock was set back.
            (now - Duration::from_secs(1), false),
        ] {
            for hash in ["slow", "killed", "one"] {
                assert_eq!(at(time).recall(hash).is_some(), counts, "{hash} {time:?}");
            }
            assert!(at(time).recall("wrong").is_some());
        }
        forget_transient_failures(run.path()).expect("they can be removed");
        let left = ["slow", "killed", "one", "wrong"].map(|hash| at(now).recall(hash).is_some());
        assert_eq!(left, [false, false, false, true]);
    }

    #[test]
    fn what_may_not_be_the_submissions_fault_is_not_noted() {
        let (run, now) = begin();
        let failed = FailedBuilds::of_run(run.path(), LIMITS, now);
        for failure in [
            BuildFailure::lacking("no ghc".to_owned()),
            BuildFailure {
                blame: Blame::Machine,
                ..failure()
            },
        ] {
            failed.note("one", &failure).expect("nothing is written");
            assert!(failed.recall("one").is_none(), "{failure:?}");
        }
    }
}
