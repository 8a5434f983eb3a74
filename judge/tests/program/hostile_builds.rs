//! The catalogue's submissions that do not build, or only seem to, through intake.

use crate::support::{
    PATIENCE, Scene, catalogue, copy_folder, game_lines, processes, record, run_build,
};
use sandbox::{Build, BuildEnd};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[test]
fn each_author_is_told_what_is_wrong_and_the_others_play() {
    let scene = Scene::new();
    scene.first_legal("honest");
    let rows = catalogue::rows_of("build");
    for row in &rows {
        let from = catalogue::hostile(row.get("program")).join(row.get("mode"));
        copy_folder(&from, &scene.submissions().join(row.get("mode")));
    }
    let flags = [
        "--game",
        "catch-the-cat",
        "--states",
        "1",
        "--set",
        "side=5",
    ];
    let ended = scene.run(&flags).well();
    let mut playing = 1;
    for row in &rows {
        let (mode, end) = (row.get("mode"), row.get("end"));
        let refusal = format!("{mode}: does not play: ");
        if end == "ready" {
            playing += 1;
            assert!(!ended.stdout.contains(&refusal), "{mode}: {ended:?}");
            if !row.get("detail").is_empty() {
                let log = scene.read(&format!("logs/build/{mode}.txt"));
                assert!(log.contains(row.get("detail")), "{mode}: {log}");
            }
            continue;
        }
        let line = ended
            .stdout
            .lines()
            .find_map(|line| line.trim().strip_prefix(&*refusal));
        let reason = line.unwrap_or_else(|| panic!("{mode} plays: {ended:?}"));
        assert!(reason.contains(end), "{mode}: {reason}");
        if !row.get("detail").is_empty() {
            let log = scene.read(&format!("logs/build/{mode}.txt"));
            assert!(log.contains(row.get("detail")), "{mode}: {log}");
        }
    }
    let games = scene.rows("games.csv");
    assert_eq!(games.len(), playing * (playing - 1));
    for game in games {
        // Their cats walk straight ahead, even into walls.
        let simple =
            ["non-ascii", "redefines-main", "warns-disk-full"].contains(&game.get("charged"));
        let wrong_move = game.get("end") == "illegal-move" && simple;
        let forged = game.get("charged") == "forges-answers";
        assert!(
            game.get("end") == "rules" || wrong_move || forged,
            "{game:?}"
        );
    }
    assert_eq!(
        processes::with(&scene.name()),
        [0_i32; 0],
        "a compiler runs on"
    );
}

#[test]
fn a_compiler_that_never_ends_is_ended_at_its_limit() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("ours");
    // It prints nothing, and includes itself twice at every level.
    let header = "#if __INCLUDE_LEVEL__ < 150\n#include \"Cat.h\"\n#include \"Cat.h\"\n#endif\n";
    fs::write(folder.path().join("Cat.h"), header).expect("ours");
    let source = "#include \"Cat.h\"\nint main() {}\n";
    fs::write(folder.path().join("bot.cpp"), source).expect("ours");
    let args = ["-o", "bot", "bot.cpp"].map(str::to_owned);
    let build = Build {
        program: "/usr/bin/g++".into(),
        args: args.into(),
        folder: folder.path().to_owned(),
        limit: Duration::from_secs(2),
        cpu: PATIENCE,
        reserves: false,
    };
    let run = run_build(build);
    assert_eq!(run.end, BuildEnd::Time);
    let name = folder
        .path()
        .file_name()
        .expect("it has one")
        .to_string_lossy();
    assert_eq!(processes::with(&name), [0_i32; 0], "the compiler runs on");
}

/// Plays the catalogue's sources of a run against an honest bot.
fn play_sources(run: &str) -> (Scene, Vec<String>) {
    let scene = Scene::new();
    scene.first_legal("honest");
    let rows = catalogue::rows_of(run);
    assert!(!rows.is_empty(), "the catalogue has rows for {run}");
    let names: Vec<String> = rows.iter().map(|row| row.get("mode").to_owned()).collect();
    for name in &names {
        let from = catalogue::hostile("builds").join(name);
        copy_folder(&from, &scene.submissions().join(name));
    }
    let flags = [
        "--game",
        "catch-the-cat",
        "--states",
        "1",
        "--set",
        "side=5",
    ];
    scene.run(&flags).well();
    (scene, names)
}

/// CPU time that the sources use before the first question, and the deviation allowed; in
/// microseconds.
const BURNED_US: u64 = 200_000;
const NOISE_US: u64 = 20_000;

#[test]
fn what_a_submission_does_before_it_is_asked_is_charged() {
    let (scene, names) = play_sources("early");
    for line in game_lines(&scene.read("journal.jsonl")) {
        let game = record(line);
        for seat in &game.seats {
            if seat.entrant == "honest" {
                continue;
            }
            assert!(names.contains(&seat.entrant));
            assert!(seat.uncharged_us < BURNED_US - NOISE_US, "{seat:?}");
            assert!(seat.cpu_us > BURNED_US - NOISE_US, "{seat:?}");
        }
    }
}

#[test]
fn a_submission_of_the_c_plus_plus_kit_names_no_file() {
    let (scene, _) = play_sources("paths");
    let said = scene.read("logs/stderr/names-files.txt");
    let ends = |word: &str| said.lines().filter(|line| line.ends_with(word)).count();
    assert!(ends(": refused") >= 10, "{said}");
    assert_eq!(ends(": done"), 0, "{said}");
}

