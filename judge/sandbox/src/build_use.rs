//! Measures what a build uses: no unprivileged limit covers its processes together, or its folder.
//! Afterwards the folder is made readable.

use super::files::entries;
use model::fault::Exit;
use nix::unistd::{Pid, SysconfVar, sysconf};
use rulebook::{IoContext, JudgeError, Result};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use system::files::set_mode;
use system::foreign::ForeignFolder;

/// How a build step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BuildEnd {
    /// By itself.
    Exit(Exit),
    /// At the time limit.
    Time,
    /// At the limit on CPU time.
    Cpu,
    /// For writing far more than the judge keeps.
    Output,
    /// For using more memory than `Limits::BUILD` allows, in all its processes together.
    Memory,
    /// For putting more than [`FOLDER_BYTES_MAX`], or very many files, into its folder.
    Disk,
}

impl BuildEnd {
    /// Corrects the end for CPU time: the step may die or exit before the judge's next check.
    pub(super) fn with_cpu(self, cpu: Duration, most: Duration) -> Self {
        match self {
            Self::Exit(_) if cpu > most => Self::Cpu,
            end => end,
        }
    }
}

/// Minimum intervals between measurements. They also take at most a twentieth of the time.
const GROUP_INTERVAL_MIN: Duration = Duration::from_millis(100);
const FOLDER_INTERVAL_MIN: Duration = Duration::from_millis(200);
const MEASURE_PART: u32 = 20;

#[derive(Debug)]
struct Pace {
    interval_min: Duration,
    due: Instant,
}

impl Pace {
    fn new(interval_min: Duration) -> Self {
        Self {
            interval_min,
            due: Instant::now() + interval_min,
        }
    }

    fn left(&self) -> Duration {
        self.due.saturating_duration_since(Instant::now())
    }

    fn time<T>(&mut self, measure: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let found = measure();
        self.due = Instant::now() + self.interval_min.max(began.elapsed() * MEASURE_PART);
        found
    }
}

#[derive(Debug)]
pub(super) struct GroupUse {
    processes: Processes,
    bytes_max: u64,
    cpu_max: Duration,
    pace: Pace,
}

#[derive(Clone, Debug)]
pub(super) enum Processes {
    /// All of a process group, which none of them can leave.
    Group(Pid),
    /// All of a namespace, whose `/proc` this is, but for the first: it is the judge's.
    Namespace(PathBuf),
}

impl GroupUse {
    pub(super) fn new(processes: Processes, bytes_max: u64, cpu_max: Duration) -> Self {
        Self {
            processes,
            bytes_max,
            cpu_max,
            pace: Pace::new(GROUP_INTERVAL_MIN),
        }
    }

    /// Returns why its processes must end, if a measurement is due and finds it.
    pub(super) fn over_when_due(&mut self) -> Option<BuildEnd> {
        if !self.pace.left().is_zero() {
            return None;
        }
        let (bytes, cpu) = self.pace.time(|| taken(&self.processes));
        if bytes > self.bytes_max {
            return Some(BuildEnd::Memory);
        }
        (cpu > self.cpu_max).then_some(BuildEnd::Cpu)
    }
}

