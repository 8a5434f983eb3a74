//! Runs a compiler, which may change only one folder and whose output is kept for the author.

use super::cage::Cage;
use super::group_use::{GroupUse, Over, Processes};
use super::isolation::Isolation;
use super::launch::Launch;
use super::running::Running;
use super::scratch::{Scratch, remove, tame};
use crate::cage::Limits;
use model::fault::Exit;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use rulebook::JudgeError;
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::os::fd::AsFd;
use std::path::PathBuf;
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

/// How a build step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BuildEnd {
    /// By itself.
    Exit(Exit),
    /// At the time limit.
    Time,
    /// At the limit on CPU time.
    Cpu,
    /// For writing far more than the judge keeps.
    Output,
    /// For using more memory than [`Limits::BUILD`] allows, in all its processes together.
    Memory,
    /// For putting more than [`super::FOLDER_BYTES_MAX`], or very many files, into its folder.
    Disk,
}

impl BuildEnd {
    /// Corrects the end for CPU time: the step may die or exit before the judge's next check.
    fn with_cpu(self, cpu: Duration, most: Duration) -> Self {
        match self {
            Self::Exit(_) if cpu > most => Self::Cpu,
            end => end,
        }
    }
}

/// Maximum kept length of a compiler's output, in bytes.
pub const OUTPUT_BYTES_KEPT: usize = 64 << 10;

const OUTPUT_BYTES_MAX: usize = 64 << 20;

const POLL_INTERVAL: Duration = Duration::from_millis(100);

const CHUNK_BYTES: usize = 16 << 10;

/// Begins the name of the folder for temporary files and caches: the tools of many languages search
/// no folder whose name begins with a dot.
const HOME: &str = ".home-";

/// Runs a program to its end, to a limit, or until `is_left`. Then its process group has ended, and
/// the judge owns the files. This process must [`adopt_orphans`](super::adopt_orphans).
pub(super) fn run_build(
    build: &Build,
    isolation: &Isolation,
    is_left: &dyn Fn() -> bool,
) -> Result<BuildRun, JudgeError> {
    let home = tempfile::Builder::new()
        .prefix(HOME)
        .tempdir_in(&build.folder)
        .map_err(|e| JudgeError::io("write", &build.folder, e))?
        .keep();
    let cage = Cage::for_build(isolation, &build.folder, &home)?;
    let account = cage.account();
    account.take_over(&build.folder)?;
    let scratch = Scratch::open(&build.folder)?;
    let result = run(build, &cage, scratch, is_left);
    // The folder itself may be closed.
    tame(&build.folder)?;
    if home.symlink_metadata().is_ok() {
        remove(&home)?;
    }
    account.hand_back(&build.folder)?;
    result
}

fn run(
    build: &Build,
    cage: &Cage,
    mut scratch: Scratch,
    is_left: &dyn Fn() -> bool,
) -> Result<BuildRun, JudgeError> {
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
    let processes = match cage.namespace() {
        Some(namespace) => Processes::Namespace(namespace.processes()),
        None => Processes::Group(running.pid()),
    };
    let end = follow(
        &mut running,
        build,
        (&mut scratch, processes),
        is_left,
        &mut output,
    );
    running.end_group()?;
    if let Some(namespace) = cage.namespace() {
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
fn cpu_of_children() -> Result<Duration, JudgeError> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)
        .map_err(|e| JudgeError::os("read the CPU time of a build", e))?;
    let time = |time: TimeVal| Duration::from_micros(time.num_microseconds().unsigned_abs());
    Ok(time(usage.user_time()) + time(usage.system_time()))
}

