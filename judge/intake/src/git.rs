//! Submissions in git repositories, fetched through the `git` program: one commit, without
//! hooks, submodules, filters or questions, and never checked out.

#![expect(
    clippy::disallowed_methods,
    reason = "git has written it, in a folder of the judge's"
)]

use super::archive;
use super::received::ReceivedFiles;
use super::repositories::Repository;
use error::JudgeError;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
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
use words::fault::quote;

/// How long all of a repository may take.
const FETCH_TIME_MAX: Duration = Duration::from_secs(120);
/// How often an interrupt is looked for meanwhile.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);
/// How many repositories are fetched at a time.
const FETCHES_AT_ONCE: usize = 4;
/// The largest file that git may write, in blocks of 512 bytes: 256 MiB.
const FILE_BLOCKS_MAX: u32 = 512 << 10;
/// How git calls ssh: without questions, and without a process that stays.
const SSH: &str =
    "ssh -o BatchMode=yes -o ConnectTimeout=20 -o ControlMaster=no -o ControlPath=none";
/// Which step tells whether the folder is there.
const FOLDER_STEP: usize = 3;
/// How much of git's complaints is read.
const COMPLAINT_BYTES_MAX: usize = 64 << 10;
/// How long what git said is waited for when it has ended: a process that it left behind may
/// hold the pipe for ever.
const LAST_WORDS_MAX: Duration = Duration::from_secs(2);
/// What a repository's own attributes may not change of its files. These ones come before the
/// repository's.
const ATTRIBUTES: &str =
    "* -text -ident -filter -working-tree-encoding -export-ignore -export-subst\n";

/// Fetches repositories, several at a time; returns what each holds, in order.
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
    let git = Git::begin(folder.path(), Search::Here, stop);
    let attributes = folder.path().join(".git/info/attributes");
    make_folder(&folder.path().join(".git/info"))?;
    fs::write(&attributes, ATTRIBUTES).map_err(|e| JudgeError::io("write", &attributes, e))?;
    let place = without_password(&repository.url);
    let failed = |reason: String| ReceivedFiles {
        origin: place.clone(),
        is_awaited: true,
        ..ReceivedFiles::refused(format!(
            "{place} {} cannot be fetched: {reason}",
            repository.reference
        ))
    };
    if let Err(reason) = repository.check_again() {
        return Ok(failed(reason));
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
                return Ok(failed(format!("{} is not a folder", repository.folder)));
            }
            Ok(text) => said.push(text),
            Err(_) if number == FOLDER_STEP => {
                return Ok(failed(format!("it has no folder {}", repository.folder)));
            }
            // Git repeats the address, with what it holds.
            Err(reason) => return Ok(failed(reason.replace(url, &place))),
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
    Ok(match archive::unpack(&zip) {
        Ok(contents) => ReceivedFiles {
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

/// Asks a repository for the commits that a reference names there, without fetching any; or returns
/// why it does not say.
///
/// # Errors
/// As [`fetch_all`].
pub(super) fn heads(
    repository: &Repository,
    stop: &AtomicBool,
) -> Result<Result<String, String>, JudgeError> {
    let folder = TemporaryFolder::new("git", Permissions::from_mode(0o700))
        .map_err(|e| JudgeError::io("make a folder in", std::env::temp_dir(), e))?;
    let git = Git::begin(folder.path(), Search::Here, stop);
    let place = without_password(&repository.url);
    let (url, reference) = (repository.url.as_str(), repository.reference.as_str());
    if let Err(reason) = repository.check_again() {
        return Ok(Err(format!(
            "{place} {reference} cannot be fetched: {reason}"
        )));
    }
    // A commit that is named by its hash is in no answer, and never another one.
    let said = git.run(&["ls-remote", "--quiet", "--", url, reference])?;
    Ok(said.map_err(|reason| {
        let reason = reason.replace(url, &place);
        format!("{place} {reference} cannot be fetched: {reason}")
    }))
}

/// Finds a commit of the repository that a folder of this machine lies in: what is fetched to
/// have that folder as it was then, or why there is no such commit.
///
/// # Errors
/// When it is interrupted, or git is missing.
pub(super) fn find_commit(
    folder: &Path,
    reference: &str,
    stop: &AtomicBool,
) -> Result<Result<Repository, String>, JudgeError> {
    let git = Git::begin(folder, Search::Above, stop);
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
            Err(reason) => return Ok(Err(reason)),
        }
    }
    let [top, prefix, commit] = said.try_into().expect("one for each step");
    Ok(Repository::on_this_machine(
        Path::new(&top),
        commit,
        &prefix,
    ))
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
    until: Instant,
}

impl<'a> Git<'a> {
    /// Begins with a folder; from now on all steps together may take so long.
    fn begin(folder: &'a Path, search: Search, stop: &'a AtomicBool) -> Self {
        Self {
            folder,
            search,
            stop,
            until: Instant::now() + FETCH_TIME_MAX,
        }
    }

    /// Runs one step; returns what it printed, or why it failed.
    fn run(&self, args: &[&str]) -> Result<Result<String, String>, JudgeError> {
        // The shell bounds what git may write, and becomes git.
        let bounded = format!("ulimit -f {FILE_BLOCKS_MAX} && exec git \"$@\"");
        let ceiling = match self.search {
            Search::Here => self.folder.parent().unwrap_or(self.folder),
            Search::Above => Path::new("/"),
        };
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", &bounded, "git"])
            // Everything in one file, which is bounded.
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
            // What git starts is ended with it; and an interrupt from the terminal is ours.
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
                let seconds = FETCH_TIME_MAX.as_secs();
                return Ok(Err(format!("git did not finish within {seconds} s")));
            }
        };
        let (stdout, stderr) = (stdout.text(), stderr.text());
        if status.success() {
            return Ok(Ok(stdout));
        }
        if status.code() == Some(127) {
            return Err(JudgeError::input(
                "git is not installed, but needed to fetch the submissions' repositories; run: apt-get install git",
            ));
        }
        // SIGXFSZ is how the kernel tells the bound on files; where it ended a program of git's,
        // git says so. What the other side says begins with `remote:`.
        let mut of_git = stderr.lines().filter(|line| !line.starts_with("remote:"));
        if status.signal() == Some(libc::SIGXFSZ) || of_git.any(|line| line.contains("signal 25")) {
            let most = FILE_BLOCKS_MAX >> 11;
            return Ok(Err(format!("it is larger than {most} MiB")));
        }
        Ok(Err(
            telling(&stderr).unwrap_or_else(|| format!("git ended with {status}"))
        ))
    }
}

/// Finds in git's complaints what tells the cause: the first fatal one with the line before it,
/// which is the server's or that of ssh. What follows is advice for people at a keyboard.
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

    /// Ends what it has left behind. As long as a group has members, its number is given to
    /// nobody else; and so soon after its leader's end to nobody at all.
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

/// A pipe that is read to its end in a thread; its beginning is kept.
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
            // What cannot be read is missing from a message, no more.
            while let Ok(count @ 1..) = pipe.read(&mut piece) {
                let mut kept = keeper.lock().expect("nobody panics");
                let room = COMPLAINT_BYTES_MAX - kept.len();
                kept.extend_from_slice(&piece[..count.min(room)]);
            }
        });
        Self { kept, end }
    }

    /// Returns what has come, at the pipe's end or when that is late.
    fn text(&self) -> String {
        let _ = self.end.recv_timeout(LAST_WORDS_MAX);
        let kept = self.kept.lock().expect("nobody panics");
        String::from_utf8_lossy(&kept).into_owned()
    }
}

/// Takes user name and password out of an address.
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
