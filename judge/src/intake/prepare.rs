//! Building submissions, several at a time, each kept under the hash of its content. Where
//! the version that came last does not build, the last one that did plays.

use super::collect::Handed;
use super::described::{self, RunCommand};
use super::versions::{History, Store};
use super::{Entrant, Form, Readiness, Submission, cpp, executable};
use crate::artifact::Artifact;
use crate::error::JudgeError;
use crate::files::{make_folder, sync_tree, write_whole};
use crate::fixture::hash;
use crate::sandbox::Isolation;
use engines::Entry;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::SystemTime;

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

/// How and where submissions are built.
#[derive(Clone, Copy, Debug)]
pub struct Workshop<'a> {
    /// The run's folder: programs go to `artifacts/` in it, compilers' output to
    /// `logs/build/`, and what was received to `versions/`.
    pub run: &'a Path,
    /// The game that they must be for.
    pub game: &'static Entry,
    /// How many builds at a time.
    pub jobs: usize,
    /// How compilers are shut in.
    pub isolation: &'a Isolation,
    /// When the submissions were received.
    pub received: SystemTime,
    /// Set from outside to end the compilers at once and build no more.
    pub stop: &'a AtomicBool,
}

/// Keeps and builds every submission.
///
/// # Errors
/// When the run's folder cannot be written, or it is interrupted. A submission that does not
/// build is no error.
pub fn prepare(
    submissions: Vec<Submission>,
    workshop: Workshop<'_>,
) -> Result<Vec<Entrant>, JudgeError> {
    let shop = Shop {
        workshop,
        artifacts: workshop.run.join("artifacts"),
        logs: workshop.run.join("logs").join("build"),
        store: Store::open(workshop.run)?,
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
    let results: Vec<Result<Vec<Entrant>, JudgeError>> = std::thread::scope(|scope| {
        let builders: Vec<_> = (0..workshop.jobs.clamp(1, submissions.len().max(1)))
            .map(|_| scope.spawn(build_all))
            .collect();
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
    workshop: Workshop<'a>,
    artifacts: PathBuf,
    logs: PathBuf,
    store: Store,
}

impl Shop<'_> {
    fn enter(&self, mut submission: Submission) -> Result<Entrant, JudgeError> {
        submission.admit(self.workshop.game);
        let mut history = self.store.history(&submission.name)?;
        let files = submission.all_files();
        let is_kept = !files.is_empty();
        if is_kept {
            history.receive(&files, &submission.origin, self.workshop.received)?;
        }
        let made = self.make(&mut submission)?;
        if is_kept {
            history.note(made.is_ok())?;
        }
        let log_name = format!("{}.txt", file_stem(&submission.name));
        let log = self.logs.join(&log_name);
        let failure = match made {
            Ok(artifact) => {
                match self.said_about(&artifact.hash)? {
                    // What an earlier version left.
                    None => remove_if_there(&log)?,
                    Some(output) => {
                        write_whole(&log, &output)?;
                        submission.warnings.push(format!(
                            "built, but the compiler warned: see logs/build/{log_name}"
                        ));
                    }
                }
                let version = history.newest();
                return Ok(Entrant::new(
                    submission,
                    Readiness::Ready(artifact),
                    version,
                ));
            }
            Err(failure) => failure,
        };
        let mut newest = history.newest().filter(|_| is_kept);
        let mut log = Some(log).filter(|_| !failure.output.is_empty());
        if let Some(log) = &log {
            write_whole(log, failure.output.as_bytes())?;
        }
        let Some((index, older, artifact)) = self.earlier(&submission.name, &history)? else {
            let reason = failure.reason;
            return Ok(Entrant::new(
                submission,
                Readiness::Broken { reason, log },
                newest,
            ));
        };
        let what = newest.take().map_or_else(
            || "what was handed in last".to_owned(),
            |name| name.to_string(),
        );
        let see = log.take().map(|path| see(self.workshop.run, &path));
        let playing = history.name(index);
        // The author works on the version that came last.
        let warnings = submission.warnings;
        let mut entrant = Entrant::new(older, Readiness::Ready(artifact), Some(playing.clone()));
        entrant.warnings = warnings;
        entrant.receipt.replaced = Some(format!(
            "{what} does not play: {}{}; playing {playing}",
            failure.reason,
            see.unwrap_or_default()
        ));
        Ok(entrant)
    }

    /// Finds the last of the earlier versions that worked and still does.
    fn earlier(
        &self,
        name: &str,
        history: &History,
    ) -> Result<Option<(usize, Submission, Artifact)>, JudgeError> {
        for index in history.working() {
            let Some(files) = history.files(index) else {
                continue;
            };
            let handed = Handed {
                files,
                origin: history.origin(index).to_owned(),
                ..Handed::default()
            };
            let mut older = Submission::new(name.to_owned(), handed, Some(self.workshop.game));
            if let Ok(artifact) = self.make(&mut older)? {
                return Ok(Some((index, older, artifact)));
            }
        }
        Ok(None)
    }

    fn make(&self, submission: &mut Submission) -> Result<Made, JudgeError> {
        let Workshop {
            isolation, stop, ..
        } = self.workshop;
        match submission.form.clone() {
            Err(reason) => Ok(Err(BuildFailure::brief(reason))),
            Ok(Form::Executable(program)) => {
                let hash = executable::content_hash(submission, program);
                let name = submission.files[program].path.clone();
                let kept = self.keep(&hash, |folder| {
                    executable::write_files(&submission.files, folder)
                        .map_err(|e| unwritable(folder, e))?;
                    Ok(Ok(String::new()))
                })?;
                Ok(kept.map(|folder| executable::artifact(hash, &folder, &name)))
            }
            Ok(Form::Described) => self.make_described(submission),
            Ok(Form::Sources(_, kit)) => {
                let toolchain = match cpp::toolchain() {
                    Ok(toolchain) => toolchain,
                    Err(missing) => return Ok(Err(BuildFailure::brief(missing))),
                };
                let files = cpp::choose(submission, kit);
                let mut parts: Vec<&[u8]> = vec![toolchain.as_bytes()];
                for file in &files {
                    parts.extend([file.path.as_bytes(), &file.bytes]);
                }
                let hash = hash(&parts);
                let kept = self.keep(&hash, |folder| {
                    executable::write_files(&files, folder).map_err(|e| unwritable(folder, e))?;
                    let built = cpp::build(&files, folder, isolation, stop)?;
                    if built.is_ok() {
                        cpp::strip(folder).map_err(|e| unwritable(folder, e))?;
                    }
                    Ok(built)
                })?;
                Ok(kept.map(|folder| executable::artifact(hash, &folder, cpp::PROGRAM)))
            }
        }
    }

    fn make_described(&self, submission: &Submission) -> Result<Made, JudgeError> {
        let about = &submission.about;
        let run = match described::run_command(about, &submission.files) {
            Ok(run) => run,
            Err(failure) => return Ok(Err(failure)),
        };
        let hash = described::content_hash(submission, about);
        let kept = self.keep(&hash, |folder| {
            executable::write_files(&submission.files, folder)
                .map_err(|e| unwritable(folder, e))?;
            if let Some(command) = &about.build {
                let Workshop {
                    isolation, stop, ..
                } = self.workshop;
                if let Err(failure) = described::build(command, folder, isolation, stop)? {
                    return Ok(Err(failure));
                }
            }
            Ok(described::settle(folder, &run).map(|()| String::new()))
        })?;
        if let Ok(folder) = &kept {
            let text = serde_json::to_vec(&run).expect("plain data");
            write_whole(&RunCommand::file(folder), &text)?;
        }
        Ok(kept.map(|folder| run.artifact(hash, &folder)))
    }

    /// Gives the folder of the artifact with this hash, and makes it first where it is not
    /// there yet: under another name, which gets its name when it is complete and on the disk.
    /// What `make` says about it is kept beside it.
    fn keep(
        &self,
        hash: &str,
        make: impl FnOnce(&Path) -> Result<Result<String, BuildFailure>, JudgeError>,
    ) -> Result<Result<PathBuf, BuildFailure>, JudgeError> {
        let folder = self.artifacts.join(hash);
        if !folder.exists() {
            let fresh = tempfile::Builder::new()
                .prefix(UNFINISHED)
                .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755))
                .tempdir_in(&self.artifacts)
                .map_err(|e| unwritable(&self.artifacts, e))?;
            let output = match make(fresh.path())? {
                Ok(output) => output,
                Err(failure) => return Ok(Err(failure)),
            };
            if !output.is_empty() {
                write_whole(&self.output_of(hash), output.as_bytes())?;
            }
            sync_tree(fresh.path()).map_err(|e| unwritable(fresh.path(), e))?;
            match std::fs::rename(fresh.path(), &folder) {
                Ok(()) => drop(fresh.keep()),
                // Another builder was faster with the same content; its folder serves.
                Err(_) if folder.exists() => {}
                Err(e) => return Err(unwritable(&folder, e)),
            }
        }
        Ok(Ok(folder))
    }

    /// Names the file of what the compiler said about an artifact that it made.
    fn output_of(&self, hash: &str) -> PathBuf {
        self.artifacts.join(format!("{hash}.txt"))
    }

    fn said_about(&self, hash: &str) -> Result<Option<Vec<u8>>, JudgeError> {
        let path = self.output_of(hash);
        match std::fs::read(&path) {
            Ok(output) => Ok(Some(output)),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(JudgeError::io("read", &path, e)),
        }
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

/// Points to a compiler's output, below the run's folder.
fn see(run: &Path, log: &Path) -> String {
    let below = log.strip_prefix(run).unwrap_or(log);
    format!(" (see {})", below.display())
}

/// What the names of folders begin with in which something is being made.
const UNFINISHED: &str = ".build-";

/// An artifact, or why the submission gave none.
type Made = Result<Artifact, BuildFailure>;

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
