//! Bots that may start processes. However these hide, they are charged, bounded and ended with
//! their bot.

use crate::support::groups::{charges, groups_of, has_groups, owner, pid_namespace};
use crate::support::skip::skipped;
use crate::support::{Ended, Has, Run, Scene, Words, copy_program, eventually};
use sandbox::Isolation;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Flags of the runs; the first two name the game.
const FLAGS: &str = "--game catch-the-cat --states 1 --set side=5 --set clock.backstop_s=60 --set clock.startup_s=120 --set clock.idle_s=60 --set bots.processes=true --verbose";

/// Start of each Python bot. `serve` plays the first legal moves and calls `act` in every turn
/// before the answer; `burn` uses CPU time in the bot's own process.
const PYTHON: &str = include_str!("../bots/serving.py");

/// Returns a word on the command lines of all processes of a scene's bots.
fn mark(scene: &Scene) -> String {
    let folder = scene.submissions();
    let name = folder
        .parent()
        .and_then(Path::file_name)
        .expect("it has one");
    format!("judge-groups-{}", name.display())
}

fn python(scene: &Scene, name: &str, program: &str) {
    let mark = mark(scene);
    let begin = PYTHON.replace("judge-groups-%MARK%", &mark);
    scene.script(name, &format!("{begin}{program}\n"));
}

fn processes(word: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").expect("/proc").flatten();
    let lines = entries.filter_map(|entry| {
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains(word).then_some(line)
    });
    lines.collect()
}

fn finish(mut child: Child) -> (u32, Ended) {
    let pid = child.id();
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let pipes = (child.stdout.take(), child.stderr.take());
    let (mut out, mut err) = (pipes.0.expect("piped"), pipes.1.expect("piped"));
    out.read_to_end(&mut stdout).expect("readable");
    err.read_to_end(&mut stderr).expect("readable");
    let status = child.wait().expect("a running child");
    let output = std::process::Output {
        status,
        stdout,
        stderr,
    };
    (pid, Ended::of(output))
}

fn start(scene: &Scene, flags: &(impl Words + ?Sized)) -> Child {
    let mut command = scene.command(flags);
    command.piped()
}

/// Children that use 60 ms in every turn, each hiding in another way.
const HIDERS: &[(&str, &str)] = &[
    (
        "waited-for",
        "def act():\n  pid = os.fork()\n  if pid == 0: burn(0.06); os._exit(0)\n  os.waitpid(pid, 0)",
    ),
    (
        "ignored",
        "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n\
         def act():\n  r, w = os.pipe()\n  if os.fork() == 0: burn(0.06); os._exit(0)\n  os.close(w); os.read(r, 1); os.close(r)",
    ),
    (
        "daemon",
        "def act():\n  r, w = os.pipe()\n  if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n      burn(0.06)\n      os.write(w, b'.')\n      os.close(0); os.close(1)\n      os.execvp('sleep', ['sleep', '1000', ])\n    os._exit(0)\n  os.wait(); os.read(r, 1); os.close(r); os.close(w)",
    ),
    (
        "executed",
        "def act(): subprocess.run(['python3', '-c', 'import time\\nwhile time.process_time() < 0.06: pass', MARK], start_new_session=True)",
    ),
];

const HIDDEN_US: u64 = 60_000;

#[test]
fn hidden_childrens_cpu_time_is_charged_to_turn() {
    if !has_groups() {
        return;
    }
    let scene = Scene::new();
    scene.first_legal("zoe");
    for (name, act) in HIDERS {
        python(&scene, name, &format!("{act}\nserve(act)"));
    }
    let gauntlet =
        "game = \"catch-the-cat\"\n[schedule]\nkind = \"gauntlet\"\nagainst = [\"zoe\"]\n";
    scene.put("competition.toml", gauntlet);
    let (_, ended) = finish(start(
        &scene,
        FLAGS.trim_start_matches("--game catch-the-cat"),
    ));
    let ended = ended.well();
    assert!(ended.stdout.contains("all charged by"), "{ended:?}");
    scene.all_end_by_rules();
    for (name, _) in HIDERS {
        let charges = charges(&scene, name);
        assert!(charges.len() >= 8, "{name}: {charges:?}");
        for charge in charges {
            assert!(charge >= HIDDEN_US, "{name} was charged {charge} µs");
            // Some of them include Python's own start.
            assert!(charge < 20 * HIDDEN_US, "{name} was charged {charge} µs");
        }
    }
    let run = scene.read("run.json");
    run.has(&["\"counter\"", "\"processes\": true"]);
}

/// Leaves one daemon a game, and continues when the daemon runs.
const DAEMON: &str = "started = []
def act():
  if started: return
  started.append(1)
  r, w = os.pipe(); os.set_inheritable(w, True)
  if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: os.execvp('python3', ['python3', '-c', 'import os, sys, time; os.write(int(sys.argv[2]), b\"x\"); time.sleep(1000)', MARK, str(w)])
    os._exit(0)
  os.wait(); os.read(r, 1); os.close(r); os.close(w)
serve(act)";

#[test]
fn nothing_that_a_bot_started_outlives_the_run() {
    if !has_groups() {
        return;
    }
    let scene = Scene::new();
    scene.first_legal("ann");
    python(&scene, "daemon", DAEMON);
    for lifetime in ["game", "match", "turn"] {
        let (pid, ended) = finish(start(&scene, &format!("{FLAGS} --lifetime {lifetime}")));
        ended.well();
        scene.all_end_by_rules();
        assert_eq!(processes(&mark(&scene)), Vec::<String>::new());
        assert_eq!(groups_of(pid), Vec::<PathBuf>::new());
        fs::remove_dir_all(scene.out()).expect("writable");
    }
}

