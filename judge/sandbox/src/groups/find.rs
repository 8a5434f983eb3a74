use super::{CgroupVersion, ControlGroups, Names, PREFIX, PROCS, TASKS, can_enable};
use crate::files::entries;
use nix::unistd::{AccessFlags, access, gettid};
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use system::cleanup::Owner;

impl ControlGroups {
    /// Searches this machine, by briefly making a group wherever that seems possible.
    pub(crate) fn find() -> Option<Self> {
        Self::find_in(Path::new("/"))
    }

    /// `root` is `/`, or a test's folder. Only one version has controllers that limit.
    fn find_in(root: &Path) -> Option<Self> {
        let [two, one] =
            [CgroupVersion::Two, CgroupVersion::One].map(|version| Self::of_version(version, root));
        let limits = |found: &Option<Self>| found.as_ref().is_some_and(|groups| groups.memory);
        if !limits(&two) && limits(&one) {
            return one;
        }
        two.or(one)
    }

    fn of_version(version: CgroupVersion, root: &Path) -> Option<Self> {
        let names = version.names();
        let (mut folders, mut files) = (Vec::new(), Vec::new());
        for hierarchy in names.hierarchies {
            let folder = own_group(root, names, hierarchy);
            if let Some(folder) = folder.filter(|folder| !folders.contains(folder)) {
                let found = files_of_a_group(&folder);
                if !found.is_empty() {
                    files.extend(found);
                    folders.push(folder);
                }
            }
        }
        let has = |name: &str| files.iter().any(|file| file == name);
        let limits = |controller: &str, name: &str| {
            has(name) || folders.iter().any(|it| can_enable(it, controller))
        };
        let (memory, tasks) = (limits("memory", names.memory), limits("pids", TASKS));
        (has(names.counter) && has(names.freezer)).then_some(Self {
            version,
            folders,
            memory,
            tasks,
        })
    }
}

fn own_group(root: &Path, names: &Names, hierarchy: &str) -> Option<PathBuf> {
    let read = |path: &str| fs::read_to_string(root.join(path)).ok();
    let groups = read("proc/self/cgroup")?;
    let own = groups.lines().find_map(|line| own_path(line, hierarchy))?;
    let mounts = read("proc/self/mountinfo")?;
    // There may be several mounts of the hierarchy, and only some show the judge's own group.
    let mut folders = mounts.lines().filter_map(|line| {
        let (mounted, at) = mount(line, names, hierarchy)?;
        let below = Path::new(own).strip_prefix(unescaped(mounted)).ok()?;
        let at = unescaped(at);
        Some(root.join(at.strip_prefix("/").unwrap_or(&at)).join(below))
    });
    let writable = |path: &Path| access(path, AccessFlags::W_OK).is_ok();
    folders.find(|folder| writable(folder) && writable(&folder.join(PROCS)))
}

/// Undoes the kernel's escapes: spaces and similar characters are three octal digits.
fn unescaped(path: &str) -> PathBuf {
    let mut parts = path.split('\\');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let escaped = part.get(..3).and_then(|it| u8::from_str_radix(it, 8).ok());
        bytes.push(escaped.unwrap_or(b'\\'));
        bytes.extend_from_slice(&part.as_bytes()[escaped.map_or(0, |_| 3)..]);
    }
    PathBuf::from(OsString::from_vec(bytes))
}

/// Parses a line of `/proc/self/cgroup`: hierarchy, controllers (none in version 2), path.
fn own_path<'a>(line: &'a str, hierarchy: &str) -> Option<&'a str> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (controllers, path) = (parts.next()?, parts.next()?);
    controllers
        .split(',')
        .any(|name| name == hierarchy)
        .then_some(path)
}

