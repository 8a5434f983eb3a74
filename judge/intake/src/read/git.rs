//! Submissions in git repositories, fetched without hooks, submodules, filters or questions, and
//! never checked out. Git itself refuses a repository on this machine that another user owns.

#![expect(
    clippy::disallowed_methods,
    reason = "git has written it, in a folder of the judge's"
)]

use crate::at_once::at_once;
use crate::read::archive;
use crate::read::repositories::Repository;
use crate::read::source::Allowance;
use crate::read::submission::{Absent, Submission};
use model::fault::quote;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use rulebook::{IoContext, JudgeError, Result};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use system::cleanup::{CleanupGuard, TemporaryFolder};
use system::files::make_folder;
use wait_timeout::ChildExt;

pub(crate) const AT_ONCE: usize = 4;
/// Time limit of `ls-remote`. A commit that it names counts as there when the question began, so a
/// server that stalls at a deadline gains no more than this.
const LS_REMOTE_TIME_MAX: Duration = Duration::from_secs(30);
const STEP_TIME_MAX: Duration = Duration::from_secs(120);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Maximum size of a file that git may write, in blocks of 512 bytes: 256 MiB.
const FILE_BLOCKS_MAX: u32 = 512 << 10;
/// Maximum memory of each of git's processes, in KiB: 512 MiB. Trees that contain each other many
/// times would take gigabytes.
const MEMORY_KIB_MAX: u32 = 512 << 10;
const OUTPUT_BYTES_MAX: u64 = 64 << 10;
/// Asks no questions, and leaves no process behind.
const SSH: &str =
    "ssh -o BatchMode=yes -o ConnectTimeout=20 -o ControlMaster=no -o ControlPath=none";
/// Settings of every step. All that is fetched is in one file, whose size is bounded.
const SETTINGS: [&str; 7] = [
    "fetch.unpackLimit=1",
    "transfer.unpackLimit=1",
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "advice.detachedHead=false",
];
/// Attributes that a repository cannot override: these come before its own.
const ATTRIBUTES: &str =
    "* -text -ident -filter -working-tree-encoding -export-ignore -export-subst\n";

#[derive(Debug)]
pub(crate) struct Answer {
    /// The commits that it names, in its own words.
    pub(crate) heads: String,
    /// Whether the content's commit was among them, and so existed when they were named.
    pub(crate) is_named: bool,
    pub(crate) files: Submission,
}

impl Answer {
    pub(crate) fn absent(absent: Absent, reason: String) -> Self {
        Self {
            heads: String::new(),
            is_named: false,
            files: Submission::absent(absent, reason),
        }
    }
}

pub(crate) fn fetch_all(
    repositories: Vec<Repository>,
    stop: &AtomicBool,
) -> Result<Vec<Submission>> {
    at_once(AT_ONCE, repositories, |repository| {
        let answer = ask(&repository, None, stop)?;
        Ok(answer.expect("no content is known").files)
    })
}

/// Returns `None` if the repository's commits are the `known` ones.
pub(crate) fn ask(
    repository: &Repository,
    known: Option<&str>,
    stop: &AtomicBool,
) -> Result<Option<Answer>> {
    let place = without_password(&repository.url);
    match fetch(repository, known, &place, stop) {
        Err(Failed::Absent(absent, reason)) => {
            // Git repeats the address, which may hold a password.
            let reason = reason.replace(&repository.url, &place);
            let refusal = format!("cannot fetch {place} {}: {reason}", repository.reference);
            let mut answer = Answer::absent(absent, refusal);
            answer.files.origin = place;
            Ok(Some(answer))
        }
        Err(Failed::Judge(error)) => Err(error),
        Ok(answer) => Ok(answer),
    }
}

