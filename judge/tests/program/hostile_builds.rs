//! The catalogue's submissions that do not build, or only seem to, through intake.

use crate::support::{Ended, Has, Row, Scene, catalogue, copy_folder, processes};

/// Runs the catalogue's sources of a run next to an honest bot, by this schedule.
fn play_sources(run: &str, schedule: &str) -> (Scene, Vec<Row>, Ended) {
    let scene = Scene::of(["honest"]);
    let rows = catalogue::rows_of(run);
    assert!(!rows.is_empty(), "the catalogue has rows for {run}");
    for row in &rows {
        let from = catalogue::hostile("builds").join(row.get("mode"));
        copy_folder(&from, &scene.submissions().join(row.get("mode")));
    }
    let game = "game = \"catch-the-cat\"\nstates = 1\n[config]\nside = 5\n";
    scene.put("competition.toml", format!("{game}{schedule}"));
    let ended = scene.run("").well();
    (scene, rows, ended)
}

#[test]
fn hostile_authors_read_reasons_and_others_play() {
    let (scene, rows, ended) = play_sources("build", "");
    let mut playing = 1;
    for row in &rows {
        let (mode, end) = (row.get("mode"), row.get("end"));
        let refusal = format!("{mode}: does not play: ");
        let mut lines = ended.stdout.lines();
        let reason = lines.find_map(|line| line.trim().strip_prefix(&*refusal));
        if end == "ready" {
            playing += 1;
            assert_eq!(reason, None, "{mode}: {ended:?}");
        } else {
            let reason = reason.unwrap_or_else(|| panic!("{mode} plays: {ended:?}"));
            assert!(reason.contains(end), "{mode}: {reason}");
        }
        if !row.get("detail").is_empty() {
            let log = scene.read(&format!("logs/build/{mode}.txt"));
            log.has(&[row.get("detail")]);
        }
    }
    let games = scene.rows("games.csv");
    assert_eq!(games.len(), playing * (playing - 1));
    for game in games {
        // Their cats walk straight ahead, even into walls.
        let simple = ["non-ascii", "warns-disk-full"];
        let simple = simple.contains(&game.get("charged"));
        let wrong_move = game.get("end") == "illegal-move" && simple;
        let forged = game.get("charged") == "forges-answers";
        let rules = game.get("end") == "rules";
        assert!(rules || wrong_move || forged, "{game:?}");
    }
    processes::none_has(&scene.name());
}

/// CPU time that the sources use before the first question, and its noise, in microseconds.
const BURNED_US: u64 = 200_000;
const NOISE_US: u64 = 20_000;

#[test]
fn work_before_first_question_is_charged() {
    let against_honest = "[schedule]\nkind = \"gauntlet\"\nagainst = [\"honest\"]\n";
    let (scene, rows, _) = play_sources("early", against_honest);
    for seat in scene.records().iter().flat_map(|game| &game.seats) {
        if seat.entrant != "honest" {
            assert!(rows.iter().any(|row| row.get("mode") == seat.entrant));
            assert!(seat.uncharged_us < BURNED_US - NOISE_US, "{seat:?}");
            assert!(seat.cpu_us > BURNED_US - NOISE_US, "{seat:?}");
        }
    }
}

#[test]
fn build_is_limited_to_allowed_cpu_time() {
    let scene = Scene::of(["honest", "other"]);
    let header = "#pragma once\n#if __INCLUDE_LEVEL__ < 150\n\
                  #undef ONCE\n#include \"Deep.h\"\n#include \"Deep.h\"\n#endif\n";
    let deep = "#if __INCLUDE_LEVEL__ < 150\n#include \"Deep.h\"\n#include \"Deep.h\"\n#endif\n";
    let (cat, catcher) = (("Cat.h", header), ("Catcher.h", "#pragma once\n"));
    scene.sources("busy", &[cat, catcher, ("Deep.h", deep)]);
    // Each of its steps takes less than the limit, and all together take more.
    let spin = "python3 -c 'import time\nwhile time.process_time() < 0.4: pass'\n";
    let toml = "build = \"sh make.sh\"\nrun = \"./bot\"\n";
    let spin = spin.repeat(20);
    scene.sources("many", &[("judge.toml", toml), ("make.sh", &spin)]);
    let text = "game = \"catch-the-cat\"\n[config]\nside = 5\n[builds]\nwall_s = 600\ncpu_s = 1\n";
    scene.put("competition.toml", text);
    let ended = scene.run("--jobs 2").well();
    ended.says(&[
        "  busy: does not play: g++ used more than 1 s of CPU time",
        "  many: does not play: the build command used more than 1 s of CPU time",
    ]);
    assert_eq!(scene.ranked().len(), 2);
}
