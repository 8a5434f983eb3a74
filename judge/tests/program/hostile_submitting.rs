//! Hostile authors, whose weapon is what they submit: nobody else waits for it or loses by it.

use crate::support::{Ended, FIRST_LEGAL, QUICK, Scene, git, judge, write_program};
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Makes a repository with a bot in it beside the submissions.
fn repository(scene: &Scene, name: &str) -> PathBuf {
    let home = scene.folder().join(name);
    fs::create_dir(&home).expect("new");
    git(&home, &["init", "--quiet"]);
    write_program(&home.join("bot"), FIRST_LEGAL);
    git(&home, &["add", "."]);
    git(&home, &["commit", "--quiet", "-m", "a bot"]);
    home
}

/// Makes a file of a length that takes no room on the disk.
fn sparse(path: &Path, bytes: u64) {
    let file = File::create(path).expect("ours");
    file.set_len(bytes).expect("it has no content");
}

#[test]
fn long_files_in_a_git_folder_are_not_read() {
    let scene = Scene::new();
    scene.first_legal("ann").first_legal("bob");
    let homes = ["branches", "packed", "index"].map(|name| repository(&scene, name));
    for number in 0..2_000 {
        let branch = format!(".git/refs/heads/b{number}");
        sparse(&homes[0].join(branch), 1 << 30);
    }
    sparse(&homes[1].join(".git/packed-refs"), 1 << 40);
    // Honest: it grows with the working folder, and nothing here reads it.
    sparse(&homes[2].join(".git/index"), 1 << 30);
    let list = "eve ../branches\nmal ../packed\nian ../index\n";
    scene.file("submissions.txt", list, 0o644);
    scene.run(QUICK).well().says(&[
        "eve: does not play: judge error: line 1 of submissions.txt: ",
        "branches/.git/refs/heads/b0 is too long for git to read",
        "packed/.git/packed-refs is too long for git to read",
    ]);
    assert_eq!(scene.ranked().len(), 3, "ian plays");
}

#[test]
fn folders_that_contain_each_other_many_times_cost_bounded_memory() {
    // Ten million files in eight trees and commits.
    const SCRIPT: &str = "tree=$(git rev-parse 'HEAD^{tree}')
        for level in 1 2 3 4 5 6 7; do
            tree=$(for n in 0 1 2 3 4 5 6 7 8 9; do printf '040000 tree %s\\td%s\\n' $tree $n; done | git mktree)
        done
        echo $tree";
    let scene = Scene::new();
    scene.first_legal("ann").first_legal("bob");
    let home = repository(&scene, "bomb");
    let made = Command::new("sh")
        .args(["-ec", SCRIPT])
        .current_dir(&home)
        .output();
    let tree = String::from_utf8(made.expect("it starts").stdout).expect("a hash");
    let commit = git(&home, &["commit-tree", tree.trim(), "-m", "a bomb"]);
    git(&home, &["reset", "--quiet", "--soft", commit.trim()]);
    scene.file("submissions.txt", "mal ../bomb\n", 0o644);
    scene
        .run(QUICK)
        .well()
        .says(&["mal: does not play: cannot fetch ", "MiB of memory for it"]);
    assert_eq!(scene.ranked().len(), 2);
}

#[test]
fn gits_messages_quote_nobody_elses_file() {
    let scene = Scene::new();
    let home = repository(&scene, "home");
    let secret = scene.folder().join("secret");
    fs::write(&secret, "a secret line\n").expect("ours");
    for name in ["packed-refs", "shallow", "info/grafts", "config.worktree"] {
        let link = home.join(".git").join(name);
        fs::create_dir_all(link.parent().expect("a folder")).expect("ours");
        symlink(&secret, &link).expect("ours");
        let mut play = judge();
        play.args(["play", "--game", "catch-the-cat", "--seed", "1"]);
        play.arg(format!("{}@v1", home.display()))
            .arg("builtin:random");
        let ended = Ended::of(play.output().expect("it starts"));
        assert!(!ended.stderr.contains("a secret line"), "{ended:?}");
        ended.refused(&[
            "cannot read the submission",
            name,
            "is a link, and may lead anywhere",
        ]);
        fs::remove_file(link).expect("ours");
    }
}
