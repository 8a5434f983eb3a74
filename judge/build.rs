//! Build script: puts the version and the commit into `JUDGE_BUILD`, as in `0.2.0 (1a2b3c4d5e6f)`.

#![expect(clippy::disallowed_methods, reason = "the sources are our own")]

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

/// File that names the commit of an archive; `git archive` fills it in.
const OF_ARCHIVE: &str = "commit.txt";
/// Start of a placeholder that git has not filled in.
const NOT_FILLED_IN: &str = "$Format";
const COMMIT_DIGITS: usize = 12;

fn main() {
    let version = env::var("CARGO_PKG_VERSION").expect("cargo sets it");
    let commit = of_archive()
        .or_else(of_repository)
        .unwrap_or_else(|| "commit unknown".to_owned());
    println!("cargo:rustc-env=JUDGE_BUILD={version} ({commit})");
    println!("cargo:rerun-if-changed={OF_ARCHIVE}");
}

fn of_archive() -> Option<String> {
    let text = fs::read_to_string(OF_ARCHIVE).ok()?;
    let commit = text.trim();
    (!commit.starts_with(NOT_FILLED_IN)).then(|| commit.chars().take(COMMIT_DIGITS).collect())
}

/// Returns the commit of this git repository, marked if the sources differ from it.
fn of_repository() -> Option<String> {
    let top = Path::new("..").canonicalize().ok()?;
    // The commit of an enclosing repository would be wrong.
    let own = git(&["rev-parse", "--show-toplevel"])?;
    if Path::new(&own).canonicalize().ok()? != top {
        return None;
    }
    for name in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", name]) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    let sources = sources()?;
    for source in &sources {
        println!("cargo:rerun-if-changed={source}");
    }
    let digits = format!("--short={COMMIT_DIGITS}");
    let commit = git(&["rev-parse", &digits, "HEAD"])?;
    let mut status = vec!["status", "--porcelain", "--"];
    status.extend(sources.iter().map(String::as_str));
    let is_changed = git(&status).is_none_or(|changes| !changes.is_empty());
    Some(if is_changed {
        format!("{commit} and changes")
    } else {
        commit
    })
}

/// Lists the sources of the program, relative to this folder.
fn sources() -> Option<Vec<String>> {
    let mut sources = [
        "../Cargo.toml",
        "../Cargo.lock",
        "../engines/Cargo.toml",
        "../engines/src",
        "../protocol.md",
        "Cargo.toml",
        "src",
        "build.rs",
    ]
    .map(str::to_owned)
    .to_vec();
    for entry in fs::read_dir(".").ok()?.flatten() {
        for name in ["Cargo.toml", "src"] {
            let source = entry.path().join(name);
            if source.exists() {
                sources.push(source.to_str()?.to_owned());
            }
        }
    }
    Some(sources)
}

/// Returns the output of a git command, if git is available and succeeds.
fn git(args: &[&str]) -> Option<String> {
    // git refuses a repository of another user otherwise.
    let mut git = Command::new("git");
    let output = git.args(["-c", "safe.directory=*"]).args(args).output();
    let output = output.ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned())
}