/// Parses a line of `mountinfo`: the group of the hierarchy that is mounted, and its mount point.
fn mount<'a>(line: &'a str, names: &Names, hierarchy: &str) -> Option<(&'a str, &'a str)> {
    let (mount, kind) = line.split_once(" - ")?;
    let mut kind = kind.split(' ');
    let (file_system, options) = (kind.next()?, kind.nth(1)?);
    let has_it = hierarchy.is_empty() || options.split(',').any(|option| option == hierarchy);
    if file_system != names.file_system || !has_it {
        return None;
    }
    let mut words = mount.split(' ');
    Some((words.nth(3)?, words.next()?))
}

fn files_of_a_group(folder: &Path) -> Vec<OsString> {
    let probe = folder.join(format!("{PREFIX}{}-probe-{}", Owner::this(), gettid()));
    if fs::create_dir(&probe).is_err() {
        return Vec::new();
    }
    let names = entries(&probe).map(|entry| entry.file_name()).collect();
    let _ = fs::remove_dir(&probe);
    names
}

#[cfg(test)]
mod tests {
    use super::super::{ONE, TWO};
    use super::*;

    struct FakeMounts(tempfile::TempDir);

    impl FakeMounts {
        fn with(cgroup: &str, mountinfo: &str) -> Self {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let own = folder.path().join("proc/self");
            fs::create_dir_all(&own).expect("writable");
            fs::write(own.join("cgroup"), cgroup).expect("writable");
            fs::write(own.join("mountinfo"), mountinfo).expect("writable");
            Self(folder)
        }

        fn group(&self, path: &str) -> PathBuf {
            let folder = self.0.path().join(path);
            fs::create_dir_all(&folder).expect("writable");
            fs::write(folder.join("cgroup.procs"), "").expect("writable");
            folder
        }
    }

    /// Finds the judge's own group of version 2.
    fn delegated(root: &Path) -> Option<PathBuf> {
        own_group(root, &TWO, "")
    }

    const UNIFIED: &str = "24 1 0:22 / /sys rw - sysfs sysfs rw\n\
        30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

    #[test]
    fn existing_writable_group_is_found_in_any_mount() {
        // A container has a part of the hierarchy; the kernel escapes blanks.
        let part = "30 24 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup rw\n";
        let two = "29 24 0:26 /other /sys/fs/cgroup/other rw - cgroup2 cgroup rw\n\
                   30 24 0:26 / /sys/fs/two\\040words rw - cgroup2 cgroup rw\n";
        let (own, inner) = ("cgroup/user.slice/run-7.scope", "cgroup/judge");
        for (cgroup, mounts, group, is_found) in [
            ("user.slice/run-7.scope", UNIFIED, own, true),
            ("docker/abc/judge", part, inner, true),
            ("docker/other", part, inner, false),
            ("run-7.scope", two, "two words/run-7.scope", true),
        ] {
            let machine = FakeMounts::with(&format!("0::/{cgroup}\n"), mounts);
            assert_eq!(delegated(machine.0.path()), None, "there is no such folder");
            let group = machine.group(&format!("sys/fs/{group}"));
            let found = delegated(machine.0.path());
            assert_eq!(found, is_found.then_some(group), "{cgroup}");
        }
        assert_eq!(unescaped(r"/a\134b\c"), Path::new(r"/a\b\c"));
    }

    #[test]
    fn version_1_hierarchy_is_found_by_controller() {
        let mounts = "31 24 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
            32 24 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";
        let machine = FakeMounts::with("2:memory:/\n1:cpu,cpuacct:/judge\n", mounts);
        let group = machine.group("sys/fs/cgroup/cpu,cpuacct/judge");
        let found = |controller| own_group(machine.0.path(), &ONE, controller);
        assert_eq!(found("cpuacct"), Some(group.clone()));
        assert_eq!(found("cpu"), Some(group));
        assert_eq!(found("memory"), None, "there is no such folder");
        assert_eq!(found("cpuset"), None);
        assert_eq!(delegated(machine.0.path()), None, "that is version 2");
    }
}
