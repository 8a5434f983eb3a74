use super::{CgroupVersion, ControlGroups, TASKS};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rulebook::JudgeError;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

/// Four times this is within one user's limit: no bot can keep another of its game from starting
/// any.
pub(super) const TASKS_MAX: u64 = 256;

const ATTEMPTS_MAX: u32 = 10_000;
const POLL_INTERVAL: Duration = Duration::from_micros(500);

const PROCS: &str = "cgroup.procs";

#[derive(Debug)]
pub struct ControlGroup {
    version: CgroupVersion,
    folders: Vec<PathBuf>,
    /// `cgroup.procs` of each hierarchy: a process whose id is written there joins.
    doors: Vec<File>,
    counter: File,
    freezer: File,
    deaths: Option<File>,
}

impl ControlGroup {
    pub(super) fn make(
        groups: &ControlGroups,
        name: &Path,
        memory_bytes_max: u64,
    ) -> Result<Self, JudgeError> {
        let names = groups.names();
        let folders: Vec<PathBuf> = groups.folders.iter().map(|it| it.join(name)).collect();
        for folder in &folders {
            fs::create_dir_all(folder)
                .map_err(|e| JudgeError::io("make the control group", folder, e))?;
        }
        let file = |name: &str| {
            let mut all = folders.iter().map(|folder| folder.join(name));
            all.find(|file| file.exists())
                .unwrap_or_else(|| folders[0].join(name))
        };
        if groups.memory {
            let bytes = memory_bytes_max.to_string();
            put(&file(names.memory), &bytes)?;
            // With swap, members could hide memory there.
            for (more, text) in names.memory_more {
                let path = file(more);
                if path.exists() {
                    put(&path, text.unwrap_or(&bytes))?;
                }
            }
        }
        if groups.tasks {
            put(&file(TASKS), &TASKS_MAX.to_string())?;
        }
        let doors = folders
            .iter()
            .map(|folder| open_to_write(&folder.join(PROCS)));
        let deaths = groups.memory.then(|| open_to_read(&file(names.deaths)));
        Ok(Self {
            version: groups.version,
            doors: doors.collect::<Result<_, _>>()?,
            counter: open_to_read(&file(names.counter))?,
            freezer: open_to_write(&file(names.freezer))?,
            deaths: deaths.transpose()?,
            folders,
        })
    }

    /// Makes the calling process a member. Makes system calls only and allocates nothing.
    pub(crate) fn join(&self) -> io::Result<()> {
        self.doors
            .iter()
            .try_for_each(|mut door| door.write_all(b"0"))
    }

    /// Returns its members' CPU time, ended ones included; exact to a few µs on the reader's CPU.
    pub fn cpu(&self) -> Result<Duration, JudgeError> {
        let text = read(&self.counter, "a group's CPU time")?;
        let (word, unit_ns) = self.version.names().counted;
        field(&text, word)
            .map(|count| Duration::from_nanos(count * unit_ns))
            .ok_or_else(|| {
                JudgeError::io("understand", "a group's CPU time", io::Error::other(text))
            })
    }

    pub fn members(&self) -> Result<Vec<Pid>, JudgeError> {
        // A file of version 1 that stays open shows the processes of its first reading for ever.
        let path = self.folders[0].join(PROCS);
        let text = fs::read_to_string(&path).map_err(|e| JudgeError::io("read", &path, e))?;
        // A process of a foreign namespace has the number 0.
        let pids = text.lines().filter_map(|line| line.parse().ok());
        Ok(pids.filter(|&pid| pid > 0).map(Pid::from_raw).collect())
    }

    /// Counts its processes that died for lack of memory, with version 2 by the group's own limit
    /// only; none if that is not limited.
    pub(crate) fn memory_deaths(&self) -> Option<u64> {
        own_memory_deaths(&read(self.deaths.as_ref()?, "a group's memory").ok()?)
    }

    pub(crate) fn kill(&self) {
        // Suspended ones start no others meanwhile.
        self.suspend();
        for pid in self.members().unwrap_or_default() {
            let _ = kill(pid, Signal::SIGKILL);
        }
        self.resume();
    }

    pub(crate) fn end(&self) -> Result<(), JudgeError> {
        for _ in 0..ATTEMPTS_MAX {
            if self.members()?.is_empty() {
                return Ok(());
            }
            self.kill();
            sleep(POLL_INTERVAL);
        }
        let reason = io::Error::other("some of its processes are still alive after SIGKILL");
        Err(JudgeError::io("empty", &self.folders[0], reason))
    }

    pub(crate) fn suspend(&self) {
        self.freeze(0);
    }

    pub(crate) fn resume(&self) {
        self.freeze(1);
    }

    fn freeze(&self, word: usize) {
        // The kernel accepts both words at any time.
        let _ = (&self.freezer).write_all(self.version.names().freeze[word].as_bytes());
    }

    /// Removes the group, which must be empty. Its name can then be used again.
    pub(super) fn remove(self) {
        for folder in &self.folders {
            // A sweep finds the leftovers.
            let _ = fs::remove_dir(folder);
        }
    }
}

fn put(path: &Path, text: &str) -> Result<(), JudgeError> {
    fs::write(path, text).map_err(|e| JudgeError::io("write", path, e))
}

fn open_to_write(path: &Path) -> Result<File, JudgeError> {
    fs::OpenOptions::new()
        .write(true)
        .open(path)
        .map_err(|e| JudgeError::io("open", path, e))
}

fn open_to_read(path: &Path) -> Result<File, JudgeError> {
    File::open(path).map_err(|e| JudgeError::io("open", path, e))
}

fn read(file: &File, what: &str) -> Result<String, JudgeError> {
    let failed = |e| JudgeError::io("read", what, e);
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let count = file
            .read_at(&mut chunk, bytes.len() as u64)
            .map_err(failed)?;
        if count == 0 {
            break;
        }
        bytes.extend_from_slice(&chunk[..count]);
    }
    String::from_utf8(bytes).map_err(|e| failed(io::Error::other(e)))
}

/// Both versions count deaths whether the group or the whole machine ran out. Version 2 also counts
/// how often the group reached its own limit, and no more deaths than that count.
fn own_memory_deaths(text: &str) -> Option<u64> {
    let killed = field(text, "oom_kill")?;
    Some(field(text, "oom").map_or(killed, |own| killed.min(own)))
}

/// Returns the number after a word that begins a line, or the only number.
fn field(text: &str, word: &str) -> Option<u64> {
    let mut lines = text
        .lines()
        .map(|line| line.rsplit_once(' ').unwrap_or(("", line)));
    let (_, number) = lines.find(|(own, _)| *own == word)?;
    number.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_found_by_its_whole_word() {
        let text = "usage_usec 17\nuser_usec 12\n";
        assert_eq!(field(text, "usage_usec"), Some(17));
        assert_eq!(field(text, "user_usec"), Some(12));
        assert_eq!(field(text, "usec"), None);
        assert_eq!(field("17\n", ""), Some(17));
        let events = "low 0\noom 3\noom_kill 2\noom_group_kill 1\n";
        assert_eq!(field(events, "oom_kill"), Some(2));
    }

    #[test]
    fn machine_oom_does_not_count_as_own_limit() {
        let own = own_memory_deaths;
        assert_eq!(own("low 0\nmax 9\noom 1\noom_kill 3\n"), Some(1));
        assert_eq!(own("low 0\nmax 0\noom 0\noom_kill 3\n"), Some(0));
        assert_eq!(
            own("oom_kill_disable 0\nunder_oom 0\noom_kill 3\n"),
            Some(3)
        );
    }
}
