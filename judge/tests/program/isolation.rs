//! Programs that try to escape. Each is a real program under the real launcher and must get
//! nothing, while honest programs get all that they need.

use crate::support::outside::Outside;
use crate::support::{Ended, Scene, catalogue};
use sandbox::Isolation;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const FLAGS: &[&str] = &[
    "--game",
    "catch-the-cat",
    "--states",
    "1",
    "--set",
    "side=5",
    "--backstop-s",
    "60",
    "--startup-s",
    "120",
    // On an emulated machine, some attempts take seconds.
    "--bank-s",
    "60",
];

/// Compiles a program into a submission.
fn compiled(scene: &Scene, name: &str, source: &Path) {
    let folder = scene.submissions().join(name);
    fs::create_dir_all(&folder).expect("a new folder");
    catalogue::compile("g++", source, &folder.join("bot"));
}

/// Returns the mode, the time of change and the content of every file of a folder.
fn looks(folder: &Path) -> BTreeMap<PathBuf, (u32, std::time::SystemTime, Vec<u8>)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            found.extend(looks(&path));
            continue;
        }
        let metadata = fs::symlink_metadata(&path).expect("it is there");
        if path.ends_with("judge") {
            // A built-in bot, which every run copies again.
            continue;
        }
        let changed = metadata.modified().expect("the system has times");
        let content = fs::read(&path).unwrap_or_default();
        found.insert(path, (metadata.permissions().mode(), changed, content));
    }
    found
}

#[test]
fn a_bot_that_reaches_for_everything_gets_nothing_but_what_honest_bots_need() {
    reach(&[]);
}

#[test]
fn a_bot_in_a_new_sandbox_gets_no_more_than_in_a_warm_cage() {
    reach(&["--cold"]);
}

/// Lets a bot try everything, in sandboxes that these flags ask for.
fn reach(road: &[&str]) {
    let (scene, outside) = (Scene::new(), Outside::new());
    scene.first_legal("honest").first_legal("other");
    compiled(&scene, "reach", &catalogue::hostile("reach.cpp"));
    // The first run makes the journal and the artifacts that the second one tries to reach.
    let targets = scene.submissions().join("reach/targets.txt");
    let lines = [
        ("submission", scene.submissions().join("other/bot")),
        ("run", scene.out()),
        ("journal", scene.out().join("journal.jsonl")),
        ("secret", outside.secret()),
        ("open", outside.open()),
        ("tmp", outside.unique("/tmp")),
        ("shm", outside.unique("/dev/shm")),
        ("name", outside.unique("/")),
        ("closed", outside.closed()),
        ("outsider", PathBuf::from(std::process::id().to_string())),
    ];
    let lines = lines.map(|(name, path)| format!("{name} {}\n", path.display()));
    // Calm, because a program with more threads than a bot may have loses by it: see `holdings`.
    let text = lines.concat() + "calm yes\n";
    fs::write(&targets, text).expect("a new file");

    // A shell opens more descriptors and sets a variable. It plays one game at a time: in tier B
    // all threads belong to one user, and count against one limit.
    let run = scene.command(&[FLAGS, &["--jobs", "1", "--verbose"], road].concat());
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "exec 7</dev/null 9</; exec \"$0\" \"$@\""])
        .arg(run.get_program())
        .args(run.get_args())
        .env("JUDGE_TEST_SECRET", "1");
    let ended = Ended::of(shell.output().expect("it starts")).well();
    assert!(ended.stdout.contains("isolation: tier"), "{ended:?}");
    assert!(scene.read("run.json").contains("\"isolation\""));

    let said = scene.read("logs/stderr/reach.txt");
    let attempts: Vec<(&str, &str)> = said
        .lines()
        .filter_map(|line| line.rsplit_once(": "))
        .filter(|(_, result)| matches!(*result, "done" | "refused"))
        .collect();
    let games = scene.rows("games.csv");
    assert_eq!(games.len(), 6);
    assert!(attempts.len() >= 100, "every attempt is reported: {said}");
    let claims = catalogue::claims("reach.cpp");
    for (name, result) in attempts {
        if name.starts_with("honest: ") {
            assert_eq!(result, "done", "{name}");
            continue;
        }
        let claim = claims
            .get(name)
            .unwrap_or_else(|| panic!("no row has {name}"));
        assert!(claim != "closed" || result == "refused", "{name}");
    }
    for game in games {
        assert_eq!(game.get("end"), "rules", "{game:?}");
    }
    outside.assert_untouched();
    let artifacts = scene.out().join("artifacts");
    for (path, (mode, _, content)) in looks(&artifacts) {
        let name = path.file_name().expect("a file").to_string_lossy();
        let of_judge = path.parent() == Some(&*artifacts) && name.ends_with(".json");
        let known = ["bot", "targets.txt"].contains(&&*name) || of_judge;
        let shown = path.display();
        assert!(known, "{shown} is new");
        assert_eq!(mode & 0o022, 0, "{shown} can be changed by others");
        assert!(!content.is_empty(), "{shown} was emptied");
    }
}

