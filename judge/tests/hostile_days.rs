//! The judge's own bad days: whatever happens to the judge or the machine, no bot is blamed,
//! and the same command goes on from there.

mod support;

use nix::sys::signal::Signal;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use support::{Ended, LAST_LEGAL, Scene, processes, root};

const FLAGS: &[&str] = &[
    "--game",
    "catch-the-cat",
    "--side",
    "5",
    "--k",
    "0",
    "--states",
    "10",
];

/// Three bots whose games are all ended by the rules.
fn three_scripts() -> Scene {
    let scene = Scene::new();
    scene
        .first_legal("ann")
        .first_legal("bob")
        .script("zoe", LAST_LEGAL);
    scene
}

/// The same command, started by a shell after these words of its own.
fn under(words: &str, scene: &Scene, flags: &[&str]) -> Command {
    let run = scene.command(&[FLAGS, flags].concat());
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{words}; exec \"$0\" \"$@\"")]);
    shell.arg(run.get_program()).args(run.get_args());
    shell
}

fn assert_nobody_is_blamed(scene: &Scene) {
    let journal = fs::read_to_string(scene.out().join("journal.jsonl")).unwrap_or_default();
    for line in journal.lines() {
        assert!(line.contains("\"faults\":[]"), "{line}");
    }
}

/// Lets the same command end in peace, and compares with a run that had no bad day.
fn assert_it_goes_on(scene: &Scene) {
    assert_nobody_is_blamed(scene);
    scene.run(FLAGS).well();
    assert_nobody_is_blamed(scene);
    let calm = three_scripts();
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
    let scene = three_scripts();
    // 512 bytes each; a write beyond fails instead of ending the program.
    let full = under("trap '' XFSZ; ulimit -f 24", &scene, &[]).output();
    let ended = Ended::of(full.expect("it starts"));
    assert_eq!(ended.code, Some(1), "{ended:?}");
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
    let scene = three_scripts();
    fs::write(scene.out(), "a file").expect("ours");
    let inside = scene.out().join("run");
    let mut run = support::judge();
    run.args(["run", "--submissions"])
        .arg(scene.submissions())
        .arg("--out")
        .arg(&inside)
        .args(FLAGS);
    Ended::of(run.output().expect("it starts")).refused(&["out", "--out"]);
    if nix::unistd::geteuid().is_root() {
        // To whom no folder is closed.
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
    let scene = three_scripts();
    let run = scene
        .command(FLAGS)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let run = run.expect("it starts");
    scene.wait_for_lines(1);
    scene.script("ann", "#!/bin/sh\nexit 1\n");
    fs::remove_dir_all(scene.submissions().join("bob")).expect("ours");
    Ended::of(run.wait_with_output().expect("it ends")).well();
    scene.first_legal("ann").first_legal("bob");
    let again = scene.run(FLAGS).well();
    assert!(
        again.stdout.contains("60 games, 60 of them already played"),
        "{again:?}"
    );
    assert_it_goes_on(&scene);
}

#[test]
fn a_machine_that_stops_for_a_while_blames_nobody() {
    let scene = three_scripts();
    let run = scene
        .command(FLAGS)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let run = run.expect("it starts");
    for lines in [1, 20, 40] {
        scene.wait_for_lines(lines);
        let coordinator = run.id().cast_signed();
        let workers = processes::children_of(run.id());
        let bots = workers
            .iter()
            .flat_map(|pid| processes::children_of(pid.cast_unsigned()));
        let all: Vec<i32> = [coordinator]
            .into_iter()
            .chain(bots)
            .chain(workers.clone())
            .collect();
        let send = |signal| {
            for pid in &all {
                // Who has ended in the meantime needs no signal.
                let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(*pid), signal);
            }
        };
        send(Signal::SIGSTOP);
        std::thread::sleep(std::time::Duration::from_millis(500));
        send(Signal::SIGCONT);
    }
    Ended::of(run.wait_with_output().expect("it ends")).well();
    assert_it_goes_on(&scene);
}

