//! Plays a run's missing games as tasks of a Slurm cluster. Nothing depends on locks: every attempt
//! at a task writes a file of its own, and the same game may come twice. Here are Slurm's own commands,
//! each with a time limit, and what they print.

mod array;
mod follow;

pub(crate) use follow::play;

use rulebook::{JudgeError, Result};
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Checks that Slurm's commands are installed.
pub fn check() -> Result {
    let mut programs = ["sbatch", "squeue", "scancel"].into_iter();
    programs
        .try_for_each(|program| answer(program, &["--version"], HERE, ANSWER_S).map(drop))
        .map_err(Refusal::error)
}

/// The active arrays, including one being submitted: its name, and its number once known.
#[derive(Clone, Debug, Default)]
pub struct ActiveArrays(Arc<Mutex<Vec<ActiveArray>>>);

type ActiveArray = (String, Option<u64>);

impl ActiveArrays {
    fn lock(&self) -> MutexGuard<'_, Vec<ActiveArray>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Cancels all arrays, and returns commands for those that may still be active.
    pub fn cancel(&self) -> Vec<String> {
        let arrays = self.lock().clone().into_iter();
        arrays
            // Slurm may still accept one that is being submitted, which has no number yet.
            .filter(|(name, job)| cancel(name).is_err() || job.is_none())
            .map(|(name, _)| format!("scancel --name={name}"))
            .collect()
    }
}

/// A command that finds no controller takes about ten seconds by default.
const ANSWER_S: u32 = 60;
/// Time limit while the user waits for the judge to end.
const FAREWELL_S: u32 = 10;

const HERE: &str = ".";

#[derive(Debug, PartialEq, Eq)]
enum Refusal {
    Missing(&'static str),
    /// The controller or `munge` does not answer. It may come back.
    Unreachable(String),
    /// No answer came, and the request may be fulfilled nevertheless.
    Unclear(String),
    Refused(String),
}

impl Refusal {
    fn of(words: &str) -> Self {
        const AWAY: [&str; 8] = [
            "Unable to contact slurm controller",
            "Protocol authentication error",
            "Socket timed out",
            "Zero Bytes were transmitted",
            "Connection refused",
            "Slurm backup controller in standby mode",
            "temporarily unable to accept job",
            "Munge encode failed",
        ];
        let words = words
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect::<Vec<_>>()
            .join("; ");
        if AWAY.iter().any(|away| words.contains(away)) {
            Self::Unreachable(words)
        } else {
            Self::Refused(words)
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Missing(command) => format!("{command} is not installed here"),
            Self::Unreachable(words)
                if words.to_lowercase().contains("authentication") || words.contains("unge") =>
            {
                format!(
                    "Slurm cannot authenticate you: munge does not run on this machine or on the controller's ({words})"
                )
            }
            Self::Unreachable(words) | Self::Unclear(words) => {
                format!("Slurm's controller does not answer ({words})")
            }
            Self::Refused(words) => format!("Slurm refuses: {words}"),
        }
    }

