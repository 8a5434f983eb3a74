//! Compilers and interpreters outside the system's folders: who can use them, and what a run
//! records.

use super::support::{Ended, FIRST_LEGAL, Scene, without_namespaces};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

const SHORT: [&str; 6] = ["--game", "catch-the-cat", "--states", "1", "--jobs", "2"];

/// Installs a compiler that no machine has, in a folder of its own. It "compiles" by copying from
/// its own library, and writes its version into the result.
fn install_compiler(scene: &Scene, version: &str) -> PathBuf {
    let prefix = scene.folder().join("ldc-1");
    let write = |name: &str, text: &str, mode: u32| {
        let path = prefix.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("ours");
        fs::write(&path, text).expect("ours");
        fs::set_permissions(&path, PermissionsExt::from_mode(mode)).expect("ours");
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
fn a_compiler_in_path_builds_and_what_it_built_does_not_see_it() {
    let scene = Scene::new();
    let programs = install_compiler(&scene, "ldc 1.0");
    submit(&scene);
    let flags = [&SHORT[..], &["--with", "builtin:random"]].concat();
    let mut command = scene.command(&flags);
    with_path(&mut command, &programs);
    Ended::of(command.output().expect("it starts")).well();
    let games = scene.read("games.csv");
    assert!(!games.contains("crash"), "{games}");
    let library = fs::read_to_string(programs.join("../lib/bot")).expect("there");
    assert!(!library.ends_with("no\n"), "builds only read it");
    let first = artifact(&scene);
    // Another compiler makes another program, and without it nothing is built.
    fs::remove_dir_all(scene.out()).expect("ours");
    install_compiler(&scene, "ldc 1.1");
    let mut command = scene.command(&flags);
    with_path(&mut command, &programs);
    command.arg("--weak-isolation");
    Ended::of(without_namespaces(&command).output().expect("it starts")).well();
    let games = scene.read("games.csv");
    assert!(!games.contains("crash"), "{games}");
    assert_ne!(artifact(&scene), first);
}

#[test]
fn a_competition_names_a_toolchain_and_doctor_shows_it() {
    let scene = Scene::new();
    let programs = install_compiler(&scene, "ldc 1.0");
    submit(&scene);
    let competition = format!(
        "game = \"catch-the-cat\"\nstates = 1\nseed = 1\n[toolchains]\nldc2 = \"{}\"\n",
        programs.display()
    );
    scene.file("competition.toml", &competition, 0o644);
    let ended = scene
        .command_by_secret(&["--with", "builtin:random"])
        .output();
    Ended::of(ended.expect("it starts")).well();
    artifact(&scene);
    let file = scene.submissions().join("competition.toml");
    let doctor = super::support::judge()
        .args(["doctor", "--weak-isolation", "--json", "--competition"])
        .arg(file)
        .output();
    let doctor = Ended::of(doctor.expect("it starts"));
    assert!(doctor.stdout.contains("\"named\""), "{}", doctor.stdout);
    assert!(doctor.stdout.contains("ldc 1.0"), "{}", doctor.stdout);
}

#[test]
fn every_verb_that_builds_finds_what_the_competition_names() {
    let scene = Scene::new();
    let programs = install_compiler(&scene, "ldc 1.0");
    submit(&scene);
    let competition = scene.folder().join("named.toml");
    let text = format!(
        "game = \"catch-the-cat\"\nstates = 1\nseed = 1\n[config]\nside = 5\n[toolchains]\nldc2 = \"{}\"\n",
        programs.display()
    );
    fs::write(&competition, text).expect("ours");
    let competition = competition.display().to_string();
    let flags = ["--competition", &competition, "--with", "builtin:random"];
    Ended::of(scene.command_by_secret(&flags).output().expect("it starts")).well();
    let run = scene.out().display().to_string();
    let dora = scene.submissions().join("dora").display().to_string();
    // Another text forces each of them to build.
    let edited = |text: &str| {
        let main = scene.submissions().join("dora/main.d");
        fs::write(main, text).expect("ours");
    };
    let matched = scene.folder().join("match").display().to_string();
    let again = scene.folder().join("again").display().to_string();
    let verbs: [&[&str]; 4] = [
        &["play", &dora, "--competition", &competition],
        &[
            "match",
            &dora,
            "builtin:random",
            "--competition",
            &competition,
            "--states",
            "1",
            "--out",
            &matched,
        ],
        &["repro", &run, "1", "--bot", "dora", "--bot-dir", &dora],
        &[
            "regrade",
            &run,
            "dora",
            "--submission",
            &dora,
            "--out",
            &again,
        ],
    ];
    for (number, args) in verbs.into_iter().enumerate() {
        edited(&format!("void main{number}() {{}}"));
        let mut command = super::support::judge();
        command
            .args(args)
            .current_dir(scene.folder())
            .stdin(std::process::Stdio::null());
        let ended = Ended::of(command.output().expect("it starts"));
        // Fewer pairs than a verdict needs are no error.
        assert!(matches!(ended.code, Some(0)), "{args:?}: {ended:?}");
        assert!(
            !ended.stdout.contains("does not play"),
            "{args:?}: {ended:?}"
        );
    }
}

#[test]
fn no_verb_runs_what_lies_in_the_submissions_that_it_looks_at() {
    let scene = Scene::new();
    scene.sources("dora", &[("bot.py", "print()\n")]);
    let dora = scene.submissions().join("dora");
    let said = scene.folder().join("said");
    let python = dora.join("python3");
    fs::write(&python, format!("#!/bin/sh\n: > {}\n", said.display())).expect("ours");
    fs::set_permissions(&python, PermissionsExt::from_mode(0o755)).expect("ours");
    let competition = scene.folder().join("named.toml");
    let text = format!(
        "game = \"catch-the-cat\"\n[toolchains]\npython3 = \"{}\"\n",
        dora.display()
    );
    fs::write(&competition, text).expect("ours");
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
        Ended::of(command.output().expect("it starts"))
            .refused(&["[toolchains] python3", "is inside submissions or runs"]);
        assert!(!said.exists(), "{args:?}");
    }
}

/// Installs an interpreter: a shell under another name, in a folder of its own.
fn install_interpreter(scene: &Scene, version: &str) -> PathBuf {
    let programs = scene.folder().join("lua-1/bin");
    fs::create_dir_all(&programs).expect("ours");
    let text =
        format!("#!/bin/sh\n[ \"$1\" = -v ] && echo {version} && exit\nexec /bin/sh \"$@\"\n");
    fs::write(programs.join("lua"), text).expect("ours");
    fs::set_permissions(programs.join("lua"), PermissionsExt::from_mode(0o755)).expect("ours");
    programs
}

/// Submits a bot that the interpreter runs.
fn submit_script(scene: &Scene) {
    let text = FIRST_LEGAL.replacen("#!/bin/sh", "#!/usr/bin/env lua", 1);
    scene.script("luis", &text);
}

#[test]
fn repro_is_refused_where_the_interpreter_is_not() {
    let scene = Scene::new();
    let programs = install_interpreter(&scene, "Lua 5.4");
    submit_script(&scene);
    let mut command = scene.command(&[&SHORT[..], &["--with", "builtin:random"]].concat());
    with_path(&mut command, &programs);
    Ended::of(command.output().expect("it starts")).well();
    let repro = |is_there: bool| {
        let mut command = super::support::judge();
        if is_there {
            with_path(&mut command, &programs);
        }
        command
            .arg("repro")
            .arg(scene.out())
            .args(["1", "--bot", "luis"]);
        Ended::of(command.output().expect("it starts"))
    };
    repro(true).well();
    repro(false).refused(&[
        "cannot run the program of luis",
        "put that folder into PATH",
    ]);
}

#[test]
fn a_part_is_played_with_the_interpreter_that_the_competition_names_where_it_is_there() {
    let scene = Scene::new();
    let programs = install_interpreter(&scene, "Lua 5.4");
    submit_script(&scene);
    let competition = scene.folder().join("named.toml");
    let text = format!(
        "game = \"catch-the-cat\"\nstates = 1\nseed = 1\n[config]\nside = 5\n[toolchains]\nlua = \"{}\"\n",
        programs.display()
    );
    fs::write(&competition, text).expect("ours");
    let mut split = super::support::judge();
    split.args(["split", "--parts", "1", "--with", "builtin:random", "--out"]);
    split
        .arg(scene.out())
        .arg("--competition")
        .arg(&competition);
    split.arg("--submissions").arg(scene.submissions());
    Ended::of(split.output().expect("it starts")).well();
    let play = |journal: &str| {
        let mut command = super::support::judge();
        command
            .arg("part")
            .arg(scene.out().join("parts/part-1-of-1.part"));
        command.arg("--out").arg(scene.folder().join(journal));
        Ended::of(command.output().expect("it starts"))
    };
    play("here.jsonl").well();
    fs::rename(&programs, scene.folder().join("elsewhere")).expect("ours");
    play("there.jsonl").refused(&[
        "this machine cannot run a program of the part",
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
    fs::write(module, "pick = lambda moves: moves[0]\n").expect("ours");
    Some(venv.join("bin"))
}

/// A bot that needs the module of the environment.
const LUCKY: &str = r#"#!/usr/bin/env python3
import json, sys
from judge_tests_luck import pick
for line in sys.stdin:
    message = json.loads(line)
    if "turn" in message:
        print(json.dumps({"move": pick(message["turn"]["legal_moves"])}), flush=True)
    elif "hello" in message or "start" in message:
        print('{"ready":{"legal_moves":true}}', flush=True)
"#;

#[test]
fn a_bot_in_python_plays_with_the_modules_of_the_environment_in_path() {
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
        Ended::of(command.output().expect("it starts")).well();
        let games = scene.read("games.csv");
        assert!(!games.contains("crash"), "{games}");
        let run = scene.read("run.json");
        let run: serde_json::Value = serde_json::from_str(&run).expect("JSON");
        let version = run["toolchains"][0].as_str().expect("one is listed");
        assert!(version.starts_with("Python 3."), "{version}");
    }
    // On another machine, its program must not see other files than here.
    let refused = scene.run(&SHORT);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let words = "is not among those of this machine: put that folder into PATH";
    assert!(refused.stderr.contains(words), "{}", refused.stderr);
}