#[test]
fn nothing_in_the_runs_folder_changes_while_bots_reach_for_it() {
    let scene = Scene::new();
    scene.first_legal("honest");
    compiled(&scene, "reach", &catalogue::hostile("reach.cpp"));
    fs::write(scene.submissions().join("reach/targets.txt"), "calm yes\n").expect("ours");
    scene.run(FLAGS).well();
    let artifacts = scene.out().join("artifacts");
    let before = looks(&artifacts);
    let mut more = FLAGS.to_vec();
    more[3] = "2";
    scene.run(&more).well();
    assert!(looks(&artifacts) == before, "an artifact has changed");
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_call_of_another_architecture_ends_the_bot() {
    let scene = Scene::new();
    scene.first_legal("honest");
    let source = "int main() { long r = 20; asm volatile(\"int $0x80\" : \"+a\"(r) :: \"memory\"); return 0; }";
    let path = scene.submissions().with_file_name("i386.cpp");
    fs::write(&path, source).expect("ours");
    compiled(&scene, "i386", &path);
    scene.run(FLAGS).well();
    for game in scene.rows("games.csv") {
        assert_eq!(game.get("end"), "crash", "{game:?}");
        assert_eq!(game.get("charged"), "i386", "{game:?}");
    }
    assert!(scene.read("journal.jsonl").contains("SIGSYS"));
}

#[test]
fn where_the_kernel_has_no_landlock_nothing_runs_unless_it_is_asked_for() {
    let scene = Scene::new();
    scene.first_legal("ann").first_legal("bob");
    let run = |flags: &[&str]| {
        let run = scene.command(&[FLAGS, flags].concat());
        let mut bare = Command::new("/usr/bin/python3");
        bare.arg(catalogue::hostile("without_landlock.py"));
        bare.arg(run.get_program()).args(run.get_args());
        Ended::of(bare.output().expect("Python is installed"))
    };
    run(&[]).refused(&["Landlock", "Linux 5.13", "--weak-isolation"]);
    let ended = run(&["--weak-isolation", "--verbose"]).well();
    assert!(ended.stdout.contains("isolation: tier C"), "{ended:?}");
    assert!(
        ended.stdout.contains("Landlock guards files: needs"),
        "{ended:?}"
    );
    for game in scene.rows("games.csv") {
        assert_eq!(game.get("end"), "rules", "{game:?}");
    }
}

#[test]
fn doctor_tells_the_tier_what_it_rests_on_and_which_toolchains_there_are() {
    let doctor = |flags: &[&str]| {
        let mut command = crate::support::judge();
        command.arg("doctor").args(flags);
        Ended::of(command.output().expect("it starts"))
            .well()
            .stdout
    };
    let text = doctor(&[]);
    let isolation = Isolation::find();
    let lines = [
        format!("isolation: {isolation}\n"),
        format!(
            "yes Landlock guards files: version {}\n",
            isolation.landlock_version
        ),
        "yes seccomp guards system calls".to_owned(),
        "yes g++: ".to_owned(),
    ];
    for line in lines {
        assert!(text.contains(&line), "{line:?} is not in {text}");
    }
    let json: serde_json::Value = serde_json::from_str(&doctor(&["--json"])).expect("JSON");
    assert_eq!(json["isolation"]["seccomp"], true);
    assert_eq!(json["toolchains"][0]["package"], "g++");
}