    fn error(self) -> JudgeError {
        let words = self.words();
        match self {
            Self::Missing(_) => JudgeError::input(format!(
                "--on slurm: {words}; run this on a login node of a Slurm cluster, or without --on slurm to play here"
            )),
            Self::Refused(_) => JudgeError::input(format!(
                "--on slurm: {words}; change [slurm] in the competition file"
            )),
            Self::Unreachable(_) | Self::Unclear(_) => JudgeError::Cluster(format!(
                "{words}; finished games are kept; rerun the same command when Slurm answers again"
            )),
        }
    }
}

/// Messages that mean that a submission was sent and its answer has not come.
const SENT: [&str; 6] = [
    "Socket timed out",
    "Zero Bytes were transmitted",
    "send failure",
    "receive failure",
    "shutdown failure",
    "has not answered",
];

fn submit(folder: &Path, options: &[String]) -> Result<u64, Refusal> {
    let printed = answer("sbatch", options, folder, ANSWER_S).map_err(|refusal| match refusal {
        Refusal::Unreachable(words) if SENT.iter().any(|sent| words.contains(sent)) => {
            Refusal::Unclear(words)
        }
        other => other,
    })?;
    // The number, followed by a semicolon and the cluster if there are several.
    let number = printed.trim().split(';').next().unwrap_or_default().parse();
    number.map_err(|_| Refusal::Unclear(format!("sbatch printed {printed:?} and no number")))
}

/// Lists the tasks of arrays with these names in any state, without those that Slurm has forgotten.
fn list(names: &[&str]) -> Result<Vec<Listed>, Refusal> {
    let names = named(&names.join(","));
    let arguments = [
        "--noheader",
        "--array",
        "--states=all",
        "--format",
        FORMAT,
        &names,
    ];
    answer("squeue", &arguments, HERE, ANSWER_S).map(|text| Listed::all(&text))
}

/// Makes the tasks of an array finish their games in play, and starts no more tasks.
fn interrupt(name: &str) -> Result<(), Refusal> {
    cancel_waiting(name)?;
    // The judge has replaced the script. A signal for its workers would end the bots.
    cancel_with(&[&named(name), "--batch", "--signal=TERM"], ANSWER_S)
}

fn cancel_waiting(name: &str) -> Result<(), Refusal> {
    cancel_with(&[&named(name), "--state=PENDING"], ANSWER_S)
}

fn cancel(name: &str) -> Result<(), Refusal> {
    cancel_with(&[&named(name)], FAREWELL_S)
}

fn named(name: &str) -> String {
    format!("--name={name}")
}

/// Already ended, as desired. If a signal finds no task, `scancel` fails without a message.
const ENDED: [&str; 2] = [
    "Invalid job id specified",
    "already completing or completed",
];

fn cancel_with(arguments: &[impl AsRef<OsStr>], seconds: u32) -> Result<(), Refusal> {
    match answer("scancel", arguments, HERE, seconds) {
        Err(Refusal::Refused(words))
            if words.is_empty() || ENDED.iter().any(|ended| words.contains(ended)) =>
        {
            Ok(())
        }
        answered => answered.map(drop),
    }
}

/// Exit codes of `timeout`: the time is over, and the command was not found.
const TIME_IS_OVER: i32 = 124;
const NOT_FOUND: i32 = 127;

fn answer(
    name: &'static str,
    arguments: &[impl AsRef<OsStr>],
    folder: impl AsRef<Path>,
    seconds: u32,
) -> Result<String, Refusal> {
    let mut command = Command::new("timeout");
    // An interrupt from the terminal must reach only the judge.
    command
        .arg(seconds.to_string())
        .arg(name)
        .args(arguments)
        .process_group(0)
        .stdin(Stdio::null())
        .current_dir(folder);
    // These variables would filter the list, or make the command ask questions.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("SQUEUE_") || text.starts_with("SCANCEL_") {
            command.env_remove(&name);
        }
    }
    let output = command.output().map_err(|e| match e.kind() {
        ErrorKind::NotFound => Refusal::Missing(name),
        _ => Refusal::Refused(format!("{name} cannot be started: {e}")),
    })?;
    let [out, err] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    match output.status.code() {
        Some(0) => Ok(out),
        Some(NOT_FOUND) => Err(Refusal::Missing(name)),
        None | Some(TIME_IS_OVER) => Err(Refusal::Unreachable(format!(
            "{name} has not answered within {seconds} s"
        ))),
        Some(_) => Err(Refusal::of(if err.trim().is_empty() { &out } else { &err })),
    }
}

/// The output format of `squeue`: a line for each task.
const FORMAT: &str = "%j|%F|%K|%T|%N|%r";

struct Listed {
    name: String,
    job: u64,
    /// From 1; none for a single line about all tasks that ended before they began.
    task: Option<usize>,
    state: String,
    nodes: String,
    reason: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Phase {
    Waiting,
    /// It plays, or is about to end.
    Running,
    Completed,
    Cancelled,
    Lost,
}

impl Listed {
    fn all(text: &str) -> Vec<Self> {
        text.lines().filter_map(Self::of).collect()
    }

    fn of(line: &str) -> Option<Self> {
        let mut fields = line.splitn(6, '|').map(str::trim);
        Some(Self {
            name: fields.next()?.to_owned(),
            job: fields.next()?.parse().ok()?,
            task: fields.next()?.parse().ok(),
            state: fields.next()?.to_owned(),
            nodes: fields.next()?.to_owned(),
            reason: fields.next()?.to_owned(),
        })
    }

    /// An unknown word means an active task.
    fn phase(&self) -> Phase {
        match self.state.as_str() {
            "PENDING" | "REQUEUED" | "REQUEUE_HOLD" | "REQUEUE_FED" | "SPECIAL_EXIT"
            | "RESV_DEL_HOLD" => Phase::Waiting,
            "COMPLETED" => Phase::Completed,
            "CANCELLED" => Phase::Cancelled,
            "BOOT_FAIL" | "DEADLINE" | "FAILED" | "NODE_FAIL" | "OUT_OF_MEMORY" | "PREEMPTED"
            | "REVOKED" | "TIMEOUT" => Phase::Lost,
            _ => Phase::Running,
        }
    }

    /// It waits for an operator to release it.
    fn was_not_launched(&self) -> bool {
        let held = ["launch failed requeued held", "launch_failed_requeued_held"];
        self.phase() == Phase::Waiting && held.contains(&self.reason.as_str())
    }

