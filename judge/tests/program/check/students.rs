//! Texts for students of a course: nothing about the protocol, which their kit speaks for them.

use super::{checked, exits_as_it_says};
use crate::support::{Has, Scene, source};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A solved starter with a fault, of `judge/tests/check/students.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    game: String,
    instead: Vec<Instead>,
    #[serde(default)]
    flags: String,
    words: Vec<String>,
}

#[derive(Deserialize)]
struct Instead {
    old: String,
    new: String,
}

const FOREIGN: &[&str] = &[
    "`clock`",
    "`seed`",
    "flush",
    "protocol.md",
    "until its input ends",
    "standard output is for answers",
    "for a line",
    "buffer",
    "logs/build",
];

#[test]
fn no_student_is_reported_of_the_protocol() {
    let rows = source("judge/tests/check/students.toml");
    let rows: BTreeMap<String, Vec<Row>> = toml::from_str(&rows).expect("TOML");
    for row in &rows["row"] {
        let kit = &engines::game(&row.game).expect("a game").info.kits[0];
        for Instead { old, .. } in &row.instead {
            let is_there = kit.solved.iter().any(|(_, text)| text.contains(old));
            assert!(is_there, "{old}");
        }
        let include = match &*row.game {
            "catch-the-cat" => "#include <ctime>\n#include <random>\n#include <thread>\n",
            _ => "",
        };
        let scene = Scene::new();
        for (path, text) in kit.solved {
            let mut text = format!("{include}{text}");
            for Instead { old, new } in &row.instead {
                text = text.replacen(old, new, 1);
            }
            scene.put(&format!("ann/{path}"), text);
        }
        let ended = checked(&scene, "ann", &format!("--states 1 {}", row.flags));
        let words: Vec<&str> = row.words.iter().map(String::as_str).collect();
        ended.says(&words);
        ended.stdout.lacks(FOREIGN);
        exits_as_it_says(&ended);
    }
}
