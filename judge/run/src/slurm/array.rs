//! An array of tasks. `slurm/N/` has a note by which a judge on any login node finds it again.

#![expect(
    clippy::disallowed_methods,
    reason = "they are files of this run's own tasks"
)]

use super::{Listed, Phase};
use model::competition::SlurmSettings;
use model::draw::hexadecimal;
use model::fixture::{Conditions, Fixture};
use model::game_id::GameId;
use model::numbers::counted;
use model::record::MatchRecord;
use model::stderr::Stderr;
use model::text::for_shell;
use rulebook::{IoContext, JudgeError, Result};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashSet};
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Instant;
use store::parts::PartPlan;
use store::{Journal, MachineLines, PartLine, PartLines, Scope, UnequalMachines};
use system::files::{if_there, make_private_folder, random, write_whole};

const SLURM: &str = "slurm";

const NOTE: &str = "array.json";
const SCRIPT: &str = "task.sh";
const LOG_BYTES: u64 = 4096;

/// The run's folder and the judge have the same path on all nodes.
pub(super) struct SlurmPlan<'a> {
    pub(super) judge: String,
    pub(super) flags: Vec<&'static str>,
    pub(super) settings: &'a SlurmSettings,
    pub(super) memory_mib: u64,
    pub(super) part: PartPlan<'a>,
}

#[derive(Default)]
pub(super) enum TaskState {
    /// It waits or plays, or its state is unknown.
    #[default]
    Going,
    /// Slurm says that it has ended; some of its output may still come.
    Ended(End),
    /// It has ended, and its output is in the run's journal.
    Over,
}

#[derive(Clone)]
pub(super) struct End {
    pub(super) how: Phase,
    pub(super) words: String,
    pub(super) nodes: String,
    pub(super) since: Instant,
}

impl End {
    /// A task that is no longer listed ended some minutes ago.
    pub(super) fn of(listed: Option<&Listed>) -> Option<Self> {
        let how = listed
            .filter(|one| !one.was_not_launched())
            .map_or(Phase::Lost, Listed::phase);
        let has_ended = !matches!(how, Phase::Waiting | Phase::Running);
        has_ended.then(|| Self {
            how,
            words: listed.map_or_else(|| "Slurm no longer lists it".to_owned(), Listed::end),
            nodes: listed.map_or_else(String::new, |one| one.nodes.clone()),
            since: Instant::now(),
        })
    }
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Task {
    part: String,
    pub(super) games: Vec<GameId>,
    #[serde(skip)]
    pub(super) state: TaskState,
    /// Since when Slurm has not listed it.
    #[serde(skip)]
    pub(super) unlisted_since: Option<Instant>,
    /// Number of games that came from it while this judge watched.
    #[serde(skip)]
    pub(super) taken: usize,
    #[serde(skip)]
    pub(super) attempts: Vec<Attempt>,
}

/// `array.json`, and what this judge knows besides.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Array {
    pub(super) name: String,
    pub(super) job: Option<u64>,
    /// By the task's number minus one.
    #[serde(rename = "parts")]
    pub(super) tasks: Vec<Task>,
    #[serde(skip)]
    pub(super) folder: PathBuf,
    /// Only then does its end say anything about the current cluster.
    #[serde(skip)]
    pub(super) is_own: bool,
    #[serde(skip)]
    pub(super) is_reported: bool,
}

impl Array {
    pub(super) fn all(run: &Path) -> Result<Vec<Self>> {
        let folder = run.join(SLURM);
        let entries = if_there(fs::read_dir(&folder)).or_io("read", &folder)?;
        let mut numbers: Vec<u32> = entries
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .collect();
        numbers.sort_unstable();
        let read = |number: u32| Self::read(folder.join(number.to_string())).transpose();
        numbers.into_iter().filter_map(read).collect()
    }

    /// Reads the record in a folder; none if nothing was submitted from it.
    fn read(folder: PathBuf) -> Result<Option<Self>> {
        let path = folder.join(NOTE);
        // Without it, the judge was killed while it wrote the parts.
        let text = if_there(fs::read(&path)).or_io("read", &path)?;
        let array: Option<Self> = text
            .map(|text| serde_json::from_slice(&text))
            .transpose()
            .map_err(|source| JudgeError::Format {
                what: path.display().to_string(),
                source,
            })?;
        Ok(array.map(|array| Self { folder, ..array }))
    }

