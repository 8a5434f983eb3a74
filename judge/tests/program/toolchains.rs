//! Compilers and interpreters outside the system's folders: who can use them, and what a run
//! records.

use super::support::{FIRST_LEGAL, Has, Run, Scene, executable, without_namespaces};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

const SHORT: &str = "--game catch-the-cat --states 1 --set side=5 --jobs 2 --lifetime game";

/// Installs a compiler that copies from its own library, and writes its version into the result.
fn install_compiler(scene: &Scene, version: &str) -> PathBuf {
    // The bot plays only if it cannot see the compiler that made it.
    let library = scene.folder().join("ldc-1/lib/bot").display().to_string();
    let spies = format!("#!/bin/sh\n{{ read -r seen < {library}; }} 2>/dev/null && exit 7");
    scene.write(
        "ldc-1/lib/bot",
        FIRST_LEGAL.replacen("#!/bin/sh", &spies, 1),
    );
    let compiler = format!(
        "#!/bin/sh\nif [ \"$1\" = --version ]; then echo {version}; exit; fi\n\
         cp {library} bot && echo '# {version}' >> bot && echo no >> {library}\nexit 0\n"
    );
    let programs = scene.folder().join("ldc-1/bin");
    executable(&programs.join("ldc2"), &compiler);
    programs
}

fn with_path(mut command: Command, folder: &Path) -> Command {
    command.env("PATH", format!("{}:/usr/bin:/bin", folder.display()));
    command
}

fn submit(scene: &Scene) {
    let about = "build = \"ldc2 main.d\"\nrun = \"./bot\"\n";
    scene.sources(
        "dora",
        &[("judge.toml", about), ("main.d", "void main() {}")],
    );
}

#[test]
fn compiler_in_path_builds_hidden_from_bot() {
    let scene = Scene::new();
    let programs = install_compiler(&scene, "ldc 1.0");
    submit(&scene);
    let flags = format!("{SHORT} --with builtin:random");
    let run = |flags: &str| with_path(scene.command(flags), &programs);
    // From the processes of single turns, too.
    run(&flags.replace("lifetime game", "lifetime turn"))
        .ended()
        .well();
    scene.read("games.csv").lacks(&["crash"]);
    let library = scene.text("ldc-1/lib/bot");
    assert!(!library.ends_with("no\n"), "builds only read it");
    let first = scene.artifact("dora");
    // Another compiler makes another program, and without it nothing is built.
    fs::remove_dir_all(scene.out()).expect("writable");
    install_compiler(&scene, "ldc 1.1");
    without_namespaces(run(&flags).arg("--weak-isolation"))
        .ended()
        .well();
    scene.read("games.csv").lacks(&["crash"]);
    assert_ne!(scene.artifact("dora"), first);
}

#[test]
fn every_building_verb_finds_configured_toolchain() {
    let scene = Scene::new();
    let programs = install_compiler(&scene, "ldc 1.0");
    submit(&scene);
    let text = format!(
        "game = \"catch-the-cat\"\nstates = 1\nseed = 1\n[config]\nside = 5\n[bots]\nlifetime = \"game\"\n[toolchains]\nldc2 = \"{}\"\n",
        programs.display()
    );
    scene.write("named.toml", text);
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
        scene.put("dora/main.d", format!("void main{number}() {{}}"));
        // Fewer pairs than a verdict needs are no error.
        let ended = scene.judge(words);
        ended.stdout.lacks(&["does not play"]);
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
    executable(
        &dora.join("python3"),
        &format!("#!/bin/sh\n: > {}\n", said.display()),
    );
    let text = format!(
        "game = \"catch-the-cat\"\n[toolchains]\npython3 = \"{}\"\n",
        dora.display()
    );
    scene.write("named.toml", text);
    for words in [
        "check submissions/dora",
        "check submissions",
        "play submissions/dora",
        "match submissions/dora builtin:random",
    ] {
        let command = scene.here(&format!("{words} --competition named.toml"));
        let ended = with_path(command, &dora).ended();
        ended.refused(&["[toolchains] python3", "is inside submissions or runs"]);
        assert!(!said.exists(), "{words}");
    }
}

#[test]
fn repro_is_refused_where_the_interpreter_is_not() {
    let scene = Scene::new();
    // A shell under another name, in a folder of its own.
    let programs = scene.folder().join("lua-1/bin");
    let text = "#!/bin/sh\n[ \"$1\" = -v ] && echo Lua 5.4 && exit\nexec /bin/sh \"$@\"\n";
    executable(&programs.join("lua"), text);
    let script = FIRST_LEGAL.replacen("#!/bin/sh", "#!/usr/bin/env lua", 1);
    scene.script("luis", &script);
    let run = scene.command(&format!("{SHORT} --with builtin:random"));
    with_path(run, &programs).ended().well();
    let mut repro = scene.verb("repro", "1 --bot luis");
    let words = [
        "cannot run the program of luis",
        "put that folder into PATH",
    ];
    repro.ended().refused(&words);
    with_path(repro, &programs).ended().well();
}

/// Makes a virtual environment with a module of its own. Returns `None` if Python cannot.
fn environment(scene: &Scene) -> Option<PathBuf> {
    let venv = scene.folder().join("venv");
    let mut make = Command::new("/usr/bin/python3");
    make.args(["-m", "venv", "--without-pip"]).arg(&venv);
    make.status().ok().filter(ExitStatus::success)?;
    let mut python = Command::new(venv.join("bin/python3"));
    python.args(["-c", "import site; print(site.getsitepackages()[0])"]);
    let folder = python.ended().well().stdout;
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
    let run = ("judge.toml", "run = \"python3 main.py\"\n");
    scene.sources("named", &[run, ("main.py", LUCKY)]);
    // Also the processes of single turns.
    let each_turn = SHORT.replace("lifetime game", "lifetime turn");
    for (is_bare, flags) in [(false, &*each_turn), (true, SHORT)] {
        let _ = fs::remove_dir_all(scene.out());
        let mut command = with_path(scene.command(flags), &programs);
        if is_bare {
            command = without_namespaces(command.arg("--weak-isolation"));
        }
        command.ended().well();
        scene.read("games.csv").lacks(&["crash"]);
        let run = scene.json("run.json");
        let version = run["toolchains"][0].as_str().expect("one is listed");
        assert!(version.starts_with("Python 3."), "{version}");
    }
    // On another machine, its program must not see other files than here.
    let words = "is not among those of this machine: put that folder into PATH";
    scene.run(&SHORT).refused(&[words]);
}
