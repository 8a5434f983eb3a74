//! Namespaces: siblings, a chroot, and programs without paths.

use crate::support::catalogue::compile;
use crate::support::skip::skipped;
use crate::support::{Run, Scene, Words, launch, program, source, without_namespaces};
use sandbox::{BotRights, Cage, Isolation, Paths};
use std::io::Read;
use std::path::Path;
use std::process::Command;

const FLAGS: &str = "--game catch-the-cat --states 2 --set side=5 --set clock.backstop_s=60 --set clock.startup_s=120 --jobs 1";

/// Returns whether namespaces can be made here; if not, reports it.
#[track_caller]
fn has_namespaces() -> bool {
    let are_used = Isolation::find().namespaces.are_used();
    if !are_used {
        skipped(
            "namespaces",
            "they cannot be made here; judge doctor says why",
        );
    }
    are_used
}

/// Starts a child of its parent. The C library has no function for that.
const SIBLING: &str = include_str!("../bots/sibling.c");

#[test]
fn bot_with_processes_starts_only_its_own_children() {
    if !has_namespaces() {
        return;
    }
    let scene = Scene::new();
    let folder = scene.submissions();
    let source = scene.write("sibling.c", SIBLING);
    let program = folder.join("sibling");
    compile("gcc", Path::new(&source), &program);
    let rights = BotRights {
        processes: true,
        paths: Paths::Guarded,
        forked: false,
    };
    let cage = Cage::for_bots(&Isolation::find(), &folder, 0, rights).expect("a cage");
    let launch = launch(&program, &[], &folder, &cage);
    let mut running = launch.start(&[]).expect("it starts");
    let (_stdin, _stdout, mut stderr) = running.take_pipes();
    let mut reported = String::new();
    stderr.read_to_string(&mut reported).expect("text");
    running.end().expect("it ends");
    assert_eq!(reported, "clone: Operation not permitted\n");
}

/// The judge in a chroot: `$1` is its root, `$2` the scene at `/here`, `$3` the program's folder.
const IN_CHROOT: &str = include_str!("../bots/in_chroot.sh");

#[test]
fn bots_in_chroot_see_only_its_root() {
    if !nix::unistd::geteuid().is_root() {
        return skipped("root", "only root can make a chroot with mounts");
    }
    if !has_namespaces() {
        return;
    }
    let scene = Scene::of(["ann", "bob"]);
    let place = tempfile::tempdir().expect("a temporary folder");
    let programs = program().parent().expect("a folder");
    let mut unshare = Command::new("unshare");
    unshare.args(["--mount", "--propagation", "private"]);
    unshare.args(["sh", "-ec", IN_CHROOT, "sh"]);
    unshare.args([place.path(), scene.folder(), programs]);
    unshare
        .args(FLAGS.words())
        .args(["--seed", "1", "--verbose"]);
    let ended = unshare.ended().well();
    ended.says(&["isolation: sealed"]);
}

#[test]
fn cpp_kit_program_plays_without_naming_any_file() {
    let mut built: Option<Scene> = None;
    for forbidden in [false, true] {
        let scene = Scene::new();
        if let Some(built) = &built {
            scene.take_programs(built);
        }
        scene.example("catch-the-cat", "drifter");
        scene.first_legal("honest");
        let cat = source("judge/tests/hostile/no_paths.h");
        scene.sources("drifter", &[("Cat.h", &cat)]);
        let flags = FLAGS.replace("--states 2", "--states 1");
        let mut run = scene.command(&flags);
        if forbidden {
            run = without_namespaces(run.arg("--weak-isolation"));
        }
        run.ended().well();
        scene.all_end_by_rules();
        let said = scene.read("logs/stderr/drifter.txt");
        let count = |word: &str| said.lines().filter(|line| line.ends_with(word)).count();
        // One line for each game as the cat.
        let games = count("open: refused");
        assert!(games > 0, "{said}");
        assert_eq!(count(": refused"), 26 * games, "{said}");
        assert_eq!(count(": works"), 11 * games, "{said}");
        assert_eq!(count(": DONE") + count(": BROKEN"), 0, "{said}");
        built = Some(scene);
    }
}
