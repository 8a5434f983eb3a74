//! The owner of a temporary name, encoded in the name. It separates the leftovers of a killed judge
//! from the files of a living one.

#![expect(clippy::disallowed_methods, reason = "it is a file of the kernel's")]

use nix::unistd::Pid;
use std::fmt;
use std::fs;
use std::os::unix::fs::MetadataExt;

/// A process, distinguished from others with the same number at another time or in another
/// namespace of process ids. The latter is another container, which may share our files and groups.
/// As text: three numbers with `-` between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    pid: u32,
    /// Start time in the kernel's ticks since boot.
    start: u64,
    /// The number of the namespace of `pid`; 0 if the kernel has none.
    namespace: u64,
}

impl Owner {
    /// Returns the calling process.
    pub fn this() -> Self {
        let pid = nix::unistd::getpid().as_raw().cast_unsigned();
        let start = start_of(pid).unwrap_or_default();
        Self {
            pid,
            start,
            namespace: own_namespace(),
        }
    }

    /// Parses the owner from a name with this `prefix`; none if the name is not of this form.
    pub fn of(name: &str, prefix: &str) -> Option<Self> {
        let mut numbers = name.strip_prefix(prefix)?.split('-');
        Some(Self {
            pid: numbers.next()?.parse().ok()?,
            start: numbers.next()?.parse().ok()?,
            namespace: numbers.next()?.parse().ok()?,
        })
    }

    /// Returns the process's number if the process is visible from here and still runs.
    pub fn living(self) -> Option<Pid> {
        let lives = self.is_of_ours() && start_of(self.pid) == Some(self.start);
        lives.then_some(Pid::from_raw(self.pid.cast_signed()))
    }

    /// Returns whether the process has certainly ended. Never true for a process of another
    /// namespace, which is not visible.
    pub fn is_gone(self) -> bool {
        self.is_of_ours() && self.living().is_none()
    }

    fn is_of_ours(self) -> bool {
        self.namespace == own_namespace()
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.pid, self.start, self.namespace)
    }
}

fn own_namespace() -> u64 {
    fs::metadata("/proc/self/ns/pid").map_or(0, |metadata| metadata.ino())
}

/// Returns when a process started; none if it has ended.
fn start_of(pid: u32) -> Option<u64> {
    let fields = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is a name in parentheses, which may contain anything.
    let (_, fields) = fields.rsplit_once(") ")?;
    let mut fields = fields.split(' ');
    let state = fields.next()?;
    let start = fields.nth(18)?.parse().ok()?;
    (!matches!(state, "Z" | "X")).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_a_living_owner_from_one_that_is_gone() {
        let this = Owner::this();
        let name = format!("judge-{this}-probe-7");
        assert_eq!(Owner::of(&name, "judge-"), Some(this));
        assert_eq!(this.living(), Some(nix::unistd::getpid()));
        assert!(!this.is_gone());
        let before = Owner {
            start: this.start - 1,
            ..this
        };
        assert!(before.is_gone(), "the number was somebody else's");
        let elsewhere = Owner {
            namespace: this.namespace + 1,
            ..before
        };
        assert!(!elsewhere.is_gone(), "it may run in another container");
        assert_eq!(elsewhere.living(), None);
        for foreign in ["judge", "judge-7-1", "judge-7-1-probe", "user.slice"] {
            assert_eq!(Owner::of(foreign, "judge-"), None, "{foreign}");
        }
    }
}
