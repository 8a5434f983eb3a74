//! Running a compiler: a program without input whose output is kept for the author.

use super::{Launch, Running};
use crate::error::JudgeError;
use crate::fault::Exit;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use std::io::Read;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// How a build step ended and what it said.
#[derive(Debug)]
pub struct BuildRun {
    /// How it ended; none if it was killed at the time limit.
    pub exit: Option<Exit>,
    /// What it wrote, standard output and standard error as they came, shortened to
    /// [`OUTPUT_BYTES_MAX`].
    pub output: Vec<u8>,
}

/// How much of a compiler's output is kept.
pub const OUTPUT_BYTES_MAX: usize = 64 << 10;

const CHUNK_BYTES: usize = 16 << 10;

/// Runs a program to its end or to the time limit, whichever comes first.
///
/// # Errors
/// When it cannot be started or waited for.
pub fn run_build(launch: &Launch<'_>, limit: Duration) -> Result<BuildRun, JudgeError> {
    let began = Instant::now();
    let mut running = launch.start()?;
    let (stdin, stdout, stderr) = running.take_pipes();
    drop(stdin);
    let mut pipes: Vec<Box<dyn Pipe>> = vec![Box::new(stdout), Box::new(stderr)];
    let mut output = Vec::new();
    loop {
        let Some(left) = limit.checked_sub(began.elapsed()) else {
            return Ok(BuildRun { exit: None, output });
        };
        let ready = poll(&running, &pipes, left)?;
        pipes = pipes
            .into_iter()
            .zip(&ready[1..])
            .filter_map(|(mut pipe, &ready)| {
                (!ready || take(pipe.as_mut(), &mut output)).then_some(pipe)
            })
            .collect();
        // A step that has exited has written all that it will; a process that it left
        // behind and that holds the pipes open is not waited for.
        if ready[0] && !ready[1..].contains(&true) {
            let exit = Some(running.exit()?);
            return Ok(BuildRun { exit, output });
        }
    }
}

trait Pipe: Read + AsFd {}
impl<T: Read + AsFd> Pipe for T {}

/// Waits for the exit (first answer) and the pipes (the others).
fn poll(
    running: &Running,
    pipes: &[Box<dyn Pipe>],
    patience: Duration,
) -> Result<Vec<bool>, JudgeError> {
    let mut fds = vec![PollFd::new(running.pidfd(), PollFlags::POLLIN)];
    fds.extend(
        pipes
            .iter()
            .map(|pipe| PollFd::new(pipe.as_fd(), PollFlags::POLLIN)),
    );
    match ppoll(&mut fds, Some(patience.into()), None) {
        Ok(_) | Err(Errno::EINTR) => {}
        Err(error) => return Err(JudgeError::os("poll a build's pipes", error)),
    }
    Ok(fds.iter().map(|fd| fd.any() == Some(true)).collect())
}

/// Reads one chunk; tells whether more may come.
fn take(pipe: &mut dyn Pipe, output: &mut Vec<u8>) -> bool {
    let mut chunk = [0; CHUNK_BYTES];
    let count = pipe.read(&mut chunk).unwrap_or(0);
    let room = OUTPUT_BYTES_MAX - output.len();
    output.extend_from_slice(&chunk[..count.min(room)]);
    count > 0
}