fn fetch(
    repository: &Repository,
    known: Option<&str>,
    place: &str,
    stop: &AtomicBool,
) -> Result<Option<Answer>, Failed> {
    let git = Git::new(None, stop)?;
    let (url, reference) = (repository.url.as_str(), repository.reference.as_str());
    let ls_remote = |names: &[&str]| {
        let question = [&["ls-remote", "--quiet", "--", url][..], names].concat();
        git.run_within(LS_REMOTE_TIME_MAX, &question, Absent::Unreachable)
    };
    // A hash is in no answer, and always names the same commit. The commit of a tag is asked for, too.
    let heads = named(
        &ls_remote(&[reference, &format!("{reference}^{{}}")])?,
        reference,
    );
    if heads.is_empty() && !is_hash(reference) {
        let (absent, reason) = if ls_remote(&[])?.is_empty() {
            let reason = "it has no commit, so nothing was submitted";
            (Absent::Empty, reason.to_owned())
        } else {
            (
                Absent::Unfit,
                format!("it has no branch or tag {reference}"),
            )
        };
        return Err(Failed::Absent(absent, reason));
    }
    if known == Some(heads.as_str()) {
        return Ok(None);
    }
    let init = ["init", "--quiet", "--template=", "."];
    git.run_within(STEP_TIME_MAX, &init, Absent::Unreachable)?;
    let info = git.at.join(".git/info");
    make_folder(&info)?;
    let attributes = info.join("attributes");
    fs::write(&attributes, ATTRIBUTES).or_io("write", &attributes)?;
    let fetch = [
        "fetch",
        "--quiet",
        "--depth=1",
        "--no-tags",
        "--no-recurse-submodules",
        "--no-auto-maintenance",
        "--",
        url,
        reference,
    ];
    git.run_within(STEP_TIME_MAX, &fetch, Absent::Unreachable)?;
    // The author made all that was fetched, also what git cannot read.
    let named = git.run(&["rev-parse", "--verify", "FETCH_HEAD^{commit}"])?;
    let commit = named.trim();
    let folder = format!("FETCH_HEAD:{}", repository.folder);
    match git.run(&["cat-file", "-t", &folder]) {
        Ok(kind) if kind.trim() == "tree" => {}
        Ok(_) | Err(Failed::Absent(Absent::Unfit, _)) => {
            let reason = format!("it has no folder {}", repository.folder);
            return Err(Failed::Absent(Absent::Unfit, reason));
        }
        Err(failed) => return Err(failed),
    }
    git.run(&["archive", "--format=zip", "--output=content.zip", &folder])?;
    let zip = git.at.join("content.zip");
    let bytes = fs::read(&zip).or_io("read", &zip)?;
    let mut files = match archive::unpack(&bytes, Allowance::whole()) {
        Ok((contents, _)) => contents,
        Err(reason) => Submission::unreadable(format!("commit {commit} of {place} {reason}")),
    };
    let origin = format!("{place} {commit} {}", repository.folder);
    origin.trim_end().clone_into(&mut files.origin);
    Ok(Some(Answer {
        is_named: heads.contains(commit) || commit == reference,
        heads,
        files,
    }))
}

/// Returns the lines that name a reference, as git looks for one: `refs/heads/x/HEAD` is not `HEAD`.
fn named(answer: &str, reference: &str) -> String {
    let is_of_reference = |line: &&str| {
        let name = line.split_once('\t').map_or("", |(_, name)| name);
        let place = name
            .strip_suffix("^{}")
            .unwrap_or(name)
            .strip_suffix(reference);
        matches!(place, Some("" | "refs/" | "refs/tags/" | "refs/heads/"))
    };
    let lines = answer.lines().filter(is_of_reference);
    lines.flat_map(|line| [line, "\n"]).collect()
}

fn is_hash(reference: &str) -> bool {
    [40, 64].contains(&reference.len()) && reference.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// Finds a commit of the repository that contains a folder on this machine, or why there is none.
pub(crate) fn find_commit(
    folder: &Path,
    reference: &str,
    stop: &AtomicBool,
) -> Result<Result<Repository, String>> {
    let find = || {
        let git = Git::new(Some(folder), stop)?;
        let line =
            |args: &[&str]| Ok::<_, Failed>(git.run(args)?.trim_end_matches('\n').to_owned());
        let top = line(&["rev-parse", "--show-toplevel"])?;
        let inside = line(&["rev-parse", "--show-prefix"])?;
        let named = format!("{reference}^{{commit}}");
        let commit = line(&["rev-parse", "--verify", "--end-of-options", &named])?;
        let found = Repository::on_this_machine(Path::new(&top), commit, &inside);
        found.map_err(|reason| Failed::Absent(Absent::Unfit, reason))
    };
    match find() {
        Ok(found) => Ok(Ok(found)),
        Err(Failed::Judge(error)) => Err(error),
        Err(Failed::Absent(_, reason)) => Ok(Err(reason)),
    }
}

enum Failed {
    Judge(JudgeError),
    Absent(Absent, String),
}

impl From<JudgeError> for Failed {
    fn from(error: JudgeError) -> Self {
        Self::Judge(error)
    }
}

struct Git<'a> {
    /// A folder for git's output, above which git searches for no repository.
    home: TemporaryFolder,
    at: PathBuf,
    stop: &'a AtomicBool,
}