#[test]
fn links_that_a_build_makes_are_no_links_in_its_artifact() {
    let scene = Scene::new();
    scene.first_legal("honest").first_legal("links");
    let build =
        "build = \"for n in 1 2 3 4 5 6 7 8; do ln -s bot link-$n; done\"\nrun = \"./bot\"\n";
    scene.sources("links", &[("judge.toml", build)]);
    let flags = [
        "--game",
        "catch-the-cat",
        "--states",
        "1",
        "--set",
        "side=5",
    ];
    scene.run(&flags).well();
    for entry in walk(&scene.out().join("artifacts")) {
        assert!(!entry.is_symlink(), "{} keeps a bit", entry.display());
    }
}

/// Lists everything below a folder.
fn walk(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("readable").path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(walk(&path));
        }
        found.push(path);
    }
    found
}

/// Invisible characters, and those that change how the text around them looks.
const UNSEEN: [char; 6] = [
    '\u{3164}',
    '\u{2028}',
    '\u{61c}',
    '\u{e0061}',
    '\u{202e}',
    '\u{1b}',
];

#[test]
fn names_that_look_alike_are_told_apart() {
    let scene = Scene::new();
    scene.first_legal("honest1").first_legal("honest2");
    for unseen in UNSEEN {
        scene.first_legal(&format!("honest1{unseen}"));
    }
    let flags = [
        "--game",
        "catch-the-cat",
        "--states",
        "1",
        "--set",
        "side=5",
    ];
    scene.run(&flags).well();
    let rows = scene.rows("submissions.csv");
    assert_eq!(rows.len(), 2 + UNSEEN.len(), "everybody has a row");
    let playing = rows.iter().filter(|row| row.get("plays") == "yes");
    let names: Vec<&str> = playing.map(|row| row.get("entrant")).collect();
    assert!(names.contains(&"honest2"), "{names:?}");
    for name in names {
        assert!(!name.contains(UNSEEN), "{name:?}");
    }
    let identities = scene.read("staff/identities.csv");
    assert!(!identities.contains(UNSEEN), "{identities:?}");
}

#[test]
fn a_submission_that_looks_like_a_run_has_a_row() {
    let scene = Scene::new();
    scene.first_legal("honest").first_legal("sly");
    scene.sources("sly", &[("run.json", "{}"), ("journal.jsonl", "\n")]);
    let flags = [
        "--game",
        "catch-the-cat",
        "--states",
        "1",
        "--set",
        "side=5",
    ];
    scene.first_legal("other").run(&flags).well();
    let rows = scene.rows("submissions.csv");
    assert!(
        rows.iter().any(|row| row.get("entrant") == "sly"),
        "{rows:?}"
    );
}

#[test]
fn a_program_outside_of_a_submission_is_refused_in_the_same_words_whether_it_is_there_or_not() {
    let scene = Scene::new();
    scene.first_legal("honest").first_legal("other");
    let paths = ["/etc/shadow", "/etc/no-such-file"];
    for (name, path) in ["there", "not-there"].into_iter().zip(paths) {
        scene.sources(name, &[("judge.toml", &format!("run = \"{path}\"\n"))]);
    }
    let flags = [
        "--game",
        "catch-the-cat",
        "--states",
        "1",
        "--set",
        "side=5",
    ];
    scene.run(&flags).well();
    let rows = scene.rows("submissions.csv");
    let reason = |name: &str, path: &str| {
        let row = rows.iter().find(|row| row.get("entrant") == name);
        row.expect("everybody has a row")
            .get("reason")
            .replace(path, "…")
    };
    let told = reason("there", paths[0]);
    assert!(!told.is_empty(), "{rows:?}");
    assert_eq!(told, reason("not-there", paths[1]));
}

#[test]
fn a_build_takes_no_more_cpu_time_than_a_competition_allows_and_others_go_on() {
    let scene = Scene::new();
    scene.first_legal("honest").first_legal("other");
    let header = "#pragma once\n#if __INCLUDE_LEVEL__ < 150\n\
                  #undef ONCE\n#include \"Deep.h\"\n#include \"Deep.h\"\n#endif\n";
    let deep = "#if __INCLUDE_LEVEL__ < 150\n#include \"Deep.h\"\n#include \"Deep.h\"\n#endif\n";
    scene.sources(
        "busy",
        &[
            ("Cat.h", header),
            ("Catcher.h", "#pragma once\n"),
            ("Deep.h", deep),
        ],
    );
    // Each of its steps takes less than the limit, and all together take more.
    let spin = "python3 -c 'import time\nwhile time.process_time() < 0.7: pass'\n";
    let toml = "build = \"sh make.sh\"\nrun = \"./bot\"\n";
    scene.sources(
        "many",
        &[("judge.toml", toml), ("make.sh", &spin.repeat(20))],
    );
    let limits = "[builds]\nwall_s = 600\ncpu_s = 2\n";
    let game = "game = \"catch-the-cat\"\n[config]\nside = 5\n";
    scene.file("competition.toml", format!("{game}{limits}"), 0o644);
    let ended = scene.run(&["--jobs", "2"]).well();
    ended.says(&[
        "  busy: does not play: g++ used more than 2 s of CPU time",
        "  many: does not play: the build command used more than 2 s of CPU time",
    ]);
    assert_eq!(scene.ranked().len(), 2);
}
