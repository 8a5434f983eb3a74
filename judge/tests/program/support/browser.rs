//! Checks of pages in a real browser, if there is one.

use super::skip::skipped;
use super::{Run, root};
use std::ffi::OsStr;
use std::process::Command;

/// Runs the checks of a script in `browser/` on the given arguments. Skips them without a browser.
#[track_caller]
pub(crate) fn check(script: &str, checks: &str, given: &[&OsStr]) {
    for program in ["node", "chromium"] {
        let found = Command::new(program).arg("--version").output();
        if !found.is_ok_and(|ended| ended.status.success()) {
            let what = "not installed, so no page is opened; scripts/setup installs it";
            return skipped(program, what);
        }
    }
    let script = root().join("judge/tests/browser").join(script);
    let mut command = Command::new("node");
    let ended = command.arg(script).arg(checks).args(given).ended();
    assert_eq!(ended.code, Some(0), "{checks}: {}", ended.stderr);
}
