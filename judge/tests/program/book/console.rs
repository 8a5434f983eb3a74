//! The blocks marked `console`. They run in the order of their page, in a new folder with the
//! examples. `$` begins a command, and the rest is its whole output. The block's mark may have the
//! last command's exit code. A block with `file=PATH` in its mark is a file that the reader saves.
//! `…` in a line of output stands for any text, and alone for any lines. Blanks count as one.

use super::{Chapter, chapters};
use crate::support::page::{Block, blocks};
use crate::support::{SYSTEM_PATH, Scene, executable, program, root};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const AT_ONCE: usize = 2;

#[test]
fn every_command_in_book_prints_what_page_shows() {
    let mut chapters = chapters();
    chapters.retain(|chapter| chapter.text.contains("\n```console"));
    assert!(chapters.len() > 4, "pages with commands");
    // As at a reader's home, all pages share it.
    let cache = tempfile::tempdir().expect("a temporary folder");
    let next = AtomicUsize::new(0);
    let differences = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(chapter) = chapters.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(difference) = run(chapter, cache.path()) {
                        let mut all = differences.lock().expect("nobody panicked");
                        all.push(difference);
                    }
                }
            });
        }
    });
    let differences = differences.into_inner().expect("nobody panicked");
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

fn run(chapter: &Chapter, cache: &Path) -> Result<(), String> {
    let scene = Scene::new();
    let folder = scene.folder().join("reader");
    let programs = scene.folder().join("programs");
    for new in [&folder, &programs] {
        fs::create_dir(new).expect("a new folder");
    }
    symlink(cache, scene.folder().join("cache")).expect("a new link");
    symlink(program(), programs.join("judge")).expect("a new link");
    symlink(root().join("examples"), folder.join("examples")).expect("a new link");
    symlink(root().join("templates"), folder.join("templates")).expect("a new link");
    for block in blocks(&chapter.text) {
        let mut words = block.info.split_whitespace();
        let language = words.next().unwrap_or_default();
        let file = words.clone().find_map(|word| word.strip_prefix("file="));
        if let Some(file) = file {
            if block.text.starts_with("#!") {
                executable(&folder.join(file), &block.text);
            } else {
                scene.write(&format!("reader/{file}"), &block.text);
            }
        } else if language == "console" {
            let code = words.next().map_or(0, |code| code.parse().expect("a code"));
            play(&chapter.name, &block, code, &folder, &programs)?;
        }
    }
    Ok(())
}

/// Runs the commands of a block; `code` is the exit code of the last one, and the others succeed.
fn play(
    page: &str,
    block: &Block,
    code: i32,
    folder: &Path,
    programs: &Path,
) -> Result<(), String> {
    let begins = block.text.starts_with("$ ");
    assert!(begins, "{page}: a console block begins with a command");
    // A `$` begins a command only at the beginning of a line.
    let text = format!("\n{}", block.text);
    let steps: Vec<&str> = text.split("\n$ ").skip(1).collect();
    for (index, step) in steps.iter().enumerate() {
        let (command, shown) = step.split_once('\n').unwrap_or((step, ""));
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("exec 2>&1\n{command}"));
        shell.env("PATH", format!("{}:{SYSTEM_PATH}", programs.display()));
        shell
            .env("XDG_CACHE_HOME", folder.with_file_name("cache"))
            .env("LC_ALL", "C.UTF-8")
            .current_dir(folder);
        let output = shell.output().expect("it starts");
        let printed = String::from_utf8_lossy(&output.stdout);
        // The number of progress lines depends on the machine's speed.
        let is_progress = |line: &&str| line.contains(" games, ") && line.contains(" elapsed");
        let printed = printed.lines().filter(|line| !is_progress(line));
        let printed: String = printed.flat_map(|line| [line, "\n"]).collect();
        let expected = if index + 1 == steps.len() { code } else { 0 };
        let ended = output.status.code();
        if !shows(shown, &printed) || ended != Some(expected) {
            return Err(format!(
                "{page}: $ {command}\n--- the page shows, with exit code {expected}\n{shown}\n--- it printed, with {ended:?}\n{printed}"
            ));
        }
    }
    Ok(())
}

fn shows(page: &str, printed: &str) -> bool {
    let lines = |text: &str| -> Vec<String> {
        let lines = text.trim_end().lines();
        lines.map(|line| one_blank(line.trim_end())).collect()
    };
    lines_match(&lines(page), &lines(printed))
}

/// Returns a line whose words have one blank between them, with its indentation as one.
fn one_blank(line: &str) -> String {
    let mut words = line.split(' ');
    let first = words.next().unwrap_or_default();
    let rest = words.filter(|word| !word.is_empty());
    let rest = rest.map(|word| format!(" {word}"));
    [first.to_owned()].into_iter().chain(rest).collect()
}

fn lines_match(page: &[String], printed: &[String]) -> bool {
    match page.split_first() {
        None => printed.is_empty(),
        Some((line, rest)) if line == "…" => {
            (0..=printed.len()).any(|skipped| lines_match(rest, &printed[skipped..]))
        }
        Some((line, rest)) => printed
            .split_first()
            .is_some_and(|(now, after)| line_matches(line, now) && lines_match(rest, after)),
    }
}

fn line_matches(line: &str, now: &str) -> bool {
    let mut parts = line.split('…');
    let begin = parts.next().expect("split gives one at least");
    let Some(mut now) = now.strip_prefix(begin) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return now.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return now.ends_with(part);
        }
        let Some(at) = now.find(part) else {
            return false;
        };
        now = &now[at + part.len()..];
    }
    true
}

#[test]
fn elided_output_may_vary_and_all_else_matches() {
    for (page, printed, same) in [
        ("a\nb", "a\nb\n", true),
        ("a\nb", "a\nc", false),
        ("a", "a\nb", false),
        ("a\n…", "a\nb\nc", true),
        ("…\nc", "a\nb\nc", true),
        ("…\nc", "a\nb", false),
        ("took … s", "took  1.5  s", true),
        ("took … s", "took 1.5 ms", false),
        ("… of … games", "3 of 4 games", true),
        ("… of … games", "3 of 4 wins", false),
    ] {
        assert_eq!(shows(page, printed), same, "{page:?} {printed:?}");
    }
}
