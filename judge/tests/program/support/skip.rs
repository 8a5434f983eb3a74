//! Tests that this machine cannot run. They are reported and collected; in CI only listed reasons
//! are accepted.

use model::artifact::IsolationLevel;
use model::language::packaged;
use sandbox::Isolation;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::panic::Location;
use std::path::Path;

/// The reasons accepted where `CI=true`, each with an explanation.
const MAY_BE_SKIPPED: &str = include_str!("../../may-be-skipped.txt");

/// Reports that the rest of the calling test is skipped, on standard error and in the file that
/// `JUDGE_TESTS_SKIPPED` names. Panics where `CI=true` unless the reason may be skipped.
#[track_caller]
pub(crate) fn skipped(reason: &str, what: &str) {
    let test = test();
    // The test framework hides the output of `eprintln!` when the test passes.
    let _ = writeln!(std::io::stderr(), "skipped: {test}: {reason}: {what}");
    if let Some(path) = std::env::var_os("JUDGE_TESTS_SKIPPED") {
        let mut line = String::new();
        writeln!(line, "{reason}\t{test}\t{what}").expect("in memory");
        let file = fs::OpenOptions::new().append(true).open(&path);
        let mut file = file.expect("whoever names the file has made it");
        // In one piece, because other processes write to the file, too.
        file.write_all(line.as_bytes()).expect("it can be written");
    }
    let in_ci = std::env::var("CI").is_ok_and(|value| value == "true");
    assert!(
        !in_ci || may_be_skipped(reason),
        "{reason}: {what}; this is not in judge/tests/may-be-skipped.txt"
    );
}

pub(crate) fn in_the_sandbox(tool: &str) -> bool {
    let folders = ["/usr/local/bin", "/usr/bin", "/bin"];
    let mut paths = folders.iter().map(|folder| Path::new(folder).join(tool));
    paths.any(|path| path.exists())
}

#[track_caller]
pub(crate) fn has_tool(tool: &str) -> bool {
    let has = in_the_sandbox(tool);
    if !has {
        skipped(tool, "not installed, so what needs it is not tried");
    }
    has
}

/// Returns the isolation of this machine. If it is weak, reports that and returns `None`.
#[track_caller]
pub(crate) fn sealed() -> Option<Isolation> {
    let isolation = Isolation::find();
    if isolation.level() == IsolationLevel::Sealed {
        return Some(isolation);
    }
    skipped(
        "namespaces",
        "isolation is weak here; judge doctor says why",
    );
    None
}

/// Returns a program of a known language that this machine lacks: one of snapshots, or another.
pub(crate) fn missing_program() -> &'static str {
    let mut known = packaged();
    known.retain(|program| program.package == Some(program.name));
    let known = known.into_iter().map(|program| program.name);
    let mut names = std::iter::once(MISSING).chain(known);
    let missing = names.find(|name| !in_the_sandbox(name));
    missing.expect("no machine has all of them")
}

/// The missing program in snapshots.
pub(crate) const MISSING: &str = "julia";

fn may_be_skipped(reason: &str) -> bool {
    let rows = MAY_BE_SKIPPED.lines().filter(|line| !line.starts_with('#'));
    let mut reasons = rows.filter_map(|line| line.split_whitespace().next());
    reasons.any(|listed| listed == reason)
}

/// Returns the test's name, or its place in the source if its thread does not know the name.
#[track_caller]
fn test() -> String {
    let thread = std::thread::current();
    let of_thread = thread.name().filter(|name| *name != "main");
    let name = std::env::var("NEXTEST_TEST_NAME").ok();
    let name = name.or_else(|| of_thread.map(str::to_owned));
    name.unwrap_or_else(|| Location::caller().to_string())
}

#[test]
fn only_listed_reasons_may_be_skipped_in_ci() {
    assert!(may_be_skipped("control-groups"));
    assert!(may_be_skipped("axe-core"));
    for reason in ["control", "#", "chromium", "reason", ""] {
        assert!(!may_be_skipped(reason), "{reason}");
    }
}
