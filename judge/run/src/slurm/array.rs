//! An array of tasks in the run's folder. `slurm/N/` has the parts, the script that plays one, the
//! output of the tasks, and a note by which a judge on any login node finds the array again.

#![expect(
    clippy::disallowed_methods,
    reason = "they are files of this run's own tasks"
)]

use super::listing::Phase;
use super::{ActiveArray, Attempt, SlurmPlan, is_cancelled};
use model::draw::hexadecimal;
use model::fixture::Fixture;
use model::game_id::GameId;
use model::text::for_shell;
use rulebook::JudgeError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Instant;
use store::{PartLines, Scope};
use system::files::{make_private_folder, random, write_whole};

/// The name of the folder for arrays in a run's folder.
pub const SLURM: &str = "slurm";

const NOTE: &str = "array.json";
const SCRIPT: &str = "task.sh";
/// The numbers of the tasks that were closed with games missing.
const CLOSED: &str = "closed.json";
/// Maximum number of arrays of a run.
const ARRAYS_MAX: u32 = 100_000;
/// Length of the end of a log that is read, in bytes.
const LOG_BYTES: u64 = 4096;

/// The record of an array.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Note {
    /// The job's name, by which an array is found if its number was not recorded.
    name: String,
    /// Slurm's number of the job.
    job: Option<u64>,
    /// By task.
    parts: Vec<PartNote>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PartNote {
    /// The part's id.
    part: String,
    /// The fixtures.
    games: Vec<GameId>,
}

/// The state of a task.
#[derive(Clone, Debug)]
pub(crate) enum Stand {
    /// It waits or plays, or its state is unknown.
    Going,
    /// Slurm says that it has ended; some of its output may still come.
    Ended(End),
    /// It has ended, and its output is in the run's journal.
    Over,
}

/// The end of a task.
#[derive(Clone, Debug)]
pub(crate) struct End {
    /// [`Phase::Completed`], [`Phase::Cancelled`] or [`Phase::Lost`].
    pub(crate) how: Phase,
    /// A description.
    pub(crate) words: String,
    pub(crate) nodes: String,
    pub(crate) since: Instant,
}

/// A task of an array.
#[derive(Debug)]
pub(crate) struct Task {
    /// Its fixtures.
    pub(crate) games: Vec<GameId>,
    pub(crate) stand: Stand,
    /// Whether this judge has submitted it, or has seen it wait or play: only then does its end say
    /// anything about the current cluster.
    pub(crate) is_watched: bool,
    /// Number of consecutive answers of Slurm that have not listed it.
    pub(crate) absences: u32,
    /// Number of games that came from it while this judge watched.
    pub(crate) taken: usize,
    /// Why some of its games do not count, if so.
    pub(crate) refused: Option<String>,
    part: String,
    /// The attempts to play it.
    pub(crate) attempts: Vec<Attempt>,
}

/// An array of tasks.
#[derive(Debug)]
pub(crate) struct Array {
    pub(crate) folder: PathBuf,
    /// By the task's number minus one.
    pub(crate) tasks: Vec<Task>,
    /// All games are in the journal, and tasks are still ending.
    pub(crate) ends: bool,
    /// Whether Slurm has told its tasks to end.
    pub(crate) is_told: bool,
    /// Since when Slurm answers that no job has this name.
    pub(crate) unfound_since: Option<Instant>,
    note: Note,
}

