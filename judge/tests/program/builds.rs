//! Builds that try to escape the sandbox, and honest ones of many languages; compilers run in the
//! sandbox, too.

use crate::support::outside::Outside;
use crate::support::skip::skipped;
use crate::support::{
    Has, PATIENCE, Run, Scene, catalogue, eventually, names_in, processes, program,
};
use model::artifact::OpenToolchain;
use model::fault::Exit;
use nix::sys::signal::Signal;
use nix::unistd::geteuid;
use sandbox::{Build, BuildEnd, BuildRun, Builder, Isolation, Namespaces};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Child;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tempfile::TempDir;

const FLAGS: &str = "--game catch-the-cat --states 1 --set side=5 --set clock.backstop_s=60 --set clock.startup_s=120";

const DONE: BuildEnd = BuildEnd::Exit(Exit::Code(0));

/// Builds with these limits: on the time and on the CPU time.
fn build_in(
    isolation: &Isolation,
    folder: &Path,
    script: &str,
    [limit, cpu]: [Duration; 2],
) -> BuildRun {
    let builder = Builder {
        judge: program(),
        isolation,
        stop: &AtomicBool::new(false),
    };
    let build = Build {
        program: "/bin/sh".into(),
        args: vec!["-c".to_owned(), script.to_owned()],
        folder: folder.to_owned(),
        limit,
        cpu,
        reserves: false,
    };
    builder.run(build).expect("it can be started")
}

fn open_folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("writable");
    folder
}

fn build_script(script: &str, limit: Duration) -> (BuildRun, TempDir) {
    let folder = open_folder();
    let run = build_in(&Isolation::find(), folder.path(), script, [limit, PATIENCE]);
    (run, folder)
}

#[test]
fn build_changes_only_its_own_folder() {
    let outside = Outside::new();
    let secret = outside.secret().display().to_string();
    let open = outside.open().display().to_string();
    let (tmp, shm) = (outside.unique("/tmp"), outside.unique("/dev/shm"));
    let forbidden = [
        format!("cat {secret}"),
        "cat /etc/passwd".to_owned(),
        "ls /home /root /proc".to_owned(),
        format!("ls {open}"),
        format!("echo x > {open}/planted"),
        format!("echo x > {secret}"),
        format!("echo x > {}", tmp.display()),
        format!("echo x > {}", shm.display()),
        format!("chmod 600 {secret}"),
        format!("touch -d 2001-01-01 {secret}"),
        "cat /proc/1/environ || cat /proc/1/maps".to_owned(),
        format!("rm {secret}"),
        format!("ln {secret} linked && cat linked"),
        format!("ln -s {secret} soft && cat soft"),
        // In namespaces of its own, it has no parent.
        "test $PPID != 0 && kill -0 $PPID".to_owned(),
        "python3 -c 'import socket; socket.socket()'".to_owned(),
    ];
    let honest = [
        "echo x > file && cat file",
        "mkdir folder && rmdir folder",
        "test \"${TMPDIR%/*}\" = \"$PWD\" && test \"$HOME\" = \"$TMPDIR\" && mktemp",
        "echo x > own && chmod 755 own && install -m 700 own two && cp -p own three",
        "touch -d 2001-01-01 own && ln own hard && ln -s own link && chmod u-s,a+t .",
        "echo 'int main() {}' > m.c && gcc -o m m.c && ./m",
        "test \"$(echo a child)\" = 'a child'",
        "(exit 0) & wait $!",
        "mv file other && rm other",
    ];
    let done = |command: &str| format!("done: {}", command.replace('\'', " "));
    let attempt = |command: &str| {
        let done = done(command);
        format!("if {{ {command}; }} >/dev/null 2>&1; then echo '{done}'; fi\n")
    };
    let all = forbidden.iter().map(String::as_str).chain(honest);
    let script: String = all.map(attempt).collect();
    let (run, folder) = build_script(&script, PATIENCE);
    assert_eq!(run.end, DONE, "{run:?}");
    let reported: Vec<&str> = run.output.lines().collect();
    assert_eq!(reported, honest.map(done));
    outside.assert_untouched();
    let owner = fs::metadata(folder.path()).expect("readable").uid();
    assert_eq!(owner, geteuid().as_raw(), "the folder is ours again");
}

