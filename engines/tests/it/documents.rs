//! Documents outside of the games' folders that repeat what lies in them.
//!
//! `UPDATE_DOCS=1 cargo test -p judge-engines --test it documents` writes the games' sections
//! into `protocol.md` anew.

use judge_engines::GAMES;
use std::fs;
use std::path::PathBuf;

/// Finds a file by its path below the repository's root.
fn root(path: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", path].iter().collect()
}

#[test]
fn the_sections_of_the_protocol_are_those_in_the_games_folders() {
    let path = root("protocol.md");
    let text = fs::read_to_string(&path).expect("the protocol is there");
    let sections: Vec<&str> = GAMES.iter().map(|game| game.protocol).collect();
    let first = format!("## {}\n", GAMES[0].info.title);
    let begin = text.find(&first).expect("the first game's section");
    let expected = text[..begin].to_owned() + &sections.join("\n");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &expected).expect("the protocol can be written");
    }
    let text = fs::read_to_string(&path).expect("the protocol is there");
    let differs = text.lines().zip(expected.lines()).find(|(a, b)| a != b);
    assert_eq!(differs, None, "a line of protocol.md");
    assert!(text == expected, "protocol.md is longer or shorter");
}
