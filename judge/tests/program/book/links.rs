//! Links between pages, both in the repository and as chapters of the book.

use super::{chapters, is_page, read};
use crate::support::root;

fn prose(text: &str) -> String {
    let mut in_block = false;
    let mut prose = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            let parts = line.split('`').enumerate();
            prose.extend(parts.filter(|(at, _)| at % 2 == 0).map(|(_, part)| part));
            prose.push('\n');
        }
    }
    prose
}

fn targets(text: &str) -> Vec<String> {
    let prose = prose(text);
    let rests = prose.split("](").skip(1);
    let targets = rests.filter_map(|rest| Some(rest.split_once(')')?.0.to_owned()));
    targets.collect()
}

/// Returns the anchor of a heading, by the rule of GitHub and mdBook.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter_map(|c| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || matches!(c, '-' | '_') => Some(c),
        _ => None,
    });
    kept.collect()
}

fn has_anchor(text: &str, wanted: &str) -> bool {
    let mut headings = text.lines().filter(|line| line.starts_with('#'));
    headings.any(|line| anchor(line.trim_start_matches('#')) == wanted)
}

#[test]
fn every_link_targets_existing_file_and_heading() {
    for chapter in chapters() {
        for target in targets(&chapter.text) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (path, heading) = target.split_once('#').unwrap_or((&target, ""));
            let place = root().join(&chapter.folder).join(path);
            let text = match path {
                "" => chapter.text.clone(),
                _ if place.is_file() && is_page(&place) => read(&place),
                _ => String::new(),
            };
            let (name, there) = (&chapter.name, path.is_empty() || place.exists());
            assert!(there, "{name} links to {target}");
            let known = heading.is_empty() || has_anchor(&text, heading);
            assert!(known, "{name} links to {target}: no such heading");
        }
    }
}
