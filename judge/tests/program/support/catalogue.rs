//! The catalogue of hostile and unlucky programs: `hostile/catalogue.csv` as rows, and its
//! programs as submissions.
//!
//! A row is of a `section` and has the words of the catalogue (`row`). What shows it is a
//! `program` in a `mode`, in the `run` that has the settings for it, with the `end` that its
//! games must have (`|` between those that are right) and words of the fault's `detail`; or a
//! `test` of its own, as `module::function`; or, where neither is possible, the `note` says why.
//!
//! The columns of [`TIERS`] say what has become of the attempt on such a machine: it is `closed`
//! (refused, or without effect), `bounded` (it costs its author or the machine no more than the
//! verdict or the note says), or `told` (something remains, which the note names).

use super::{Row, Scene, read_csv, root};
use nix::unistd::geteuid;
use sandbox::Isolation;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

/// A program of the catalogue.
pub(crate) fn hostile(name: &str) -> PathBuf {
    root().join("judge/tests/hostile").join(name)
}

/// The columns of claims: the judge is root, or somebody else who may make namespaces, or may not.
pub(crate) const TIERS: [&str; 3] = ["root", "user", "user_no_namespaces"];

/// The column for this machine and user.
pub(crate) fn tier() -> &'static str {
    let [root, user, user_no_namespaces] = TIERS;
    if !Isolation::find().namespaces.are_used() {
        return user_no_namespaces;
    }
    if geteuid().is_root() { root } else { user }
}

/// What the table claims for this machine of each mode of a program.
pub(crate) fn claims(program: &str) -> BTreeMap<String, String> {
    let tier = tier();
    let of_program = rows()
        .into_iter()
        .filter(|row| row.get("program") == program);
    let claims = of_program.map(|row| (row.get("mode").to_owned(), row.get(tier).to_owned()));
    claims.collect()
}

/// The rows, in the order of the table.
pub(crate) fn rows() -> Vec<Row> {
    let text = fs::read_to_string(hostile("catalogue.csv")).expect("the catalogue");
    read_csv(&text)
}

/// The rows that take part in a run.
pub(crate) fn rows_of(run: &str) -> Vec<Row> {
    let mut rows = rows();
    rows.retain(|row| {
        row.get("run") == run || (row.get("run") == "both" && ["game", "turn"].contains(&run))
    });
    rows
}

/// Adds a program of the catalogue, in one of its modes, as a submission with the mode's name.
/// `token` is what it puts into the name of every file that it tries to make.
pub(crate) fn enter(scene: &Scene, program: &str, mode: &str, token: &str) {
    let folder = scene.submissions().join(mode);
    fs::create_dir_all(&folder).expect("a new folder");
    let bot = folder.join("bot");
    if program == "bot.py" {
        fs::copy(hostile(program), &bot).expect("a new file");
        fs::set_permissions(&bot, fs::Permissions::from_mode(0o755)).expect("ours");
    } else {
        let compiled = scene.submissions().with_file_name(program);
        if !compiled.exists() {
            compile("gcc", &hostile(program), &compiled);
        }
        fs::copy(compiled, &bot).expect("a new file");
    }
    fs::write(folder.join("mode"), mode).expect("a new file");
    fs::write(folder.join("token"), token).expect("a new file");
}

/// Compiles a program of one source.
pub(crate) fn compile(compiler: &str, source: &std::path::Path, program: &std::path::Path) {
    let run = Command::new(compiler)
        .args(["-O1", "-pthread", "-static", "-s", "-o"])
        .arg(program)
        .arg(source)
        .output()
        .unwrap_or_else(|e| panic!("cannot run {compiler}: {e}"));
    let words = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{words}");
}
