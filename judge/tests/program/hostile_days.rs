//! Failures of the judge itself. Whatever happens to the judge or the machine, no bot is blamed,
//! and the same command continues the run.

use crate::support::skip::skipped;
use crate::support::{Run, Scene, Wait, Words, files_below, game_lines, processes, program};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};
use std::fs;
use std::os::fd::AsFd;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

const FLAGS: &str = "--game catch-the-cat --set side=5 --points-per-cpu-second 0 --states 5";

/// Returns the same command, started by a shell after other commands.
fn under(words: &str, scene: &Scene, flags: &str) -> Command {
    let run = scene.command(&format!("{FLAGS} {flags}"));
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{words}; exec \"$0\" \"$@\"")]);
    shell.arg(run.get_program()).args(run.get_args());
    shell
}

fn assert_nobody_is_blamed(scene: &Scene) {
    let journal = fs::read_to_string(scene.out().join("journal.jsonl")).unwrap_or_default();
    for line in game_lines(&journal) {
        assert!(line.contains("\"faults\":[]"), "{line}");
    }
}

/// Lets the same command finish undisturbed, and compares with a run without failures.
fn assert_it_goes_on(scene: &Scene) {
    assert_nobody_is_blamed(scene);
    scene.run(FLAGS).well();
    assert_nobody_is_blamed(scene);
    let calm = Scene::of_three_scripts();
    calm.run(FLAGS).well();
    for file in ["games.csv", "standings.csv"] {
        assert_eq!(scene.timeless(file), calm.timeless(file), "{file}");
    }
    assert_eq!(
        processes::with(&scene.name()),
        [0_i32; 0],
        "somebody runs on"
    );
}

#[test]
fn a_journal_that_cannot_grow_any_more_stays_whole_and_says_so() {
    let scene = Scene::of_three_scripts();
    // 512 bytes each; a write beyond fails instead of ending the program.
    let ended = under("trap '' XFSZ; ulimit -f 24", &scene, "")
        .ended()
        .exits(1);
    assert!(ended.stderr.contains("journal.jsonl"), "{ended:?}");
    let journal = scene.read("journal.jsonl");
    assert!(
        journal.ends_with('\n') && journal.lines().count() > 3,
        "{journal}"
    );
    assert_it_goes_on(&scene);
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let scene = Scene::of_three_scripts();
    fs::write(scene.out(), "a file").expect("ours");
    let inside = scene.out().join("run");
    let mut run = crate::support::judge();
    run.args(["run", "--submissions"])
        .arg(scene.submissions())
        .arg("--out")
        .arg(&inside)
        .args(FLAGS.words());
    run.ended().refused(&["out", "--out"]);
    if nix::unistd::geteuid().is_root() {
        skipped("ordinary-user", "to root no folder is closed");
        return;
    }
    fs::remove_file(scene.out()).expect("ours");
    fs::create_dir(scene.out()).expect("ours");
    let set =
        |mode| fs::set_permissions(scene.out(), fs::Permissions::from_mode(mode)).expect("ours");
    set(0o555);
    let ended = scene.run(FLAGS);
    assert_ne!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stderr.contains("Permission denied"), "{ended:?}");
    set(0o755);
    assert_it_goes_on(&scene);
}

#[test]
fn a_submission_that_changes_while_the_games_are_played_changes_nothing() {
    let scene = Scene::of_three_scripts();
    let run = scene
        .command(FLAGS)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let run = run.expect("it starts");
    scene.wait_for_lines(1);
    scene.script("ann", "#!/bin/sh\nexit 1\n");
    fs::remove_dir_all(scene.submissions().join("bob")).expect("ours");
    run.ended().well();
    scene.first_legal("ann").first_legal("bob");
    let again = scene.run(FLAGS).well();
    again.says(&["30 games, 30 of them already played"]);
    assert_it_goes_on(&scene);
}

#[test]
fn too_few_descriptors_are_told_and_cost_no_bot_anything() {
    let scene = Scene::of_three_scripts();
    let mut failed = 0;
    for most in [5, 8, 10, 12, 14, 17, 20, 24, 32] {
        let words = format!("ulimit -n {most}");
        let ended = under(&words, &scene, "--jobs 4").ended();
        let told = matches!(ended.code, Some(1 | 2)) && !ended.stderr.is_empty();
        assert!(
            ended.code == Some(0) || told,
            "{most} descriptors: {ended:?}"
        );
        for words in ["panicked", "Usage: "] {
            assert!(!ended.stderr.contains(words), "{ended:?}");
        }
        assert_nobody_is_blamed(&scene);
        failed += i32::from(told);
    }
    assert!(failed > 0, "so few are enough");
    assert_it_goes_on(&scene);
}

/// Runs a command as a user with a limit on processes and threads.
const FEW_PROCESSES: &str = "
import os, resource, sys
user, most = int(sys.argv[1]), int(sys.argv[2])
if os.getuid() == 0:
    os.setgid(user); os.setuid(user)
resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
os.execv(sys.argv[3], sys.argv[3:])
";

/// The user of root's judge. Root itself has no limit on processes, and this user has no others.
const USER: u32 = 60_123;

