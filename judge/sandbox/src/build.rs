//! Runs a compiler, which may change only one folder and whose output is kept for the author. The
//! builder runs the step, outlives who ordered it, and ends everything that it started.

use super::build_use::{BuildEnd, GroupUse, Processes, Scratch, remove, tame};
use super::cage::{Cage, Limits};
use super::isolation::Isolation;
use super::launch::Launch;
use super::orphans::{adopt_orphans, end_orphans};
use super::running::Running;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll, ppoll};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{SigHandler, Signal};
use nix::sys::time::{TimeVal, TimeValLike};
use rulebook::{IoContext, JudgeError, Result};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A build step.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// The compiler's absolute path.
    pub program: PathBuf,
    /// The compiler's arguments.
    pub args: Vec<String>,
    /// The folder that it runs in, and the only one that it may change.
    pub folder: PathBuf,
    /// Maximum wall-clock time.
    pub limit: Duration,
    /// Maximum CPU time of all its processes together.
    pub cpu: Duration,
    /// Whether it may reserve any amount of memory (sanitizers). What it uses is limited anyway.
    pub reserves: bool,
}

/// The end and the output of a build step.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildRun {
    /// How it ended.
    pub end: BuildEnd,
    /// Standard output and error in order of arrival, at most [`OUTPUT_BYTES_KEPT`], as UTF-8.
    pub output: String,
    /// CPU time of the step and of all processes that it started.
    pub cpu: Duration,
}

/// Maximum kept length of a compiler's output, in bytes.
pub const OUTPUT_BYTES_KEPT: usize = 64 << 10;

const OUTPUT_BYTES_MAX: usize = 64 << 20;

const POLL_MS: u8 = 100;

const CHUNK_BYTES: usize = 16 << 10;

/// Begins the name of the folder for temporary files and caches: the tools of many languages search
/// no folder whose name begins with a dot.
const HOME: &str = ".home-";

/// Runs a program to its end, to a limit, or until `is_left`. Then its process group has ended, and
/// the judge owns the files. This process must [`adopt_orphans`].
fn run_build(build: &Build, isolation: &Isolation) -> Result<BuildRun> {
    let home = tempfile::Builder::new()
        .prefix(HOME)
        .tempdir_in(&build.folder)
        .or_io("write", &build.folder)?
        .keep();
    let cage = Cage::for_build(isolation, &build.folder, &home)?;
    let account = cage.account;
    account.take_over(&build.folder)?;
    let scratch = Scratch::open(&build.folder)?;
    let result = run(build, &cage, scratch);
    // The folder itself may be closed.
    tame(&build.folder)?;
    if home.symlink_metadata().is_ok() {
        remove(&home)?;
    }
    account.hand_back(&build.folder)?;
    result
}

fn run(build: &Build, cage: &Cage, scratch: Scratch) -> Result<BuildRun> {
    let launch = Launch {
        program: &build.program,
        args: &build.args,
        directory: &build.folder,
        forks: false,
        limits: Limits::of_build(build.cpu, build.reserves),
        cage,
        group: None,
    };
    let mut running = launch.start(&[])?;
    let mut output = Vec::new();
    // Where a namespace ends them all, its processes may leave their group.
    let processes = match &cage.namespace {
        Some(namespace) => Processes::Namespace(namespace.processes()),
        None => Processes::Group(running.pid()),
    };
    let group = GroupUse::new(processes, Limits::BUILD.memory_bytes_max, build.cpu);
    let measured = (scratch, group);
    let end = follow(&mut running, build, measured, &mut output);
    running.end_group()?;
    if let Some(namespace) = &cage.namespace {
        namespace.end_all()?;
    }
    let cpu = cpu_of_children()?;
    Ok(BuildRun {
        end: end?.with_cpu(cpu, build.cpu),
        output: String::from_utf8_lossy(&output).into_owned(),
        cpu,
    })
}