impl<'a> Git<'a> {
    fn new(folder: Option<&Path>, stop: &'a AtomicBool) -> Result<Self> {
        let home =
            TemporaryFolder::new("git", 0o700).or_io("make a folder in", std::env::temp_dir())?;
        let own = home.path().join("repository");
        make_folder(&own)?;
        let at = folder.map_or(own, Path::to_owned);
        Ok(Self { home, at, stop })
    }

    /// Runs a step on what an author has made.
    fn run(&self, args: &[&str]) -> Result<String, Failed> {
        self.run_within(STEP_TIME_MAX, args, Absent::Unfit)
    }

    /// Runs one step. `absent` is the reason if git fails.
    fn run_within(
        &self,
        time_max: Duration,
        args: &[&str],
        absent: Absent,
    ) -> Result<String, Failed> {
        let output = ["stdout", "stderr"].map(|name| self.home.path().join(name));
        let failed = |e: io::Error| JudgeError::io("write", self.home.path(), e);
        let [stdout, stderr] = output.each_ref().map(File::create);
        // The shell bounds the memory of git and the files that it may write, and becomes git. A
        // lower bound on the judge's memory holds for git, too.
        let bounded = format!(
            "ulimit -f {FILE_BLOCKS_MAX} && {{ ulimit -d {MEMORY_KIB_MAX} || :; }} && exec git \"$@\""
        );
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", &bounded, "git"])
            .args(SETTINGS.iter().flat_map(|setting| ["-c", setting]))
            .args(args)
            .current_dir(&self.at)
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_ASKPASS", "true")
            .env("SSH_ASKPASS", "true")
            .env("GIT_SSH_COMMAND", SSH)
            .env("GIT_ALLOW_PROTOCOL", "https:ssh:file")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_CEILING_DIRECTORIES", self.home.path())
            .env("LC_ALL", "C")
            .env_remove("GIT_DIR")
            .env_remove("GIT_WORK_TREE")
            .env_remove("GIT_INDEX_FILE")
            .stdin(Stdio::null())
            .stdout(stdout.map_err(failed)?)
            .stderr(stderr.map_err(failed)?)
            // Git's own processes end with it, and an interrupt from the terminal is ours.
            .process_group(0);
        let started = CleanupGuard::on_group(|| {
            let child = command.spawn()?;
            Ok((Pid::from_raw(child.id().cast_signed()), child))
        });
        let (mut child, guard) = started.map_err(|source| match source.kind() {
            ErrorKind::Interrupted => JudgeError::Interrupted,
            _ => JudgeError::Launch {
                program: "/bin/sh".into(),
                source,
            },
        })?;
        let until = Instant::now() + time_max;
        let ended = loop {
            match child.wait_timeout(POLL_INTERVAL) {
                Ok(Some(status)) => break Ok(status),
                Ok(None) if self.stop.load(Ordering::Relaxed) => {
                    break Err(JudgeError::Interrupted.into());
                }
                Ok(None) if Instant::now() > until => {
                    let reason = format!("git did not finish within {} s", time_max.as_secs());
                    break Err(Failed::Absent(Absent::Unreachable, reason));
                }
                Ok(None) => {}
                Err(error) => break Err(JudgeError::io("wait for", "git", error).into()),
            }
        };
        // Git's children, and git itself if its time is over.
        killpg(Pid::from_raw(child.id().cast_signed()), Signal::SIGKILL).ok();
        child.wait().ok();
        drop(guard);
        let status = ended?;
        if status.success() {
            return Ok(beginning_of(&output[0]).map_err(failed)?);
        }
        if status.code() == Some(127) {
            return Err(JudgeError::input(
                "git is not installed, but is needed to fetch the submissions' repositories; run: apt-get install git",
            )
            .into());
        }
        let stderr = beginning_of(&output[1]).map_err(failed)?;
        // Lines from the other side begin with `remote:`.
        let says = |words: &str| {
            let is_of_git = |line: &str| !line.starts_with("remote:") && line.contains(words);
            stderr.lines().any(is_of_git)
        };
        // The kernel reports the bound on files as SIGXFSZ. Where it ended a program of git's,
        // git's message names the signal.
        let (absent, reason) = if status.signal() == Some(libc::SIGXFSZ) || says("signal 25") {
            let reason = format!("it is larger than {} MiB", FILE_BLOCKS_MAX >> 11);
            (Absent::Unfit, reason)
        } else if says("fatal: Out of memory") {
            let reason = format!(
                "git needs more than {} MiB of memory for it; keep large files and many folders out of it",
                MEMORY_KIB_MAX >> 10
            );
            (Absent::Unfit, reason)
        } else if says("dubious ownership") {
            let reason = "another user owns it; clone it into a folder of your own, or give the address of a git server";
            (Absent::Unreachable, reason.to_owned())
        } else {
            let reported = telling(&stderr).unwrap_or_else(|| format!("git ended with {status}"));
            (absent, reported)
        };
        Err(Failed::Absent(absent, reason))
    }
}

