//! README's first command: the book shows the program's real output. `scripts/terminal` writes it
//! anew. A test fixes README's commands, because people rely on them.

use crate::support::{Scene, copy_folder, root, source};
use std::os::unix::fs::symlink;

/// Returns the block that `scripts/terminal` writes.
fn block() -> String {
    let page = source("docs/first-evening.md");
    let begin = "<!-- scripts/terminal: run -->\n```text\n";
    let (_, rest) = page.split_once(begin).expect("the mark is there");
    let (block, _) = rest.split_once("\n```\n").expect("the fence is closed");
    block.to_owned()
}

/// Returns a line with `0` for each number and one blank for several. The result is the same on
/// every machine and for any number of games.
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

/// Returns the shapes of the lines, sorted, because ranks may differ. It leaves out lines that
/// depend on the machine or on the number of games.
fn shapes(text: &str) -> Vec<String> {
    let reported = |line: &&str| {
        let depends = ["close to a boundary", "winner by ", "to see why "];
        !line.is_empty() && !depends.iter().any(|begin| line.starts_with(begin))
    };
    let mut shapes: Vec<String> = text.lines().filter(reported).map(shape).collect();
    shapes.sort();
    shapes
}

/// Plays README's first command, with the programs that another scene has built of the examples.
pub(crate) fn the_page_shows_what_the_program_prints(built: &Scene) {
    let scene = Scene::new();
    symlink(root().join("examples"), scene.folder().join("examples")).expect("a new link");
    let artifacts = scene.folder().join("results/catch-the-cat/artifacts");
    copy_folder(&built.out().join("artifacts"), &artifacts);
    let beside = outside_of_the_table(&block());
    assert!(beside <= 12, "{beside} lines beside the table");
    // On a smaller board, all output has the same shape. The command names files relative to its
    // folder.
    let ended = scene.judge("run examples/catch-the-cat --seed 1 --states 8 --set side=9");
    assert_eq!(
        shapes(&block()),
        shapes(&ended.stdout),
        "run scripts/terminal"
    );
}

fn outside_of_the_table(text: &str) -> usize {
    let (before, after) = text.split_once("\nrank ").expect("a table");
    let (_, after) = after.split_once("\n\n").expect("an end of the table");
    before.lines().count() + 1 + after.lines().count()
}
