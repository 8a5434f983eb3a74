//! How much memory the processes of a group have taken together. No limit that needs no
//! privilege bounds that, so it is looked at while they run.

use nix::unistd::Pid;
use std::fs;
use std::time::{Duration, Instant};

/// It is looked at no more often than this, and no more than a twentieth of the time.
const LOOK_INTERVAL_MIN: Duration = Duration::from_millis(100);
const LOOK_PART: u32 = 20;

/// A process group whose memory is bounded.
#[derive(Debug)]
pub(super) struct GroupMemory {
    group: Pid,
    bytes_max: u64,
    look_at: Instant,
}

impl GroupMemory {
    pub(super) fn new(group: Pid, bytes_max: u64) -> Self {
        Self {
            group,
            bytes_max,
            look_at: Instant::now() + LOOK_INTERVAL_MIN,
        }
    }

    /// Returns whether the group has taken too much, if it is time to look.
    pub(super) fn is_over_when_due(&mut self) -> bool {
        let began = Instant::now();
        if began < self.look_at {
            return false;
        }
        let held = held_bytes(self.group);
        self.look_at = Instant::now() + LOOK_INTERVAL_MIN.max(began.elapsed() * LOOK_PART);
        held > self.bytes_max
    }
}

/// Adds up the pages in memory that hold no file, page tables included, of every process of a group.
fn held_bytes(group: Pid) -> u64 {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    // Each may end at any time.
    let bytes = processes.filter_map(|process| {
        let path = process.path();
        let stat = fs::read_to_string(path.join("stat")).ok()?;
        if group_of(&stat)? != group.as_raw() {
            return None;
        }
        Some(held_in(&fs::read_to_string(path.join("status")).ok()?))
    });
    bytes.sum()
}

/// Reads what one process holds from its status, whose lines have sizes in kB.
fn held_in(status: &str) -> u64 {
    let lines = status.lines().filter_map(|line| line.split_once(':'));
    let own = lines.filter(|(name, _)| ["RssAnon", "VmPTE"].contains(name));
    let sizes = own.filter_map(|(_, size)| size.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    sizes.sum::<u64>() << 10
}

/// Finds the group in "pid (name) state parent group …"; the name may hold anything.
fn group_of(stat: &str) -> Option<i32> {
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_ascii_whitespace().nth(2)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    const MIB: u64 = 1 << 20;

    #[test]
    fn what_all_processes_of_a_group_hold_is_added_up() {
        let one = "python3 -c 'import time; kept = b\"x\" * (32 << 20); print(1, flush=True); time.sleep(99)'";
        let script = format!("{one} & {one}; wait");
        let mut group = Command::new("/bin/sh")
            .args(["-c", &script])
            .process_group(0)
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let pid = Pid::from_raw(group.id().cast_signed());
        let mut both = [0; 4];
        let said = group.stdout.as_mut().expect("piped").read_exact(&mut both);
        let held = held_bytes(pid);
        let is_over = |bytes_max| {
            let look_at = Instant::now();
            let mut memory = GroupMemory {
                look_at,
                ..GroupMemory::new(pid, bytes_max)
            };
            memory.is_over_when_due()
        };
        let (over, within) = (is_over(60 * MIB), is_over(1 << 40));
        let early = GroupMemory::new(pid, 0).is_over_when_due();
        nix::sys::signal::killpg(pid, nix::sys::signal::Signal::SIGKILL).expect("ours");
        group.wait().expect("ours");
        said.expect("both have said that they are there");
        assert_eq!((over, within, early), (true, false, false));
        assert!((64 * MIB..200 * MIB).contains(&held), "{held}");
        assert_eq!(held_bytes(Pid::from_raw(i32::MAX)), 0);
    }

    #[test]
    fn page_tables_are_held_too_and_files_are_not() {
        let status =
            "Name:\tVmPTE: 9 kB\nRssAnon:\t     116 kB\nRssFile:\t  1484 kB\nVmPTE:\t      44 kB\n";
        assert_eq!(held_in(status), 160 << 10);
    }

    #[test]
    fn a_name_may_look_like_the_rest() {
        assert_eq!(group_of("12 (a) R 1 1 ) S 5 77 77 0"), Some(77));
        assert_eq!(group_of("12"), None);
    }
}
