//! Building submissions, several at a time, each kept under the hash of its content.

use super::language::{self, Program, Workshop};
use super::{Form, Submission, executable, kept};
use crate::artifact::Artifact;
use crate::error::JudgeError;
use crate::files::{hide_reading, make_folder, write_whole};
use crate::fixture::hash;
use crate::sandbox::Isolation;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// A submission after intake.
#[derive(Clone, Debug)]
pub struct Entrant {
    /// The entrant's name.
    pub name: String,
    /// The kind of submission, as `cpp`; empty where that is not known.
    pub form: &'static str,
    /// What its author should know.
    pub warnings: Vec<String>,
    /// Whether it can play.
    pub readiness: Readiness,
}

/// Whether a submission can play.
#[derive(Clone, Debug)]
pub enum Readiness {
    /// With this.
    Ready(Artifact),
    /// It cannot.
    Broken {
        /// Why, in one line.
        reason: String,
        /// Where the compiler's output is, if there is any.
        log: Option<PathBuf>,
    },
}

/// Why a build gave no program.
#[derive(Debug)]
pub(super) struct BuildFailure {
    pub(super) reason: String,
    pub(super) output: String,
}

impl BuildFailure {
    pub(super) fn brief(reason: String) -> Self {
        Self {
            reason,
            output: String::new(),
        }
    }

    /// Takes the last line as the reason, where the step was a check of ours that says there
    /// what is wrong.
    pub(super) fn in_its_last_words(self) -> Self {
        let (_, last) = split_last_line(&self.output);
        Self {
            reason: if last.is_empty() {
                self.reason
            } else {
                last.to_owned()
            },
            output: self.output,
        }
    }
}

/// Splits what a step said into its last line and what stands before it.
pub(super) fn split_last_line(output: &str) -> (&str, &str) {
    let text = output.trim_end();
    text.rfind('\n')
        .map_or(("", text), |end| (&text[..=end], &text[end + 1..]))
}

/// Builds every submission, `jobs` at a time, in a run's folder: programs go to `artifacts/`
/// and compilers' output to `logs/build/`.
///
/// # Errors
/// When the run's folder cannot be written. A submission that does not build is no error.
pub fn prepare(
    submissions: Vec<Submission>,
    run: &Path,
    jobs: usize,
    isolation: &Isolation,
) -> Result<Vec<Entrant>, JudgeError> {
    let shop = Shop {
        isolation,
        artifacts: run.join("artifacts"),
        logs: run.join("logs").join("build"),
    };
    make_folder(&shop.artifacts)?;
    shop.sweep()?;
    make_folder(&shop.logs)?;
    let next = AtomicUsize::new(0);
    let submissions: Vec<Mutex<Option<Submission>>> = submissions
        .into_iter()
        .map(|s| Mutex::new(Some(s)))
        .collect();
    let take = || {
        let slot = submissions.get(next.fetch_add(1, Ordering::Relaxed))?;
        slot.lock().expect("no builder panics").take()
    };
    let build_all = || {
        let mut built = Vec::new();
        while let Some(submission) = take() {
            built.push(shop.enter(submission)?);
        }
        Ok(built)
    };
    let results: Vec<Result<Vec<Entrant>, JudgeError>> = thread::scope(|scope| {
        let more = 1..jobs.min(submissions.len());
        // Where the machine has no thread left, those that there are do the work.
        let builders: Vec<_> = more
            .map_while(|_| thread::Builder::new().spawn_scoped(scope, build_all).ok())
            .collect();
        let own = build_all();
        let others = builders
            .into_iter()
            .map(|b| b.join().expect("no builder panics"));
        others.chain([own]).collect()
    });
    let mut entrants = Vec::new();
    for result in results {
        entrants.extend(result?);
    }
    entrants.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(entrants)
}

/// Where programs are made and kept.
struct Shop<'a> {
    isolation: &'a Isolation,
    artifacts: PathBuf,
    logs: PathBuf,
}