impl Array {
    /// Finds the arrays of a run.
    pub(crate) fn all(run: &Path) -> Result<Vec<Self>, JudgeError> {
        let folder = run.join(SLURM);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(JudgeError::io("read", &folder, e)),
        };
        let mut numbers: Vec<u32> = entries
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .collect();
        numbers.sort_unstable();
        let mut arrays = Vec::new();
        for number in numbers {
            arrays.extend(Self::read(folder.join(number.to_string()))?);
        }
        Ok(arrays)
    }

    /// Reads the record in a folder; none if nothing was submitted from it.
    fn read(folder: PathBuf) -> Result<Option<Self>, JudgeError> {
        // Without a note, the judge was killed while it wrote the parts, or another one is writing
        // them now.
        let Some(note) = json_in(&folder.join(NOTE))? else {
            return Ok(None);
        };
        let closed: Vec<usize> = json_in(&folder.join(CLOSED))?.unwrap_or_default();
        let mut array = Self::of(folder, note);
        for number in closed {
            let task = usize::checked_sub(number, 1);
            if let Some(task) = task.and_then(|at| array.tasks.get_mut(at)) {
                task.stand = Stand::Over;
            }
        }
        Ok(Some(array))
    }

    /// Records which tasks are over. Their missing games belong to other tasks, also for the next
    /// judge.
    pub(crate) fn write_closed(&self) -> Result<(), JudgeError> {
        let numbers: Vec<usize> = self
            .tasks
            .iter()
            .zip(1..)
            .filter(|(task, _)| matches!(task.stand, Stand::Over))
            .map(|(_, number)| number)
            .collect();
        let text = serde_json::to_vec(&numbers).expect("plain data");
        write_whole(&self.folder.join(CLOSED), &text)
    }

    fn of(folder: PathBuf, note: Note) -> Self {
        let task = |one: &PartNote| Task {
            games: one.games.clone(),
            stand: Stand::Going,
            is_watched: false,
            absences: 0,
            taken: 0,
            refused: None,
            part: one.part.clone(),
            attempts: Vec::new(),
        };
        Self {
            tasks: note.parts.iter().map(task).collect(),
            ends: false,
            is_told: false,
            unfound_since: None,
            folder,
            note,
        }
    }

    /// Makes a folder with everything that the tasks need; each task plays one of these parts.
    pub(crate) fn make(plan: &SlurmPlan<'_>, parts: &[Vec<&Fixture>]) -> Result<Self, JudgeError> {
        let all = plan.run.join(SLURM);
        make_private_folder(&all)?;
        let folder = new_folder(&all)?;
        for name in ["parts", "journals", "logs"] {
            make_private_folder(&folder.join(name))?;
        }
        let mut notes = Vec::with_capacity(parts.len());
        for (fixtures, number) in parts.iter().zip(1..) {
            let path = folder.join("parts").join(format!("{number}.part"));
            notes.push(PartNote {
                part: plan
                    .part
                    .writer()
                    .write(&path, (number, parts.len()), fixtures)?,
                games: fixtures.iter().map(|one| one.id).collect(),
            });
        }
        write_whole(&folder.join(SCRIPT), script(plan).as_bytes())?;
        let note = Note {
            name: format!("judge-{}", hexadecimal(&random::<8>()?)),
            job: None,
            parts: notes,
        };
        let array = Self::of(folder, note);
        array.write()?;
        Ok(array)
    }

    fn write(&self) -> Result<(), JudgeError> {
        let note = serde_json::to_vec(&self.note).expect("plain data");
        write_whole(&self.folder.join(NOTE), &note)
    }

    /// Returns the job's name.
    pub(crate) fn name(&self) -> &str {
        &self.note.name
    }

    /// Returns Slurm's number of the job, if known.
    pub(crate) const fn job(&self) -> Option<u64> {
        self.note.job
    }

    /// Records Slurm's number of the job.
    pub(crate) fn submitted(&mut self, job: u64) -> Result<(), JudgeError> {
        self.note.job = Some(job);
        self.write()
    }

    /// Returns the data to end it from outside.
    pub(crate) fn active(&self) -> ActiveArray {
        ActiveArray {
            name: self.name().to_owned(),
            job: self.job(),
            folder: self.folder.clone(),
        }
    }

    /// Returns whether one of our judges has cancelled it.
    pub(crate) fn is_cancelled(&self) -> bool {
        is_cancelled(&self.folder)
    }

    /// Ends the tasks of an array that Slurm does not know.
    pub(crate) fn never_was(&mut self) {
        for task in &mut self.tasks {
            if matches!(task.stand, Stand::Going) {
                task.stand = Stand::Ended(End {
                    how: Phase::Lost,
                    words: "Slurm has no job of its name".to_owned(),
                    nodes: String::new(),
                    since: Instant::now(),
                });
            }
        }
    }

    /// Returns whether, as far as known, a task waits or plays.
    pub(crate) fn goes_on(&self) -> bool {
        self.tasks
            .iter()
            .any(|task| matches!(task.stand, Stand::Going))
    }

    /// Returns whether no more output will come from it.
    pub(crate) fn is_over(&self) -> bool {
        self.tasks
            .iter()
            .all(|task| matches!(task.stand, Stand::Over))
    }

    /// Returns the arguments of `sbatch`.
    pub(crate) fn options(&self, plan: &SlurmPlan<'_>, excluded: &[&str]) -> Vec<String> {
        let settings = plan.settings;
        let mut options = vec![format!("--mem={}M", plan.memory_mib)];
        let named = [
            ("partition", &settings.partition),
            ("account", &settings.account),
            ("constraint", &settings.constraint),
            ("time", &settings.time),
        ];
        let named = named
            .iter()
            .filter_map(|(key, value)| Some(format!("--{key}={}", value.as_ref()?)));
        options.extend(named);
        options.push("--hint=nomultithread".to_owned());
        options.push(format!("--signal=B:TERM@{NOTICE_S}"));
        options.extend(settings.options.iter().cloned());
        let excluded: Vec<&str> = settings
            .options
            .iter()
            .filter_map(|option| option.strip_prefix(EXCLUDE))
            .chain(excluded.iter().copied())
            .collect();
        if !excluded.is_empty() {
            // If there were several, only the last would count.
            options.retain(|option| !option.starts_with(EXCLUDE));
            options.push(format!("{EXCLUDE}{}", excluded.join(",")));
        }
        options.extend([
            "--parsable".to_owned(),
            format!("--array=1-{}", self.tasks.len()),
            format!("--job-name={}", self.note.name),
            "--ntasks=1".to_owned(),
            "--cpus-per-task=1".to_owned(),
            "--requeue".to_owned(),
            "--open-mode=append".to_owned(),
            "--output=logs/%a.%A.log".to_owned(),
            SCRIPT.to_owned(),
        ]);
        options
    }

    /// Finds the journals of attempts at the tasks that are not over.
    pub(crate) fn find_journals(&mut self, plan: &SlurmPlan<'_>) -> Result<(), JudgeError> {
        let folder = self.folder.join("journals");
        let failed = |e| JudgeError::io("read", &folder, e);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            // Another process has begun to remove the array.
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
            Err(e) => return Err(failed(e)),
        };
        for entry in entries {
            let name = entry.map_err(failed)?.file_name();
            let name = name.to_string_lossy();
            let Some(number) = task_of(&name) else {
                continue;
            };
            let Some(task) = number.checked_sub(1).and_then(|at| self.tasks.get_mut(at)) else {
                continue;
            };
            let path = folder.join(&*name);
            let is_known = task.attempts.iter().any(|one| one.is_at(&path));
            if !matches!(task.stand, Stand::Over) && !is_known {
                let key = plan.part.keys.part_key(&task.part);
                let scope = Scope::part(task.games.iter().copied());
                let lines = PartLines::new(&path, &key, plan.part.conditions, scope)?;
                task.attempts.push(Attempt::new(lines));
            }
        }
        Ok(())
    }

    /// Returns the last line of a task's log, and the log's path.
    pub(crate) fn log(&self, number: usize) -> (Option<String>, PathBuf) {
        let job = self.note.job.unwrap_or_default();
        let path = self.folder.join("logs").join(format!("{number}.{job}.log"));
        (last_line(&path), path)
    }

    /// Removes the folder, including the logs of tasks that nobody needs any more.
    pub(crate) fn remove(&self) {
        // Without its note it is no array any more, whatever remains if we are killed.
        let _ = fs::remove_file(self.folder.join(NOTE));
        // Files that another process still writes there stay.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The option for excluded nodes.
const EXCLUDE: &str = "--exclude=";

/// Time before its time limit at which a task gets the signal to end its games in play, in seconds.
/// Slurm counts limits in minutes.
const NOTICE_S: u32 = 60;

impl Task {
    /// Returns those of its games that are still missing.
    pub(crate) fn missing(&self, missing: &HashSet<GameId>) -> impl Iterator<Item = GameId> {
        self.games
            .iter()
            .copied()
            .filter(|game| missing.contains(game))
    }
}

/// Parses the task's number from the name of a journal.
fn task_of(name: &str) -> Option<usize> {
    name.strip_suffix(".jsonl")?.split('.').next()?.parse().ok()
}

/// Makes the folder of the next array. Two judges cannot make the same one, on any file system.
fn new_folder(all: &Path) -> Result<PathBuf, JudgeError> {
    for number in 1..ARRAYS_MAX {
        let folder = all.join(number.to_string());
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(e) => return Err(JudgeError::io("make", &folder, e)),
        }
    }
    Err(JudgeError::input(format!(
        "{} has {ARRAYS_MAX} arrays; remove those that have ended",
        all.display()
    )))
}

