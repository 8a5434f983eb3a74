//! Submissions in git repositories, fetched through the `git` program: one commit, without hooks,
//! submodules, filters or questions, and never checked out.

#![expect(
    clippy::disallowed_methods,
    reason = "git has written it, in a folder of the judge's"
)]

use super::archive::{self, Unpacked};
use super::bounds::Allowance;
use super::local_repository::check_above;
use super::received::{Absent, ReceivedFiles};
use super::repositories::Repository;
use model::fault::quote;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use rulebook::JudgeError;
use std::fmt;
use std::fs::{self, Permissions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use system::cleanup::{CleanupGuard, TemporaryFolder};
use system::files::make_folder;
use wait_timeout::ChildExt;

/// Time limit for all steps of a fetch.
const FETCH_TIME_MAX: Duration = Duration::from_secs(120);
/// Time limit for naming commits, which is a short answer.
const HEADS_TIME_MAX: Duration = Duration::from_secs(60);
/// Interval between checks for an interrupt.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);
/// Number of repositories fetched at a time.
const FETCHES_AT_ONCE: usize = 4;
/// Maximum size of a file that git may write, in blocks of 512 bytes: 256 MiB.
const FILE_BLOCKS_MAX: u32 = 512 << 10;
/// Maximum memory of each of git's processes, in KiB: 512 MiB. Trees that contain each other many
/// times would take gigabytes.
const MEMORY_KIB_MAX: u32 = 512 << 10;
/// git's words when it has no memory left.
const OUT_OF_MEMORY: &str = "fatal: Out of memory";
/// git's ssh command: it asks no questions, and leaves no process behind.
const SSH: &str =
    "ssh -o BatchMode=yes -o ConnectTimeout=20 -o ControlMaster=no -o ControlPath=none";
/// Minimum number of digits of a commit's hash that a list names.
const HASH_DIGITS_MIN: usize = 7;
/// Index of the step that checks whether the folder exists.
const FOLDER_STEP: usize = 3;
/// The step that fetches.
const FETCH_STEP: usize = 1;

/// Beginning of the reason if git takes too long, which may be the machine's doing.
const TOO_SLOW: &str = "git did not finish within";
/// Maximum number of bytes read from git's messages.
const COMPLAINT_BYTES_MAX: usize = 64 << 10;
/// Time limit for reading git's output after its end. A process that it left behind may hold the
/// pipe for ever.
const LAST_WORDS_MAX: Duration = Duration::from_secs(2);
/// Attributes that a repository cannot override: these come before its own.
const ATTRIBUTES: &str =
    "* -text -ident -filter -working-tree-encoding -export-ignore -export-subst\n";

/// Fetches repositories, several at a time. Returns the content of each, in order.
///
/// # Errors
/// When it is interrupted, or git or a folder for it is missing. A repository that cannot be
/// fetched is a refused submission.
pub(super) fn fetch_all(
    repositories: &[&Repository],
    stop: &AtomicBool,
) -> Result<Vec<ReceivedFiles>, JudgeError> {
    let next = AtomicUsize::new(0);
    let done: Vec<Mutex<Option<ReceivedFiles>>> =
        repositories.iter().map(|_| Mutex::new(None)).collect();
    let fetch_some = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(repository) = repositories.get(index) else {
                return Ok(());
            };
            let received = fetch(repository, stop)?;
            *done[index].lock().expect("nobody panics") = Some(received);
        }
    };
    let results: Vec<Result<(), JudgeError>> = thread::scope(|scope| {
        let threads = FETCHES_AT_ONCE.min(repositories.len());
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(fetch_some)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no fetch panics"))
            .collect()
    });
    results.into_iter().collect::<Result<(), _>>()?;
    let done = done.into_iter().map(Mutex::into_inner);
    Ok(done
        .map(|received| {
            received
                .expect("nobody panics")
                .expect("every index is taken once")
        })
        .collect())
}