    pub(super) fn make(plan: &SlurmPlan<'_>, parts: &[Vec<&Fixture>]) -> Result<Self> {
        let all = plan.part.run.join(SLURM);
        make_private_folder(&all)?;
        let folder = new_folder(&all)?;
        for name in ["parts", "journals", "logs"] {
            make_private_folder(&folder.join(name))?;
        }
        let path = |number| folder.join("parts").join(format!("{number}.part"));
        let ids = plan.part.write(parts, &path)?;
        let task = |(part, fixtures): (String, &Vec<&Fixture>)| Task {
            part,
            games: fixtures.iter().map(|one| one.id).collect(),
            ..Task::default()
        };
        write_whole(&folder.join(SCRIPT), script(plan).as_bytes())?;
        let array = Self {
            name: format!("judge-{}", hexadecimal(&random::<8>()?)),
            job: None,
            tasks: ids.into_iter().zip(parts).map(task).collect(),
            folder,
            is_own: true,
            is_reported: false,
        };
        array.write()?;
        Ok(array)
    }

    fn write(&self) -> Result {
        let note = serde_json::to_vec(self).expect("plain data");
        write_whole(&self.folder.join(NOTE), &note)
    }

    pub(super) fn submitted(&mut self, job: u64) -> Result {
        self.job = Some(job);
        self.write()
    }

    pub(super) fn goes_on(&self) -> bool {
        self.tasks
            .iter()
            .any(|task| matches!(task.state, TaskState::Going))
    }

    pub(super) fn is_over(&self) -> bool {
        self.tasks
            .iter()
            .all(|task| matches!(task.state, TaskState::Over))
    }

    pub(super) fn options(&self, plan: &SlurmPlan<'_>, excluded: &BTreeSet<String>) -> Vec<String> {
        let settings = plan.settings;
        let mut options = vec![format!("--mem={}M", plan.memory_mib)];
        for (key, value) in [
            ("partition", &settings.partition),
            ("account", &settings.account),
            ("constraint", &settings.constraint),
            ("time", &settings.time),
        ] {
            options.extend(value.iter().map(|value| format!("--{key}={value}")));
        }
        options.push("--hint=nomultithread".to_owned());
        options.push(format!("--signal=B:TERM@{NOTICE_S}"));
        options.extend(settings.options.iter().cloned());
        let excluded: Vec<&str> = settings
            .options
            .iter()
            .filter_map(|option| option.strip_prefix(EXCLUDE))
            .chain(excluded.iter().map(String::as_str))
            .collect();
        if !excluded.is_empty() {
            // If there were several, only the last would count.
            options.retain(|option| !option.starts_with(EXCLUDE));
            options.push(format!("{EXCLUDE}{}", excluded.join(",")));
        }
        options.extend([
            "--parsable".to_owned(),
            format!("--array=1-{}", self.tasks.len()),
            format!("--job-name={}", self.name),
            "--ntasks=1".to_owned(),
            "--cpus-per-task=1".to_owned(),
            "--requeue".to_owned(),
            "--open-mode=append".to_owned(),
            "--output=logs/%a.%A.log".to_owned(),
            SCRIPT.to_owned(),
        ]);
        options
    }

    pub(super) fn find_journals(&mut self, plan: &SlurmPlan<'_>) -> Result {
        let folder = self.folder.join("journals");
        // Another process may have begun to remove the array.
        let entries = if_there(fs::read_dir(&folder)).or_io("read", &folder)?;
        for entry in entries.into_iter().flatten() {
            let path = entry.or_io("read", &folder)?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let index = task_of(&name).and_then(|number| number.checked_sub(1));
            let Some(task) = index.and_then(|index| self.tasks.get_mut(index)) else {
                continue;
            };
            let is_known = task.attempts.iter().any(|one| one.lines.path() == path);
            if !matches!(task.state, TaskState::Over) && !is_known {
                let key = plan.part.keys.part_key(&task.part);
                let scope = Scope::part(task.games.iter().copied());
                let lines = PartLines::new(&path, &key, plan.part.conditions, scope)?;
                task.attempts.push(Attempt {
                    lines,
                    refused: None,
                });
            }
        }
        Ok(())
    }

    pub(super) fn loss(&self, number: usize, end: &End, left: usize) -> String {
        let job = self.job.unwrap_or_default();
        let log = self.folder.join("logs").join(format!("{number}.{job}.log"));
        let line = last_line(&log).map(|line| format!(", which ends with: {line}"));
        let games = self.tasks[number - 1].games.len() as u64;
        format!(
            "task {number} of Slurm array {job} has ended ({}) without {left} of its {}; its log is {}{}",
            end.words,
            counted(games, "game"),
            log.display(),
            line.unwrap_or_default()
        )
    }

