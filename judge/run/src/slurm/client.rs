//! Runs Slurm's own commands, each with a time limit. A thread asks for the states of tasks.

use crate::slurm::listing::{FORMAT, Listed};
use rulebook::JudgeError;
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::io::{ErrorKind, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};
use wait_timeout::ChildExt;

/// Time limit of a command of Slurm. A command that finds no controller takes about ten seconds by
/// default.
const ANSWER_MAX: Duration = Duration::from_secs(60);
/// Time limit while the user waits for the judge to end.
const FAREWELL_MAX: Duration = Duration::from_secs(10);
/// Maximum length of a command's output that is read, in bytes.
const OUTPUT_BYTES_MAX: u64 = 64 << 20;

/// The reason why Slurm did not do what was requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The command is not installed.
    Missing(&'static str),
    /// The controller or `munge` does not answer. It may come back.
    Unreachable(String),
    /// No answer came, and the request may be fulfilled nevertheless.
    Unclear(String),
    /// Slurm refuses, with this message.
    Refused(String),
}

impl Refusal {
    /// Classifies a failure by the output of the command.
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

    /// Describes the problem in a sentence.
    pub(crate) fn words(&self) -> String {
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

    /// Converts it to an error.
    pub(crate) fn error(self) -> JudgeError {
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

/// Submits an array from a folder; returns its number.
pub(crate) fn submit(folder: &Path, options: &[String]) -> Result<u64, Refusal> {
    let mut command = Command::new("sbatch");
    command.current_dir(folder).args(options);
    let printed = answer("sbatch", command, ANSWER_MAX).map_err(|refusal| match refusal {
        Refusal::Unreachable(words) if SENT.iter().any(|sent| words.contains(sent)) => {
            Refusal::Unclear(words)
        }
        other => other,
    })?;
    // The number, followed by a semicolon and the cluster if there are several.
    let number = printed.trim().split(';').next().unwrap_or_default();
    let unread = || Refusal::Unclear(format!("sbatch printed {printed:?} and no number"));
    number.parse().map_err(|_| unread())
}

/// Checks that Slurm is installed and answers.
pub(crate) fn check() -> Result<(), Refusal> {
    for program in ["sbatch", "squeue", "scancel"] {
        let mut command = Command::new(program);
        command.arg("--version");
        answer(program, command, ANSWER_MAX)?;
    }
    Ok(())
}

/// The tasks to list.
#[derive(Clone, Debug)]
pub(crate) enum Which {
    /// Those of arrays with these numbers.
    Jobs(Vec<u64>),
    /// Those of arrays with this name.
    Name(String),
}

/// Lists tasks in any state, without those that Slurm has forgotten.
pub(crate) fn list(which: &Which) -> Result<Vec<Listed>, Refusal> {
    let mut command = Command::new("squeue");
    command.args(["--noheader", "--array", "--states=all", "--format", FORMAT]);
    match which {
        Which::Jobs(jobs) => command.arg(format!("--jobs={}", numbers(jobs))),
        Which::Name(name) => command.arg(format!("--name={name}")),
    };
    match answer("squeue", command, ANSWER_MAX) {
        Ok(text) => Ok(Listed::all(&text)),
        Err(Refusal::Refused(words)) if words.contains("Invalid job id") => Ok(Vec::new()),
        Err(refusal) => Err(refusal),
    }
}

/// Makes the tasks of arrays finish their games in play, and starts no more tasks.
pub(crate) fn interrupt(jobs: &[u64]) -> Result<(), Refusal> {
    cancel_waiting(jobs)?;
    // The judge has replaced the script, and only it may get the signal: its workers and the bots
    // would die.
    cancel_with(jobs, &["--batch", "--signal=TERM"], ANSWER_MAX)
}

/// Cancels the tasks of arrays that have not begun.
pub(crate) fn cancel_waiting(jobs: &[u64]) -> Result<(), Refusal> {
    cancel_with(jobs, &["--state=PENDING"], ANSWER_MAX)
}

/// Ends tasks at once, each named by its array and number as `17_3`.
pub(crate) fn cancel_tasks(tasks: &[String]) -> Result<(), Refusal> {
    cancel_with(tasks, &[], ANSWER_MAX)
}

/// Ends arrays at once.
pub(crate) fn cancel(jobs: &[u64]) -> Result<(), Refusal> {
    cancel_with(jobs, &[], FAREWELL_MAX)
}

/// Ends at once an array whose number is unknown; returns whether there was one.
pub(crate) fn cancel_name(name: &str) -> Result<bool, Refusal> {
    let jobs: BTreeSet<u64> = list(&Which::Name(name.to_owned()))?
        .iter()
        .map(|one| one.job)
        .collect();
    cancel(&jobs.iter().copied().collect::<Vec<_>>())?;
    Ok(!jobs.is_empty())
}

/// Messages of `scancel` about tasks that have already ended, which is the desired result. If a
/// signal finds no task, `scancel` fails without a message.
const ENDED: [&str; 2] = [
    "Invalid job id specified",
    "already completing or completed",
];

fn cancel_with(
    what: &[impl ToString],
    options: &[&str],
    patience: Duration,
) -> Result<(), Refusal> {
    if what.is_empty() {
        return Ok(());
    }
    let mut command = Command::new("scancel");
    command.args(options);
    command.args(what.iter().map(ToString::to_string));
    match answer("scancel", command, patience) {
        Err(Refusal::Refused(words))
            if words.is_empty() || ENDED.iter().any(|ended| words.contains(ended)) =>
        {
            Ok(())
        }
        answered => answered.map(drop),
    }
}

fn numbers(jobs: &[u64]) -> String {
    let jobs: Vec<String> = jobs.iter().map(u64::to_string).collect();
    jobs.join(",")
}

/// Runs a command to its end and returns its output.
fn answer(name: &'static str, mut command: Command, patience: Duration) -> Result<String, Refusal> {
    // These variables would filter the list, or make the command ask questions.
    let is_filter = |name: &OsStr| {
        let name = name.to_string_lossy();
        name.starts_with("SQUEUE_") || name.starts_with("SCANCEL_")
    };
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_filter(name)) {
        command.env_remove(name);
    }
    // An interrupt from the terminal must reach only the judge.
    command.process_group(0).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let unstarted = |e: std::io::Error| match e.kind() {
        ErrorKind::NotFound => Refusal::Missing(name),
        _ => Refusal::Refused(format!("{name} cannot be started: {e}")),
    };
    let child = command.spawn().map_err(unstarted)?;
    let (code, out, err) = end(child, patience);
    match code {
        Some(0) => Ok(out),
        Some(_) => Err(Refusal::of(if err.trim().is_empty() { &out } else { &err })),
        None => Err(Refusal::Unreachable(format!(
            "{name} has not answered within {} s",
            patience.as_secs()
        ))),
    }
}

/// Waits for the end of a command. Returns its exit code (none = it was killed), its standard
/// output and its standard error.
fn end(mut child: Child, patience: Duration) -> (Option<i32>, String, String) {
    let (out, err) = (child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        let out = scope.spawn(|| read(out));
        let err = scope.spawn(|| read(err));
        let status = child.wait_timeout(patience).ok().flatten();
        if status.is_none() {
            // Fails only if it is already dead.
            let _ = child.kill();
            let _ = child.wait();
        }
        let text = |thread: thread::ScopedJoinHandle<'_, String>| thread.join().unwrap_or_default();
        (
            status.and_then(|status| status.code()),
            text(out),
            text(err),
        )
    })
}

fn read(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        // After a failure, keep the output read before it.
        let _ = pipe.take(OUTPUT_BYTES_MAX).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Pause between questions to Slurm: at first, and at most while nothing changes.
const PAUSE_MIN: Duration = Duration::from_secs(1);
const PAUSE_MAX: Duration = Duration::from_secs(15);

/// Slurm's answer about arrays.
pub(crate) struct News {
    pub(crate) jobs: Vec<u64>,
    pub(crate) listed: Result<Vec<Listed>, Refusal>,
    /// The numbers of jobs that were requested by name; none if there is no such job.
    pub(crate) named: HashMap<String, Option<u64>>,
}

/// A question to Slurm.
struct Question {
    jobs: Vec<u64>,
    names: Vec<String>,
}

impl Question {
    fn ask(self) -> News {
        let mut named = HashMap::new();
        let listed = if self.jobs.is_empty() {
            Ok(Vec::new())
        } else {
            list(&Which::Jobs(self.jobs.clone()))
        };
        let listed = listed.and_then(|listed| {
            for name in self.names {
                let found = list(&Which::Name(name.clone()))?;
                named.insert(name, found.first().map(|one| one.job));
            }
            Ok(listed)
        });
        News {
            jobs: self.jobs,
            listed,
            named,
        }
    }
}

/// A thread that asks Slurm.
pub(crate) struct Watch {
    questions: Sender<Question>,
    answers: Receiver<News>,
    is_asking: bool,
    next: Instant,
    pause: Duration,
    last: Vec<Listed>,
}

impl Watch {
    /// Starts the thread, which ends when this is dropped.
    pub(crate) fn begin<'scope>(scope: &'scope Scope<'scope, '_>) -> Self {
        let (questions, asked) = channel::<Question>();
        let (told, answers) = channel();
        scope.spawn(move || {
            for question in asked {
                if told.send(question.ask()).is_err() {
                    break;
                }
            }
        });
        Self {
            questions,
            answers,
            is_asking: false,
            next: Instant::now(),
            pause: PAUSE_MIN,
            last: Vec::new(),
        }
    }

    /// Asks about arrays, if it is time: about those with known numbers, and for the numbers of the
    /// others by their names.
    pub(crate) fn ask_if_due(&mut self, jobs: Vec<u64>, names: Vec<String>) {
        if self.is_asking || Instant::now() < self.next {
            return;
        }
        if !jobs.is_empty() || !names.is_empty() {
            self.is_asking = self.questions.send(Question { jobs, names }).is_ok();
        }
    }

    /// Returns a new answer, if any. If nothing has changed, the next question waits longer.
    pub(crate) fn news(&mut self) -> Option<News> {
        let news = match self.answers.try_recv() {
            Ok(news) => news,
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => return None,
        };
        self.is_asking = false;
        let listed = news.listed.as_ref();
        let is_new = listed.is_ok_and(|listed| *listed != self.last);
        if let Ok(listed) = listed {
            self.last.clone_from(listed);
        }
        self.pause = if is_new {
            PAUSE_MIN
        } else {
            PAUSE_MAX.min(self.pause * 3 / 2)
        };
        self.next = Instant::now() + self.pause;
        Some(news)
    }

    /// Makes the next question come soon.
    pub(crate) fn hurry(&mut self) {
        self.pause = PAUSE_MIN;
        self.next = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_slurm_says_is_told_apart_by_whether_waiting_helps() {
        for (words, is_away) in [
            (
                "sbatch: error: Batch job submission failed: Invalid partition name specified\n",
                false,
            ),
            (
                "slurm_load_jobs error: Unable to contact slurm controller (connect failure)",
                true,
            ),
            (
                "sbatch: error: If munged is up, restart with --num-threads=10\nsbatch: error: Batch job submission failed: Protocol authentication error",
                true,
            ),
            (
                "slurm_load_jobs error: Socket timed out on send/recv operation",
                true,
            ),
            ("squeue: error: Invalid user: x", false),
        ] {
            let refusal = Refusal::of(words);
            assert_eq!(
                matches!(refusal, Refusal::Unreachable(_)),
                is_away,
                "{words}"
            );
        }
    }

    #[test]
    fn errors_say_what_to_do_in_slurm_s_own_words() {
        let error = Refusal::Refused("Invalid partition name specified".to_owned()).error();
        assert_eq!(
            error.to_string(),
            "--on slurm: Slurm refuses: Invalid partition name specified; change [slurm] in the competition file"
        );
        let error = Refusal::of("Protocol authentication error")
            .error()
            .to_string();
        assert!(
            error.starts_with("Slurm cannot authenticate you: munge does not run"),
            "{error}"
        );
        let error = Refusal::Missing("sbatch").error().to_string();
        assert!(
            error.contains("sbatch is not installed here; run this on a login node"),
            "{error}"
        );
    }

    #[test]
    fn a_command_that_does_not_end_is_ended() {
        let mut command = Command::new("sleep");
        command.arg("1000");
        let ended = answer("sleep", command, Duration::from_millis(10));
        assert!(
            matches!(ended, Err(Refusal::Unreachable(words)) if words.contains("has not answered"))
        );
    }

    #[test]
    fn a_command_that_is_not_there_is_missing() {
        let command = Command::new("/nowhere/sbatch");
        let ended = answer("sbatch", command, ANSWER_MAX);
        assert_eq!(ended, Err(Refusal::Missing("sbatch")));
    }
}
