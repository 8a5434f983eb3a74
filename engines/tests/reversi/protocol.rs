//! The examples of the protocol's page are valid instances.

use engines::reversi::{Config, Move, Reversi, Setup, View};
use engines::{Game, Seat};

const PAGE: &str = include_str!("../../../protocol-reversi.md");

/// Gives the kind and the text of every fenced JSON block.
fn examples() -> Vec<(&'static str, &'static str)> {
    let blocks = PAGE.split("```json ").skip(1).map(|rest| {
        let (kind, rest) = rest.split_once('\n').expect("a kind");
        let (text, _) = rest.split_once("```").expect("a closing fence");
        (kind, text)
    });
    blocks.collect()
}

#[test]
fn every_example_of_the_protocol_is_a_valid_instance() {
    let mut kinds = Vec::new();
    for (kind, text) in examples() {
        match kind {
            "config" => {
                let config: Config = serde_json::from_str(text).expect(text);
                let json = serde_json::to_string(&config).expect("plain data");
                let entry = engines::game("reversi").expect("registered");
                entry.configure(&json).expect(text);
            }
            "setup" => {
                let setup: Setup = serde_json::from_str(text).expect(text);
                Reversi::start(&setup).expect(text);
            }
            "view" => {
                let view: View = serde_json::from_str(text).expect(text);
                let black = view.you.seat() == Seat::new(0);
                assert_eq!(view.last.is_none(), black, "black's first turn");
            }
            "move" => {
                let mv: Move = serde_json::from_str(text).expect(text);
                assert!(matches!(mv, Move::Pass | Move::Place(0..=63)), "{text}");
            }
            other => panic!("no such kind of example: {other}"),
        }
        kinds.push(kind);
    }
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds, ["config", "move", "setup", "view"]);
}
