//! The builder runs a build step, outlives who ordered it, and ends everything that it started.

use super::build::{Build, BuildRun, run_build};
use super::isolation::Isolation;
use super::orphans::{adopt_orphans, end_orphans};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigHandler, Signal};
use rulebook::JudgeError;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

const POLL_MS: u8 = 100;

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
    pub fn run(&self, build: Build) -> Result<BuildRun, JudgeError> {
        let order = Order {
            build,
            isolation: self.isolation.clone(),
        };
        let mut builder = self.start()?;
        let mut line = serde_json::to_vec(&order).map_err(unfit)?;
        line.push(b'\n');
        let mut stdin = builder.stdin.take().expect("it is piped");
        // A dead builder is noticed below.
        let _ = stdin.write_all(&line);
        let said = self.listen(&mut builder, || drop(stdin));
        let status = builder
            .wait()
            .map_err(|e| JudgeError::io("wait for", "a builder", e))?;
        let said = said?;
        match serde_json::from_slice(&said) {
            Ok(Report::Ended(run)) => return Ok(run),
            Ok(Report::Failed {
                reason,
                of_one_place,
            }) if !self.is_stopped() => {
                return Err(JudgeError::Build {
                    reason,
                    of_one_place,
                });
            }
            // The builder was killed, or has been stopped.
            Ok(Report::Failed { .. }) | Err(_) => {}
        }
        if self.is_stopped() {
            return Err(JudgeError::Interrupted);
        }
        Err(JudgeError::BuilderLost(status.to_string()))
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn start(&self) -> Result<Child, JudgeError> {
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

    fn listen(&self, builder: &mut Child, leave: impl FnOnce()) -> Result<Vec<u8>, JudgeError> {
        let failed = |e| JudgeError::io("read what is said by", "a builder", e);
        let mut stdout = builder.stdout.take().expect("it is piped");
        let mut said = Vec::new();
        while !self.is_stopped() {
            let mut fds = [PollFd::new(stdout.as_fd(), PollFlags::POLLIN)];
            match poll(&mut fds, PollTimeout::from(POLL_MS)) {
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
pub fn serve_build() -> Result<(), JudgeError> {
    let mut line = String::new();
    io::stdin()
        .read_line(&mut line)
        .map_err(|e| JudgeError::io("read", "standard input", e))?;
    if line.is_empty() {
        return Ok(());
    }
    let order: Order = serde_json::from_str(&line).map_err(unfit)?;
    ignore_interrupts()?;
    adopt_orphans()?;
    let run = run_build(&order.build, &order.isolation, &is_left);
    // If nothing keeps programs in their process group, some may have left it.
    end_orphans(&[])?;
    write_report(&match run {
        Ok(run) => Report::Ended(run),
        Err(error) => Report::Failed {
            reason: error.to_string(),
            of_one_place: error.is_of_one_place(),
        },
    });
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
fn ignore_interrupts() -> Result<(), JudgeError> {
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
    let mut fds = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
    !matches!(poll(&mut fds, PollTimeout::ZERO), Ok(0) | Err(Errno::EINTR))
}

/// Writes a line; the reader may be gone.
fn write_report(report: &Report) {
    let mut line = serde_json::to_vec(report).expect("plain data");
    line.push(b'\n');
    let mut stdout = io::stdout();
    let _ = stdout.write_all(&line).and_then(|()| stdout.flush());
}