fn fetch(repository: &Repository, stop: &AtomicBool) -> Result<ReceivedFiles, JudgeError> {
    let folder = TemporaryFolder::new("git", Permissions::from_mode(0o700))
        .map_err(|e| JudgeError::io("make a folder in", std::env::temp_dir(), e))?;
    let git = Git::begin(folder.path(), Search::Here, stop, FETCH_TIME_MAX);
    let attributes = folder.path().join(".git/info/attributes");
    make_folder(&folder.path().join(".git/info"))?;
    fs::write(&attributes, ATTRIBUTES).map_err(|e| JudgeError::io("write", &attributes, e))?;
    let place = without_password(&repository.url);
    let failed = |absent, reason: String| {
        let reason = format!("cannot fetch {place} {}: {reason}", repository.reference);
        ReceivedFiles {
            origin: place.clone(),
            ..ReceivedFiles::absent(absent, reason)
        }
    };
    if let Err(reason) = repository.check_again() {
        return Ok(failed(Absent::Unreachable, reason));
    }
    let (url, reference) = (repository.url.as_str(), repository.reference.as_str());
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
    let folder_there = format!("FETCH_HEAD:{}", repository.folder);
    let steps: [&[&str]; 5] = [
        &["init", "--quiet", "--template=", "."],
        &fetch,
        &["rev-parse", "--verify", "FETCH_HEAD^{commit}"],
        &["cat-file", "-t", &folder_there],
        &[
            "archive",
            "--format=zip",
            "--output=content.zip",
            &folder_there,
        ],
    ];
    let mut said = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        match git.run(step)? {
            Ok(text) if number == FOLDER_STEP && text.trim() != "tree" => {
                let reason = format!("{} is not a folder", repository.folder);
                return Ok(failed(Absent::Unfit, reason));
            }
            Ok(text) => said.push(text),
            Err(_) if number == FOLDER_STEP => {
                let reason = format!("it has no folder {}", repository.folder);
                return Ok(failed(Absent::Unfit, reason));
            }
            Err(complaint @ (Complaint::TooLarge | Complaint::NeedsMemory)) => {
                return Ok(failed(Absent::Unfit, complaint.to_string()));
            }
            // The author made all that was fetched, also what git cannot read.
            Err(Complaint::Other(reason))
                if !reason.starts_with(TOO_SLOW)
                    && (number > FETCH_STEP || reason.contains("invalid path")) =>
            {
                let reason = reason.replace(url, &place);
                return Ok(failed(Absent::Unfit, reason));
            }
            Err(complaint) => {
                let absent = absent(&git, repository)?;
                let reason = match absent {
                    Absent::Empty => "it has no commit, so nothing was submitted".to_owned(),
                    // Git repeats the address, which may hold a password.
                    _ => complaint.to_string().replace(url, &place),
                };
                return Ok(failed(absent, reason));
            }
        }
    }
    let commit = said[2].trim();
    let zip = fs::read(folder.path().join("content.zip"))
        .map_err(|e| JudgeError::io("read", folder.path(), e))?;
    let origin = match repository.folder.as_str() {
        "" => format!("{place} {commit}"),
        folder => format!("{place} {commit} {folder}"),
    };
    let known = Some(commit.to_owned());
    Ok(match archive::unpack(&zip, Allowance::whole()) {
        Ok(Unpacked { contents, .. }) => ReceivedFiles {
            origin,
            commit: known,
            ..contents.into()
        },
        Err(reason) => ReceivedFiles {
            origin,
            commit: known,
            ..ReceivedFiles::refused(format!("commit {commit} of {place} {reason}"))
        },
    })
}

/// Finds out why a repository could not be fetched. Only what its own answer shows is its author's.
fn absent(git: &Git<'_>, repository: &Repository) -> Result<Absent, JudgeError> {
    let Ok(all) = git.run(&["ls-remote", "--quiet", "--", &repository.url])? else {
        return Ok(Absent::Unreachable);
    };
    let reference = repository.reference.as_str();
    // The answer to this question names no commit by its hash.
    let is_hash = reference.len() >= HASH_DIGITS_MIN
        && reference.bytes().all(|digit| digit.is_ascii_hexdigit());
    let ending = format!("/{reference}");
    let mut names = all.lines().filter_map(|line| line.split('\t').nth(1));
    Ok(if all.trim().is_empty() {
        Absent::Empty
    } else if is_hash || names.any(|name| name == reference || name.ends_with(&ending)) {
        Absent::Unreachable
    } else {
        Absent::Unfit
    })
}