const SET_ID: &str = include_str!("../bots/set_id.py");

#[test]
fn build_creates_no_setuid_program() {
    let (run, folder) = build_script(&format!("python3 -c \"{SET_ID}\""), PATIENCE);
    assert_eq!(run.end, DONE, "{run:?}");
    assert_eq!(run.output, "");
    assert_eq!(names_in(folder.path()), ["file"]);
}

#[test]
fn no_build_process_outlives_build() {
    let stays = "trap '' HUP TERM INT; while :; do :; done";
    let hidden = "mkdir -m 300 closed && cd closed && truncate -s 900M a b c; sleep 1000";
    let cases = [
        ("exit 0", DONE),
        (stays, BuildEnd::Time),
        ("yes", BuildEnd::Output),
        // Holes, which do not fill the disk.
        ("truncate -s 900M a b c; sleep 1000", BuildEnd::Disk),
        (hidden, BuildEnd::Disk),
        ("truncate -s 900M a b c", BuildEnd::Disk),
    ];
    for (then, end) in cases {
        let script = format!("( {stays} ) & ( ( {stays} ) & ) ; {then}");
        let seconds = if then == stays { 1 } else { 300 };
        let (run, folder) = build_script(&script, Duration::from_secs(seconds));
        assert_eq!(run.end, end, "{then}");
        assert_none_runs_in(folder.path());
    }
}

/// Checks that no process of a build is left. Their environment names the build's folder.
fn assert_none_runs_in(folder: &Path) {
    let name = folder.file_name().expect("it has one");
    processes::none_has(&name.to_string_lossy());
}

#[test]
fn cpu_time_of_orphans_in_build_counts() {
    let spin = "python3 -c 'import time\nwhile time.process_time() < 0.3: pass'";
    let script =
        format!("( ( {spin}; echo x > done ) & ) ; while ! test -s done; do sleep 0.1; done");
    let (run, _folder) = build_script(&script.replace("\\n", "\n"), PATIENCE);
    assert_eq!(run.end, DONE, "{run:?}");
    assert!(run.cpu >= Duration::from_millis(300), "{run:?}");
}

#[test]
fn process_leaving_build_group_is_still_measured() {
    if !Isolation::find().namespaces.are_used() {
        return skipped("namespaces", "without them, nothing leaves the group");
    }
    let folder = open_folder();
    let script = "for n in 1 2 3; do setsid sh -c 'while :; do :; done' & done; sleep 1000";
    let limits = [PATIENCE, Duration::from_millis(500)];
    let run = build_in(&Isolation::find(), folder.path(), script, limits);
    assert_eq!(run.end, BuildEnd::Cpu, "{run:?}");
    assert_none_runs_in(folder.path());
}

#[test]
fn build_reads_only_system_files_and_its_own() {
    let outside = Outside::new();
    // A toolchain that only its owner can reach.
    let closed = outside.closed().with_file_name("tools");
    fs::create_dir(&closed).expect("writable");
    let tools = closed.display().to_string();
    let opened = OpenToolchain {
        programs: tools.clone(),
        folders: vec![tools],
    };
    let there = [outside.secret(), outside.closed(), "/etc/shadow".into()];
    let ask = "ask() { stat -c %s,%Y \"$1\" 2>&1; \
               echo \"#if __has_include(\\\"$1\\\")\n#endif\" | g++ -E -P -x c++ - 2>&1; }\n";
    let system = Isolation::find();
    let weak = Isolation {
        namespaces: Namespaces::Missing("not asked for".to_owned()),
        ..system.clone()
    };
    for isolation in [&system, &system.with_toolchains(&[opened]), &weak] {
        let folder = open_folder();
        let said = |path: &Path| {
            let path = path.display().to_string();
            let script = format!("{ask}ask {path}");
            let run = build_in(isolation, folder.path(), &script, [PATIENCE; 2]);
            run.output.replace(&path, "…")
        };
        let reported = there.iter().any(|there| {
            let not_there = there.with_file_name("not-there");
            said(there) != said(&not_there)
        });
        let mut rows = catalogue::rows().into_iter();
        let this = "builds::build_reads_only_system_files_and_its_own";
        let row = rows.find(|row| row.get("test") == this);
        let row = row.expect("it has a row");
        let claim = row.get(isolation.level().name());
        assert_eq!(reported, claim == "told", "{isolation:?}");
    }
}

