//! Hostile submissions: they cost nobody else anything.

use crate::support::{FIRST_LEGAL, QUICK, Scene, git, write_program};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

fn repository(scene: &Scene, name: &str) -> PathBuf {
    let home = scene.folder().join(name);
    fs::create_dir(&home).expect("new");
    git(&home, &["init", "--quiet"]);
    write_program(&home.join("bot"), FIRST_LEGAL);
    git(&home, &["add", "."]);
    git(&home, &["commit", "--quiet", "-m", "a bot"]);
    home
}

#[test]
fn mutually_containing_folders_cost_bounded_memory() {
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
    scene.put("submissions.txt", "mal ../bomb\n");
    scene
        .run(QUICK)
        .well()
        .says(&["mal: does not play: cannot fetch ", "MiB of memory for it"]);
    assert_eq!(scene.ranked().len(), 2);
}