/// Returns the script of a task. The shell becomes the judge, so a signal for the script alone
/// reaches the judge and none of its workers.
fn script(plan: &SlurmPlan<'_>) -> String {
    let command: Vec<String> = [plan.judge, "part"].map(for_shell).into();
    let flags: Vec<String> = plan.flags.iter().map(|flag| for_shell(flag)).collect();
    format!(
        r#"#!/bin/sh
# Plays one part: that of the task's number. What earlier attempts have played is not played again.
part=$SLURM_ARRAY_TASK_ID
for earlier in journals/"$part".*.jsonl; do
  if [ -e "$earlier" ]; then set -- "$@" --played "$earlier"; fi
done
attempt=$part.$SLURM_ARRAY_JOB_ID.${{SLURM_RESTART_COUNT:-0}}
exec {} parts/"$part".part --out journals/"$attempt".jsonl --jobs 1 {} "$@"
"#,
        command.join(" "),
        flags.join(" ")
    )
}

/// Reads a file of ours; none if it is not there.
fn json_in<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, JudgeError> {
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(JudgeError::io("read", path, e)),
    };
    serde_json::from_slice(&text)
        .map(Some)
        .map_err(|source| JudgeError::Format {
            what: path.display().to_string(),
            source,
        })
}

fn last_line(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(LOG_BYTES)))
        .ok()?;
    let mut bytes = Vec::new();
    file.take(LOG_BYTES).read_to_end(&mut bytes).ok()?;
    String::from_utf8_lossy(&bytes)
        .lines()
        .rev()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_journal_tells_its_task() {
        assert_eq!(task_of("3.17.0.jsonl"), Some(3));
        assert_eq!(task_of("12.17.2.jsonl"), Some(12));
        for other in ["3.17.0", "lock", ".new-1.jsonl", "x.1.jsonl"] {
            assert_eq!(task_of(other), None, "{other}");
        }
    }

    #[test]
    fn the_last_line_of_a_log_is_shown() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("log");
        assert_eq!(last_line(&path), None);
        fs::write(&path, "one\nslurmstepd: error: killed\n\n").expect("ours");
        assert_eq!(
            last_line(&path).as_deref(),
            Some("slurmstepd: error: killed")
        );
    }

    #[test]
    fn arrays_are_numbered_and_none_is_made_twice() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let names: Vec<PathBuf> = (0..3)
            .map(|_| new_folder(folder.path()).expect("ours"))
            .collect();
        let expected = ["1", "2", "3"].map(|name| folder.path().join(name));
        assert_eq!(names, expected);
    }
}
