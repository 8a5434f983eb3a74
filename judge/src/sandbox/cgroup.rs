//! Finding the control group that was given to the judge, if one was.

use nix::unistd::{AccessFlags, access};
use std::fs;
use std::path::{Path, PathBuf};

/// Finds the judge's own group of version 2, if the judge may make groups in it. `root` is
/// `/`, or where tests keep a machine's files.
pub(super) fn delegated(root: &Path) -> Option<PathBuf> {
    let read = |path: &str| fs::read_to_string(root.join(path)).ok();
    let groups = read("proc/self/cgroup")?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let mounts = read("proc/self/mountinfo")?;
    let (mounted, at) = mounts.lines().find_map(version_2)?;
    let below = Path::new(own).strip_prefix(mounted).ok()?;
    let folder = root.join(at.trim_start_matches('/')).join(below);
    let writable = |path: &Path| access(path, AccessFlags::W_OK).is_ok();
    (writable(&folder) && writable(&folder.join("cgroup.procs"))).then_some(folder)
}

/// Reads a line of `mountinfo`: which group is mounted where, for version 2.
fn version_2(line: &str) -> Option<(&str, &str)> {
    let (mount, kind) = line.split_once(" - ")?;
    if kind.split(' ').next() != Some("cgroup2") {
        return None;
    }
    let mut words = mount.split(' ');
    Some((words.nth(3)?, words.next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Machine(tempfile::TempDir);

    impl Machine {
        fn with(cgroup: &str, mountinfo: &str) -> Self {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let own = folder.path().join("proc/self");
            fs::create_dir_all(&own).expect("ours");
            fs::write(own.join("cgroup"), cgroup).expect("ours");
            fs::write(own.join("mountinfo"), mountinfo).expect("ours");
            Self(folder)
        }

        fn group(&self, path: &str) -> PathBuf {
            let folder = self.0.path().join(path);
            fs::create_dir_all(&folder).expect("ours");
            fs::write(folder.join("cgroup.procs"), "").expect("ours");
            folder
        }
    }

    const UNIFIED: &str = "24 1 0:22 / /sys rw - sysfs sysfs rw\n\
        30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

    #[test]
    fn a_group_that_is_there_and_writable_is_found() {
        let machine = Machine::with("0::/user.slice/run-7.scope\n", UNIFIED);
        assert_eq!(delegated(machine.0.path()), None, "there is no such folder");
        let group = machine.group("sys/fs/cgroup/user.slice/run-7.scope");
        assert_eq!(delegated(machine.0.path()), Some(group));
    }

    #[test]
    fn a_container_that_sees_only_a_part_of_the_groups_finds_its_own() {
        let mounts = "30 24 0:26 /docker/abc /sys/fs/cgroup rw - cgroup2 cgroup rw\n";
        let machine = Machine::with("0::/docker/abc/judge\n", mounts);
        let group = machine.group("sys/fs/cgroup/judge");
        assert_eq!(delegated(machine.0.path()), Some(group));
        let elsewhere = Machine::with("0::/docker/other\n", mounts);
        elsewhere.group("sys/fs/cgroup/judge");
        assert_eq!(delegated(elsewhere.0.path()), None);
    }

    #[test]
    fn groups_of_version_1_are_none() {
        let mounts = "31 24 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n";
        let machine = Machine::with("1:cpu:/judge\n", mounts);
        machine.group("sys/fs/cgroup/cpu/judge");
        assert_eq!(delegated(machine.0.path()), None);
    }
}
