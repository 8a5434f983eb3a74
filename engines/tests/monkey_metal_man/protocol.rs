//! The examples of the protocol page are valid.

use engines::erased::AnyGame;
use engines::monkey_metal_man::{Action, Config, MonkeyMetalMan, Setup, View};
use engines::{Game, Seat};
use serde_json::value::RawValue;

const PAGE: &str = include_str!("../../../protocol-monkey-metal-man.md");

/// Lists the page's JSON blocks with their kinds.
fn blocks() -> Vec<(&'static str, &'static str)> {
    let fenced = PAGE.split("```json ").skip(1);
    let blocks = fenced.map(|block| {
        let (kind, rest) = block.split_once('\n').unwrap();
        let (json, _) = rest.split_once("```").unwrap();
        (kind, json)
    });
    blocks.collect()
}

#[test]
fn every_example_of_the_protocol_page_is_valid() {
    let mut kinds = Vec::new();
    for (kind, json) in blocks() {
        kinds.push(kind);
        match kind {
            "config" => {
                let config: Config = serde_json::from_str(json).unwrap();
                MonkeyMetalMan::draw(&config, &mut super::seeded(0)).unwrap();
            }
            "setup" => {
                let setup: Setup = serde_json::from_str(json).unwrap();
                MonkeyMetalMan::start(&setup).unwrap();
            }
            "view" => {
                let view: View = serde_json::from_str(json).unwrap();
                let plain: serde_json::Value = serde_json::from_str(json).unwrap();
                assert_eq!(serde_json::to_value(&view).unwrap(), plain);
            }
            "move" => {
                let action: Action = serde_json::from_str(json).unwrap();
                action.check().unwrap();
            }
            other => panic!("no such kind: {other}"),
        }
    }
    for kind in ["config", "setup", "view", "move"] {
        assert!(kinds.contains(&kind), "{kind}");
    }
}

#[test]
fn the_view_of_the_page_is_the_one_of_its_setup() {
    let find = |kind| {
        blocks()
            .into_iter()
            .find(|block| block.0 == kind)
            .unwrap()
            .1
    };
    let setup: Box<RawValue> = serde_json::from_str(find("setup")).unwrap();
    let game = engines::game("monkey-metal-man")
        .unwrap()
        .start(&setup)
        .unwrap();
    let mut view = Vec::new();
    AnyGame::write_view(game.as_ref(), Seat::new(0), &mut view);
    let told: serde_json::Value = serde_json::from_slice(&view).unwrap();
    let shown: serde_json::Value = serde_json::from_str(find("view")).unwrap();
    assert_eq!(told, shown);
}
