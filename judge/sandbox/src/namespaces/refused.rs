//! An error of the kernel, encoded so that one process can report it to another.

use nix::errno::Errno;
use std::fmt;

/// A step in making namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Pipe,
    Clone,
    Live,
    Descriptors,
    Counter,
    Parent,
    Session,
    Signals,
    User,
    Dumpable,
    Private,
    Copy,
    Tmpfs,
    Places,
    Proc,
    Move,
    ReadOnly,
    Root,
    Enter,
}

/// Each step with a description, in the order of [`Step`].
const STEPS: [(Step, &str); 19] = [
    (Step::Pipe, "make a pipe"),
    (Step::Clone, "make namespaces"),
    (Step::Live, "keep namespaces"),
    (Step::Descriptors, "close descriptors"),
    (Step::Counter, "write /proc/sys/kernel/ns_last_pid"),
    (Step::Parent, "tie a process to its parent"),
    (Step::Session, "make a session"),
    (Step::Signals, "reset signals"),
    (Step::User, "write its user and group"),
    (Step::Dumpable, "let a process be entered"),
    (Step::Private, "make mounts private"),
    (Step::Copy, "copy a mount"),
    (Step::Tmpfs, "mount a tmpfs"),
    (Step::Places, "make places for mounts"),
    (Step::Proc, "mount /proc"),
    (Step::Move, "move a mount"),
    (Step::ReadOnly, "make mounts read-only"),
    (Step::Root, "change the root"),
    (Step::Enter, "enter namespaces"),
];

/// A step that the kernel refuses, and its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Refused(pub(super) Step, pub(super) Errno);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(step, errno) = self;
        let (_, words) = STEPS[*step as usize];
        write!(f, "cannot {words}: {}", errno.desc())
    }
}

impl std::error::Error for Refused {}

/// Adds the step to an error.
pub(super) trait OrRefused<T> {
    fn or_refused(self, step: Step) -> Result<T, Refused>;
}

impl<T> OrRefused<T> for nix::Result<T> {
    fn or_refused(self, step: Step) -> Result<T, Refused> {
        self.map_err(|errno| Refused(step, errno))
    }
}

/// Length of a report in bytes: the step and the errno.
pub(super) const REPORT_BYTES: usize = 8;

/// Encodes an outcome as a report. Allocates nothing.
pub(super) fn report(outcome: Result<(), Refused>) -> [u8; REPORT_BYTES] {
    let mut report = [0; REPORT_BYTES];
    if let Err(Refused(step, errno)) = outcome {
        report[..4].copy_from_slice(&(step as u32).to_ne_bytes());
        report[4..].copy_from_slice(&(errno as i32).to_ne_bytes());
    }
    report
}

/// Decodes a report.
pub(super) fn read_report(report: [u8; REPORT_BYTES]) -> Result<(), Refused> {
    let [a, b, c, d, errno @ ..] = report;
    let errno = i32::from_ne_bytes(errno);
    if errno == 0 {
        return Ok(());
    }
    let step = STEPS.get(u32::from_ne_bytes([a, b, c, d]) as usize);
    let (step, _) = step.unwrap_or(&STEPS[Step::Live as usize]);
    Err(Refused(*step, Errno::from_raw(errno)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_refused_comes_over_whole() {
        assert_eq!(read_report(report(Ok(()))), Ok(()));
        for (index, (step, _)) in STEPS.into_iter().enumerate() {
            assert_eq!(step as usize, index);
            let refused = Refused(step, Errno::EPERM);
            assert_eq!(read_report(report(Err(refused))), Err(refused));
        }
        let shown = Refused(Step::Proc, Errno::EPERM).to_string();
        assert_eq!(shown, "cannot mount /proc: Operation not permitted");
    }
}
