//! README's first command: the book shows the program's real output. `scripts/terminal` writes it
//! anew. A test fixes README's commands, because people rely on them.

use crate::support::{Run, Scene, judge, root, source};
use std::os::unix::fs::symlink;
use std::path::Path;

/// Returns the block of a page that `scripts/terminal` writes under a name.
fn block(page: &str, name: &str) -> String {
    let page = source(&format!("docs/{page}"));
    let begin = format!("<!-- scripts/terminal: {name} -->\n```text\n");
    let (_, rest) = page.split_once(&begin).expect("the mark is there");
    let (block, _) = rest.split_once("\n```\n").expect("the fence is closed");
    block.to_owned()
}

/// Returns a line with `0` for each number and one blank for several.
fn shape(line: &str) -> String {
    let mut shape = String::new();
    for c in line.chars() {
        let last = shape.chars().next_back();
        let in_number = last == Some('0') && matches!(c, '0'..='9' | '.' | '-' | ',');
        match c {
            _ if in_number => {}
            '0'..='9' => shape.push('0'),
            ' ' if last == Some(' ') => {}
            c => shape.push(c),
        }
    }
    shape.trim_end().to_owned()
}

/// Sorts the shapes of the lines, without those that depend on the machine or the number of games.
fn shapes(text: &str) -> Vec<String> {
    let reported = |line: &&str| {
        let depends = ["close to a boundary", "winner by ", "to see why "];
        !line.is_empty() && !depends.iter().any(|begin| line.starts_with(begin))
    };
    let mut shapes: Vec<String> = text.lines().filter(reported).map(shape).collect();
    shapes.sort();
    shapes
}

/// Replaces every number with a unit of time by `TIME`, with one blank before it.
fn timeless(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let mut words: Vec<&str> = Vec::new();
        for word in line.split(' ') {
            let unit = word.trim_end_matches([',', '.']);
            let number = words.last().is_some_and(|last| last.parse::<f64>().is_ok());
            if number && matches!(unit, "µs" | "ms" | "s") {
                words.pop();
                while words.last() == Some(&"") {
                    words.pop();
                }
                words.push(if word == unit { "TIME" } else { "TIME," });
            } else {
                words.push(word);
            }
        }
        words.join(" ") + "\n"
    });
    lines.collect()
}

#[test]
fn the_page_shows_what_the_program_prints() {
    let scene = Scene::new();
    symlink(root().join("examples"), scene.folder().join("examples")).expect("a new link");
    let beside = outside_of_the_table(&block("first-evening.md", "run"));
    assert!(beside <= 12, "{beside} lines beside the table");
    // On a smaller board, all output has the same shape. The command names files relative to its
    // folder.
    let ended = scene.judge("run examples/catch-the-cat --seed 1 --states 8 --set side=9");
    let shown = shapes(&block("first-evening.md", "run"));
    assert_eq!(shown, shapes(&ended.stdout), "run scripts/terminal");
}

/// Compares game 26 of the examples, on their second state by the seed 1, with the one on the page.
pub(crate) fn compare_with_the_page(run: &Path) {
    let mut view = judge();
    view.arg("view")
        .arg(run)
        .args(["26", "--terminal", "--ply", "24"]);
    let ended = view.ended().well();
    let now = timeless(ended.stdout.trim_end());
    let shown = timeless(&block("reading-the-page.md", "game"));
    assert_eq!(shown, now, "run scripts/terminal");
}

fn outside_of_the_table(text: &str) -> usize {
    let (before, after) = text.split_once("\nrank ").expect("a table");
    let (_, after) = after.split_once("\n\n").expect("an end of the table");
    before.lines().count() + 1 + after.lines().count()
}
