//! Failed builds, noted next to the programs of a run, so that a watch does not repeat them.

#![expect(
    clippy::disallowed_methods,
    reason = "only the judge writes into a run's folder"
)]

use model::competition::BuildLimits;
use model::entrant::Blame;
use model::fault::Exit;
use rulebook::{IoContext, JudgeError, Result};
use sandbox::BuildEnd;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use system::files::{if_there, read_regular, write_whole};

const ENDING: &str = ".failed.json";

pub(crate) struct FailedBuilds {
    folder: PathBuf,
    limits: BuildLimits,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Note {
    judge: String,
    limits: BuildLimits,
    reason: String,
    output: String,
}

impl FailedBuilds {
    pub(crate) fn of_run(run: &Path, limits: BuildLimits) -> Self {
        Self {
            folder: run.join("artifacts"),
            limits,
        }
    }

    /// An unreadable note costs one build and nothing else.
    pub(crate) fn recall(&self, hash: &str) -> Option<BuildFailure> {
        let text = read_regular(&place(&self.folder, hash)).ok()?;
        let note: Note = serde_json::from_slice(&text).ok()?;
        let is_same = note.judge == env!("CARGO_PKG_VERSION") && note.limits == self.limits;
        is_same.then(|| BuildFailure::with(note.reason, note.output))
    }

    pub(crate) fn note(&self, hash: &str, failure: &BuildFailure) -> Result {
        if failure.blame != Blame::Submission {
            return Ok(());
        }
        let note = Note {
            judge: env!("CARGO_PKG_VERSION").to_owned(),
            limits: self.limits,
            reason: failure.reason.clone(),
            output: failure.output.clone(),
        };
        let text = serde_json::to_vec(&note).expect("plain data");
        write_whole(&place(&self.folder, hash), &text)
    }
}

/// At the deadline each build gets another chance: the machine may have been busy.
pub fn forget_failures(run: &Path) -> Result {
    let folder = run.join("artifacts");
    for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if let Some(hash) = name.to_str().and_then(|name| name.strip_suffix(ENDING)) {
            forget(&folder, hash)?;
        }
    }
    Ok(())
}

pub(crate) fn forget(folder: &Path, hash: &str) -> Result {
    let place = place(folder, hash);
    if_there(fs::remove_file(&place)).or_io("remove", &place)?;
    Ok(())
}

fn place(folder: &Path, hash: &str) -> PathBuf {
    folder.join(format!("{hash}{ENDING}"))
}

#[derive(Debug)]
pub(crate) enum BuildError {
    Failure(BuildFailure),
    Judge(JudgeError),
}

impl From<BuildFailure> for BuildError {
    fn from(failure: BuildFailure) -> Self {
        Self::Failure(failure)
    }
}

impl From<JudgeError> for BuildError {
    fn from(error: JudgeError) -> Self {
        Self::Judge(error)
    }
}

/// Sets the failures of builds apart from errors.
pub(crate) fn built<T>(result: Result<T, BuildError>) -> Result<Result<T, BuildFailure>> {
    match result {
        Ok(made) => Ok(Ok(made)),
        Err(BuildError::Failure(failure)) => Ok(Err(failure)),
        Err(BuildError::Judge(error)) => Err(error),
    }
}

#[derive(Debug)]
pub(crate) struct BuildFailure {
    pub(crate) reason: String,
    pub(crate) output: String,
    pub(crate) blame: Blame,
    /// Maximum number of builds that fail in this way: another may succeed after a disturbance.
    pub(crate) builds_max: usize,
}

impl BuildFailure {
    pub(crate) fn brief(reason: String) -> Self {
        Self::with(reason, String::new())
    }

    pub(crate) fn with(reason: String, output: String) -> Self {
        Self {
            reason,
            output,
            blame: Blame::Submission,
            builds_max: 1,
        }
    }

    pub(crate) fn lacking(reason: String) -> Self {
        Self {
            blame: Blame::Lacking,
            ..Self::brief(reason)
        }
    }

    /// For a step that is a check of ours, and names the error in its last line.
    pub(crate) fn in_its_last_words(mut self) -> Self {
        let (_, last) = split_last_line(&self.output);
        if !last.is_empty() {
            self.reason = last.to_owned();
        }
        self
    }
}

pub(crate) fn split_last_line(output: &str) -> (&str, &str) {
    let text = output.trim_end();
    text.rfind('\n')
        .map_or(("", text), |end| (&text[..=end], &text[end + 1..]))
}

/// Maximum number of times that a build is started if it is killed each time.
pub(crate) const BUILDS_MAX: usize = 3;

/// The same where only the build's output indicates a disturbance.
const BUILDS_MAX_IF_SAID: usize = 2;

const SIGKILL: i32 = 9;

/// Exit code of a shell whose command was killed.
const KILLED_IN_SHELL: i32 = 128 + SIGKILL;