/// Asks a repository for the commits that a reference names, without fetching any. The inner error
/// is the reason why it does not answer.
///
/// # Errors
/// As [`fetch_all`].
pub(super) fn heads(
    repository: &Repository,
    stop: &AtomicBool,
) -> Result<Result<String, String>, JudgeError> {
    let folder = TemporaryFolder::new("git", Permissions::from_mode(0o700))
        .map_err(|e| JudgeError::io("make a folder in", std::env::temp_dir(), e))?;
    let git = Git::begin(folder.path(), Search::Here, stop, HEADS_TIME_MAX);
    let place = without_password(&repository.url);
    let (url, reference) = (repository.url.as_str(), repository.reference.as_str());
    if let Err(reason) = repository.check_again() {
        return Ok(Err(format!("cannot fetch {place} {reference}: {reason}")));
    }
    // A hash of a commit is in no answer, and always names the same commit.
    let said = git.run(&["ls-remote", "--quiet", "--", url, reference])?;
    Ok(said.map_err(|complaint| {
        let reason = complaint.to_string().replace(url, &place);
        format!("cannot fetch {place} {reference}: {reason}")
    }))
}

/// Finds a commit of the repository that contains a folder on this machine. Returns the repository
/// to fetch, which holds the folder in that commit, or why there is no such commit.
///
/// # Errors
/// When it is interrupted, or git is missing.
pub(super) fn find_commit(
    folder: &Path,
    reference: &str,
    stop: &AtomicBool,
) -> Result<Result<Repository, String>, JudgeError> {
    // Git's messages quote files, and a link may lead to anybody's.
    if let Err(reason) = check_above(folder) {
        return Ok(Err(reason));
    }
    let git = Git::begin(folder, Search::Above, stop, FETCH_TIME_MAX);
    let commit = format!("{reference}^{{commit}}");
    let steps: [&[&str]; 3] = [
        &["rev-parse", "--show-toplevel"],
        &["rev-parse", "--show-prefix"],
        &["rev-parse", "--verify", "--end-of-options", &commit],
    ];
    let mut said = Vec::new();
    for step in steps {
        match git.run(step)? {
            Ok(text) => said.push(text.trim_end_matches('\n').to_owned()),
            Err(complaint) => return Ok(Err(complaint.to_string())),
        }
    }
    let [top, prefix, commit] = said.try_into().expect("one for each step");
    Ok(Repository::on_this_machine(
        Path::new(&top),
        commit,
        &prefix,
    ))
}

/// Why git failed at a step.
enum Complaint {
    /// A file would exceed [`FILE_BLOCKS_MAX`].
    TooLarge,
    /// A process would exceed [`MEMORY_KIB_MAX`].
    NeedsMemory,
    /// Another reason, in git's words.
    Other(String),
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => write!(f, "it is larger than {} MiB", FILE_BLOCKS_MAX >> 11),
            Self::NeedsMemory => write!(
                f,
                "git needs more than {} MiB of memory for it; keep large files and many folders out of it",
                MEMORY_KIB_MAX >> 10
            ),
            Self::Other(reason) => f.write_str(reason),
        }
    }
}

/// Where git looks for the repository.
#[derive(Clone, Copy)]
enum Search {
    /// In its folder only.
    Here,
    /// Also in the folders above.
    Above,
}

struct Git<'a> {
    folder: &'a Path,
    search: Search,
    stop: &'a AtomicBool,
    time_max: Duration,
    until: Instant,
}

impl<'a> Git<'a> {
    /// Begins in a folder. All steps together have `time_max` from now.
    fn begin(folder: &'a Path, search: Search, stop: &'a AtomicBool, time_max: Duration) -> Self {
        Self {
            folder,
            search,
            stop,
            time_max,
            until: Instant::now() + time_max,
        }
    }