/// Of all that this process has started and waited for, which is one step.
fn cpu_of_children() -> Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)
        .map_err(|e| JudgeError::os("read the CPU time of a build", e))?;
    let time = |time: TimeVal| Duration::from_micros(time.num_microseconds().unsigned_abs());
    Ok(time(usage.user_time()) + time(usage.system_time()))
}

fn follow(
    running: &mut Running,
    build: &Build,
    (mut scratch, mut group): (Scratch, GroupUse),
    output: &mut Vec<u8>,
) -> Result<BuildEnd> {
    let began = Instant::now();
    let (stdin, stdout, stderr) = running.take_pipes();
    drop(stdin);
    let mut pipes = Vec::from([OwnedFd::from(stdout), stderr.into()].map(File::from));
    let mut written = 0;
    loop {
        let Some(left) = build.limit.checked_sub(began.elapsed()) else {
            return Ok(BuildEnd::Time);
        };
        if is_left() {
            return Err(JudgeError::Interrupted);
        }
        let timeout = left.min(scratch.until_next_measurement());
        let ready = ready(
            running,
            &pipes,
            timeout.min(Duration::from_millis(POLL_MS.into())),
        )?;
        if scratch.is_over_when_due() {
            return Ok(BuildEnd::Disk);
        }
        if let Some(end) = group.over_when_due() {
            return Ok(end);
        }
        let mut states = ready[1..].iter();
        pipes.retain_mut(|pipe| {
            if states.next() != Some(&true) {
                return true;
            }
            let count = take(pipe, output);
            written += count;
            count > 0
        });
        if written > OUTPUT_BYTES_MAX {
            return Ok(BuildEnd::Output);
        }
        // A process that has exited has written all its output. Nobody waits for others with open pipes.
        if ready[0] && !ready[1..].contains(&true) {
            let exit = running.ended()?.exit;
            let is_over = scratch.is_over().then_some(BuildEnd::Disk);
            return Ok(is_over.unwrap_or(BuildEnd::Exit(exit)));
        }
    }
}

/// Waits for the exit (first element) and the pipes (the others).
fn ready(running: &Running, pipes: &[File], timeout: Duration) -> Result<Vec<bool>> {
    let mut fds = vec![readable(running.pidfd())];
    fds.extend(pipes.iter().map(|pipe| readable(pipe.as_fd())));
    match ppoll(&mut fds, Some(timeout.into()), None) {
        Ok(_) | Err(Errno::EINTR) => {}
        Err(error) => return Err(JudgeError::os("poll a build's pipes", error)),
    }
    Ok(fds.iter().map(|fd| fd.any() == Some(true)).collect())
}

fn take(pipe: &mut File, output: &mut Vec<u8>) -> usize {
    let mut chunk = [0; CHUNK_BYTES];
    let count = pipe.read(&mut chunk).unwrap_or(0);
    let room = OUTPUT_BYTES_KEPT - output.len();
    output.extend_from_slice(&chunk[..count.min(room)]);
    count
}

