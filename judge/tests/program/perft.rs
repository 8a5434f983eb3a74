//! `judge perft`, the real program from end to end.

use crate::support::snapshot::Session;
use crate::support::{Run, judge_at};
use engines::GAMES;
use serde_json::Value;

fn nodes(arguments: &str) -> Vec<u64> {
    let mut perft = judge_at("perft", &[], &format!("{arguments} --json"));
    let ended = perft.ended().well();
    let nodes = ended.stdout.lines().map(|line| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        line["nodes"].as_u64().expect("a count")
    });
    nodes.collect()
}

#[test]
fn perft_counts_and_divides_from_any_setup() {
    let start = r#"{"width":5,"height":5,"plies_max":128,"players":[{"position":[2,0],"camels":3},{"position":[2,4],"camels":3}],"camels":[],"to_move":0}"#;
    let set = "--set width=5 --set height=5 --set camels=3";
    for setup in [set, &format!("--setup {start}")] {
        let counts = nodes(&format!("crazy-camel --depth 3 {setup}"));
        assert_eq!(counts, [35, 1109, 31540]);
    }
    let counts = nodes("reversi --depth 7");
    assert_eq!(counts, [4, 12, 56, 244, 1396, 8200, 55092]);
    for entry in GAMES {
        let counts = nodes(&format!("{} --depth 2 --divide", entry.info.slug));
        let (depths, moves) = counts.split_at(2);
        assert_eq!(moves.len() as u64, depths[0], "{entry:?}");
        assert_eq!(moves.iter().sum::<u64>(), depths[1], "{entry:?}");
    }
}

#[test]
fn perft_refuses_what_the_rules_refuse() {
    let mut session = Session::default();
    for arguments in [
        &["reversi", "--depth", "1", "--setup", "{}"][..],
        &["reversi", "--depth", "1", "--setup", "{"],
        &["reversi", "--depth", "1", "--set", "opening_plies=41"],
        &["reversi", "--depth", "1", "--set", "opening_plies"],
        &["reversi", "--depth", "1", "--set", "side=8"],
        &["reversi", "--depth", "0"],
        &["chess", "--depth", "1"],
    ] {
        session.run(&mut judge_at("perft", &[], arguments));
    }
    session.compare("perft__refused");
}
