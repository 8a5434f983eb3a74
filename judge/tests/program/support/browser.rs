//! Checks of pages in a real browser, if there is one.

use super::root;
use super::skip::skipped;
use std::ffi::OsStr;
use std::process::{Command, Stdio};

/// Runs the checks of a script in `browser/` on the given arguments. Skips them without a browser.
#[track_caller]
pub(crate) fn check(script: &str, checks: &str, given: &[&OsStr]) {
    for program in ["node", "chromium"] {
        let found = Command::new(program)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        if !found.is_ok_and(|status| status.success()) {
            skipped(
                program,
                "not installed, so no page is opened; scripts/setup installs it",
            );
            return;
        }
    }
    let script = root().join("judge/tests/browser").join(script);
    let mut command = Command::new("node");
    let output = command.arg(script).arg(checks).args(given).output();
    let output = output.expect("node starts");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{checks}: {text}");
}