fn kill(pid: i32) {
    use nix::sys::signal::{Signal, kill};
    kill(nix::unistd::Pid::from_raw(pid), Signal::SIGKILL).expect("it runs");
}

#[test]
fn when_the_coordinator_is_killed_everything_ends() {
    if !has_groups() {
        return;
    }
    let scene = Scene::new();
    scene.first_legal("ann");
    let wait = DAEMON.replace("os.close(w)\n", "time.sleep(1000)\n");
    python(&scene, "daemon", &wait);
    let child = start(&scene, &format!("{FLAGS} --jobs 1"));
    eventually("the daemon starts", || !processes(&mark(&scene)).is_empty());
    let pid = child.id();
    assert!(!groups_of(pid).is_empty());
    kill(pid.cast_signed());
    finish(child);
    eventually("the daemon ends", || processes(&mark(&scene)).is_empty());
    Isolation::find().groups.expect("it has groups").sweep();
    assert_eq!(groups_of(pid), Vec::<PathBuf>::new());
}

#[test]
fn groups_of_killed_judge_are_removed_living_kept() {
    if !has_groups() {
        return;
    }
    let groups = Isolation::find().groups.expect("it has groups");
    let folder = &groups.folders[0];
    // No process has had the first number since the machine began; ours has it now.
    let namespace = pid_namespace();
    let dead = folder.join(format!("judge-1-7-{namespace}"));
    let living = folder.join(format!("{}-test", owner(std::process::id())));
    let elsewhere = folder.join(format!("judge-1-7-{}", namespace + 1));
    for group in [&dead, &living, &elsewhere] {
        fs::create_dir_all(group.join("1-0")).expect("a new group");
    }
    let mut member = Command::new("sleep").arg("1000").spawn().expect("sleep");
    fs::write(dead.join("1-0/cgroup.procs"), member.id().to_string()).expect("joins");
    groups.sweep();
    let status = member.wait().expect("a running child");
    assert!(!status.success(), "the sweep ended it");
    assert!(!dead.exists());
    for group in [living, elsewhere] {
        fs::remove_dir(group.join("1-0")).expect("it is there still");
        fs::remove_dir(group).expect("writable");
    }
}

#[test]
fn fork_bomb_ends_by_clock_and_harms_nobody() {
    if !has_groups() {
        return;
    }
    let scene = Scene::new();
    scene.first_legal("ann").first_legal("bob");
    python(
        &scene,
        "bomb",
        "def act():\n  while True:\n    try: os.fork()\n    except OSError: pass\nserve(act)",
    );
    let (pid, ended) = finish(start(&scene, &format!("{FLAGS} --turn-s 0.5")));
    ended.well();
    for game in scene.rows("games.csv") {
        let bombed = game.get("charged") == "bomb";
        let expected = if bombed { "time" } else { "rules" };
        assert_eq!(game.get("end"), expected, "{game:?}");
    }
    assert!(
        scene
            .rows("games.csv")
            .iter()
            .any(|game| game.get("charged") == "bomb")
    );
    assert_eq!(
        processes(&scene.out().display().to_string()),
        Vec::<String>::new()
    );
    assert_eq!(groups_of(pid), Vec::<PathBuf>::new());
}

fn nobody() -> Option<u32> {
    nix::unistd::geteuid().is_root().then_some(65_534)
}

#[test]
fn missing_groups_refuse_processes_and_name_remedy() {
    let scene = Scene::new();
    scene.first_legal("ann").first_legal("bob");
    let mut command = scene.command(FLAGS);
    if let Some(id) = nobody() {
        command = as_user(&scene, id);
    } else if Isolation::find().groups.is_some() {
        skipped("without-groups", "this user has control groups");
        return;
    }
    let ended = command.ended();
    ended.refused(&["bots.processes", "root", "systemd-run --user --scope"]);
}

/// It copies the program to a place that the user can reach.
fn as_user(scene: &Scene, id: u32) -> Command {
    use std::os::unix::fs::chown;
    let home = scene.submissions().parent().expect("it has one").to_owned();
    let run = scene.command(FLAGS);
    let program = home.join("judge");
    copy_program(run.get_program(), &program);
    fs::create_dir_all(scene.out()).expect("a new folder");
    chown(scene.out(), Some(id), Some(id)).expect("we are root");
    let mut command = Command::new("sh");
    let step = "exec setpriv --reuid=\"$0\" --regid=\"$0\" --clear-groups \"$@\"";
    command.arg("-c").arg(step).arg(id.to_string());
    command
        .arg(program)
        .args(run.get_args())
        .env("HOME", "/tmp");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

const MANY: &str = "def act():
  for _ in range(60):
    if os.fork() == 0:
      if os.fork() == 0: os._exit(0)
      os._exit(0)
    os.wait()
serve(act)";

#[test]
fn ended_orphans_do_not_count_in_later_turns() {
    if !has_groups() {
        return;
    }
    let scene = Scene::new();
    scene.first_legal("ann");
    python(&scene, "many", MANY);
    // On the larger board it has more than five turns.
    finish(start(&scene, &FLAGS.replace("side=5", "side=17")))
        .1
        .well();
    scene.all_end_by_rules();
    assert!(charges(&scene, "many").len() > 10);
}
