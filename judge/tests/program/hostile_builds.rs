//! The catalogue's submissions that do not build, or only seem to, through intake.

use crate::support::{Scene, catalogue, copy_folder, game_lines, processes, record};

#[test]
fn hostile_authors_read_reasons_and_others_play() {
    let scene = Scene::new();
    scene.first_legal("honest");
    let rows = catalogue::rows_of("build");
    for row in &rows {
        let from = catalogue::hostile(row.get("program")).join(row.get("mode"));
        copy_folder(&from, &scene.submissions().join(row.get("mode")));
    }
    let flags = "--game catch-the-cat --states 1 --set side=5";
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
    let flags = "--game catch-the-cat --states 1 --set side=5";
    scene.run(&flags).well();
    (scene, names)
}

/// CPU time that the sources use before the first question, and its noise, in microseconds.
const BURNED_US: u64 = 200_000;
const NOISE_US: u64 = 20_000;

#[test]
fn work_before_first_question_is_charged() {
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
fn build_is_limited_to_allowed_cpu_time() {
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
    scene.put("competition.toml", format!("{game}{limits}"));
    let ended = scene.run("--jobs 2").well();
    ended.says(&[
        "  busy: does not play: g++ used more than 2 s of CPU time",
        "  many: does not play: the build command used more than 2 s of CPU time",
    ]);
    assert_eq!(scene.ranked().len(), 2);
}
