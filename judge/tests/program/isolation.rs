//! Programs that try to escape. Each is a real program under the real launcher. It must get nothing,
//! while honest programs get all that they need.

use crate::support::outside::Outside;
use crate::support::skip::sealed;
use crate::support::{
    Has, Run, SYSTEM_PATH, Scene, catalogue, files_below, judge_at, without_namespaces,
};
use model::artifact::IsolationLevel;
use nix::unistd::geteuid;
use sandbox::Isolation;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

// On an emulated machine, some attempts take seconds.
const FLAGS: &str = "--game catch-the-cat --states 1 --set side=5 --set clock.backstop_s=60 --set clock.startup_s=120 \
    --bank-s 60";

const SMALL: &str = "--game catch-the-cat --set side=5 --lifetime game";

fn at_level(level: IsolationLevel, scene: &Scene, flags: &str) -> Command {
    match level {
        IsolationLevel::Sealed => scene.command(&format!("{FLAGS} {flags}")),
        IsolationLevel::Weak => {
            without_namespaces(&scene.command(&format!("{FLAGS} {flags} --weak-isolation")))
        }
    }
}

fn compiled(scene: &Scene, name: &str, source: &Path) {
    let folder = scene.submissions().join(name);
    fs::create_dir_all(&folder).expect("a new folder");
    catalogue::compile("g++", source, &folder.join("bot"));
}

fn looks(folder: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut files = files_below(folder);
    // A built-in bot, which every run copies again.
    files.retain(|path| !path.ends_with("judge"));
    let look = |path: PathBuf| {
        let about = fs::symlink_metadata(&path).expect("it is there");
        let mode = about.permissions().mode();
        let content = fs::read(&path).unwrap_or_default();
        (path, (mode, content))
    };
    files.into_iter().map(look).collect()
}

#[test]
fn sealed_bot_reaches_only_what_honest_bots_need() {
    if sealed().is_none() {
        return;
    }
    reach(IsolationLevel::Sealed, "");
    // A new sandbox gives no more than a warm cage.
    reach(IsolationLevel::Sealed, "--cold");
}

#[test]
fn weakly_isolated_bot_reaches_only_catalogued_resources() {
    reach(IsolationLevel::Weak, "");
}