fn beginning_of(path: &Path) -> io::Result<String> {
    let mut text = Vec::new();
    File::open(path)?
        .take(OUTPUT_BYTES_MAX)
        .read_to_end(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Finds the first fatal line of git's messages, with the line before it, of the server or ssh.
fn telling(stderr: &str) -> Option<String> {
    let mut lines: Vec<&str> = stderr.lines().map(str::trim).collect();
    lines.retain(|line| !line.is_empty() && !line.starts_with("hint:"));
    let is_fatal = |line: &&str| line.starts_with("fatal:") || line.starts_with("error:");
    let fatal = lines.iter().position(is_fatal);
    let at = fatal.or(lines.len().checked_sub(1))?;
    let reported = &lines[at.saturating_sub(1)..=at];
    Some(quote(reported.join("; ")))
}

fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return quote(url);
    };
    let host = rest.find('/').unwrap_or(rest.len());
    let from = rest[..host].rfind('@').map_or(0, |at| at + 1);
    quote(format!("{scheme}://{}", &rest[from..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sys::stat::Mode;
    use nix::unistd::mkfifo;

    #[test]
    fn a_repository_that_hangs_is_given_up() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["objects", "refs"] {
            fs::create_dir(folder.path().join(name)).expect("writable");
        }
        mkfifo(&folder.path().join("HEAD"), Mode::S_IRWXU).expect("writable");
        let stop = AtomicBool::new(false);
        let git = Git::new(None, &stop).expect("a folder");
        let url = format!("file://{}", folder.path().display());
        let ended = git.run_within(Duration::ZERO, &["ls-remote", &url], Absent::Unfit);
        let Err(Failed::Absent(absent, reason)) = ended else {
            panic!("it answered");
        };
        assert_eq!(absent, Absent::Unreachable);
        assert_eq!(reason, "git did not finish within 0 s");
    }

    #[test]
    fn of_gits_complaints_the_telling_ones_are_kept() {
        // `⏎` is a line's end in git's output, and `␍` a carriage return before it.
        for row in include_str!("complaints.txt").lines() {
            let (said, reported) = row.split_once(" => ").expect("a row");
            let said = said.replace('⏎', "\n").replace('␍', "\r");
            assert_eq!(telling(&said).as_deref(), Some(reported));
        }
        assert_eq!(telling("\n"), None);
    }

    #[test]
    fn answer_yields_only_named_reference_and_tag_commit() {
        let answer = "1\tHEAD\n2\trefs/heads/x/HEAD\n3\trefs/tags/v1\n4\trefs/tags/v1^{}\n";
        for (reference, lines) in [
            ("HEAD", "1\tHEAD\n"),
            ("x/HEAD", "2\trefs/heads/x/HEAD\n"),
            ("v1", "3\trefs/tags/v1\n4\trefs/tags/v1^{}\n"),
            ("refs/tags/v1", "3\trefs/tags/v1\n4\trefs/tags/v1^{}\n"),
            ("1", ""),
        ] {
            assert_eq!(named(answer, reference), lines, "{reference}");
        }
    }

    #[test]
    fn passwords_are_not_shown() {
        let shown = without_password("https://user:secret@host/a@b.git");
        assert_eq!(shown, "https://host/a@b.git");
        assert_eq!(without_password("git@host:a.git"), "git@host:a.git");
    }
}