fn follow(
    running: &mut Running,
    build: &Build,
    (scratch, processes): (&mut Scratch, Processes),
    is_left: &dyn Fn() -> bool,
    output: &mut Vec<u8>,
) -> Result<BuildEnd, JudgeError> {
    let began = Instant::now();
    let bytes_max = Limits::BUILD.memory_bytes_max;
    let mut group = GroupUse::new(processes, bytes_max, build.cpu);
    let (stdin, stdout, stderr) = running.take_pipes();
    drop(stdin);
    let mut pipes: Vec<Box<dyn Pipe>> = vec![Box::new(stdout), Box::new(stderr)];
    let mut written = 0;
    loop {
        let Some(left) = build.limit.checked_sub(began.elapsed()) else {
            return Ok(BuildEnd::Time);
        };
        if is_left() {
            return Err(JudgeError::Interrupted);
        }
        let timeout = left
            .min(scratch.until_next_measurement())
            .min(POLL_INTERVAL);
        let ready = poll(running, &pipes, timeout)?;
        if scratch.is_over_when_due() {
            return Ok(BuildEnd::Disk);
        }
        match group.over_when_due() {
            Some(Over::Memory) => return Ok(BuildEnd::Memory),
            Some(Over::Cpu) => return Ok(BuildEnd::Cpu),
            None => {}
        }
        pipes = pipes
            .into_iter()
            .zip(&ready[1..])
            .filter_map(|(mut pipe, &ready)| {
                let count = if ready {
                    take(pipe.as_mut(), output)
                } else {
                    return Some(pipe);
                };
                written += count;
                (count > 0).then_some(pipe)
            })
            .collect();
        if written > OUTPUT_BYTES_MAX {
            return Ok(BuildEnd::Output);
        }
        // A process that has exited has written all its output. Nobody waits for others with open pipes.
        if ready[0] && !ready[1..].contains(&true) {
            let end = BuildEnd::Exit(running.ended()?.exit);
            return Ok(if scratch.is_over() {
                BuildEnd::Disk
            } else {
                end
            });
        }
    }
}

trait Pipe: Read + AsFd {}
impl<T: Read + AsFd> Pipe for T {}

/// Waits for the exit (first element) and the pipes (the others).
fn poll(
    running: &Running,
    pipes: &[Box<dyn Pipe>],
    timeout: Duration,
) -> Result<Vec<bool>, JudgeError> {
    let mut fds = vec![PollFd::new(running.pidfd(), PollFlags::POLLIN)];
    fds.extend(
        pipes
            .iter()
            .map(|pipe| PollFd::new(pipe.as_fd(), PollFlags::POLLIN)),
    );
    match ppoll(&mut fds, Some(timeout.into()), None) {
        Ok(_) | Err(Errno::EINTR) => {}
        Err(error) => return Err(JudgeError::os("poll a build's pipes", error)),
    }
    Ok(fds.iter().map(|fd| fd.any() == Some(true)).collect())
}

fn take(pipe: &mut dyn Pipe, output: &mut Vec<u8>) -> usize {
    let mut chunk = [0; CHUNK_BYTES];
    let count = pipe.read(&mut chunk).unwrap_or(0);
    let room = OUTPUT_BYTES_KEPT - output.len();
    output.extend_from_slice(&chunk[..count.min(room)]);
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceeding_cpu_time_is_recorded_as_end() {
        let (less, limit, more) = (1, 2, 3);
        let (well, killed) = (Exit::Code(0), Exit::Signal(24));
        for (end, cpu, expected) in [
            (BuildEnd::Exit(well), less, BuildEnd::Exit(well)),
            (BuildEnd::Exit(well), limit, BuildEnd::Exit(well)),
            (BuildEnd::Exit(well), more, BuildEnd::Cpu),
            (BuildEnd::Exit(killed), less, BuildEnd::Exit(killed)),
            (BuildEnd::Exit(killed), more, BuildEnd::Cpu),
            (BuildEnd::Memory, more, BuildEnd::Memory),
        ] {
            let seconds = Duration::from_secs;
            assert_eq!(end.with_cpu(seconds(cpu), seconds(limit)), expected);
        }
    }
}
