//! Compilers and interpreters outside the system's folders: who can use them, and what a run
//! records.

use super::support::{FIRST_LEGAL, Run, Scene, Words, without_namespaces};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

const SHORT: &str = "--game catch-the-cat --states 1 --jobs 2";

/// Installs a compiler that copies from its own library, and writes its version into the result.
fn install_compiler(scene: &Scene, version: &str) -> PathBuf {
    let prefix = scene.folder().join("ldc-1");
    let write = |name: &str, text: &str, mode: u32| {
        let path = prefix.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        fs::write(&path, text).expect("writable");
        fs::set_permissions(&path, PermissionsExt::from_mode(mode)).expect("writable");
    };
    // The bot plays only if it cannot see the compiler that made it.
    let library = prefix.join("lib/bot").display().to_string();
    let bot = FIRST_LEGAL.replacen(
        "#!/bin/sh",
        &format!("#!/bin/sh\n{{ read -r seen < {library}; }} 2>/dev/null && exit 7"),
        1,
    );
    write("lib/bot", &bot, 0o644);
    let compiler = format!(
        "#!/bin/sh\nif [ \"$1\" = --version ]; then echo {version}; exit; fi\n\
         cp {library} bot && echo '# {version}' >> bot && echo no >> {library}\nexit 0\n"
    );
    write("bin/ldc2", &compiler, 0o755);
    prefix.join("bin")
}

fn with_path(command: &mut Command, folder: &std::path::Path) {
    command.env("PATH", format!("{}:/usr/bin:/bin", folder.display()));
}

fn submit(scene: &Scene) {
    let about = "build = \"ldc2 main.d\"\nrun = \"./bot\"\n";
    scene.sources(
        "dora",
        &[("judge.toml", about), ("main.d", "void main() {}")],
    );
}

fn artifact(scene: &Scene) -> String {
    let run: serde_json::Value = serde_json::from_str(&scene.read("run.json")).expect("JSON");
    let entrants = run["entrants"].as_array().expect("a list");
    let dora = entrants.iter().find(|one| one["name"] == "dora");
    dora.expect("it is listed")["artifact"]
        .as_str()
        .expect("it plays")
        .to_owned()
}

#[test]
fn compiler_in_path_builds_hidden_from_bot() {
    let scene = Scene::new();
    let programs = install_compiler(&scene, "ldc 1.0");
    submit(&scene);
    let flags = format!("{SHORT} --with builtin:random");
    let mut command = scene.command(&flags);
    with_path(&mut command, &programs);
    command.ended().well();
    let games = scene.read("games.csv");
    assert!(!games.contains("crash"), "{games}");
    let library = fs::read_to_string(programs.join("../lib/bot")).expect("there");
    assert!(!library.ends_with("no\n"), "builds only read it");
    let first = artifact(&scene);
    // Another compiler makes another program, and without it nothing is built.
    fs::remove_dir_all(scene.out()).expect("writable");
    install_compiler(&scene, "ldc 1.1");
    let mut command = scene.command(&flags);
    with_path(&mut command, &programs);
    command.arg("--weak-isolation");
    without_namespaces(&command).ended().well();
    let games = scene.read("games.csv");
    assert!(!games.contains("crash"), "{games}");
    assert_ne!(artifact(&scene), first);
}

#[test]
fn every_building_verb_finds_configured_toolchain() {
    let scene = Scene::new();
    let programs = install_compiler(&scene, "ldc 1.0");
    submit(&scene);
    let competition = scene.folder().join("named.toml");
    let text = format!(
        "game = \"catch-the-cat\"\nstates = 1\nseed = 1\n[config]\nside = 5\n[toolchains]\nldc2 = \"{}\"\n",
        programs.display()
    );
    fs::write(&competition, text).expect("writable");
    let flags = "--competition named.toml --with builtin:random";
    let mut run = scene.command_by_secret(flags);
    run.current_dir(scene.folder()).ended().well();
    // Another text forces each of them to build.
    for (number, words) in [
        "doctor --weak-isolation --json --competition named.toml",
        "play submissions/dora --competition named.toml",
        "match submissions/dora builtin:random --competition named.toml --states 1 --out match",
        "repro out 1 --bot dora --bot-dir submissions/dora",
        "regrade out dora --submission submissions/dora --out again",
    ]
    .iter()
    .enumerate()
    {
        let main = scene.submissions().join("dora/main.d");
        fs::write(main, format!("void main{number}() {{}}")).expect("writable");
        let mut command = super::support::judge();
        let ended = command.current_dir(scene.folder()).args(words.words());
        // Fewer pairs than a verdict needs are no error.
        let ended = ended.ended().well();
        assert!(
            !ended.stdout.contains("does not play"),
            "{words}: {ended:?}"
        );
        if number == 0 {
            ended.says(&["\"named\"", "ldc 1.0"]);
        }
    }
}

