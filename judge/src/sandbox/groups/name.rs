//! Whose a group is, told by its name, so that what a killed judge left behind can be told
//! from what a living one needs.

use std::fs;

/// What the names of all our groups begin with.
const PREFIX: &str = "judge-";

/// A process, told from others that had its number before or after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Owner {
    pid: u32,
    /// When it started, in the kernel's ticks since it did itself.
    start: u64,
}

impl Owner {
    /// Gives the calling process.
    pub(super) fn this() -> Self {
        let pid = std::process::id();
        let start = start_of(pid).unwrap_or_default();
        Self { pid, start }
    }

    /// Gives what its groups' names begin with.
    pub(super) fn name(self) -> String {
        format!("{PREFIX}{}-{}", self.pid, self.start)
    }

    /// Reads the name of a group; none if it is not one of ours.
    pub(super) fn of(name: &str) -> Option<Self> {
        let mut numbers = name.strip_prefix(PREFIX)?.split('-');
        Some(Self {
            pid: numbers.next()?.parse().ok()?,
            start: numbers.next()?.parse().ok()?,
        })
    }

    /// Tells whether the process still runs.
    pub(super) fn lives(self) -> bool {
        start_of(self.pid) == Some(self.start)
    }
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
        assert!(this.lives());
        let before = Owner {
            start: this.start - 1,
            ..this
        };
        assert!(!before.lives(), "the number was somebody else's");
        for foreign in ["judge", "judge-", "judge-7", "judge-x-1", "user.slice"] {
            assert_eq!(Owner::of(foreign), None, "{foreign}");
        }
    }
}
