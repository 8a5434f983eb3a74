//! Failed builds, noted beside the programs of a run. A watch builds again with every new version
//! of any entrant, and does not repeat the failed builds.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a run's folder"
)]

use super::disturbed::Disturbed;
use jiff::{SignedDuration, Timestamp};
use model::competition::BuildLimits;
use model::entrant::Blame;
use rulebook::JudgeError;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use system::files::{read_regular, write_whole};

/// Time after which a build that ran out of time or memory is started again. The machine may have
/// been busy.
const TRANSIENT_COUNTS: SignedDuration = SignedDuration::from_hours(24);

/// Ending of the names of notes.
const ENDING: &str = ".failed.json";

/// The failed builds that a run remembers, and the limits and time of new builds.
pub(super) struct FailedBuilds {
    /// The folder `artifacts` of the run.
    folder: PathBuf,
    limits: BuildLimits,
    now: Timestamp,
}

/// Note on a failed build.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Note {
    /// Version of the judge that started it.
    judge: String,
    /// Limits of the build.
    limits: BuildLimits,
    /// When its submission was received, or looked at again, as RFC 3339.
    at: String,
    /// Whether it ran out of time or may have been killed in part. Such a failure counts for a
    /// while only.
    transient: bool,
    reason: String,
    output: String,
}

impl FailedBuilds {
    /// Opens the notes of a run. New builds have these limits, at this time.
    pub(super) fn of_run(run: &Path, limits: BuildLimits, now: SystemTime) -> Self {
        Self {
            folder: run.join("artifacts"),
            limits,
            now: Timestamp::try_from(now).unwrap_or(Timestamp::MAX),
        }
    }

    /// Returns why the build of the submission with this hash failed, if it would fail again. An
    /// unreadable note costs one build and nothing else.
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

    /// Notes a failure, if the submission is to blame.
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

    /// Returns whether this was less than a day ago. It is false for a time in the future, as after
    /// a clock was set back.
    fn is_recent(&self, at: &str) -> bool {
        let at: Option<Timestamp> = at.parse().ok();
        at.is_some_and(|at| {
            let age = self.now.duration_since(at);
            !age.is_negative() && age < TRANSIENT_COUNTS
        })
    }
}

/// Forgets the failures of a run that may have been the machine's. At the deadline each build gets
/// another chance.
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

/// Forgets a failed build in the folder `artifacts` of a run, after a build that succeeded.
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

/// Why a build produced no program.
#[derive(Debug)]
pub(super) struct BuildFailure {
    pub(super) reason: String,
    pub(super) output: String,
    pub(super) blame: Blame,
    /// Whether another build may succeed.
    pub(super) disturbed: Disturbed,
    /// Whether it was ended at its limit of wall or CPU time.
    pub(super) timed_out: bool,
}

impl BuildFailure {
    pub(super) fn brief(reason: String) -> Self {
        Self::with(reason, String::new())
    }

    /// Makes a failure from a reason and the output of the build.
    pub(super) fn with(reason: String, output: String) -> Self {
        Self {
            reason,
            output,
            blame: Blame::Submission,
            disturbed: Disturbed::No,
            timed_out: false,
        }
    }

    /// Makes a failure for a program that this machine lacks.
    pub(super) fn lacking(reason: String) -> Self {
        Self {
            blame: Blame::Lacking,
            ..Self::brief(reason)
        }
    }

    /// Makes a failure for a build that is postponed, with the reason.
    pub(super) fn waiting(reason: String) -> Self {
        Self {
            blame: Blame::Waiting,
            ..Self::brief(reason)
        }
    }

    /// Uses the last line of output as the reason, for a step that is a check of ours and names the
    /// error there.
    pub(super) fn in_its_last_words(self) -> Self {
        let (_, last) = split_last_line(&self.output);
        Self {
            reason: if last.is_empty() {
                self.reason.clone()
            } else {
                last.to_owned()
            },
            ..self
        }
    }
}

/// Splits the output of a step into the text before its last line and that line.
pub(super) fn split_last_line(output: &str) -> (&str, &str) {
    let text = output.trim_end();
    text.rfind('\n')
        .map_or(("", text), |end| (&text[..=end], &text[end + 1..]))
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

    #[test]
    fn the_last_line_is_found_whatever_stands_before_it() {
        assert_eq!(split_last_line("[]\n"), ("", "[]"));
        assert_eq!(split_last_line("a\nb\n[1]"), ("a\nb\n", "[1]"));
        assert_eq!(split_last_line(""), ("", ""));
    }
}
