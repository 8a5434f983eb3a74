//! The judge's own group within its run's group. Version 2 gives controllers to the groups below
//! one only while no process is in that one itself, so the judge first moves down.

use rulebook::JudgeError;
use std::fs;
use std::path::Path;

/// The group that the judge and its workers enter, below the run's.
pub(super) const NAME: &str = "judge";

/// File that lists the controllers that a group passes down.
const CONTROL: &str = "cgroup.subtree_control";

/// Returns whether groups below `folder` could get a controller if the judge moved out of `folder`.
pub(super) fn can_enable(folder: &Path, controller: &str) -> bool {
    let read = |file: &str| fs::read_to_string(folder.join(file)).unwrap_or_default();
    let offered = read("cgroup.controllers");
    let alone = || {
        let this = std::process::id().to_string();
        read("cgroup.procs").lines().all(|pid| pid == this)
    };
    // The hierarchy's root has no type, and may contain processes anyway.
    let is_root = !folder.join("cgroup.type").exists();
    offered.split_ascii_whitespace().any(|c| c == controller) && (is_root || alone())
}

/// Returns the controllers that a group does not pass down yet.
pub(super) fn missing(folder: &Path, controllers: &[&str]) -> Vec<String> {
    let delegated = fs::read_to_string(folder.join(CONTROL)).unwrap_or_default();
    let delegated: Vec<&str> = delegated.split_ascii_whitespace().collect();
    let missing = controllers.iter().filter(|c| !delegated.contains(c));
    missing.map(ToString::to_string).collect()
}

/// Moves the calling process into a group below `run`, which is in `folder`, and passes controllers
/// down to the run's groups.
///
/// # Errors
/// When the kernel refuses; it does where other processes are in `folder`.
pub(super) fn descend(folder: &Path, run: &Path, controllers: &[&str]) -> Result<(), JudgeError> {
    let own = run.join(NAME);
    fs::create_dir_all(&own).map_err(|e| JudgeError::io("make the group", &own, e))?;
    write(&own.join("cgroup.procs"), "0")?;
    let words: Vec<String> = controllers.iter().map(|c| format!("+{c}")).collect();
    write(&folder.join(CONTROL), &words.join(" "))?;
    write(&run.join(CONTROL), &words.join(" "))
}

/// Undoes [`descend`] as far as it got; `enabled` is the earlier result of [`missing`].
pub(super) fn ascend(folder: &Path, run: &Path, enabled: &[String]) {
    let words: Vec<String> = enabled.iter().map(|c| format!("-{c}")).collect();
    for group in [run, folder] {
        // Fails if the controllers were not passed down.
        let _ = write(&group.join(CONTROL), &words.join(" "));
    }
    let _ = write(&folder.join("cgroup.procs"), "0");
    let _ = fs::remove_dir(run.join(NAME));
}

fn write(path: &Path, text: &str) -> Result<(), JudgeError> {
    fs::write(path, text).map_err(|e| JudgeError::io("write", path, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_controller_is_handed_down_only_where_it_is_offered_and_nobody_stands_in_the_way() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let put = |file: &str, text: &str| {
            fs::write(folder.path().join(file), text).expect("ours");
        };
        put("cgroup.controllers", "cpu memory\n");
        put("cgroup.type", "domain\n");
        put(CONTROL, "memory\n");
        let missing = missing(folder.path(), &["memory", "pids"]);
        assert_eq!(missing, ["pids"]);
        put("cgroup.procs", &format!("{}\n", std::process::id()));
        assert!(can_enable(folder.path(), "memory"));
        assert!(!can_enable(folder.path(), "pids"));
        put("cgroup.procs", "1\n");
        assert!(!can_enable(folder.path(), "memory"));
    }
}
