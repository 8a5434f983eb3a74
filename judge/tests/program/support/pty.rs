//! A terminal for the program.

use super::PATIENCE;
use super::processes::signal;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::pty::{Winsize, openpty};
use nix::sys::termios::{Termios, tcgetattr};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

pub(crate) struct Pty {
    pub(crate) child: Child,
    master: File,
    slave: File,
    /// The output so far.
    pub(crate) seen: String,
    before: Termios,
}

impl Pty {
    /// Starts a program on a terminal of 80 columns and 24 lines, which shows colours.
    pub(crate) fn start(command: &mut Command) -> Self {
        Self::of_columns(80, command.env_remove("NO_COLOR"))
    }

    pub(crate) fn of_columns(columns: u16, command: &mut Command) -> Self {
        let size = Winsize {
            ws_row: 24,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        let pty = openpty(&size, None).expect("a terminal");
        let slave = File::from(pty.slave);
        let end = || slave.try_clone().expect("a descriptor");
        let before = tcgetattr(&slave).expect("a terminal");
        let command = command.env("TERM", "xterm");
        let command = command.stdin(end()).stdout(end()).stderr(end());
        let child = command.spawn().expect("the program starts");
        Self {
            child,
            master: File::from(pty.master),
            slave,
            seen: String::new(),
            before,
        }
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).expect("a terminal");
    }

    /// Waits until the program has written this text, after the text of the last wait.
    pub(crate) fn wait_for(&mut self, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.seen.find(text) {
                self.seen.drain(..at + text.len());
                return;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "{text:?} did not come: {:?}", self.seen);
            self.take(left);
        }
    }

    fn take(&mut self, wait: Duration) -> bool {
        let wait = PollTimeout::try_from(wait).expect("short");
        let mut polled = [PollFd::new(self.master.as_fd(), PollFlags::POLLIN)];
        if poll(&mut polled, wait).expect("a poll") == 0 {
            return false;
        }
        let mut bytes = [0; 4096];
        let count = self.master.read(&mut bytes).expect("a terminal");
        // The rest of a cut character may come with the next piece, and no test waits for it.
        let text = String::from_utf8_lossy(&bytes[..count]);
        self.seen.push_str(&text);
        count > 0
    }

    pub(crate) fn signal(&self, number: nix::sys::signal::Signal) {
        signal(self.child.id().cast_signed(), number);
    }

    /// Waits for the end; `seen` then has the last output.
    pub(crate) fn end(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            self.take(Duration::from_millis(20));
            if let Some(status) = self.child.try_wait().expect("a running child") {
                break status;
            }
            let is_late = Instant::now() > deadline;
            assert!(!is_late, "it does not end: {:?}", self.seen);
        };
        while self.take(Duration::ZERO) {}
        status
    }

    pub(crate) fn is_as_before(&self) -> bool {
        let now = tcgetattr(&self.slave).expect("a terminal");
        now.local_flags == self.before.local_flags && now.control_chars == self.before.control_chars
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
