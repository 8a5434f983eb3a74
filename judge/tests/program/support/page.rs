//! The blocks of `protocol.md` and of the games' sections.

use super::root;
use std::fs;

/// Returns the fenced blocks of the pages, as (text after the fence, content).
pub(crate) fn blocks() -> Vec<(String, String)> {
    let general = fs::read_to_string(root().join("protocol.md")).expect("the page");
    let sections = engines::GAMES.iter().map(|game| game.protocol);
    let page: String = sections.fold(general, |page, section| page + section);
    let mut blocks = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in page.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(kind), None) => open = Some((kind.to_owned(), String::new())),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some((_, text))) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a fence is not closed");
    blocks
}

pub(crate) fn texts(kind: &str) -> Vec<String> {
    let found = blocks().into_iter().filter(|(name, _)| name == kind);
    found.map(|(_, text)| text).collect()
}