#[test]
fn a_judge_that_can_start_no_process_says_so_and_blames_nobody() {
    let scene = Scene::of_three_scripts();
    let is_root = nix::unistd::geteuid().is_root();
    let mut failed = 0;
    for most in [1, 2, 3, 4, 5, 6, 8] {
        let out = scene.folder().join(format!("few-{most}"));
        fs::create_dir(&out).expect("ours");
        fs::set_permissions(&out, fs::Permissions::from_mode(0o777)).expect("ours");
        let mut run = Command::new("/usr/bin/python3");
        run.args(["-c", FEW_PROCESSES, &USER.to_string(), &most.to_string()]);
        run.arg(program());
        run.args(["run", "--jobs", "2", "--submissions"])
            .arg(scene.submissions());
        run.arg("--out").arg(&out).args(FLAGS.words());
        let ended = run.ended();
        if is_root && ended.stderr.contains("PermissionError") {
            skipped(
                "reachable",
                "ordinary users cannot reach the program where it lies",
            );
            return;
        }
        let told = matches!(ended.code, Some(1 | 2)) && !ended.stderr.is_empty();
        assert!(ended.code == Some(0) || told, "{most} processes: {ended:?}");
        assert!(
            !ended.stderr.contains("panicked"),
            "{most} processes: {ended:?}"
        );
        let journal = fs::read_to_string(out.join("journal.jsonl")).unwrap_or_default();
        assert!(
            game_lines(&journal).all(|line| line.contains("\"faults\":[]")),
            "{journal}"
        );
        failed += i32::from(told);
    }
    assert!(failed > 0, "so few are enough");
    assert_it_goes_on(&scene);
}

/// A time of day that begins in 2001; each look sets it back by a day.
const SET_BACK: &str = r"
#define _GNU_SOURCE
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static long now(void) {
    static atomic_long looks;
    return 1000000000 - 86400 * ++looks;
}
int clock_gettime(clockid_t id, struct timespec *time) {
    long result = syscall(SYS_clock_gettime, id, time);
    if (id == CLOCK_REALTIME) time->tv_sec = now();
    return result;
}
int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    *time = (struct timeval){.tv_sec = now()};
    return 0;
}
time_t time(time_t *time) {
    time_t seconds = now();
    if (time) *time = seconds;
    return seconds;
}
";

#[test]
fn a_clock_that_is_set_back_changes_no_verdict() {
    let scene = Scene::of_three_scripts();
    let library = scene.folder().join("clock.so");
    let source = scene.folder().join("clock.c");
    fs::write(&source, SET_BACK).expect("ours");
    let ended = Command::new("gcc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .ended();
    ended.well();
    let mut run = scene.command(FLAGS);
    run.env("LD_PRELOAD", &library);
    run.ended().well();
    let received = scene.rows("submissions.csv");
    let received = received[0].get("received");
    assert!(received.starts_with("2001-"), "it looked at {received}");
    assert_it_goes_on(&scene);
}

/// Swaps a folder of a submission for a link, and back, each time the judge opens one of the
/// watched files. Returns the number of swaps at the end.
fn swap_while_read(
    watched: &[PathBuf],
    (folder, link): (&Path, &Path),
    is_over: &AtomicBool,
) -> usize {
    let inotify = Inotify::init(InitFlags::IN_NONBLOCK).expect("the kernel has it");
    for file in watched {
        let added = inotify.add_watch(file, AddWatchFlags::IN_OPEN);
        added.expect("it is there");
    }
    let mut swaps = 0;
    while !is_over.load(Ordering::Relaxed) {
        let mut waiting = [PollFd::new(inotify.as_fd(), PollFlags::POLLIN)];
        poll(&mut waiting, PollTimeout::from(50_u8)).expect("it can be waited for");
        if inotify.read_events().is_ok() {
            system::files::exchange(folder, link).expect("both are there");
            swaps += 1;
        }
    }
    swaps
}

#[test]
fn a_folder_that_is_swapped_for_a_link_while_a_class_is_read_brings_nothing_of_others() {
    const SECRET: &str = "what only staff may read";
    let scene = Scene::of_three_scripts();
    let own = scene.submissions().join("zoe");
    let at = |name: &str| scene.folder().join(name);
    fs::create_dir(at("staff")).expect("new");
    fs::write(at("staff/x"), SECRET).expect("new");
    fs::create_dir(own.join("d")).expect("new");
    fs::write(own.join("d/x"), "own").expect("new");
    symlink(at("staff"), at("link")).expect("new");
    // The judge may read them in any order. One comes before the folder, and takes long.
    for name in ["a", "b", "c", "e"] {
        fs::write(own.join(name), name).expect("new");
    }
    let first = fs::read_dir(&own).expect("there").flatten();
    let mut first = first.map(|entry| entry.path());
    let is_before = |path: &PathBuf| path.is_file() && !path.ends_with("bot");
    let first = first.find(is_before).expect("there");
    fs::write(&first, vec![b'x'; 40 << 20]).expect("ours");
    let watched = [first];
    let is_over = AtomicBool::new(false);
    let swaps = thread::scope(|scope| {
        let (folder, link) = (own.join("d"), at("link"));
        let (watched, is_over) = (&watched, &is_over);
        let swapping = scope.spawn(move || swap_while_read(watched, (&folder, &link), is_over));
        for _ in 0..2 {
            let flags = "--game catch-the-cat --set side=5 --states 1";
            scene.run(&flags);
        }
        is_over.store(true, Ordering::Relaxed);
        swapping.join().expect("it ends")
    });
    assert!(swaps > 0, "nothing was swapped");
    for path in files_below(&scene.out()) {
        let text = fs::read(&path).unwrap_or_default();
        let is_in = text.windows(SECRET.len()).any(|it| it == SECRET.as_bytes());
        assert!(!is_in, "{}", path.display());
    }
}