/// Output of compilers and shells after a program was killed, or the disk was full. An author may
/// write it too: that only starts the build once more.
const SAID: &[&str] = &[
    "No space left on device",
    // g++ and gcc; collect2 about its linker
    "Killed signal terminated program",
    "terminated with signal 9",
    // ghc
    "(Exit code: -9)",
    // ocamlopt, which prints only this where its shell was killed; ocamlfind; dune
    "Assembler error, input left in file",
    "Error during linking (exit code 255)",
    "got signal and exited",
    "got signal KILL",
    // cargo; go
    "signal: 9",
    "signal: killed",
];

/// Last word of a line that shells and make print.
const KILLED: &str = "Killed";

/// Returns the maximum number of builds that end in this way, before their author is informed.
pub(crate) fn builds_max(end: BuildEnd, output: &str) -> usize {
    match end {
        BuildEnd::Exit(Exit::Signal(SIGKILL)) => BUILDS_MAX,
        BuildEnd::Exit(Exit::Code(KILLED_IN_SHELL)) => BUILDS_MAX_IF_SAID,
        BuildEnd::Exit(_)
            if SAID.iter().any(|said| output.contains(said))
                || output.lines().any(|line| line.trim_end().ends_with(KILLED)) =>
        {
            BUILDS_MAX_IF_SAID
        }
        // A limit of ours, or a failure.
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: BuildLimits = BuildLimits {
        wall_ms: 1000,
        cpu_ms: 1000,
    };

    fn begin() -> tempfile::TempDir {
        let run = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(run.path().join("artifacts")).expect("writable");
        run
    }

    fn failure() -> BuildFailure {
        BuildFailure::with("g++ exited with 1".to_owned(), "error: no\n".to_owned())
    }

    #[test]
    fn failure_is_recalled_with_same_version_and_limits() {
        let run = begin();
        let failed = FailedBuilds::of_run(run.path(), LIMITS);
        assert!(failed.recall("one").is_none());
        failed.note("one", &failure()).expect("it can be written");
        let recalled = FailedBuilds::of_run(run.path(), LIMITS).recall("one");
        let recalled = recalled.expect("it was noted");
        assert_eq!(recalled.reason, "g++ exited with 1");
        assert_eq!(recalled.output, "error: no\n");
        assert!(failed.recall("two").is_none());
        let longer = FailedBuilds::of_run(run.path(), BuildLimits::default());
        assert!(longer.recall("one").is_none());
        let place = run.path().join("artifacts/one.failed.json");
        let text = fs::read_to_string(&place).expect("it was noted");
        let older = text.replace(env!("CARGO_PKG_VERSION"), "0.0.0");
        for text in [older.as_str(), "{"] {
            fs::write(&place, text).expect("writable");
            assert!(failed.recall("one").is_none(), "{text}");
        }
        forget(&run.path().join("artifacts"), "one").expect("it can be removed");
        assert!(!place.exists());
    }

    #[test]
    fn failures_of_authors_are_noted_until_the_deadline() {
        let run = begin();
        let failed = FailedBuilds::of_run(run.path(), LIMITS);
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
        let killed = BuildFailure {
            builds_max: 2,
            ..failure()
        };
        for (hash, failure) in [("wrong", failure()), ("killed", killed)] {
            failed.note(hash, &failure).expect("it can be written");
            assert!(failed.recall(hash).is_some());
        }
        forget_failures(run.path()).expect("they can be removed");
        for hash in ["wrong", "killed"] {
            assert!(failed.recall(hash).is_none());
        }
    }

    #[test]
    fn last_line_is_found_after_any_text() {
        assert_eq!(split_last_line("[]\n"), ("", "[]"));
        assert_eq!(split_last_line("a\nb\n[1]"), ("a\nb\n", "[1]"));
        assert_eq!(split_last_line(""), ("", ""));
    }

    #[test]
    fn disturbance_is_detected_from_signal_code_or_output() {
        // Original words, from builds in which a process was killed.
        let failed = |code| BuildEnd::Exit(Exit::Code(code));
        let cases = [
            (BuildEnd::Exit(Exit::Signal(9)), "", BUILDS_MAX),
            (BuildEnd::Exit(Exit::Signal(11)), "", 1),
            (failed(137), "", BUILDS_MAX_IF_SAID),
            (failed(1), "Bot.h:1:1: error: no\n", 1),
            // A limit of ours has ended it.
            (BuildEnd::Memory, "Killed\n", 1),
            (BuildEnd::Time, "", 1),
        ];
        for (end, output, builds) in cases {
            assert_eq!(builds_max(end, output), builds, "{end:?} {output}");
        }
        for output in [
            "g++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.\n",
            "collect2: fatal error: ld terminated with signal 9 [Killed]\n",
            "ocamlopt got signal and exited\n",
            "Killed\nFile \"a.ml\", line 1:\nError: Assembler error, input left in file /tmp/a.s\n",
            "make: *** [Makefile:2: all] Killed\n",
            "/tmp/a.s: fatal error: writing: No space left on device\n",
        ] {
            for end in [failed(1), failed(2)] {
                assert_eq!(builds_max(end, output), BUILDS_MAX_IF_SAID, "{output}");
            }
        }
    }
}
