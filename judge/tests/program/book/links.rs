//! Links between pages, both in the repository and as chapters of the book.

use super::{Chapter, chapters, docs, is_page, read};
use crate::support::root;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Returns a page without its blocks of code and quoted code, in which nothing is a link.
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
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| anchor(line.trim_start_matches('#')))
        .any(|found| found == wanted)
}

#[test]
fn every_link_leads_to_a_file_and_a_heading_of_it() {
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

/// Returns the chapters after the book's own program has processed them.
fn made() -> Vec<(String, String)> {
    let chapter = |chapter: &Chapter| {
        // mdBook renames them so.
        let path = chapter.name.replace("README.md", "index.md");
        json!({"Chapter": {
            "name": chapter.name, "content": chapter.text, "path": path,
            "source_path": chapter.name, "sub_items": [],
        }})
    };
    let sections: Vec<Value> = chapters().iter().map(chapter).collect();
    let context = json!({"root": docs(), "config": {"book": {"src": "."}}});
    let mut program = Command::new("python3")
        .arg(docs().join("links.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let input = json!([context, {"sections": sections}]).to_string();
    let mut stdin = program.stdin.take().expect("piped");
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = program.wait_with_output().expect("ours");
    writer.join().expect("it ends").expect("it reads");
    let book: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let made = book["sections"].as_array().expect("a list").iter();
    let word = |chapter: &Value, key: &str| {
        let word = chapter["Chapter"][key].as_str();
        word.expect("a string").to_owned()
    };
    made.map(|c| (word(c, "path"), word(c, "content")))
        .collect()
}

/// Returns the path that a chapter's link leads to, where both are below `docs/`.
fn led_to(chapter: &str, link: &str) -> String {
    let mut parts: Vec<&str> = chapter.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        if part == ".." && parts.last().is_some_and(|last| *last != "..") {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

#[test]
fn in_the_book_every_link_leads_to_a_chapter_or_a_picture() {
    let made = made();
    let mut links = 0;
    for (name, text) in &made {
        for target in targets(text) {
            if target.contains("://") {
                continue;
            }
            let (path, heading) = target.split_once('#').unwrap_or((&target, ""));
            let path = match path {
                "" => name.clone(),
                path => led_to(name, path),
            };
            let chapter = made.iter().find(|(other, _)| *other == path);
            let (place, below) = (docs().join(&path), !Path::new(&path).starts_with(".."));
            // The book contains no page that is not a chapter.
            let is_file = || below && place.is_file() && !is_page(&place);
            assert!(chapter.is_some() || is_file(), "{name} links to {target}");
            let known = chapter.is_none_or(|(_, t)| heading.is_empty() || has_anchor(t, heading));
            assert!(known, "{name} links to {target}: no such heading");
            links += 1;
        }
    }
    assert!(links > 50, "links between chapters");
}
