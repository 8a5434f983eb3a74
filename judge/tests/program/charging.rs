//! Charges, compared with the CPU time on a bot's own clock; `scripts/bench-charging` has the
//! figures.

use crate::support::groups::{charges, has_groups};
use crate::support::{Scene, game_lines, record, root};
use model::artifact::STARTUP_FREE_MS;
use std::fs;
use std::process::Command;

// On a smaller board, games have hardly any turns.
const FLAGS: &str = "--game catch-the-cat --states 1 --set side=9 --lifetime game --turn-s 10 \
    --set clock.backstop_s=60 --set clock.startup_s=120";

#[test]
fn the_charge_is_what_the_bot_has_burned_by_its_own_clock() {
    const BURN_US: u64 = 5000;
    let mut kinds = vec![
        ("thread", vec![]),
        ("threads", vec!["-DTHREADS=4"]),
        ("after", vec!["-DAFTER"]),
    ];
    let groups = has_groups();
    if groups {
        kinds.push(("child", vec!["-DCHILD"]));
    }
    let scene = Scene::new();
    for (name, flags) in &kinds {
        let folder = scene.submissions().join(name);
        fs::create_dir_all(&folder).expect("a new folder");
        let compiler = Command::new("cc")
            .args(["-O1", "-pthread", &format!("-DBURN_US={BURN_US}")])
            .args(flags)
            .arg("-o")
            .args([folder.join("bot"), root().join("benches/burn.c")])
            .output()
            .expect("a C compiler is installed");
        let words = String::from_utf8_lossy(&compiler.stderr);
        assert!(compiler.status.success(), "{words}");
    }
    let processes = if groups {
        "--set bots.processes=true"
    } else {
        ""
    };
    scene.run(&format!("{FLAGS} {processes}")).well();
    scene.all_end_by_rules();
    for (name, _) in kinds {
        let log = scene.read(&format!("logs/stderr/{name}.txt"));
        // The first turn of each game has no report, and appears as 0.
        let reports: Vec<u64> = log.lines().filter_map(|line| line.parse().ok()).collect();
        let turns = charges(&scene, name);
        assert_eq!(reports.len(), turns.len(), "{name}: {log}");
        let pairs = reports
            .into_iter()
            .zip(turns)
            .filter(|(report, _)| *report > 0);
        let pairs: Vec<(u64, u64)> = pairs.collect();
        let burned: u64 = pairs.iter().map(|(report, _)| report).sum();
        let charged: u64 = pairs.iter().map(|(_, charge)| charge).sum();
        assert!(pairs.len() >= 10, "{name}: {pairs:?}");
        assert!(burned >= BURN_US * pairs.len() as u64, "{name}: {pairs:?}");
        assert!(charged > burned - burned / 5, "{name}: {pairs:?}");
        assert!(charged < burned + burned / 2, "{name}: {pairs:?}");
        // A busy host's own work may count as CPU time of single turns. CPU time after an answer
        // may count in its turn or the next one.
        let deviations = pairs.iter().map(|(report, charge)| {
            let reports = match name {
                "after" => ((charge + report / 2) / report).min(2),
                _ => 1,
            };
            charge.abs_diff(reports * report)
        });
        let mut deviations: Vec<u64> = deviations.collect();
        deviations.sort_unstable();
        let median = deviations[deviations.len() / 2];
        assert!(median < BURN_US / 5, "{name}: {pairs:?}");
    }
}

/// Computes for 0.4 s before it is ready.
const EARLY: &str = r#"#!/usr/bin/env python3
import json, sys, time
while time.process_time() < 0.4: pass
for line in sys.stdin:
    message = json.loads(line)
    if "turn" in message:
        print(json.dumps({"move": message["turn"]["legal"][0]}), flush=True)
    else:
        print('{"ready":{"legal_moves":true}}', flush=True)
"#;

#[test]
fn what_a_start_up_takes_beyond_what_is_free_is_charged_to_the_first_turn() {
    const BURNED_US: u64 = 400_000;
    // Deviation by CPU time before and after the program's own measurement, in microseconds.
    const NOISE_US: u64 = 100_000;
    for (free_us, key) in [
        (STARTUP_FREE_MS * 1000, ""),
        (50_000, "startup_free_ms = 50\n"),
    ] {
        let scene = Scene::new();
        scene.script("early", EARLY).first_legal("honest");
        let clock = format!("[clock]\nturn_s = 20\nbackstop_s = 60\nstartup_s = 120\n{key}");
        let bots = "[bots]\nlifetime = \"turn\"\n[config]\nside = 5\n";
        scene.file(
            "competition.toml",
            format!("game = \"catch-the-cat\"\n{clock}{bots}"),
            0o644,
        );
        scene.run("--seed 3").well();
        let journal = scene.read("journal.jsonl");
        for record in game_lines(&journal).map(record) {
            let seat = usize::from(record.seats[1].entrant == "early");
            let own = &record.seats[seat];
            let turns = record.turns.iter().filter(|turn| turn.seat.index() == seat);
            let turns: Vec<u64> = turns.map(|turn| turn.cpu_us).collect();
            let starts = turns.len() as u64;
            assert!(starts > 0, "{record:?}");
            let least = BURNED_US - free_us - NOISE_US;
            assert!(turns.iter().all(|&us| us > least), "{turns:?}");
            assert!(own.uncharged_us >= free_us * starts, "{own:?}");
            assert!(own.off_turn_us > least * starts, "{own:?}");
        }
    }
}