    /// Unless waiting alone will resolve that.
    fn obstacle(&self) -> Option<&str> {
        const PASSING: [&str; 9] = [
            "",
            "None",
            "Priority",
            "Resources",
            "BeginTime",
            "Prolog",
            "Cleaning",
            "JobArrayTaskLimit",
            "NodeDown",
        ];
        let waits = self.phase() == Phase::Waiting;
        (waits && !PASSING.contains(&self.reason.as_str())).then_some(self.reason.as_str())
    }

    fn end(&self) -> String {
        let on = match self.nodes.as_str() {
            "" => String::new(),
            nodes => format!(" on {nodes}"),
        };
        let why = match self.reason.as_str() {
            "" | "None" => String::new(),
            reason => format!(", {reason}"),
        };
        format!("{}{on}{why}", self.state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INVALID: &str =
        "sbatch: error: Batch job submission failed: Invalid partition name specified\n";
    const MUNGED: &str = "sbatch: error: If munged is up, restart with --num-threads=10\nsbatch: error: Batch job submission failed: Protocol authentication error";

    #[test]
    fn slurm_errors_are_classified_by_whether_waiting_helps() {
        let connect = "slurm_load_jobs error: Unable to contact slurm controller (connect failure)";
        let timeout = "slurm_load_jobs error: Socket timed out on send/recv operation";
        for (words, is_away) in [
            (INVALID, false),
            (connect, true),
            (MUNGED, true),
            (timeout, true),
            ("squeue: error: Invalid user: x", false),
        ] {
            let found = matches!(Refusal::of(words), Refusal::Unreachable(_));
            assert_eq!(found, is_away, "{words}");
        }
    }

    #[test]
    fn slurm_errors_quote_slurm_and_name_next_step() {
        let refusals = [
            Refusal::of(INVALID),
            Refusal::of(MUNGED),
            Refusal::Missing("sbatch"),
        ];
        let words = refusals.map(|refusal| refusal.error().to_string() + "\n");
        assert_eq!(words.concat(), include_str!("refusals.txt"));
    }

    #[test]
    fn a_command_that_does_not_end_or_is_not_there_is_refused() {
        let Err(Refusal::Unreachable(words)) = answer("sleep", &["1000"], HERE, 1) else {
            panic!("it is ended");
        };
        assert!(words.contains("has not answered"), "{words}");
        let missing = answer("/nowhere/sbatch", &["-"; 0], HERE, ANSWER_S);
        assert_eq!(missing, Err(Refusal::Missing("/nowhere/sbatch")));
    }

    fn listed(line: &str) -> Listed {
        Listed::of(line).expect("a task")
    }

    #[test]
    fn task_lines_are_read_and_other_output_ignored() {
        let text = "CLUSTER: test\na|17|3|RUNNING|n2|None\na|17|4|PENDING||ReqNodeNotAvail, UnavailableNodes:n1\na|17|N/A|CANCELLED||Resources\n";
        let all = Listed::all(text);
        assert_eq!(all.len(), 3);
        assert_eq!((all[0].job, all[0].task), (17, Some(3)));
        assert_eq!(all[1].reason, "ReqNodeNotAvail, UnavailableNodes:n1");
        assert_eq!((all[2].job, all[2].task), (17, None));
    }

    #[test]
    fn slurm_states_map_to_fate_of_games() {
        for (state, phase) in [
            ("PENDING", Phase::Waiting),
            ("REQUEUE_HOLD", Phase::Waiting),
            ("RUNNING", Phase::Running),
            ("COMPLETING", Phase::Running),
            ("SOMETHING_NEW", Phase::Running),
            ("COMPLETED", Phase::Completed),
            ("CANCELLED", Phase::Cancelled),
            ("NODE_FAIL", Phase::Lost),
            ("PREEMPTED", Phase::Lost),
            ("TIMEOUT", Phase::Lost),
        ] {
            let found = listed(&format!("a|1|1|{state}||None")).phase();
            assert_eq!(found, phase, "{state}");
        }
    }

    #[test]
    fn obstacle_is_unresolvable_and_end_names_its_node() {
        assert_eq!(listed("a|1|1|PENDING||Resources").obstacle(), None);
        assert_eq!(listed("a|1|1|RUNNING|n1|JobHeldUser").obstacle(), None);
        let held = listed("a|1|1|PENDING||JobHeldUser");
        assert_eq!(held.obstacle(), Some("JobHeldUser"));
        let end = listed("a|1|1|FAILED|n2|NonZeroExitCode").end();
        assert_eq!(end, "FAILED on n2, NonZeroExitCode");
        assert_eq!(listed("a|1|1|TIMEOUT||None").end(), "TIMEOUT");
    }
}
