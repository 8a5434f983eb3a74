//! Checks of pages in a real browser, if there is one.

use super::skip::skipped;
use super::{Run, root};
use std::path::PathBuf;
use std::process::Command;

/// Runs checks of a script in `browser/` in one browser: the name of each, its page, and what else
/// it needs. Skips them without a browser.
#[track_caller]
pub(crate) fn check(script: &str, checks: &[(&str, Vec<PathBuf>)]) {
    for program in ["node", "chromium"] {
        let found = Command::new(program).arg("--version").output();
        if !found.is_ok_and(|ended| ended.status.success()) {
            let what = "not installed, so no page is opened; scripts/setup installs it";
            return skipped(program, what);
        }
    }
    let mut command = Command::new("node");
    command.arg(root().join("judge/tests/browser").join(script));
    for (number, (check, given)) in checks.iter().enumerate() {
        command.args((number > 0).then_some("--"));
        command.arg(check).args(given);
    }
    let ended = command.ended();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
}
