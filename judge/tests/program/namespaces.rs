//! Information that the system gives bots about others and about earlier turns, with namespaces and
//! without.

use crate::support::catalogue::compile;
use crate::support::outside::Outside;
use crate::support::skip::skipped;
use crate::support::{Ended, Scene, program, root, without_namespaces};
use sandbox::{BotRights, Cage, Isolation, Launch, Limits, Paths};
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

const FLAGS: &[&str] = &[
    "--game",
    "catch-the-cat",
    "--states",
    "2",
    "--set",
    "side=5",
    "--backstop-s",
    "60",
    "--startup-s",
    "120",
    "--jobs",
    "1",
];

/// Reports its findings on standard error, then plays.
const LOOKER: &str = r#"#!/usr/bin/python3
import json, os, sys, threading, time
def tell(*words): print(*words, file=sys.stderr)
def reads_clock(pid):
    try: time.clock_gettime(~pid << 3 | 2); return True
    except OSError: return False
tell("pid", os.getpid())
tell("others", os.path.exists("/proc/OTHER"))
tell("secret", os.path.exists("SECRET"))
tell("closed", os.path.exists("CLOSED"))
tell("home", os.path.exists("/root") or os.path.exists("/home"))
tell("clock", any(reads_clock(pid) for pid in range(1, 40000) if pid != os.getpid()))
tell("own clock", reads_clock(os.getpid()) and time.process_time() > 0)
tell("network", os.path.exists("/sys/class/net"))
tell("files", all(os.path.exists(path) for path in [sys.executable, "/bin/sh", "/dev/null", "/dev/urandom", "/proc/self/fd/0", __file__]))
for _ in range(3):
    thread = threading.Thread(target=lambda: None)
    thread.start(); thread.join()
for line in sys.stdin:
    message = json.loads(line)
    if "turn" in message:
        print(json.dumps({"move": message["turn"]["legal"][0]}), flush=True)
    elif "end" not in message:
        print(json.dumps({"ready": {"legal_moves": True}}), flush=True)
"#;

/// Plays a bot that looks around. Returns the scene and its findings in each game, with their
/// subjects.
fn looked(forbidden: bool) -> (Scene, Vec<(String, String)>) {
    let (scene, outside) = (Scene::new(), Outside::new());
    let closed = scene.folder().join("closed");
    fs::create_dir(&closed).expect("a new folder");
    fs::write(closed.join("file"), "").expect("a new file");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).expect("ours");
    let script = LOOKER
        .replace("OTHER", &std::process::id().to_string())
        .replace("SECRET", &outside.secret().display().to_string())
        .replace("CLOSED", &closed.join("file").display().to_string());
    scene.script("looker", &script).first_legal("other");
    let run = scene.command(&[FLAGS, &["--verbose"]].concat());
    let mut run = if forbidden {
        without_namespaces(&run)
    } else {
        run
    };
    let ended = Ended::of(run.output().expect("it starts")).well();
    let line = if forbidden {
        "no namespaces (cannot make namespaces: Operation not permitted)"
    } else {
        "namespaces hide files and processes"
    };
    assert!(ended.stdout.contains(line), "{ended:?}");
    for game in scene.rows("games.csv") {
        assert_eq!(game.get("end"), "rules", "{game:?}");
    }
    let told = scene.read("logs/stderr/looker.txt");
    let told = told.lines().filter_map(|line| line.rsplit_once(' '));
    let told = told.map(|(about, found)| (about.to_owned(), found.to_owned()));
    (scene, told.collect())
}

/// Returns the different answers about a subject.
fn answers<'a>(told: &'a [(String, String)], about: &str) -> Vec<&'a str> {
    let of = told.iter().filter(|(name, _)| name == about);
    let mut found: Vec<&str> = of.map(|(_, found)| found.as_str()).collect();
    assert!(found.len() >= 4, "{about}: {told:?}");
    found.sort_unstable();
    found.dedup();
    found
}

#[test]
fn with_namespaces_a_bot_sees_nobody_and_always_the_same_number() {
    if !Isolation::find().namespaces.are_used() {
        return skipped(
            "namespaces",
            "they cannot be made here; judge doctor says why",
        );
    }
    let (scene, told) = looked(false);
    // Process 1 is the namespace's own, and process 2 is the warm cage.
    for (about, expected) in [
        ("pid", "3"),
        ("others", "False"),
        ("secret", "False"),
        ("closed", "False"),
        ("home", "False"),
        ("network", "False"),
        ("clock", "False"),
        ("own clock", "True"),
        ("files", "True"),
    ] {
        assert_eq!(answers(&told, about), [expected], "{about}: {told:?}");
    }
    assert!(scene.read("run.json").contains("\"namespaces\": true"));
}

/// Starts a child of its parent, which takes a call by number: the C library has no function for
/// it.
const SIBLING: &str = r#"
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void) {
    long child = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    if (child < 0) perror("clone");
    child = fork();
    if (child == 0) _exit(0);
    if (child < 0) perror("fork");
    return 0;
}
"#;