/// Returns bytes of page tables and of pages in memory that hold no file, and CPU time, including
/// that of ended processes that were waited for.
fn taken(counted: &Processes) -> (u64, Duration) {
    let ticks_per_second = sysconf(SysconfVar::CLK_TCK)
        .ok()
        .flatten()
        .and_then(|ticks| u64::try_from(ticks).ok());
    let folder = match counted {
        Processes::Group(_) => Path::new("/proc"),
        Processes::Namespace(folder) => folder,
    };
    // Each process may end at any time.
    let all = entries(folder).filter_map(|process| {
        let path = process.path();
        let stat = fs::read_to_string(path.join("stat")).ok()?;
        let (of, ticks) = group_and_ticks(&stat)?;
        let counts = match counted {
            Processes::Group(group) => of == group.as_raw(),
            Processes::Namespace(_) => process.file_name() != "1",
        };
        let status = counts.then(|| fs::read_to_string(path.join("status")))?;
        Some((held_in(&status.ok()?), ticks))
    });
    let add = |(bytes, ticks), (more_bytes, more_ticks)| (bytes + more_bytes, ticks + more_ticks);
    let (bytes, ticks) = all.fold((0, 0), add);
    let cpu = Duration::from_millis(ticks * 1000 / ticks_per_second.unwrap_or(100));
    (bytes, cpu)
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

/// Maximum size of a build's folder, in bytes: of each file, the larger of length and disk use.
pub const FOLDER_BYTES_MAX: u64 = 2 << 30;
/// Maximum number of files and folders.
pub const FOLDER_ENTRIES_MAX: u64 = 100_000;
/// Maximum depth of folders.
pub const FOLDER_DEPTH_MAX: usize = 128;

#[derive(Debug)]
pub(super) struct Scratch {
    folder: ForeignFolder,
    pace: Pace,
}

impl Scratch {
    /// Opens the folder, before anything in it runs.
    pub(super) fn open(folder: &Path) -> Result<Self> {
        let opened = ForeignFolder::open(folder);
        Ok(Self {
            folder: opened.or_io("measure", folder)?,
            pace: Pace::new(FOLDER_INTERVAL_MIN),
        })
    }

    pub(super) fn until_next_measurement(&self) -> Duration {
        self.pace.left()
    }

    pub(super) fn is_over_when_due(&mut self) -> bool {
        self.pace.left().is_zero() && self.is_over()
    }

    pub(super) fn is_over(&mut self) -> bool {
        let mut folder_use = FolderUse::default();
        self.pace.time(|| folder_use.add(&self.folder));
        folder_use.is_too_much()
    }
}

#[derive(Debug, Default)]
struct FolderUse {
    bytes: u64,
    entries: u64,
}

impl FolderUse {
    fn add(&mut self, folder: &ForeignFolder) {
        folder.each_below(FOLDER_DEPTH_MAX, &mut |found| {
            match found.map_err(|error| error.kind()) {
                Ok(facts) => {
                    self.entries += 1;
                    let bytes = facts.bytes.max(facts.disk_bytes);
                    self.bytes = self.bytes.saturating_add(bytes);
                }
                // The folder hides its contents, or those below it.
                Err(ErrorKind::PermissionDenied | ErrorKind::FileTooLarge) => {
                    self.entries = u64::MAX;
                }
                // It is being removed or replaced.
                Err(_) => {}
            }
            !self.is_too_much()
        });
    }

    const fn is_too_much(&self) -> bool {
        self.bytes > FOLDER_BYTES_MAX || self.entries > FOLDER_ENTRIES_MAX
    }
}

/// Maximum length of a path below a build's folder, after the build has ended, in bytes.
const PATH_BYTES_MAX: usize = 1024;

/// Lets the owner list and change every folder below `folder`. Moves up folders that are too deep
/// for a path. Does not follow links. No other process may still be at work there.
pub(super) fn tame(folder: &Path) -> Result {
    const OWNER_ALL: u32 = 0o700;
    let mut folders = vec![folder.to_owned()];
    while let Some(mut below) = folders.pop() {
        let failed = |e| JudgeError::io("search", folder, e);
        let mode = fs::symlink_metadata(&below).map_err(failed)?.mode();
        if mode & OWNER_ALL != OWNER_ALL {
            set_mode(&below, mode | OWNER_ALL).map_err(failed)?;
        }
        if below.as_os_str().len() > folder.as_os_str().len() + PATH_BYTES_MAX {
            // The build has left nothing with this name.
            let near = tempfile::Builder::new()
                .prefix(".from-below-")
                .tempdir_in(folder)
                .map_err(failed)?
                .keep();
            fs::rename(&below, &near).map_err(failed)?;
            below = near;
        }
        for entry in fs::read_dir(&below).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if entry.file_type().map_err(failed)?.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    Ok(())
}

/// Removes a path, however deep and closed what is below it.
pub fn remove(path: &Path) -> Result {
    if fs::symlink_metadata(path).or_io("remove", path)?.is_dir() {
        tame(path)?;
        fs::remove_dir_all(path).or_io("remove", path)
    } else {
        fs::remove_file(path).or_io("remove", path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::Read;
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    #[test]
    fn exceeding_cpu_time_is_recorded_as_end() {
        let (less, limit, more) = (1, 2, 3);
        let (well, killed) = (Exit::Code(0), Exit::Signal(24));
        for (end, cpu, expected) in [
            (BuildEnd::Exit(well), less, BuildEnd::Exit(well)),
            (BuildEnd::Exit(well), limit, BuildEnd::Exit(well)),
            (BuildEnd::Exit(well), more, BuildEnd::Cpu),
            (BuildEnd::Exit(killed), less, BuildEnd::Exit(killed)),
            (BuildEnd::Exit(killed), more, BuildEnd::Cpu),
            (BuildEnd::Memory, more, BuildEnd::Memory),
        ] {
            let seconds = Duration::from_secs;
            assert_eq!(end.with_cpu(seconds(cpu), seconds(limit)), expected);
        }
    }

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
            let mut group = GroupUse {
                pace: Pace::new(Duration::ZERO),
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
        let expected = [Some(BuildEnd::Memory), None, Some(BuildEnd::Cpu), None];
        assert_eq!(found, expected);
        assert!((64 * MIB..200 * MIB).contains(&held.0), "{held:?}");
        let nothing = taken(&Processes::Group(Pid::from_raw(i32::MAX)));
        assert_eq!(nothing, (0, Duration::ZERO));
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

    #[test]
    fn bytes_are_counted_recursively_without_following_links() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let below = folder.path().join("a/b");
        fs::create_dir_all(&below).expect("writable");
        let long = |name: &str, bytes| {
            let file = File::create(below.join(name)).expect("writable");
            file.set_len(bytes).expect("without a hole being filled");
        };
        std::os::unix::fs::symlink("/", folder.path().join("link")).expect("writable");
        let mut scratch = Scratch::open(folder.path()).expect("there");
        long("one", FOLDER_BYTES_MAX / 2);
        assert!(!scratch.is_over());
        long("two", FOLDER_BYTES_MAX / 2 + 1);
        assert!(scratch.is_over());
    }

    #[test]
    fn a_folder_exchanged_for_a_link_is_measured() {
        let above = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| above.path().join(name);
        for name in ["build", "host"] {
            fs::create_dir(at(name)).expect("writable");
        }
        let long = |name: &str| {
            let file = File::create(at(name).join("long")).expect("writable");
            file.set_len(FOLDER_BYTES_MAX + 1)
                .expect("without a hole being filled");
        };
        let mut scratch = Scratch::open(&at("build")).expect("there");
        fs::rename(at("build"), at("away")).expect("writable");
        std::os::unix::fs::symlink("host", at("build")).expect("writable");
        long("host");
        assert!(!scratch.is_over());
        long("away");
        assert!(scratch.is_over());
    }

    #[test]
    fn too_many_files_are_too_much() {
        let mut folder_use = FolderUse {
            entries: FOLDER_ENTRIES_MAX,
            ..FolderUse::default()
        };
        let folder = tempfile::tempdir().expect("a temporary folder");
        let open = ForeignFolder::open(folder.path()).expect("there");
        folder_use.add(&open);
        assert!(!folder_use.is_too_much());
        File::create(folder.path().join("one")).expect("writable");
        folder_use.add(&open);
        assert!(folder_use.is_too_much());
        let deep = folder.path().join("d/".repeat(FOLDER_DEPTH_MAX + 1));
        fs::create_dir_all(deep.parent().expect("it has one")).expect("writable");
        for (made, is_too_much) in [(deep.parent(), false), (Some(&*deep), true)] {
            fs::create_dir_all(made.expect("a path")).expect("writable");
            let mut folder_use = FolderUse::default();
            folder_use.add(&open);
            assert_eq!(folder_use.is_too_much(), is_too_much);
        }
    }

    #[test]
    fn deep_folders_are_raised_despite_taken_names() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        File::create(folder.path().join(".from-below-0")).expect("writable");
        let full = folder.path().join(".from-below-1/full");
        fs::create_dir_all(full).expect("writable");
        let mut deep = folder.path().to_owned();
        for _ in 0..2 * PATH_BYTES_MAX / 200 {
            deep.push("a".repeat(200));
        }
        fs::create_dir_all(&deep).expect("writable");
        File::create(deep.join("bottom")).expect("writable");
        set_mode(deep.parent().expect("it has one"), 0o500).expect("writable");
        tame(folder.path()).expect("nothing stands in the way");
        assert!(folder.path().join(".from-below-0").is_file());
        assert!(!deep.exists());
        let mut folder_use = FolderUse::default();
        folder_use.add(&ForeignFolder::open(folder.path()).expect("there"));
        let folders_and_files = 2 * PATH_BYTES_MAX as u64 / 200 + 1;
        assert_eq!(folder_use.entries, folders_and_files + 3, "nothing is lost");
    }
}