#[test]
fn no_verb_executes_files_in_submissions() {
    let scene = Scene::new();
    scene.sources("dora", &[("bot.py", "print()\n")]);
    let dora = scene.submissions().join("dora");
    let said = scene.folder().join("said");
    let python = dora.join("python3");
    fs::write(&python, format!("#!/bin/sh\n: > {}\n", said.display())).expect("writable");
    fs::set_permissions(&python, PermissionsExt::from_mode(0o755)).expect("writable");
    let competition = scene.folder().join("named.toml");
    let text = format!(
        "game = \"catch-the-cat\"\n[toolchains]\npython3 = \"{}\"\n",
        dora.display()
    );
    fs::write(&competition, text).expect("writable");
    let class = scene.submissions();
    let verbs: [&[&std::ffi::OsStr]; 4] = [
        &["check".as_ref(), dora.as_ref()],
        &["check".as_ref(), class.as_ref()],
        &["play".as_ref(), dora.as_ref()],
        &["match".as_ref(), dora.as_ref(), "builtin:random".as_ref()],
    ];
    for args in verbs {
        let mut command = super::support::judge();
        command.args(args).current_dir(scene.folder());
        command.arg("--competition").arg(&competition);
        with_path(&mut command, &dora);
        command
            .ended()
            .refused(&["[toolchains] python3", "is inside submissions or runs"]);
        assert!(!said.exists(), "{args:?}");
    }
}

/// Installs an interpreter: a shell under another name, in a folder of its own.
fn install_interpreter(scene: &Scene, version: &str) -> PathBuf {
    let programs = scene.folder().join("lua-1/bin");
    fs::create_dir_all(&programs).expect("writable");
    let text =
        format!("#!/bin/sh\n[ \"$1\" = -v ] && echo {version} && exit\nexec /bin/sh \"$@\"\n");
    fs::write(programs.join("lua"), text).expect("writable");
    fs::set_permissions(programs.join("lua"), PermissionsExt::from_mode(0o755)).expect("writable");
    programs
}

fn submit_script(scene: &Scene) {
    let text = FIRST_LEGAL.replacen("#!/bin/sh", "#!/usr/bin/env lua", 1);
    scene.script("luis", &text);
}

#[test]
fn repro_is_refused_where_the_interpreter_is_not() {
    let scene = Scene::new();
    let programs = install_interpreter(&scene, "Lua 5.4");
    submit_script(&scene);
    let mut command = scene.command(&format!("{SHORT} --with builtin:random"));
    with_path(&mut command, &programs);
    command.ended().well();
    let repro = |is_there: bool| {
        let mut command = super::support::judge();
        if is_there {
            with_path(&mut command, &programs);
        }
        command
            .arg("repro")
            .arg(scene.out())
            .args(["1", "--bot", "luis"]);
        command.ended()
    };
    repro(true).well();
    repro(false).refused(&[
        "cannot run the program of luis",
        "put that folder into PATH",
    ]);
}

/// Makes a virtual environment with a module of its own. Returns `None` if Python cannot.
fn environment(scene: &Scene) -> Option<PathBuf> {
    let venv = scene.folder().join("venv");
    let mut make = Command::new("/usr/bin/python3");
    make.args(["-m", "venv", "--without-pip"]).arg(&venv);
    make.status()
        .ok()
        .filter(std::process::ExitStatus::success)?;
    let folder = Command::new(venv.join("bin/python3"))
        .args(["-c", "import site; print(site.getsitepackages()[0])"])
        .output()
        .expect("it starts");
    let folder = String::from_utf8(folder.stdout).expect("text");
    let module = PathBuf::from(folder.trim()).join("judge_tests_luck.py");
    fs::write(module, "pick = lambda moves: moves[0]\n").expect("writable");
    Some(venv.join("bin"))
}

const LUCKY: &str = include_str!("../bots/lucky.py");

#[test]
fn python_bot_uses_modules_of_environment_in_path() {
    let scene = Scene::new();
    let Some(programs) = environment(&scene) else {
        return;
    };
    scene.script("lucky", LUCKY);
    scene.sources(
        "named",
        &[
            ("judge.toml", "run = \"python3 main.py\"\n"),
            ("main.py", LUCKY),
        ],
    );
    for is_bare in [false, true] {
        let _ = fs::remove_dir_all(scene.out());
        let mut command = scene.command(&SHORT);
        with_path(&mut command, &programs);
        if is_bare {
            command = without_namespaces(command.arg("--weak-isolation"));
        }
        command.ended().well();
        let games = scene.read("games.csv");
        assert!(!games.contains("crash"), "{games}");
        let run = scene.read("run.json");
        let run: serde_json::Value = serde_json::from_str(&run).expect("JSON");
        let version = run["toolchains"][0].as_str().expect("one is listed");
        assert!(version.starts_with("Python 3."), "{version}");
    }
    // On another machine, its program must not see other files than here.
    let refused = scene.run(&SHORT).exits(2);
    let words = "is not among those of this machine: put that folder into PATH";
    assert!(refused.stderr.contains(words), "{}", refused.stderr);
}