fn reach(level: IsolationLevel, flags: &str) {
    let (scene, outside) = (Scene::new(), Outside::new());
    scene.first_legal("honest").first_legal("other");
    compiled(&scene, "reach", &catalogue::hostile("reach.cpp"));
    // The first run makes the journal and the artifacts that the second one tries to reach.
    let targets = outside.targets([
        ("submission", scene.submissions().join("other/bot")),
        ("run", scene.out()),
        ("journal", scene.out().join("journal.jsonl")),
        ("secret", outside.secret()),
        ("open", outside.open()),
    ]);
    // Calm, because a program with more threads than a bot may have loses by it: see `holdings`.
    scene.put("reach/targets.txt", targets + "calm yes\n");

    // A shell opens descriptors and sets a variable. One game at a time: threads count per user.
    let flags = format!("--jobs 1 --verbose --lifetime game {flags}");
    let run = at_level(level, &scene, &flags);
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "exec 7</dev/null 9</; exec \"$0\" \"$@\""])
        .arg(run.get_program())
        .args(run.get_args())
        .env("JUDGE_TEST_SECRET", "1")
        .env("PATH", SYSTEM_PATH);
    let ended = shell.ended().well();
    ended.says(&[&format!("isolation: {level}")]);
    let run = scene.read("run.json");
    run.has(&[&format!("\"level\": \"{level}\"")]);

    let said = scene.read("logs/stderr/reach.txt");
    let results = said.lines().filter_map(|line| line.rsplit_once(": "));
    let results = results.filter(|(_, result)| matches!(*result, "done" | "refused"));
    let attempts: Vec<(&str, &str)> = results.collect();
    assert_eq!(scene.cells("games.csv", "end"), ["rules"; 6]);
    assert!(attempts.len() >= 100, "every attempt is reported: {said}");
    let claims = catalogue::claims("reach.cpp", level);
    for (name, result) in attempts {
        if name.starts_with("honest: ") {
            assert_eq!(result, "done", "{name}");
            continue;
        }
        let Some(claim) = claims.get(name) else {
            // A long log has lines that are cut.
            let is_cut = claims.keys().any(|known| known.ends_with(name));
            assert!(is_cut, "no row has {name}");
            continue;
        };
        assert!(claim != "closed" || result == "refused", "{name}");
    }
    outside.assert_untouched();
    let submitted = ["honest/bot", "other/bot", "reach/bot", "reach/targets.txt"]
        .map(|name| fs::read(scene.submissions().join(name)).expect("readable"));
    let artifacts = scene.out().join("artifacts");
    for (path, (mode, content)) in looks(&artifacts) {
        let name = path.file_name().expect("a file").to_string_lossy();
        let of_judge = path.parent() == Some(&*artifacts) && name.ends_with(".json");
        let known = ["bot", "targets.txt"].contains(&&*name) || of_judge;
        let shown = path.display();
        assert!(known, "{shown} is new");
        assert_eq!(mode & 0o022, 0, "{shown} can be changed by others");
        let is_same = of_judge || submitted.contains(&content);
        assert!(is_same, "{shown} was changed");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_call_of_another_architecture_ends_the_bot() {
    let scene = Scene::of(["honest"]);
    let source = "int main() { long r = 20; asm volatile(\"int $0x80\" : \"+a\"(r) :: \"memory\"); return 0; }";
    let path = scene.write("i386.cpp", source);
    compiled(&scene, "i386", Path::new(&path));
    scene.run(FLAGS).well();
    let games = scene.cells("games.csv", "end,charged");
    assert_eq!(games, ["crash,i386"; 2]);
    assert!(scene.read("journal.jsonl").contains("SIGSYS"));
}

#[test]
fn strangers_play_weakly_isolated_on_demand_only() {
    let scene = Scene::of(["ann", "bob"]);
    let refusal = ["only weakly: no namespaces", "--weak-isolation"];
    let bare = |command: &Command| without_namespaces(command).ended();
    bare(&scene.command(FLAGS)).refused(&refusal);
    bare(&at_level(IsolationLevel::Weak, &scene, "")).well();
    assert!(scene.read("report.html").contains("weak"));
    let [ann, bob] = ["ann", "bob"].map(|name| scene.submissions().join(name));
    let of = |verb: &str, bots: &[&Path], flags: &str| bare(&judge_at(verb, bots, flags));
    // One's own bots, named one by one.
    let own = scene.folder().join("own").display().to_string();
    let flags = format!("{FLAGS} --out {own}");
    of("run", &[&ann, &bob], &flags).well();
    of("play", &[&ann, &bob], SMALL).well();
    let check = |flags: &str| {
        let flags = format!("{SMALL} --states 1 {flags}");
        of("check", &[&ann], &flags)
    };
    check("").well();
    check("--format gradescope").refused(&refusal);
    check("--format gradescope --weak-isolation").well();
}

#[test]
fn without_landlock_programs_have_the_users_rights() {
    let scene = Scene::of(["ann", "bob"]);
    let bare = |command: &Command| {
        let mut bare = Command::new("/usr/bin/python3");
        bare.arg(catalogue::hostile("without.py")).arg("landlock");
        bare.arg(command.get_program()).args(command.get_args());
        bare.ended()
    };
    let run = |flags: &str| bare(&scene.command(&format!("{FLAGS} {flags}")));
    run("").refused(&["Landlock", "Linux 5.13", "--weak-isolation"]);
    run("--weak-isolation").says(&["programs have your rights"]);
    scene.all_end_by_rules();
    let flags = format!("{SMALL} --states 1 --format autolab --weak-isolation");
    let ann = scene.submissions().join("ann");
    let ended = bare(&judge_at("check", &[&ann], &flags));
    if geteuid().is_root() {
        ended.well();
    } else {
        ended.refused(&["could write its own score"]);
    }
}

#[test]
fn doctor_names_level_mechanisms_and_toolchains() {
    let doctor = |flags: &str| judge_at("doctor", &[], flags).ended().well().stdout;
    let isolation = Isolation::find();
    let version = isolation.landlock_version;
    doctor("").has(&[
        &format!("isolation: {isolation}\n"),
        &format!("yes Landlock guards files: version {version}\n"),
        "yes seccomp guards system calls",
        "yes g++: ",
    ]);
    let json: serde_json::Value = serde_json::from_str(&doctor("--json")).expect("JSON");
    assert_eq!(json["isolation"]["seccomp"], true);
    assert_eq!(json["level"], "sealed");
    assert_eq!(json["toolchains"][0]["package"], "g++");
}
