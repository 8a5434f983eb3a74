//! Charges, compared with the CPU time on a bot's own clock; `scripts/bench-charging` has the
//! figures.

use crate::support::groups::{charges, has_groups};
use crate::support::{Run, Scene, root};
use std::fs;
use std::process::Command;

// On a smaller board, games have hardly any turns.
const FLAGS: &str = "--game catch-the-cat --states 1 --set side=9 --lifetime game --turn-s 10 \
    --set clock.backstop_s=60 --set clock.startup_s=120";

#[test]
fn charge_matches_bots_own_cpu_clock() {
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
        let mut cc = Command::new("cc");
        cc.args(["-O1", "-pthread", &format!("-DBURN_US={BURN_US}")]);
        cc.args(flags).arg("-o").arg(folder.join("bot"));
        cc.arg(root().join("benches/burn.c")).ended().well();
    }
    let set = "--set bots.processes=true";
    let processes = if groups { set } else { "" };
    scene.run(&format!("{FLAGS} {processes}")).well();
    scene.all_end_by_rules();
    for (name, _) in kinds {
        let log = scene.read(&format!("logs/stderr/{name}.txt"));
        // The first turn of each game has no report, and appears as 0.
        let reports: Vec<u64> = log.lines().filter_map(|line| line.parse().ok()).collect();
        let turns = charges(&scene, name);
        assert_eq!(reports.len(), turns.len(), "{name}: {log}");
        let pairs = reports.into_iter().zip(turns);
        let pairs: Vec<(u64, u64)> = pairs.filter(|(report, _)| *report > 0).collect();
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
