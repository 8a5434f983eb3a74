//! Building submissions, several at a time, each kept under the hash of its content.

use super::{Form, Submission, cpp, executable};
use crate::artifact::Artifact;
use crate::error::JudgeError;
use crate::files::{make_folder, write_whole};
use crate::fixture::hash;
use crate::sandbox::Isolation;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

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
    let results: Vec<Result<Vec<Entrant>, JudgeError>> = std::thread::scope(|scope| {
        let builders: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(build_all)).collect();
        builders
            .into_iter()
            .map(|b| b.join().expect("no builder panics"))
            .collect()
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
        let made = self.make(&mut submission);
        let log = self
            .logs
            .join(format!("{}.txt", file_stem(&submission.name)));
        let readiness = match made {
            Ok(artifact) => Readiness::Ready(artifact),
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

    fn make(&self, submission: &mut Submission) -> Result<Artifact, BuildFailure> {
        match submission.form.clone().map_err(BuildFailure::brief)? {
            Form::Executable(program) => {
                let hash = executable::content_hash(submission, program);
                let name = submission.files[program].path.clone();
                self.keep(hash, &name, |folder| {
                    executable::write_files(&submission.files, folder).map_err(unwritable)
                })
            }
            Form::Sources(_, kit) => {
                let toolchain = cpp::toolchain().map_err(BuildFailure::brief)?;
                let files = cpp::choose(submission, kit);
                let mut parts: Vec<&[u8]> = vec![toolchain.as_bytes()];
                for file in &files {
                    parts.extend([file.path.as_bytes(), &file.bytes]);
                }
                self.keep(hash(&parts), cpp::PROGRAM, |folder| {
                    executable::write_files(&files, folder).map_err(unwritable)?;
                    cpp::build(&files, folder, self.isolation)?;
                    cpp::strip(folder).map_err(unwritable)
                })
            }
        }
    }

    /// Gives the artifact with this hash, and makes it first where it is not there yet: in a
    /// folder of its own, which gets its name when it is complete.
    fn keep(
        &self,
        hash: String,
        program: &str,
        make: impl FnOnce(&Path) -> Result<(), BuildFailure>,
    ) -> Result<Artifact, BuildFailure> {
        let folder = self.artifacts.join(&hash);
        if !folder.exists() {
            let fresh = tempfile::Builder::new()
                .prefix(".build-")
                .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755))
                .tempdir_in(&self.artifacts)
                .map_err(unwritable)?;
            make(fresh.path())?;
            // Another builder may have been faster with the same content; its folder serves.
            if std::fs::rename(fresh.path(), &folder).is_ok() {
                let _ = fresh.keep();
            }
        }
        Ok(executable::artifact(hash, &folder, program))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "fits map_err")]
fn unwritable(error: std::io::Error) -> BuildFailure {
    BuildFailure::brief(format!("cannot write the build folder: {error}"))
}

/// Makes an entrant's name fit to be a file's name.
pub(crate) fn file_stem(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ');
    let stem: String = name
        .chars()
        .map(|c| if plain(c) { c } else { '_' })
        .collect();
    if stem == name && !stem.starts_with('.') {
        return stem;
    }
    // Different names stay different.
    format!(
        "{}-{}",
        stem.trim_start_matches('.'),
        &hash(&[name.as_bytes()])[..8]
    )
}
