//! Measures memory and CPU time of a build's processes: no unprivileged limit covers them together.

use nix::unistd::{Pid, SysconfVar, sysconf};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Minimum interval between measurements. They also take at most a twentieth of the time.
const MEASURE_INTERVAL_MIN: Duration = Duration::from_millis(100);
const MEASURE_PART: u32 = 20;

#[derive(Debug)]
pub(super) struct GroupUse {
    processes: Processes,
    bytes_max: u64,
    cpu_max: Duration,
    measure_at: Instant,
}

#[derive(Clone, Debug)]
pub(super) enum Processes {
    /// All of a process group, which none of them can leave.
    Group(Pid),
    /// All of a namespace, whose `/proc` this is, but for the first: it is the judge's.
    Namespace(PathBuf),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    Memory,
    Cpu,
}

impl GroupUse {
    pub(super) fn new(processes: Processes, bytes_max: u64, cpu_max: Duration) -> Self {
        Self {
            processes,
            bytes_max,
            cpu_max,
            measure_at: Instant::now() + MEASURE_INTERVAL_MIN,
        }
    }

    pub(super) fn over_when_due(&mut self) -> Option<Over> {
        let began = Instant::now();
        if began < self.measure_at {
            return None;
        }
        let taken = taken(&self.processes);
        self.measure_at = Instant::now() + MEASURE_INTERVAL_MIN.max(began.elapsed() * MEASURE_PART);
        if taken.bytes > self.bytes_max {
            return Some(Over::Memory);
        }
        (taken.cpu > self.cpu_max).then_some(Over::Cpu)
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Taken {
    /// Bytes of page tables and of pages in memory that hold no file.
    bytes: u64,
    /// CPU time, including that of ended processes that were waited for.
    cpu: Duration,
}

fn taken(counted: &Processes) -> Taken {
    let ticks_per_second = sysconf(SysconfVar::CLK_TCK)
        .ok()
        .flatten()
        .and_then(|ticks| u64::try_from(ticks).ok());
    let folder = match counted {
        Processes::Group(_) => Path::new("/proc"),
        Processes::Namespace(folder) => folder,
    };
    let processes = fs::read_dir(folder).into_iter().flatten().flatten();
    // Each process may end at any time.
    let all = processes.filter_map(|process| {
        let path = process.path();
        let stat = fs::read_to_string(path.join("stat")).ok()?;
        let (of, ticks) = group_and_ticks(&stat)?;
        let counts = match counted {
            Processes::Group(group) => of == group.as_raw(),
            Processes::Namespace(_) => process.file_name() != "1",
        };
        if !counts {
            return None;
        }
        let status = fs::read_to_string(path.join("status")).ok()?;
        Some((held_in(&status), ticks))
    });
    let add = |(bytes, ticks), (more_bytes, more_ticks)| (bytes + more_bytes, ticks + more_ticks);
    let (bytes, ticks) = all.fold((0, 0), add);
    Taken {
        bytes,
        cpu: Duration::from_millis(ticks * 1000 / ticks_per_second.unwrap_or(100)),
    }
}

/// Reads the memory of one process from its status, whose lines give sizes in kB.
fn held_in(status: &str) -> u64 {
    status
        .lines()
        .filter_map(|line| line.split_once(':'))
        .filter(|(name, _)| ["RssAnon", "VmPTE"].contains(name))
        .filter_map(|(_, size)| size.trim().strip_suffix(" kB")?.parse::<u64>().ok())
        .sum::<u64>()
        << 10
}

/// Parses group and ticks, including those of children that were waited for, from "pid (name) state
/// parent group …". The name may contain anything.
fn group_and_ticks(stat: &str) -> Option<(i32, u64)> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut words = after_name.split_ascii_whitespace();
    let group = words.nth(2)?.parse().ok()?;
    // utime, stime, cutime and cstime come eight fields after the group.
    let ticks = words
        .skip(8)
        .take(4)
        .map(|ticks| ticks.parse().unwrap_or(0))
        .sum();
    Some((group, ticks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    const MIB: u64 = 1 << 20;

    #[test]
    fn memory_of_all_group_processes_is_summed() {
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
        let held = taken(&Processes::Group(pid));
        let over = |bytes_max, cpu_max| {
            let measure_at = Instant::now();
            let mut group = GroupUse {
                measure_at,
                ..GroupUse::new(Processes::Group(pid), bytes_max, cpu_max)
            };
            group.over_when_due()
        };
        let hour = Duration::from_secs(3600);
        let found = [
            over(60 * MIB, hour),
            over(1 << 40, hour),
            over(1 << 40, Duration::ZERO),
            GroupUse::new(Processes::Group(pid), 0, Duration::ZERO).over_when_due(),
        ];
        nix::sys::signal::killpg(pid, nix::sys::signal::Signal::SIGKILL).expect("a running child");
        group.wait().expect("a running child");
        said.expect("both have said that they are there");
        assert_eq!(found, [Some(Over::Memory), None, Some(Over::Cpu), None]);
        assert!((64 * MIB..200 * MIB).contains(&held.bytes), "{held:?}");
        let nothing = taken(&Processes::Group(Pid::from_raw(i32::MAX)));
        assert_eq!((nothing.bytes, nothing.cpu), (0, Duration::ZERO));
    }

    #[test]
    fn page_tables_count_as_memory_files_do_not() {
        let status =
            "Name:\tVmPTE: 9 kB\nRssAnon:\t     116 kB\nRssFile:\t  1484 kB\nVmPTE:\t      44 kB\n";
        assert_eq!(held_in(status), 160 << 10);
    }

    #[test]
    fn a_name_may_look_like_the_rest() {
        let stat = "12 (a) R 1 1 ) S 5 77 77 0 -1 4194560 1 2 3 4 10 20 300 4000 20 0";
        assert_eq!(group_and_ticks(stat), Some((77, 4330)));
        assert_eq!(group_and_ticks("12"), None);
    }
}
