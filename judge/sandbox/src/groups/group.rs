//! The group of one program, and a pool of groups.

use super::{ControlGroups, Names, PROCS, RunCgroups, TASKS, kill_all, members_in, write};
use nix::unistd::Pid;
use rulebook::{IoContext, JudgeError, Result};
use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{self, Write};
use std::ops::Deref;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::Duration;

/// Four times this is within one user's limit: no bot can keep another of its game from starting
/// any.
const TASKS_MAX: u64 = 256;

const ATTEMPTS_MAX: u32 = 10_000;
const POLL_INTERVAL: Duration = Duration::from_micros(500);

#[derive(Debug)]
pub struct ControlGroup {
    names: &'static Names,
    folders: Vec<PathBuf>,
    /// `cgroup.procs` of each hierarchy: a process whose id is written there joins.
    doors: Vec<File>,
    counter: File,
    freezer: File,
    deaths: Option<File>,
}

impl ControlGroup {
    fn make(groups: &ControlGroups, name: &Path, memory_bytes_max: u64) -> Result<Self> {
        let names = groups.names();
        let folders: Vec<PathBuf> = groups.folders.iter().map(|it| it.join(name)).collect();
        for folder in &folders {
            fs::create_dir_all(folder).or_io("make the control group", folder)?;
        }
        let file = |name: &str| {
            let mut all = folders.iter().map(|folder| folder.join(name));
            all.find(|file| file.exists())
                .unwrap_or_else(|| folders[0].join(name))
        };
        if groups.memory {
            let bytes = memory_bytes_max.to_string();
            write(&file(names.memory), &bytes)?;
            // With swap, members could hide memory there.
            for (more, text) in names.memory_more {
                let path = file(more);
                if path.exists() {
                    write(&path, text.unwrap_or(&bytes))?;
                }
            }
        }
        if groups.tasks {
            write(&file(TASKS), &TASKS_MAX.to_string())?;
        }
        let opened = |path: &Path, writes: bool| {
            let mut how = File::options();
            let opened = how.read(!writes).write(writes).open(path);
            opened.or_io("open", path)
        };
        let doors = folders.iter().map(|it| opened(&it.join(PROCS), true));
        let deaths = groups.memory.then(|| opened(&file(names.deaths), false));
        Ok(Self {
            names,
            doors: doors.collect::<Result<_, _>>()?,
            counter: opened(&file(names.counter), false)?,
            freezer: opened(&file(names.freezer), true)?,
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
    pub fn cpu(&self) -> Result<Duration> {
        let text = read(&self.counter, "a group's CPU time")?;
        let (word, unit_ns) = self.names.counted;
        field(&text, word)
            .map(|count| Duration::from_nanos(count * unit_ns))
            .ok_or_else(|| {
                JudgeError::io("understand", "a group's CPU time", io::Error::other(text))
            })
    }

    pub fn members(&self) -> Result<Vec<Pid>> {
        // A file of version 1 that stays open shows the processes of its first reading for ever.
        let folder = &self.folders[0];
        members_in(folder).map_err(|e| JudgeError::io("read", folder.join(PROCS), e))
    }

    /// Counts its processes that died for lack of memory, with version 2 by the group's own limit
    /// only; none if that is not limited.
    pub(crate) fn memory_deaths(&self) -> Option<u64> {
        own_memory_deaths(&read(self.deaths.as_ref()?, "a group's memory").ok()?)
    }

    pub(crate) fn kill(&self) {
        let members = || self.members().unwrap_or_default();
        kill_all(|word| self.freeze(word), members);
    }

    pub(crate) fn end(&self) -> Result {
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
        let _ = (&self.freezer).write_all(self.names.freeze[word].as_bytes());
    }
}

fn read(file: &File, what: &str) -> Result<String> {
    let failed = |e| JudgeError::io("read", what, e);
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let at = bytes.len() as u64;
        match file.read_at(&mut chunk, at).map_err(failed)? {
            0 => break,
            count => bytes.extend_from_slice(&chunk[..count]),
        }
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

/// Shared by pools: one that was given up may have left a group whose members do not end.
static MADE: AtomicU32 = AtomicU32::new(0);

/// Hands out empty groups.
#[derive(Clone, Debug)]
pub struct Pool(Rc<Shared>);

#[derive(Debug)]
struct Shared {
    run_cgroups: RunCgroups,
    memory_bytes_max: u64,
    free: RefCell<Vec<ControlGroup>>,
}

/// A group for the lifetime of one program. Dropping it ends all processes left in the group.
#[derive(Debug)]
pub struct Lease {
    group: Option<ControlGroup>,
    pool: Rc<Shared>,
    memory_deaths_before: u64,
}

impl Pool {
    /// Makes an empty pool among the groups of a run; `memory_bytes_max` limits each group.
    pub fn new(run_cgroups: RunCgroups, memory_bytes_max: u64) -> Self {
        Self(Rc::new(Shared {
            run_cgroups,
            memory_bytes_max,
            free: RefCell::default(),
        }))
    }

    /// Returns a group without members.
    pub fn lease(&self) -> Result<Rc<Lease>> {
        let free = self.0.free.borrow_mut().pop();
        let group = free.map_or_else(|| self.0.make(), Ok)?;
        Ok(Rc::new(Lease {
            memory_deaths_before: group.memory_deaths().unwrap_or(0),
            group: Some(group),
            pool: Rc::clone(&self.0),
        }))
    }
}

impl Shared {
    fn make(&self) -> Result<ControlGroup> {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let slot = format!("{}-{number}", std::process::id());
        let name = Path::new(&self.run_cgroups.name).join(slot);
        ControlGroup::make(self.run_cgroups.groups(), &name, self.memory_bytes_max)
    }
}

impl Lease {
    pub(crate) fn ran_out_of_memory(&self) -> bool {
        self.memory_deaths().unwrap_or(0) > self.memory_deaths_before
    }
}

impl Deref for Lease {
    type Target = ControlGroup;

    fn deref(&self) -> &ControlGroup {
        self.group.as_ref().expect("there until it is dropped")
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some(group) = self.group.take() else {
            return;
        };
        // The coordinator's sweep deals with a group whose members do not end.
        if group.end().is_ok() {
            group.resume();
            self.pool.free.borrow_mut().push(group);
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        for folder in self.free.get_mut().iter().flat_map(|it| &it.folders) {
            // A sweep finds the leftovers.
            let _ = fs::remove_dir(folder);
        }
    }
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
        let found = own("oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
        assert_eq!(found, Some(3));
    }
}