    /// Removes the folder, including the logs of tasks that nobody needs any more.
    pub(super) fn remove(&self) {
        // Without its note it is no array any more, whatever remains if we are killed. Files that
        // another process still writes there stay.
        let _ = (
            fs::remove_file(self.folder.join(NOTE)),
            fs::remove_dir_all(&self.folder),
        );
    }
}

/// Slurm restarts a task whose node has failed, and the first attempt may continue next to it.
pub(super) struct Attempt {
    lines: PartLines,
    pub(super) refused: Option<String>,
}

impl Attempt {
    /// Games of a machine that differs from the others do not count, unless machines may be mixed.
    pub(super) fn read(
        &mut self,
        (machines, mixed): (&mut MachineLines, bool),
        conditions: &Conditions,
        journal: &mut Journal,
        take: &mut dyn FnMut(&MatchRecord, &[Stderr]),
    ) -> Result {
        let refused = &mut self.refused;
        self.lines.read_new(&mut |line| {
            match line {
                PartLine::Machine(machine) => {
                    *refused = if machine.is_of_another_game(conditions) {
                        Some("an earlier version of the game played it".to_owned())
                    } else {
                        UnequalMachines::among(machines.values().chain([&*machine]))
                            .filter(|_| !mixed)
                            .map(|unequal| unlike(&machine.host, &unequal))
                    };
                    if refused.is_none() {
                        journal.append_machine(&machine)?;
                        machines.insert(machine.digest(), *machine);
                    }
                }
                PartLine::Game { record, stderr } => {
                    if refused.is_none() && !journal.contains(record.fixture) {
                        journal.append(&record)?;
                        take(&record, &stderr);
                    }
                }
                // Its game is missing, and is played again.
                PartLine::Rejected { .. } => {}
            }
            Ok(())
        })
    }
}

fn unlike(host: &str, unequal: &UnequalMachines) -> String {
    format!(
        "{host} is not like the other machines of this run, so its games do not count: {}; name one CPU model with \
         constraint in [slurm], or accept mixed machines with --mixed",
        unequal.words()
    )
}

const EXCLUDE: &str = "--exclude=";

/// Time before its limit at which a task ends its games in play. Slurm counts limits in minutes.
const NOTICE_S: u32 = 60;

impl Task {
    pub(super) fn missing(&self, missing: &HashSet<GameId>) -> impl Iterator<Item = GameId> {
        self.games
            .iter()
            .copied()
            .filter(|game| missing.contains(game))
    }
}

fn task_of(name: &str) -> Option<usize> {
    name.strip_suffix(".jsonl")?.split('.').next()?.parse().ok()
}

/// Makes the folder of the next array. Two judges cannot make the same one, on any file system.
fn new_folder(all: &Path) -> Result<PathBuf> {
    let mut number = 0_u32;
    loop {
        number += 1;
        let folder = all.join(number.to_string());
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(e) => return Err(JudgeError::io("make", &folder, e)),
        }
    }
}

/// The shell becomes the judge, so that a signal reaches the judge and none of its workers.
fn script(plan: &SlurmPlan<'_>) -> String {
    format!(
        r#"#!/bin/sh
# Plays one part: that of the task's number. What earlier attempts have played is not played again.
part=$SLURM_ARRAY_TASK_ID
for earlier in journals/"$part".*.jsonl; do
  if [ -e "$earlier" ]; then set -- "$@" --played "$earlier"; fi
done
attempt=$part.$SLURM_ARRAY_JOB_ID.${{SLURM_RESTART_COUNT:-0}}
exec {} part parts/"$part".part --out journals/"$attempt".jsonl --jobs 1 {} "$@"
"#,
        for_shell(&plan.judge),
        plan.flags.join(" ")
    )
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
        fs::write(&path, "one\nslurmstepd: error: killed\n\n").expect("writable");
        let found = last_line(&path);
        assert_eq!(found.as_deref(), Some("slurmstepd: error: killed"));
    }

    #[test]
    fn arrays_are_numbered_and_none_is_made_twice() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let names: Vec<PathBuf> = (0..3)
            .map(|_| new_folder(folder.path()).expect("valid"))
            .collect();
        let expected = ["1", "2", "3"].map(|name| folder.path().join(name));
        assert_eq!(names, expected);
    }
}