    /// Runs one step. Returns its output, or why it failed.
    fn run(&self, args: &[&str]) -> Result<Result<String, Complaint>, JudgeError> {
        // The shell bounds the memory of git and the files that it may write, and becomes git. A
        // lower bound on the judge's memory holds for git, too.
        let bounded = format!(
            "ulimit -f {FILE_BLOCKS_MAX} && {{ ulimit -d {MEMORY_KIB_MAX} || :; }} && exec git \"$@\""
        );
        let ceiling = match self.search {
            Search::Here => self.folder.parent().unwrap_or(self.folder),
            Search::Above => Path::new("/"),
        };
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", &bounded, "git"])
            // Everything in one file, whose size is bounded.
            .args(["-c", "fetch.unpackLimit=1", "-c", "transfer.unpackLimit=1"])
            .args([
                "-c",
                "core.hooksPath=/dev/null",
                "-c",
                "core.fsmonitor=false",
            ])
            .args(["-c", "gc.auto=0", "-c", "maintenance.auto=false"])
            .args(["-c", "advice.detachedHead=false"])
            .args(args)
            .current_dir(self.folder)
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_ASKPASS", "true")
            .env("SSH_ASKPASS", "true")
            .env("GIT_SSH_COMMAND", SSH)
            .env("GIT_ALLOW_PROTOCOL", "https:ssh:file")
            .env("GIT_CEILING_DIRECTORIES", ceiling)
            .env("LC_ALL", "C")
            .env_remove("GIT_DIR")
            .env_remove("GIT_WORK_TREE")
            .env_remove("GIT_INDEX_FILE")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Git's own processes end with it, and an interrupt from the terminal is ours.
            .process_group(0);
        let started = CleanupGuard::on_group(|| {
            let child = command.spawn()?;
            Ok((Pid::from_raw(child.id().cast_signed()), child))
        });
        let (child, guard) = started.map_err(|source| match source.kind() {
            ErrorKind::Interrupted => JudgeError::Interrupted,
            _ => JudgeError::Launch {
                program: "/bin/sh".into(),
                source,
            },
        })?;
        let mut group = ProcessGroup {
            leader: child,
            has_ended: false,
        };
        let stdout = Drain::of(group.leader.stdout.take());
        let stderr = Drain::of(group.leader.stderr.take());
        let status = loop {
            let waited = group.leader.wait_timeout(LOOK_INTERVAL);
            let waited = waited.map_err(|e| JudgeError::io("wait for", "git", e))?;
            if let Some(status) = waited {
                group.leader_has_ended();
                drop(guard);
                break status;
            }
            if self.stop.load(Ordering::Relaxed) {
                return Err(JudgeError::Interrupted);
            }
            if Instant::now() > self.until {
                let seconds = self.time_max.as_secs();
                let reason = format!("{TOO_SLOW} {seconds} s");
                return Ok(Err(Complaint::Other(reason)));
            }
        };
        let (stdout, stderr) = (stdout.text(), stderr.text());
        if status.success() {
            return Ok(Ok(stdout));
        }
        if status.code() == Some(127) {
            return Err(JudgeError::input(
                "git is not installed, but is needed to fetch the submissions' repositories; run: apt-get install git",
            ));
        }
        // The kernel reports the bound on files as SIGXFSZ. Where it ended a program of git's,
        // git's message names the signal. Lines from the other side begin with `remote:`.
        let of_git: Vec<&str> = stderr
            .lines()
            .filter(|line| !line.starts_with("remote:"))
            .collect();
        let says = |words: &str| of_git.iter().any(|line| line.contains(words));
        if status.signal() == Some(libc::SIGXFSZ) || says("signal 25") {
            return Ok(Err(Complaint::TooLarge));
        }
        if says(OUT_OF_MEMORY) {
            return Ok(Err(Complaint::NeedsMemory));
        }
        let reason = telling(&stderr).unwrap_or_else(|| format!("git ended with {status}"));
        Ok(Err(Complaint::Other(reason)))
    }
}