fn readable(descriptor: BorrowedFd<'_>) -> PollFd<'_> {
    PollFd::new(descriptor, PollFlags::POLLIN)
}

/// The means to run build steps.
#[derive(Clone, Copy, Debug)]
pub struct Builder<'a> {
    /// A program that calls [`serve_build`] when `builder` is its argument.
    pub judge: &'a Path,
    /// The confinement of compilers.
    pub isolation: &'a Isolation,
    /// Set from outside to end running steps at once.
    pub stop: &'a AtomicBool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Order {
    build: Build,
    isolation: Isolation,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Report {
    Ended(BuildRun),
    Failed { reason: String, of_one_place: bool },
}

impl Builder<'_> {
    /// Runs a program to its end or to a limit. Afterwards it and everything that it started have
    /// ended, and the judge owns the files. If the builder is killed, its namespaces end them;
    /// where isolation is weak, only the program itself.
    ///
    /// # Errors
    /// [`JudgeError::BuilderLost`] when the builder was killed.
    pub fn run(&self, build: Build) -> Result<BuildRun> {
        let isolation = self.isolation.clone();
        let mut builder = self.start()?;
        let mut line = serde_json::to_vec(&Order { build, isolation }).map_err(unfit)?;
        line.push(b'\n');
        let mut stdin = builder.stdin.take().expect("it is piped");
        // A dead builder is noticed below.
        let _ = stdin.write_all(&line);
        let said = self.listen(&mut builder, || drop(stdin));
        let status = builder.wait().or_io("wait for", "a builder")?;
        match serde_json::from_slice(&said?) {
            Ok(Report::Ended(run)) => Ok(run),
            _ if self.is_stopped() => Err(JudgeError::Interrupted),
            Ok(Report::Failed {
                reason,
                of_one_place,
            }) => Err(JudgeError::Build {
                reason,
                of_one_place,
            }),
            Err(_) => Err(JudgeError::BuilderLost(status.to_string())),
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn start(&self) -> Result<Child> {
        let child = Command::new(self.judge)
            .arg("builder")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // An interrupt from the terminal must not reach it.
            .process_group(0)
            .spawn();
        child.map_err(|source| JudgeError::Launch {
            program: self.judge.to_owned(),
            source,
        })
    }

    fn listen(&self, builder: &mut Child, leave: impl FnOnce()) -> Result<Vec<u8>> {
        let failed = |e| JudgeError::io("read what is said by", "a builder", e);
        let mut stdout = builder.stdout.take().expect("it is piped");
        let mut said = Vec::new();
        while !self.is_stopped() {
            match poll(&mut [readable(stdout.as_fd())], POLL_MS) {
                Ok(0) | Err(Errno::EINTR) => continue,
                Ok(_) => {}
                Err(error) => return Err(JudgeError::os("poll a builder's pipe", error)),
            }
            let mut chunk = [0; 4096];
            match stdout.read(&mut chunk) {
                Ok(0) => return Ok(said),
                Ok(count) => said.extend_from_slice(&chunk[..count]),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(failed(e)),
            }
        }
        leave();
        stdout.read_to_end(&mut said).map_err(failed)?;
        Ok(said)
    }
}

/// Reads a step from standard input, runs it, and writes how it ended; the input's end ends it.
pub fn serve_build() -> Result {
    let mut line = String::new();
    io::stdin()
        .read_line(&mut line)
        .or_io("read", "standard input")?;
    if line.is_empty() {
        return Ok(());
    }
    let order: Order = serde_json::from_str(&line).map_err(unfit)?;
    ignore_interrupts()?;
    adopt_orphans()?;
    let run = run_build(&order.build, &order.isolation);
    // If nothing keeps programs in their process group, some may have left it.
    end_orphans(&[])?;
    let report = run.map_or_else(
        |error| Report::Failed {
            reason: error.to_string(),
            of_one_place: error.is_of_one_place(),
        },
        Report::Ended,
    );
    let text = serde_json::to_string(&report).expect("plain data");
    let mut stdout = io::stdout();
    // The reader may be gone.
    let _ = writeln!(stdout, "{text}").and_then(|()| stdout.flush());
    Ok(())
}

fn unfit(source: serde_json::Error) -> JudgeError {
    JudgeError::Format {
        what: "an order to build".to_owned(),
        source,
    }
}

/// Only the end of its input ends this process. Interrupts are for the coordinator. The kernel also
/// sends a hangup to a stopped process when the coordinator is gone.
fn ignore_interrupts() -> Result {
    for signal in [Signal::SIGHUP, Signal::SIGINT, Signal::SIGTERM] {
        #[expect(unsafe_code, reason = "no safe wrapper exists")]
        // SAFETY: no handler is installed.
        let ignored = unsafe { nix::sys::signal::signal(signal, SigHandler::SigIgn) };
        ignored.map_err(|e| JudgeError::os("ignore interrupts", e))?;
    }
    Ok(())
}

fn is_left() -> bool {
    let stdin = io::stdin();
    let polled = poll(&mut [readable(stdin.as_fd())], PollTimeout::ZERO);
    !matches!(polled, Ok(0) | Err(Errno::EINTR))
}
