//! The catalogue of hostile and unlucky programs: `hostile/catalogue.csv` as rows, and its
//! programs as submissions.
//!
//! A row belongs to a `section` and has the words of the catalogue (`row`). Its evidence is one of
//! three:
//! - a `program` in a `mode`, in the `run` with the settings for it; its games must have the `end`
//!   (`|` separates allowed ones) and words of the fault's `detail`
//! - a `test` of its own, as `module::function`
//! - where neither is possible, a `note` with the reason
//!
//! `alone` is empty if the attempt succeeds where nobody is shut in, `root` if it does so for root,
//! and else the reason why that is not tried.
//!
//! The columns of [`LEVELS`] give the outcome of the attempt at that level of isolation. `closed`: it is
//! refused, or has no effect. `bounded`: it costs its author or the machine no more than the
//! verdict or the note says. `told`: something remains, which the note names.

use super::{Row, Run, Scene, copy_program, read_csv, root};
use model::artifact::IsolationLevel;
use model::draw::hash;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn hostile(name: &str) -> PathBuf {
    root().join("judge/tests/hostile").join(name)
}

pub(crate) const LEVELS: [IsolationLevel; 2] = [IsolationLevel::Sealed, IsolationLevel::Weak];

/// Returns what the table claims for this level, by mode of a program.
pub(crate) fn claims(program: &str, level: IsolationLevel) -> BTreeMap<String, String> {
    let rows = rows().into_iter();
    let own = rows.filter(|row| row.get("program") == program);
    let claims = own.map(|row| ["mode", level.name()].map(|column| row.get(column).to_owned()));
    claims.map(|[mode, claim]| (mode, claim)).collect()
}

pub(crate) fn rows() -> Vec<Row> {
    let text = fs::read_to_string(hostile("catalogue.csv")).expect("the catalogue");
    read_csv(&text)
}

pub(crate) fn rows_of(run: &str) -> Vec<Row> {
    let mut rows = rows();
    rows.retain(|row| {
        row.get("run") == run || (row.get("run") == "both" && ["game", "turn"].contains(&run))
    });
    rows
}

/// `token` becomes part of the name of every file that the program tries to make.
pub(crate) fn enter(scene: &Scene, program: &str, mode: &str, token: &str) {
    scene.sources(mode, &[("mode", mode), ("token", token)]);
    if program == "bot.py" {
        scene.script(
            mode,
            &fs::read_to_string(hostile(program)).expect("readable"),
        );
        return;
    }
    let compiled = scene.folder().join(program);
    if !compiled.exists() {
        compile("gcc", &hostile(program), &compiled);
    }
    fs::copy(compiled, scene.submissions().join(mode).join("bot")).expect("a new file");
}

const FLAGS: &[&str] = &["-O1", "-pthread", "-static", "-s", "-o"];

/// All tests that compile the same text share the result. The source has no header of its own.
pub(crate) fn compile(compiler: &str, source: &Path, program: &Path) {
    let text = fs::read(source).expect("readable");
    let flags = FLAGS.iter().map(|flag| flag.as_bytes());
    let parts: Vec<&[u8]> = flags.chain([compiler.as_bytes(), &text]).collect();
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(hash(&parts));
    // Another user's tests may not write there.
    let Ok(lock) = File::create(kept.with_extension("lock")) else {
        return compile_anew(compiler, source, program);
    };
    lock.lock().expect("the file system has locks");
    if !kept.exists() {
        let fresh = kept.with_extension("new");
        compile_anew(compiler, source, &fresh);
        fs::rename(&fresh, &kept).expect("writable");
    }
    copy_program(&kept, program);
}

fn compile_anew(compiler: &str, source: &Path, program: &Path) {
    let mut compile = Command::new(compiler);
    compile.args(FLAGS).arg(program).arg(source).ended().well();
}