#[test]
fn a_bot_with_processes_starts_children_of_its_own_and_none_of_the_judges() {
    let isolation = Isolation::find();
    if !isolation.namespaces.are_used() {
        return skipped(
            "namespaces",
            "they cannot be made here; judge doctor says why",
        );
    }
    let scene = Scene::new();
    let folder = scene.submissions();
    let (source, program) = (folder.join("sibling.c"), folder.join("sibling"));
    fs::write(&source, SIBLING).expect("a new file");
    compile("gcc", &source, &program);
    let rights = BotRights {
        processes: true,
        paths: Paths::Guarded,
        forked: false,
    };
    let cage = Cage::for_bots(&isolation, &folder, 0, rights).expect("a cage");
    let launch = Launch {
        program: &program,
        args: &[],
        directory: &folder,
        forks: false,
        limits: Limits::BOT,
        cage: &cage,
        group: None,
        tells: None,
    };
    let mut running = launch.start(&[]).expect("it starts");
    let (_stdin, _stdout, mut stderr) = running.take_pipes();
    let mut told = String::new();
    stderr.read_to_string(&mut told).expect("text");
    running.end().expect("it ends");
    assert_eq!(told, "clone: Operation not permitted\n");
}

#[test]
fn without_namespaces_everything_goes_on_and_what_bots_can_learn_is_told() {
    let (scene, told) = looked(true);
    assert!(answers(&told, "pid").len() > 1, "{told:?}");
    assert_eq!(answers(&told, "others"), ["True"]);
    assert_eq!(answers(&told, "secret"), ["True"]);
    assert_eq!(answers(&told, "clock"), ["False"]);
    assert_eq!(answers(&told, "own clock"), ["True"]);
    assert_eq!(answers(&told, "files"), ["True"]);
    assert!(scene.read("run.json").contains("\"namespaces\": false"));
}

/// Makes a root in the folder `$1`, with the system's folders, the scene `$2` as `/here`, and the
/// program's folder `$3`; runs the judge there. The mounts end with the judge.
const IN_CHROOT: &str = r#"
root=$1
mount -t tmpfs tmpfs "$root"
for folder in /bin /etc /lib /lib64 /usr /proc /dev /sys; do
  if [ -L "$folder" ]; then
    cp -P "$folder" "$root$folder"
  elif [ -d "$folder" ]; then
    mkdir "$root$folder" && mount --rbind "$folder" "$root$folder"
  fi
done
mkdir -m 1777 "$root/tmp"
mkdir "$root/here" && mount --bind "$2" "$root/here"
mkdir "$root/program" && mount --bind "$3" "$root/program"
shift 3
exec chroot "$root" /program/judge run --submissions /here/submissions --out /here/out "$@"
"#;

#[test]
fn in_a_chroot_bots_are_shown_its_root_and_not_the_one_around_it() {
    if !nix::unistd::geteuid().is_root() {
        skipped("root", "only root can make a chroot with mounts");
        return;
    }
    if !Isolation::find().namespaces.are_used() {
        skipped("namespaces", "namespaces cannot be made here");
        return;
    }
    let scene = Scene::new();
    scene.first_legal("ann").first_legal("bob");
    let place = tempfile::tempdir().expect("a temporary folder");
    let programs = program().parent().expect("a folder");
    let mut command = Command::new("unshare");
    command.args([
        "--mount",
        "--propagation",
        "private",
        "sh",
        "-ec",
        IN_CHROOT,
        "sh",
    ]);
    command
        .args([place.path(), scene.folder(), programs])
        .args(FLAGS)
        .args(["--seed", "1", "--verbose"]);
    let ended = Ended::of(command.output().expect("it starts")).well();
    ended.says(&["namespaces hide files and processes"]);
    assert!(scene.read("run.json").contains("\"namespaces\": true"));
}

#[test]
fn a_program_of_the_cpp_kit_names_no_file_and_has_all_that_honest_programs_need() {
    let mut built: Option<Scene> = None;
    for forbidden in [false, true] {
        let scene = Scene::new();
        if let Some(built) = &built {
            scene.take_programs(built);
        }
        scene
            .example("catch-the-cat", "drifter")
            .example("catch-the-cat", "pathfinder");
        let cat = root().join("judge/tests/hostile/no_paths.h");
        let cat = fs::read_to_string(cat).expect("it is there");
        scene.sources("drifter", &[("Cat.h", &cat)]);
        let flags = [&["--game", "catch-the-cat", "--states", "1"], &FLAGS[4..]].concat();
        let run = scene.command(&flags);
        let mut run = if forbidden {
            without_namespaces(&run)
        } else {
            run
        };
        Ended::of(run.output().expect("it starts")).well();
        for game in scene.rows("games.csv") {
            assert_eq!(game.get("end"), "rules", "{game:?}");
        }
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