impl Shop<'_> {
    fn enter(&self, mut submission: Submission) -> Result<Entrant, JudgeError> {
        let form = submission.form.as_ref().map_or("", |form| form.name());
        let made = self.make(&mut submission)?;
        let log_name = format!("{}.txt", file_stem(&submission.name));
        let log = self.logs.join(&log_name);
        let readiness = match made {
            Ok((artifact, output)) => {
                if output.is_empty() {
                    // What an earlier version left.
                    remove_if_there(&log)?;
                } else {
                    write_whole(&log, output.as_bytes())?;
                    submission.warnings.push(format!(
                        "built, but the compiler warned: see logs/build/{log_name}"
                    ));
                }
                Readiness::Ready(artifact)
            }
            Err(failure) if failure.output.is_empty() => Readiness::Broken {
                reason: failure.reason,
                log: None,
            },
            Err(failure) => {
                write_whole(&log, failure.output.as_bytes())?;
                Readiness::Broken {
                    reason: failure.reason,
                    log: Some(log),
                }
            }
        };
        Ok(Entrant {
            name: submission.name,
            form,
            warnings: submission.warnings,
            readiness,
        })
    }

    fn make(&self, submission: &mut Submission) -> Result<Made, JudgeError> {
        match submission.form.clone() {
            Err(reason) => Ok(Err(BuildFailure::brief(reason))),
            Ok(Form::Executable(program)) => {
                let hash = executable::content_hash(submission, program);
                let name = submission.files[program].path.clone();
                self.keep(&hash, |folder| {
                    executable::write_files(&submission.files, folder)
                        .map_err(|e| unwritable(folder, e))?;
                    Ok(Ok(Program::plain(&name)))
                })
            }
            Ok(Form::Sources(_, kit)) => {
                let language = language::of(kit);
                let chosen = language
                    .toolchain()
                    .and_then(|toolchain| Ok((toolchain, language.choose(submission, kit)?)));
                let (toolchain, files) = match chosen {
                    Ok(chosen) => chosen,
                    Err(reason) => return Ok(Err(BuildFailure::brief(reason))),
                };
                let mut parts: Vec<&[u8]> = vec![toolchain.as_bytes()];
                for file in &files {
                    parts.extend([file.path.as_bytes(), &file.bytes]);
                }
                self.keep(&hash(&parts), |folder| {
                    let workshop = Workshop {
                        files: &files,
                        kit,
                        folder,
                        isolation: self.isolation,
                    };
                    workshop.furnish()?;
                    language.build(&workshop)
                })
            }
        }
    }

    /// Gives the artifact with this hash, and makes it first where it is not there yet: in a
    /// folder of its own, which gets its name when it is complete and on the disk. What there
    /// is to know of it stands beside the folder, where its program cannot read it.
    fn keep(
        &self,
        hash: &str,
        make: impl FnOnce(&Path) -> Result<Result<Program, BuildFailure>, JudgeError>,
    ) -> Result<Made, JudgeError> {
        let known = kept::recall(hash, &self.artifacts)?;
        let program = match known.map_or_else(|| self.build(hash, make), |known| Ok(Ok(known)))? {
            Ok(program) => program,
            Err(failure) => return Ok(Err(failure)),
        };
        let output = program.output.clone();
        Ok(Ok((program.artifact(hash, &self.artifacts), output)))
    }

    fn build(
        &self,
        hash: &str,
        make: impl FnOnce(&Path) -> Result<Result<Program, BuildFailure>, JudgeError>,
    ) -> Result<Result<Program, BuildFailure>, JudgeError> {
        let folder = self.artifacts.join(hash);
        if folder.exists() {
            // An earlier version of the judge left it, without a record.
            std::fs::remove_dir_all(&folder).map_err(|e| unwritable(&folder, e))?;
        }
        let fresh = tempfile::Builder::new()
            .prefix(UNFINISHED)
            .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .tempdir_in(&self.artifacts)
            .map_err(|e| unwritable(&self.artifacts, e))?;
        let program = match make(fresh.path())? {
            Ok(program) => program,
            Err(failure) => return Ok(Err(failure)),
        };
        kept::remember(&program, hash, &self.artifacts)?;
        hide_reading(fresh.path()).map_err(|e| unwritable(fresh.path(), e))?;
        for path in [&fresh.path().join(&program.path), fresh.path()] {
            File::open(path)
                .and_then(|file| file.sync_all())
                .map_err(|e| unwritable(path, e))?;
        }
        match std::fs::rename(fresh.path(), &folder) {
            Ok(()) => drop(fresh.keep()),
            // Another builder was faster with the same content; its folder serves.
            Err(_) if folder.exists() => {}
            Err(e) => return Err(unwritable(&folder, e)),
        }
        Ok(Ok(program))
    }

    /// Removes what a run that was killed has left unfinished.
    fn sweep(&self) -> Result<(), JudgeError> {
        let entries =
            std::fs::read_dir(&self.artifacts).map_err(|e| unwritable(&self.artifacts, e))?;
        for entry in entries.flatten() {
            if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
                std::fs::remove_dir_all(entry.path()).map_err(|e| unwritable(&entry.path(), e))?;
            }
        }
        Ok(())
    }
}

/// What the names of folders begin with in which something is being made.
const UNFINISHED: &str = ".build-";

/// An artifact with what its compiler said, or why the submission gave none.
type Made = Result<(Artifact, String), BuildFailure>;

fn unwritable(path: &Path, error: std::io::Error) -> JudgeError {
    JudgeError::io("write", path, error)
}

fn remove_if_there(path: &Path) -> Result<(), JudgeError> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != ErrorKind::NotFound => Err(unwritable(path, e)),
        _ => Ok(()),
    }
}

/// The longest stem of a file's name, in bytes; the ending and the file system's limit of 255
/// leave room for more, but not for much.
const STEM_BYTES_MAX: usize = 120;

/// Makes an entrant's name fit to be a file's name.
pub(crate) fn file_stem(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ');
    let mut stem: String = name
        .chars()
        .map(|c| if plain(c) { c } else { '_' })
        .collect();
    if stem == name && !stem.starts_with('.') && stem.len() <= STEM_BYTES_MAX {
        return stem;
    }
    while stem.len() > STEM_BYTES_MAX {
        stem.pop();
    }
    // Different names stay different.
    format!(
        "{}-{}",
        stem.trim_start_matches('.'),
        &hash(&[name.as_bytes()])[..8]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_found_whatever_stands_before_it() {
        assert_eq!(split_last_line("[]\n"), ("", "[]"));
        assert_eq!(split_last_line("a\nb\n[1]"), ("a\nb\n", "[1]"));
        assert_eq!(split_last_line(""), ("", ""));
    }
}
