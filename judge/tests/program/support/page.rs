//! The fenced blocks of pages, of `protocol.md` and of the games' sections.

use super::source;

#[derive(Debug)]
pub(crate) struct Block {
    /// The text after the fence: the language, and words for the tests.
    pub(crate) info: String,
    pub(crate) text: String,
}

pub(crate) fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.trim_start().strip_prefix("```") else {
            continue;
        };
        let inside = lines.by_ref().take_while(|line| line.trim() != "```");
        blocks.push(Block {
            info: info.to_owned(),
            text: inside.flat_map(|line| [line, "\n"]).collect(),
        });
    }
    blocks
}

/// Returns the blocks of this kind of `protocol.md` and the games' sections.
pub(crate) fn texts(kind: &str) -> Vec<String> {
    let sections = engines::GAMES.iter().map(|game| game.info.protocol);
    let page = sections.fold(source("protocol.md"), |page, section| page + section);
    let fences = page
        .lines()
        .filter(|line| line.trim_start().starts_with("```"));
    assert_eq!(fences.count() % 2, 0, "a fence is not closed");
    let found = blocks(&page).into_iter().filter(|block| block.info == kind);
    found.map(|block| block.text).collect()
}