#[test]
fn deep_or_closed_build_leftovers_are_removable() {
    let deep = "import os\nfor n in range(3000): os.mkdir('folder', 0o300); os.chdir('folder')";
    let hidden = "mkdir -p \"$HOME/a/b\" && chmod 0 \"$HOME/a\" && chmod 0 \"$HOME\" && chmod 0 .";
    let script = format!("python3 -c \"{deep}\" && mkdir -m 0 closed && {hidden}");
    let (run, folder) = build_script(&script, PATIENCE);
    // An ordinary user cannot see into a closed folder, and takes it for a hiding place.
    let ends = [DONE, BuildEnd::Disk];
    assert!(ends.contains(&run.end), "{run:?}");
    let path = folder.path().to_owned();
    folder.close().expect("it can be removed");
    assert!(!path.exists());
    let (run, folder) = build_script("touch \"$HOME/a\" && chmod 500 .", PATIENCE);
    assert!(ends.contains(&run.end), "{run:?}");
    folder.close().expect("it can be removed");
}

#[test]
fn sources_including_foreign_files_do_not_build() {
    let (scene, outside) = (Scene::new(), Outside::new());
    scene.first_legal("honest").first_legal("other");
    let secret = outside.secret().display().to_string();
    let other = scene.submissions().join("other/bot").display().to_string();
    let names = ["passwd", "secret", "copy"];
    for (name, path) in names.into_iter().zip(["/etc/passwd", &secret, &other]) {
        let text = format!("#include \"{path}\"\n");
        scene.sources(name, &[("Cat.h", &text), ("Catcher.h", &text)]);
    }
    scene.run(FLAGS).well();
    for name in names {
        let log = scene.read(&format!("logs/build/{name}.txt"));
        log.has(&["fatal error: /"]);
        log.lacks(&["root:", "a secret", "while read"]);
    }
}

const ENDLESS: &str = "build = \"sleep 1000 & ( ( sleep 1000 & ) ; sleep 1000 ) & touch started; sleep 1000\"\nrun = \"./made\"\n";

/// Starts a run with an endless build. Returns once the build runs, with its processes.
fn building() -> (Scene, Child, Vec<i32>) {
    let scene = Scene::of(["ann"]);
    scene.sources("slow", &[("judge.toml", ENDLESS)]);
    let run = scene.command(FLAGS).muted();
    let mut begun = Vec::new();
    eventually("all its processes sleep", || {
        begun = processes::with(&scene.name());
        begun.retain(|pid| processes::name_of(*pid) == "sleep");
        begun.len() == 4
    });
    (scene, run, begun)
}

fn builder_of(run: &Child) -> i32 {
    let is_builder = |pid: &i32| {
        let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        command.ends_with(b"\0builder\0")
    };
    let mut builder = None;
    eventually("there is a builder", || {
        let mut children = processes::children_of(run.id()).into_iter();
        builder = children.find(is_builder);
        builder.is_some()
    });
    builder.expect("found")
}

#[test]
fn killed_coordinator_ends_its_compilers_and_their_children() {
    let (scene, mut run, begun) = building();
    run.kill().expect("it runs");
    run.wait().expect("a running child");
    eventually("they end", || processes::with(&scene.name()).is_empty());
    assert!(!begun.into_iter().any(processes::runs));
}

#[test]
fn two_interrupts_leave_neither_compilers_nor_their_folder() {
    let (scene, mut run, _) = building();
    let (pid, builder) = (run.id().cast_signed(), builder_of(&run));
    // This keeps the first signal in effect when the second one comes.
    processes::signal(builder, Signal::SIGSTOP);
    processes::signal(pid, Signal::SIGINT);
    processes::signal(pid, Signal::SIGTERM);
    let status = run.wait().expect("a running child");
    assert_eq!(status.code(), Some(130), "{status}");
    processes::signal(builder, Signal::SIGCONT);
    eventually("they end", || processes::with(&scene.name()).is_empty());
    let left = names_in(&scene.out().join("artifacts"));
    assert!(!left.iter().any(|name| name.starts_with('.')), "{left:?}");
}