#[test]
fn too_few_descriptors_are_told_and_cost_no_bot_anything() {
    let scene = three_scripts();
    let mut failed = 0;
    for most in [5, 8, 10, 12, 14, 17, 20, 24, 32] {
        let words = format!("ulimit -n {most}");
        let run = under(&words, &scene, &["--jobs", "4", "--states", "10"]).output();
        let ended = Ended::of(run.expect("it starts"));
        let told = matches!(ended.code, Some(1 | 2)) && !ended.stderr.is_empty();
        assert!(
            ended.code == Some(0) || told,
            "{most} descriptors: {ended:?}"
        );
        assert!(!ended.stderr.contains("panicked"), "{ended:?}");
        assert_nobody_is_blamed(&scene);
        failed += i32::from(told);
    }
    assert!(failed > 0, "so few are enough");
    assert_it_goes_on(&scene);
}

/// Runs a command as a user who may have so many processes and threads and no more.
const FEW_PROCESSES: &str = "
import os, resource, sys
user, most = int(sys.argv[1]), int(sys.argv[2])
if os.getuid() == 0:
    os.setgid(user); os.setuid(user)
resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
os.execv(sys.argv[3], sys.argv[3:])
";

/// Whom root's judge runs as: of root's own processes none is ever too many, and this user has
/// no others.
const USER: u32 = 60_123;

#[test]
fn a_judge_that_can_start_no_process_says_so_and_blames_nobody() {
    let scene = three_scripts();
    let is_root = nix::unistd::geteuid().is_root();
    let mut failed = 0;
    for most in [1, 2, 3, 4, 5, 6, 8] {
        let out = scene.folder().join(format!("few-{most}"));
        fs::create_dir(&out).expect("ours");
        fs::set_permissions(&out, fs::Permissions::from_mode(0o777)).expect("ours");
        let mut run = Command::new("/usr/bin/python3");
        run.args(["-c", FEW_PROCESSES, &USER.to_string(), &most.to_string()]);
        run.arg(env!("CARGO_BIN_EXE_judge"));
        run.args(["run", "--jobs", "2", "--submissions"])
            .arg(scene.submissions());
        run.arg("--out").arg(&out).args(FLAGS);
        let ended = Ended::of(run.output().expect("Python is installed"));
        if is_root && ended.stderr.contains("PermissionError") {
            // The repository lies where no ordinary user comes.
            return;
        }
        let told = matches!(ended.code, Some(1)) && !ended.stderr.is_empty();
        assert!(ended.code == Some(0) || told, "{most} processes: {ended:?}");
        assert!(
            !ended.stderr.contains("panicked"),
            "{most} processes: {ended:?}"
        );
        let journal = fs::read_to_string(out.join("journal.jsonl")).unwrap_or_default();
        assert!(
            journal.lines().all(|line| line.contains("\"faults\":[]")),
            "{journal}"
        );
        failed += i32::from(told);
    }
    assert!(failed > 0, "so few are enough");
    assert_it_goes_on(&scene);
}

#[test]
fn no_verdict_depends_on_the_time_of_day() {
    let mut folders = vec![root().join("judge/src"), root().join("engines/src")];
    let mut looked_at = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            // The command line notes when a submission was received.
            let is_source = path.extension().is_some_and(|extension| extension == "rs");
            if !is_source || path.starts_with(root().join("judge/src/cli")) {
                continue;
            }
            let text = fs::read_to_string(&path).expect("a source");
            for clock in ["SystemTime::now", "CLOCK_REALTIME"] {
                assert!(
                    !text.contains(clock),
                    "{} reads the time of day: {clock}",
                    path.display()
                );
            }
            looked_at += 1;
        }
    }
    assert!(looked_at > 100, "{looked_at} sources");
}
