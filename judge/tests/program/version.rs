//! The build that a program names.

use crate::support::{Scene, git, root};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Returns the findings of `build.rs` in a folder of its own, which is `top`/judge.
fn found_out(script: &Path, top: &Path) -> String {
    let mut command = Command::new(script);
    command.env("CARGO_PKG_VERSION", "1.2.3");
    let output = command.current_dir(top.join("judge")).output();
    let output = output.expect("it starts");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("it is text");
    let mut lines = text.lines();
    let name = lines.find_map(|line| line.strip_prefix("cargo:rustc-env=JUDGE_BUILD="));
    name.expect("it says so").to_owned()
}

#[test]
fn build_names_commit_only_in_clone_or_archive() {
    let scene = Scene::new();
    let folder = scene.folder();
    let script = folder.join("script");
    let mut rustc = Command::new("rustc");
    rustc.args(["--edition", "2024", "-o"]).arg(&script);
    let status = rustc.arg(root().join("judge/build.rs")).status();
    let status = status.expect("cargo runs the tests, so rustc is there");
    assert!(status.success());
    let top = folder.join("clone");
    fs::create_dir_all(top.join("judge/src")).expect("a new folder");
    for name in ["judge/commit.txt", "judge/.gitattributes"] {
        fs::copy(root().join(name), top.join(name)).expect("a copy");
    }
    assert_eq!(found_out(&script, &top), "1.2.3 (commit unknown)");
    git(&top, &["init", "--quiet"]);
    git(&top, &["add", "."]);
    git(&top, &["commit", "--quiet", "-m", "All"]);
    let commit = git(&top, &["rev-parse", "HEAD"]);
    let digits = commit.get(..12).expect("a hash");
    assert_eq!(found_out(&script, &top), format!("1.2.3 ({digits})"));
    git(&top, &["archive", "--output", "../archive.tar", "HEAD"]);
    let archive = folder.join("archive");
    fs::create_dir(&archive).expect("a new folder");
    let mut tar = Command::new("tar");
    tar.args(["-xf", "../archive.tar"]).current_dir(&archive);
    assert!(tar.status().expect("it starts").success());
    git(folder, &["init", "--quiet"]);
    let other = ["commit", "--quiet", "--allow-empty", "-m", "Other"];
    git(folder, &other);
    assert_eq!(found_out(&script, &archive), format!("1.2.3 ({digits})"));
    fs::write(top.join("judge/src/main.rs"), "").expect("writable");
    let changed = format!("1.2.3 ({digits} and changes)");
    assert_eq!(found_out(&script, &top), changed);
    // A folder without a repository must not take the commit of an enclosing one.
    fs::remove_dir_all(top.join(".git")).expect("writable");
    assert_eq!(found_out(&script, &top), "1.2.3 (commit unknown)");
}