/// Finds the cause in git's messages: the first fatal line, and the line before it, which comes
/// from the server or ssh. The lines after it are advice for people at a keyboard.
fn telling(stderr: &str) -> Option<String> {
    let lines: Vec<&str> = stderr
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("hint:"))
        .collect();
    let is_fatal = |line: &&str| line.starts_with("fatal:") || line.starts_with("error:");
    let at = lines.iter().position(is_fatal);
    let at = at.or(lines.len().checked_sub(1))?;
    let told = &lines[at.saturating_sub(1)..=at];
    Some(quote(told.join("; ").as_bytes()))
}

/// A process that leads a group; dropping it ends all of the group.
struct ProcessGroup {
    leader: Child,
    has_ended: bool,
}

impl ProcessGroup {
    fn kill(&self) {
        let group = Pid::from_raw(self.leader.id().cast_signed());
        let _ = killpg(group, Signal::SIGKILL);
    }

    /// Ends the processes that it left behind. While a group has members, no other process gets its
    /// number; and no process gets it so soon after the leader's end.
    fn leader_has_ended(&mut self) {
        self.has_ended = true;
        self.kill();
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if !self.has_ended {
            self.kill();
            let _ = self.leader.wait();
        }
    }
}

/// A pipe that a thread reads to its end; the first bytes are kept.
struct Drain {
    kept: Arc<Mutex<Vec<u8>>>,
    /// Closed at the pipe's end.
    end: Receiver<()>,
}

impl Drain {
    fn of(pipe: Option<impl Read + Send + 'static>) -> Self {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let (open, end) = mpsc::channel::<()>();
        let keeper = Arc::clone(&kept);
        thread::spawn(move || {
            let _open = open;
            let mut piece = [0; 4096];
            let Some(mut pipe) = pipe else { return };
            // Text that cannot be read is missing from a message, no more.
            while let Ok(count @ 1..) = pipe.read(&mut piece) {
                let mut kept = keeper.lock().expect("nobody panics");
                let room = COMPLAINT_BYTES_MAX - kept.len();
                kept.extend_from_slice(&piece[..count.min(room)]);
            }
        });
        Self { kept, end }
    }

    /// Returns the text so far, at the pipe's end or when that is late.
    fn text(&self) -> String {
        let _ = self.end.recv_timeout(LAST_WORDS_MAX);
        let kept = self.kept.lock().expect("nobody panics");
        String::from_utf8_lossy(&kept).into_owned()
    }
}

/// Removes user name and password from an address.
fn without_password(url: &str) -> String {
    let shown = match url.split_once("://") {
        Some((scheme, rest)) => {
            let host = rest.find('/').unwrap_or(rest.len());
            let from = rest[..host].rfind('@').map_or(0, |at| at + 1);
            format!("{scheme}://{}", &rest[from..])
        }
        None => url.to_owned(),
    };
    quote(shown.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_gits_complaints_the_telling_ones_are_kept() {
        for (said, told) in [
            (
                "git@host: Permission denied (publickey).\r\nfatal: Could not read from remote repository.\n\n\
                 Please make sure you have the correct access rights\nand the repository exists.\n",
                "git@host: Permission denied (publickey).; fatal: Could not read from remote repository.",
            ),
            (
                "remote: Repository not found.\nfatal: repository 'https://host/a/' not found\n",
                "remote: Repository not found.; fatal: repository 'https://host/a/' not found",
            ),
            (
                "fatal: couldn't find remote ref nowhere\n",
                "fatal: couldn't find remote ref nowhere",
            ),
            ("one\ntwo\n", "one; two"),
        ] {
            assert_eq!(telling(said).as_deref(), Some(told));
        }
        assert_eq!(telling("\n"), None);
    }

    #[test]
    fn passwords_are_not_shown() {
        let shown = without_password("https://user:secret@host/a@b.git");
        assert_eq!(shown, "https://host/a@b.git");
        assert_eq!(without_password("git@host:a.git"), "git@host:a.git");
    }
}
