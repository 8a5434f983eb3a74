//! Whose a group is, told by its name, so that what a killed judge left behind can be told
//! from what a living one needs.

use nix::unistd::Pid;
use std::fs;
use std::os::unix::fs::MetadataExt;

/// What the names of all our groups begin with.
const PREFIX: &str = "judge-";

/// A process, told from others that had its number before or after it, or have it in another
/// namespace of process ids (another container, which may share our groups).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Owner {
    pid: u32,
    /// When it started, in the kernel's ticks since it did itself.
    start: u64,
    /// The number of the namespace that `pid` is of; 0 where the kernel has none.
    namespace: u64,
}

impl Owner {
    /// Returns the calling process.
    pub(super) fn this() -> Self {
        let pid = std::process::id();
        let start = start_of(pid).unwrap_or_default();
        Self {
            pid,
            start,
            namespace: own_namespace(),
        }
    }

    /// Returns what its groups' names begin with.
    pub(super) fn name(self) -> String {
        format!("{PREFIX}{}-{}-{}", self.pid, self.start, self.namespace)
    }

    /// Reads the name of a group; none if it is not one of ours.
    pub(super) fn of(name: &str) -> Option<Self> {
        let mut numbers = name.strip_prefix(PREFIX)?.split('-');
        Some(Self {
            pid: numbers.next()?.parse().ok()?,
            start: numbers.next()?.parse().ok()?,
            namespace: numbers.next()?.parse().ok()?,
        })
    }

    /// Returns the process's number if it still runs, as far as can be told from here.
    pub(super) fn living(self) -> Option<Pid> {
        let lives = self.is_of_ours() && start_of(self.pid) == Some(self.start);
        lives.then_some(Pid::from_raw(self.pid.cast_signed()))
    }

    /// Returns whether the process has certainly ended; of those of other namespaces nothing is
    /// known.
    pub(super) fn is_gone(self) -> bool {
        self.is_of_ours() && self.living().is_none()
    }

    fn is_of_ours(self) -> bool {
        self.namespace == own_namespace()
    }
}

fn own_namespace() -> u64 {
    fs::metadata("/proc/self/ns/pid").map_or(0, |metadata| metadata.ino())
}

/// Reads when a process started; none where it has ended.
fn start_of(pid: u32) -> Option<u64> {
    let fields = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is a name in parentheses, which may hold anything.
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
        let name = format!("{}-probe-7", this.name());
        assert_eq!(Owner::of(&name), Some(this));
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
            assert_eq!(Owner::of(foreign), None, "{foreign}");
        }
    }
}
